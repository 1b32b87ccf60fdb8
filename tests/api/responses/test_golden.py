"""The streams of /v1/responses, byte by byte."""

import pytest

from tests import golden
from tests.api.responses.support import FEATURES, asked
from tests.support import Json, application, marked
from tokenlap.api.responses.encoder import ResponseEncoder
from tokenlap.api.responses.output import Output
from tokenlap.engine.event import Text
from tokenlap.engine.tokenizer import o200k
from tokenlap.errors import Overloaded, ServerError

STREAMS: dict[str, tuple[str, Json]] = {
    "responses_text": ("text", {}),
    "responses_function_calls": ("text then calls", {}),
    "responses_custom_call": ("custom call", {}),
    "responses_reasoning": ("hidden reasoning", {}),
    "responses_reasoning_summary": ("summary", {}),
    "responses_incomplete": ("cap", {}),
    "responses_refusal": ("refusal", {}),
    "responses_logprobs": ("logprobs", {}),
    "responses_background": ("text", {"background": True}),
}


@pytest.mark.parametrize("name", STREAMS)
async def test_a_stream_is_as_it_was_reviewed(name: str) -> None:
    feature, options = STREAMS[name]
    script, asked_for = FEATURES[feature].script, FEATURES[feature].options
    async with application(
        models=marked(script), now=lambda: golden.CREATED, new_id=golden.numbered()
    ) as client:
        answer = await client.post(
            "/v1/responses", json=asked("Name a fruit.", stream=True, **asked_for, **options)
        )

    golden.check(name, answer.content)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        pytest.param("responses_failed", ServerError(), id="the loop broke"),
        pytest.param("responses_error", Overloaded("Please retry."), id="the server stopped"),
    ],
)
def test_a_broken_stream_ends_as_it_was_reviewed(name: str, error: ServerError) -> None:
    response: Json = {
        "id": "resp_1",
        "object": "response",
        "status": "in_progress",
        "error": None,
        "output": [],
        "service_tier": "auto",
    }
    encoder = ResponseEncoder(response, Output("resp_1", o200k()), o200k(), 3, lambda: 0.0)

    begun = encoder.frames(encoder.encode([((Text("Fi", b"Fi"),),)]))

    golden.check(name, begun + encoder.failure(error))
