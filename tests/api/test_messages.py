import json
from typing import Any

import pytest

from tests.support import Json
from tokenlap.api.body import parse
from tokenlap.api.chat.request import ChatRequest
from tokenlap.api.messages import MOST, Message, check_calls, check_parts, turns
from tokenlap.engine.template import Turn
from tokenlap.errors import BadRequest

USER: Json = {"role": "user", "content": "hi"}


def read(*messages: Json) -> list[Message]:
    body = {"model": "m", "messages": messages}
    return parse(ChatRequest, json.dumps(body).encode()).messages


def calling(*ids: str, **options: Any) -> Json:
    function = {"name": "get_time", "arguments": "{}"}
    calls = [{"id": id, "type": "function", "function": function} for id in ids]
    return {"role": "assistant", "tool_calls": calls, **options}


def answering(id: str | None, content: Any = "12:00") -> Json:
    return {"role": "tool", "tool_call_id": id, "content": content}


@pytest.mark.parametrize(
    "conversation",
    [
        pytest.param([USER, calling("a"), answering("a")], id="no content"),
        pytest.param([USER, calling("a", content=None), answering("a")], id="null content"),
        pytest.param([USER, calling("a", content=""), answering("a")], id="empty content"),
        pytest.param([USER, calling("a", content="I look."), answering("a")], id="content"),
        pytest.param([USER, calling("a", "b"), answering("b"), answering("a")], id="any order"),
        pytest.param([USER, calling("a"), answering("a"), answering("a")], id="twice"),
        pytest.param(
            [USER, calling("a"), answering("a"), USER, calling("a"), answering("a")], id="again"
        ),
        pytest.param(
            [USER, calling("a"), answering("a", [{"type": "text", "text": "12"}])], id="parts"
        ),
        pytest.param([USER, {"role": "function", "name": "f", "content": "r"}], id="function role"),
    ],
)
def test_calls_with_their_answers_pass(conversation: list[Json]) -> None:
    check_calls(read(*conversation))


@pytest.mark.parametrize(
    ("conversation", "at"),
    [
        pytest.param([USER, answering("a")], 1, id="no call at all"),
        pytest.param([answering("a")], 0, id="nothing before"),
        pytest.param([USER, calling("a"), answering("b")], 2, id="another id"),
        pytest.param([USER, calling("a"), answering("a"), USER, answering("a")], 4, id="too late"),
        pytest.param(
            [USER, {"role": "assistant", "content": "hi"}, answering("a")], 2, id="no calls"
        ),
        pytest.param([{**calling("a"), "role": "user"}, answering("a")], 1, id="a user's call"),
    ],
)
def test_an_answer_without_its_call_is_refused(conversation: list[Json], at: int) -> None:
    with pytest.raises(BadRequest, match="must be a response to a preceeding message") as refused:
        check_calls(read(*conversation))

    assert (refused.value.param, refused.value.code) == (f"messages.[{at}].role", None)


@pytest.mark.parametrize(
    ("conversation", "missing", "at"),
    [
        pytest.param([USER, calling("a")], "a", 1, id="at the end"),
        pytest.param([USER, calling("a"), USER], "a", 2, id="a user goes on"),
        pytest.param([USER, calling("a"), calling("b"), answering("b")], "a", 2, id="calls again"),
        pytest.param([USER, calling("a", "b", "c"), answering("b")], "a, c", 2, id="some"),
    ],
)
def test_calls_without_an_answer_are_named(conversation: list[Json], missing: str, at: int) -> None:
    with pytest.raises(BadRequest, match=f"did not have response messages: {missing}$") as refused:
        check_calls(read(*conversation))

    assert (refused.value.param, refused.value.code) == (f"messages.[{at}].role", None)


def test_a_tool_message_needs_the_id_of_its_call() -> None:
    with pytest.raises(BadRequest, match="must have a 'tool_call_id'") as refused:
        check_calls(read(USER, calling("a"), answering(None)))

    assert refused.value.param == "messages.[2].tool_call_id"


def test_parts_are_read_in_order_and_others_counted_roughly() -> None:
    parts = [
        {"type": "text", "text": "a"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "text", "text": "b"},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
        {"type": "file", "file": {"file_id": "file-1"}},
        {"type": "hologram", "hologram": {"depth": 3}},
        {"type": "refusal", "refusal": "c"},
    ]
    (message,) = read({"role": "user", "content": parts})

    assert message.text == "abc"
    assert message.other_tokens == 85 + 100 + 100


@pytest.mark.parametrize("content", ["", [], None, ...], ids=["text", "array", "null", "absent"])
@pytest.mark.parametrize("role", ["system", "developer", "user", "assistant"])
def test_a_message_may_say_nothing(role: str, content: Any) -> None:
    said = {} if content is ... else {"content": content}
    (message,) = read({"role": role, **said})

    assert turns([message]) == [Turn("system" if role == "developer" else role, "")]


def test_a_text_part_without_text_is_refused() -> None:
    for part in ({"type": "text"}, {"type": "text", "text": None}):
        with pytest.raises(BadRequest) as refused:
            check_parts(read(USER, {"role": "user", "content": [part]}), strict=False)

        assert refused.value.param == "messages[1].content[0].text"
        assert refused.value.code == "missing_required_parameter"


def test_an_unknown_part_is_refused_with_strict_alone() -> None:
    messages = read({"role": "user", "content": [{"type": "hologram"}]})
    check_parts(messages, strict=False)

    with pytest.raises(BadRequest, match="Invalid value: 'hologram'") as refused:
        check_parts(messages, strict=True)

    assert refused.value.param == "messages[0].content[0].type"


@pytest.mark.parametrize(
    "conversation",
    [
        pytest.param([USER] * (MOST + 1), id="messages"),
        pytest.param([{"role": "user", "content": [{"type": "x"}] * (MOST + 1)}], id="parts"),
    ],
)
def test_a_conversation_is_bounded(conversation: list[Json]) -> None:
    with pytest.raises(BadRequest, match=f"maximum length {MOST}, but got an array") as refused:
        read(*conversation)

    assert refused.value.code == "array_above_max_length"


def test_an_empty_array_of_calls_is_refused() -> None:
    with pytest.raises(BadRequest) as refused:
        read(USER, {"role": "assistant", "content": "x", "tool_calls": []})

    assert refused.value.param == "messages[1].tool_calls"
    assert refused.value.code == "empty_array"


def test_turns_tell_thinking_calls_and_names() -> None:
    written = turns(
        read(
            {"role": "system", "content": "s", "name": "boss"},
            {**calling("a", content="I look."), "reasoning_content": "hm"},
            {"role": "assistant", "refusal": "no"},
            {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}},
        )
    )

    assert written == [
        Turn("system boss", "s"),
        Turn("assistant reasoning", "hm"),
        Turn("assistant", "I look."),
        Turn("assistant to=get_time", "{}"),
        Turn("assistant", "no"),
        Turn("assistant to=f", "{}"),
    ]
