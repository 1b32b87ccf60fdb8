"""Statements 110-118: the messages of a chat request."""

from typing import Any

import pytest

from tests.conformance.asking import answer, error, refusal
from tests.support import Json, application, chat

USER: Json = {"role": "user", "content": "hi"}


def said(*messages: Any, **options: Any) -> Json:
    return {**chat(**options), "messages": list(messages)}


async def echoed(*messages: Json) -> str:
    """What the echo of the last user text is."""
    given = await answer({**said(*messages), "model": "echo"})
    assert given.status_code == 200, given.text
    text: str = given.json()["choices"][0]["message"]["content"]
    return text


@pytest.mark.parametrize("role", ["developer", "system", "user", "assistant", "function"])
async def test_110_the_roles_are_known(role: str) -> None:
    assert (await answer(said({"role": role, "content": "x", "name": "f"}))).status_code == 200


async def test_110_another_role_is_told_the_list() -> None:
    assert await refusal(said({"role": "bot", "content": "x"})) == error(
        400,
        "Invalid value: 'bot'. Supported values are: "
        "'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
        "messages[0].role",
        "invalid_value",
    )


async def test_111_developer_and_system_mean_the_same() -> None:
    bodies = [
        {**said({"role": role, "content": "Be brief."}, USER), "model": "tokenlap"}
        for role in ("developer", "system")
    ]
    async with application() as client:
        first, second = [
            (await client.post("/v1/chat/completions", json=body)).json() for body in bodies
        ]

    assert first["choices"] == second["choices"]
    assert first["usage"] == second["usage"]


PARTS: list[Json] = [
    {"type": "text", "text": "a"},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}},
    {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
    {"type": "file", "file": {"file_id": "file-1", "filename": "a.pdf"}},
    {"type": "text", "text": "b"},
]


async def test_112_content_is_a_string_or_an_array_of_parts() -> None:
    assert await echoed({"role": "user", "content": "ab"}) == "ab"
    assert await echoed({"role": "user", "content": PARTS}) == "ab"
    for role in ("system", "developer", "assistant"):
        await echoed({"role": role, "content": PARTS[:1]}, USER)
    await echoed({"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}, USER)


async def test_113_images_are_accepted_and_counted() -> None:
    with_image = (await answer(said({"role": "user", "content": PARTS[:2]}))).json()["usage"]
    without = (await answer(said({"role": "user", "content": PARTS[:1]}))).json()["usage"]

    assert with_image["prompt_tokens"] == without["prompt_tokens"] + 85


@pytest.mark.parametrize("content", [{}, {"content": None}], ids=["missing", "null"])
@pytest.mark.parametrize("role", ["developer", "system", "user", "assistant", "function"])
async def test_114_missing_and_null_content_is_accepted(role: str, content: Json) -> None:
    assert (await answer(said({"role": role, **content}))).status_code == 200


async def test_115_name_refusal_and_audio_are_accepted_and_not_reported() -> None:
    past = {"role": "assistant", "name": "bo", "refusal": "no", "audio": {"id": "audio_1"}}
    given = await answer(said({**USER, "name": "al"}, past, USER))

    assert given.status_code == 200
    assert not any(name in given.text for name in ('"al"', '"bo"', "audio_1"))


async def test_116_a_tool_message_must_follow_its_call() -> None:
    orphan = {"role": "tool", "tool_call_id": "zzz", "content": "r"}

    assert await refusal(said(USER, orphan)) == error(
        400,
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message "
        "with 'tool_calls'.",
        "messages.[1].role",
    )


async def test_117_every_call_must_be_answered() -> None:
    call = {"id": "call_a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    calling = {"role": "assistant", "tool_calls": [call, {**call, "id": "call_b"}]}
    answering = {"role": "tool", "tool_call_id": "call_a", "content": "r"}

    assert await refusal(said(USER, calling, answering, USER)) == error(
        400,
        "An assistant message with 'tool_calls' must be followed by tool messages responding to "
        "each 'tool_call_id'. The following tool_call_ids did not have response messages: call_b",
        "messages.[3].role",
    )


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (
            ...,
            error(
                400,
                "Missing required parameter: 'messages'.",
                "messages",
                "missing_required_parameter",
            ),
        ),
        (
            [],
            error(
                400,
                "Invalid 'messages': empty array. Expected an array with minimum length 1, but got "
                "an empty array instead.",
                "messages",
                "empty_array",
            ),
        ),
        (
            ["ping"],
            error(
                400,
                "Invalid type for 'messages[0]': expected an object, but got a string instead.",
                "messages[0]",
                "invalid_type",
            ),
        ),
    ],
    ids=["missing", "empty", "no object"],
)
async def test_118_there_must_be_messages_and_they_must_be_objects(
    messages: Any, expected: Json
) -> None:
    body = {key: value for key, value in {**chat(), "messages": messages}.items() if value != ...}

    assert await refusal(body) == expected
