"""Statements 83-87: refusals, failures and other endings of chat completions."""

import pytest
from openai import APIError, ContentFilterFinishReasonError, LengthFinishReasonError

from tests import spec
from tests.conformance.asking import REFUSAL, Broken, answer, choice, deltas, official
from tests.support import chat, chunks_of, data_of, marked, quiet


async def test_083_a_refusal_has_a_field_of_its_own() -> None:
    first, *pieces, last = await deltas(marked(REFUSAL))
    blocking = await choice(marked(REFUSAL))

    assert first == {"role": "assistant", "content": None, "refusal": ""}
    assert last == {}
    assert all(set(piece) == {"refusal"} for piece in pieces)
    assert "".join(piece["refusal"] for piece in pieces) == "I must decline."
    assert blocking["message"]["content"] is None
    assert blocking["message"]["refusal"] == "I must decline."
    assert blocking["finish_reason"] == "stop"


async def test_084_a_failure_after_the_200_is_one_error_frame_and_the_end() -> None:
    given = await answer(chat(stream=True), models={"mock-1": Broken()})
    frames = data_of(given.text)

    assert given.status_code == 200
    assert frames[-1].startswith('{"error":')
    assert not any("[DONE]" in frame or "error" in frame for frame in frames[:-1])


async def test_084_the_official_client_raises_it() -> None:
    paced = quiet(latency="natural", ttft="0", itl="1ms")  # so that each token leaves by itself
    async with official(paced, {"mock-1": Broken()}) as client:
        stream = await client.chat.completions.create(**chat(stream=True))
        read = []
        with pytest.raises(APIError) as raised:
            async for chunk in stream:
                read.append(chunk)

    assert raised.value.message.startswith("The server had an error")
    assert "".join(chunk.choices[0].delta.content or "" for chunk in read)


async def test_085_the_error_of_that_frame_has_its_four_keys() -> None:
    given = await answer(chat(stream=True), models={"mock-1": Broken()})
    failed = chunks_of(given.text)[-1]

    spec.check("ErrorResponse", failed)
    assert set(failed["error"]) == {"message", "type", "param", "code"}
    assert (failed["error"]["type"], failed["error"]["code"]) == ("server_error", None)


FILTERED = "Well, <|start|>assistant filtered<|message|>"


async def test_086_a_content_filter_is_a_normal_end_of_a_stream() -> None:
    given = await answer(chat(stream=True), models=marked(FILTERED))
    *_, last = chunks_of(given.text)

    assert given.text.endswith("data: [DONE]\n\n")
    assert last["choices"][0]["finish_reason"] == "content_filter"
    assert (await choice(marked(FILTERED)))["message"]["content"] == "Well, "


async def test_086_the_helper_raises_it() -> None:
    async with (
        official(models=marked(FILTERED)) as client,
        client.chat.completions.stream(**chat()) as stream,
    ):
        with pytest.raises(ContentFilterFinishReasonError):
            await stream.get_final_completion()


async def test_087_a_cut_makes_the_helpers_raise() -> None:
    async with (
        official() as client,
        client.chat.completions.stream(**chat(max_tokens=2)) as stream,
    ):
        with pytest.raises(LengthFinishReasonError):
            await stream.get_final_completion()
