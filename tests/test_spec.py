"""The judge of what is served rejects what the document forbids."""

from collections.abc import Callable
from copy import deepcopy

import pytest

from tests import spec
from tests.support import Json

CHUNK: Json = {
    "id": "chatcmpl-1",
    "object": "chat.completion.chunk",
    "created": 1790000000,
    "model": "m",
    "service_tier": "default",
    "system_fingerprint": "fp_0a1b2c3d4e",
    "choices": [
        {"index": 0, "delta": {"content": "A"}, "logprobs": None, "finish_reason": None},
    ],
}
MESSAGE: Json = {"role": "assistant", "content": "A", "refusal": None, "annotations": []}
COMPLETION: Json = {
    **CHUNK,
    "object": "chat.completion",
    "choices": [{"index": 0, "message": MESSAGE, "logprobs": None, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
ERROR: Json = {"error": {"message": "m", "type": "t", "param": None, "code": None}}

CHAT, STREAM = "CreateChatCompletionResponse", "CreateChatCompletionStreamResponse"
Damage = Callable[[Json], object]


@pytest.mark.parametrize(
    ("schema", "value"), [(STREAM, CHUNK), (CHAT, COMPLETION), ("ErrorResponse", ERROR)]
)
def test_what_is_right_passes(schema: str, value: Json) -> None:
    spec.check(schema, value)

    assert spec.strangers(schema, value) == []


@pytest.mark.parametrize(
    ("schema", "value", "damage", "complaint"),
    [
        (STREAM, CHUNK, lambda o: o.pop("id"), "$: 'id' is a required property"),
        (STREAM, CHUNK, lambda o: o.update(created=1.5), "$.created: 1.5 is not of type"),
        (STREAM, CHUNK, lambda o: o["choices"][0].pop("delta"), "$.choices[0]: 'delta'"),
        (STREAM, CHUNK, lambda o: o["choices"][0].update(finish_reason="eos"), "finish_reason"),
        (STREAM, CHUNK, lambda o: o["choices"][0]["delta"].update(role=None), "delta.role"),
        (STREAM, CHUNK, lambda o: o["choices"][0].update(logprobs={"content": []}), "'refusal'"),
        (STREAM, CHUNK, lambda o: o.update(system_fingerprint=None), "$.system_fingerprint"),
        (CHAT, COMPLETION, lambda o: o["choices"][0].pop("logprobs"), "'logprobs'"),
        (CHAT, COMPLETION, lambda o: o["choices"][0]["message"].pop("refusal"), "'refusal'"),
        (CHAT, COMPLETION, lambda o: o["choices"][0].update(finish_reason=None), "finish_reason"),
        (CHAT, COMPLETION, lambda o: o["usage"].pop("total_tokens"), "'total_tokens'"),
        ("ErrorResponse", ERROR, lambda o: o["error"].pop("code"), "$.error: 'code'"),
        ("ErrorResponse", ERROR, lambda o: o["error"].update(code=400), "$.error.code: 400"),
    ],
)
def test_damage_is_found_and_its_place_named(
    schema: str, value: Json, damage: Damage, complaint: str
) -> None:
    damaged = deepcopy(value)
    damage(damaged)

    assert complaint in "\n".join(spec.errors(schema, damaged))
    with pytest.raises(AssertionError, match=f"this is no {schema}"):
        spec.check(schema, damaged)


def test_keys_that_the_document_does_not_know_are_named() -> None:
    choice = {**CHUNK["choices"][0], "delta": {"content": "A", "thought": "B"}, "mine": 1}

    assert spec.strangers(STREAM, {**CHUNK, "choices": [choice]}) == [
        "$.choices[0].delta.thought",
        "$.choices[0].mine",
    ]


def test_a_schema_that_the_document_lacks_is_an_error() -> None:
    with pytest.raises(KeyError):
        spec.errors("NoSuchThing", {})
