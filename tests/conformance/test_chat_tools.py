"""Statements 70-82: tool calls in a stream."""

import json

import pytest

from tests.conformance.asking import CALL, CALLS, TOOL, choice, chunks, deltas, official
from tests.support import Json, chat, marked

FUNCTION = TOOL["function"]


async def fragments(script: str, **options: object) -> list[Json]:
    """All fragments of tool calls of a stream, in order."""
    said = await deltas(marked(script), tools=[TOOL], **options)
    return [fragment for delta in said for fragment in delta.get("tool_calls", [])]


async def test_071_a_call_opens_with_a_chunk_of_its_own_after_the_role() -> None:
    for script, calls in ((CALL, 1), (CALLS, 2)):
        first, *rest = await deltas(marked(script), tools=[TOOL])
        opened = [d["tool_calls"][0] for d in rest if "id" in d.get("tool_calls", [{}])[0]]

        assert first == {"role": "assistant", "content": None, "refusal": None}
        assert len(opened) == calls
        for index, fragment in enumerate(opened):
            assert fragment["index"] == index
            assert fragment["type"] == "function"
            assert fragment["function"] == {"name": "get_time", "arguments": ""}


async def test_070_a_single_call_opens_as_several_do() -> None:
    first, second, *_ = await deltas(marked(CALL), tools=[TOOL])

    assert "tool_calls" not in first
    assert second["tool_calls"][0]["id"].startswith("call_")


async def test_072_later_fragments_hold_index_and_arguments_alone() -> None:
    for fragment in await fragments(CALLS):
        if "id" not in fragment:
            assert set(fragment) == {"index", "function"}
            assert set(fragment["function"]) == {"arguments"}


async def test_073_no_fragment_holds_a_null() -> None:
    assert "null" not in json.dumps(await fragments(CALLS))


async def test_074_the_opening_fragment_has_its_type() -> None:
    opened = [fragment for fragment in await fragments(CALLS) if "id" in fragment]

    assert [fragment["type"] for fragment in opened] == ["function", "function"]


async def test_075_every_fragment_has_an_index_from_0_without_gaps() -> None:
    indexes = [fragment["index"] for fragment in await fragments(CALLS)]

    assert list(dict.fromkeys(indexes)) == [0, 1]
    assert all(type(index) is int for index in indexes)


async def test_076_calls_are_streamed_one_after_the_other() -> None:
    indexes = [fragment["index"] for fragment in await fragments(CALLS)]

    assert indexes == sorted(indexes)


async def test_077_joined_arguments_are_json() -> None:
    for index, zone in ((0, "UTC"), (1, "CET")):
        parts = [
            each["function"]["arguments"]
            for each in await fragments(CALLS)
            if each["index"] == index
        ]

        assert json.loads("".join(parts)) == {"tz": zone}
        assert "".join(parts) == f'{{"tz": "{zone}"}}'


async def test_077_the_helper_of_the_official_client_reads_both_calls() -> None:
    async with (
        official(models=marked(CALLS)) as client,
        client.chat.completions.stream(**chat(tools=[TOOL])) as stream,
    ):
        message = (await stream.get_final_completion()).choices[0].message

    assert [call.function.arguments for call in message.tool_calls or ()] == [
        '{"tz": "UTC"}',
        '{"tz": "CET"}',
    ]


async def test_078_the_finish_chunk_stands_alone() -> None:
    *before, last = await chunks(marked(CALL), tools=[TOOL])

    assert last["choices"][0]["delta"] == {}
    assert last["choices"][0]["finish_reason"] == "tool_calls"
    assert all(chunk["choices"][0]["finish_reason"] is None for chunk in before)


@pytest.mark.parametrize(
    ("chosen", "reasons"),
    [
        ("required", {"tool_calls"}),
        ({"type": "function", "function": {"name": "get_time"}}, {"stop", "tool_calls"}),
    ],
    ids=["required", "named"],
)
async def test_079_a_chosen_tool_is_called(chosen: object, reasons: set[str]) -> None:
    async with official() as client:
        body = {**chat("What time is it in UTC?"), "model": "tokenlap"}
        said = await client.chat.completions.create(**body, tools=[TOOL], tool_choice=chosen)

    assert [call.function.name for call in said.choices[0].message.tool_calls or ()] == ["get_time"]
    assert said.choices[0].finish_reason in reasons


async def test_080_without_parallel_calls_there_is_at_most_one() -> None:
    async with official() as client:
        body = {**chat("What time is it in UTC, in Paris and in Rome?"), "model": "tokenlap"}
        said = await client.chat.completions.create(
            **body, tools=[TOOL], tool_choice="required", parallel_tool_calls=False
        )

    assert len(said.choices[0].message.tool_calls or ()) == 1


async def test_081_the_older_functions_answer_in_function_call() -> None:
    options = {"functions": [FUNCTION], "function_call": {"name": "get_time"}}
    body = {**chat("What time is it?"), "model": "tokenlap"}
    async with official() as client:
        said = (await client.chat.completions.create(**body, **options)).choices[0]
        stream = await client.chat.completions.create(**body, **options, stream=True)
        streamed = [each.choices[0] async for each in stream]

    assert said.finish_reason == streamed[-1].finish_reason == "function_call"
    assert said.message.function_call is not None and said.message.tool_calls is None
    parts = [each.delta.function_call for each in streamed if each.delta.function_call]
    assert parts[0].name == "get_time" and not any(part.name for part in parts[1:])
    arguments = "".join(part.arguments or "" for part in parts)
    assert json.loads(arguments) == json.loads(said.message.function_call.arguments)


async def test_082_a_custom_tool_is_answered_with_its_input() -> None:
    custom = {"type": "custom", "custom": {"name": "run"}}
    options = {"tools": [custom], "tool_choice": custom}
    first = await choice(marked("<|start|>assistant to=run<|message|>ls<|call|>"), **options)

    (call,) = first["message"]["tool_calls"]
    assert call["type"] == "custom"
    assert call["custom"] == {"name": "run", "input": "ls"}
