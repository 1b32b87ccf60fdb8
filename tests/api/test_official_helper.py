"""The `.stream()` helper of OpenAI's own client, which is stricter than a loop over chunks."""

from typing import Any

import openai
import pytest
from openai import OpenAI

from tests.api.official import ASKED, TEXT, Models, checked, client, in_a_thread
from tests.support import bytewise, marked, scripted

CALL = '<|end|><|start|>assistant to=find<|message|>{"q": "fig"}'
TOOL: Any = {
    "type": "function",
    "function": {
        "name": "find",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {"q": {"type": "string"}},
            "required": ["q"],
            "additionalProperties": False,
        },
    },
}


@pytest.mark.parametrize(
    ("models", "text"),
    [(scripted(TEXT), TEXT), (bytewise("a 🦜 é"), "a 🦜 é"), (scripted(""), "")],
)
async def test_the_stream_helper_puts_the_answer_together(models: Models, text: str) -> None:
    async with client(models) as asking:
        async with asking.chat.completions.stream(**ASKED) as stream:
            events = [event async for event in stream]
            final = await stream.get_final_completion()
        blocking = await asking.chat.completions.create(**ASKED)

    deltas = [event.delta for event in events if event.type == "content.delta"]
    assert "".join(deltas) == text
    assert all(deltas[1:])  # the first is that of the role
    assert final.choices[0].message.content == blocking.choices[0].message.content == text
    assert final.choices[0].finish_reason == "stop"
    for event in events:
        if event.type == "chunk":
            checked(event.chunk)


async def test_the_stream_helper_without_async_tells_of_scores() -> None:
    def use(plain: OpenAI) -> tuple[list[Any], Any]:
        with plain.chat.completions.stream(**ASKED, logprobs=True, n=2) as stream:
            return list(stream), stream.get_final_completion()

    async with client(scripted("one two")) as asking:
        events, final = await in_a_thread(asking, use)

    assert [e.type for e in events if e.type.startswith("logprobs")].count(
        "logprobs.content.done"
    ) == 2
    for choice in final.choices:
        assert [score.token for score in choice.logprobs.content] == ["one", " two"]


async def test_the_stream_helper_reads_tool_calls() -> None:
    models = marked(CALL + CALL.replace("fig", "plum") + "<|call|>")
    async with client(models) as asking:
        async with asking.chat.completions.stream(**ASKED, tools=[TOOL]) as stream:
            events = [event async for event in stream]
            final = await stream.get_final_completion()
        blocking = checked(await asking.chat.completions.create(**ASKED, tools=[TOOL]))

    done = [e for e in events if e.type == "tool_calls.function.arguments.done"]
    calls = final.choices[0].message.tool_calls or []
    assert [(e.name, e.arguments) for e in done] == [
        ("find", '{"q": "fig"}'),
        ("find", '{"q": "plum"}'),
    ]
    assert [call.function.parsed_arguments for call in calls] == [{"q": "fig"}, {"q": "plum"}]
    assert final.choices[0].finish_reason == "tool_calls"
    assert [c["function"] for c in blocking["choices"][0]["message"]["tool_calls"]] == [
        {"name": call.function.name, "arguments": call.function.arguments} for call in calls
    ]


async def test_the_stream_helper_reads_a_refusal() -> None:
    async with (
        client(marked("<|start|>assistant refusal<|message|>I will not.")) as asking,
        asking.chat.completions.stream(**ASKED) as stream,
    ):
        events = [event async for event in stream]
        final = await stream.get_final_completion()

    assert "".join(e.delta for e in events if e.type == "refusal.delta") == "I will not."
    assert (final.choices[0].message.refusal, final.choices[0].message.content) == (
        "I will not.",
        None,
    )


async def test_the_stream_helper_raises_where_the_wall_cut_the_answer() -> None:
    async with client(scripted(TEXT)) as asking:
        with pytest.raises(openai.LengthFinishReasonError) as cut:
            async with asking.chat.completions.stream(**ASKED, max_tokens=3) as stream:
                await stream.get_final_completion()

    assert cut.value.completion.choices[0].message.content == "Sure! Here"
