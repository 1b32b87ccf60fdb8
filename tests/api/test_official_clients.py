"""OpenAI's own client for Python, pointed at a real socket."""

from collections.abc import Sequence

import openai
import pytest
from openai.types.chat import ChatCompletionChunk

from tests import spec
from tests.api.official import ASKED, TEXT, checked, client, in_a_thread
from tests.support import Json, scripted
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.tokenizer import TokenId, o200k


def text_of(chunks: Sequence[ChatCompletionChunk], index: int = 0) -> str:
    said = [c for chunk in chunks for c in chunk.choices if c.index == index]
    return "".join(choice.delta.content or "" for choice in said)


async def test_blocking_and_streamed_it_reads_the_same_text_with_and_without_async() -> None:
    async with client(scripted(TEXT)) as asking:
        blocking = await asking.chat.completions.create(**ASKED)
        streamed = [c async for c in await asking.chat.completions.create(**ASKED, stream=True)]
        plain = await in_a_thread(asking, lambda c: c.chat.completions.create(**ASKED))
        listed = await in_a_thread(
            asking, lambda c: list(c.chat.completions.create(**ASKED, stream=True))
        )

    for answer in (blocking, plain, *streamed, *listed):
        checked(answer)
    assert blocking.choices[0].message.content == plain.choices[0].message.content == TEXT
    assert text_of(streamed) == text_of(listed) == TEXT
    assert [chunk.usage for chunk in streamed] == [None] * len(streamed)
    assert blocking._request_id is not None
    assert blocking._request_id.startswith("req_")


async def test_n_choices_with_logprobs_and_usage() -> None:
    asked = {**ASKED, "model": "tokenlap", "max_tokens": 12, "n": 3}
    scored = {**asked, "logprobs": True, "top_logprobs": 4}
    async with client() as asking:
        blocking = await asking.chat.completions.create(**scored)
        stream = await asking.chat.completions.create(
            **scored, stream=True, stream_options={"include_usage": True}
        )
        streamed = [chunk async for chunk in stream]

    checked(blocking)
    assert blocking.usage == streamed[-1].usage
    assert [choice.index for choice in blocking.choices] == [0, 1, 2]
    for choice in blocking.choices:
        assert text_of(streamed, choice.index) == choice.message.content
        assert choice.logprobs is not None and choice.logprobs.content is not None
        assert {len(score.top_logprobs) for score in choice.logprobs.content} == {4}
        spelled = b"".join(bytes(score.bytes or ()) for score in choice.logprobs.content)
        assert spelled.decode() == choice.message.content
    for chunk in streamed:
        checked(chunk)


@pytest.mark.parametrize(
    ("settings", "options", "raised", "param", "code"),
    [
        ({}, {"temperature": 3}, openai.BadRequestError, "temperature", "decimal_above_max_value"),
        ({}, {"messages": []}, openai.BadRequestError, "messages", "empty_array"),
        ({"strict": True}, {"model": "x"}, openai.NotFoundError, None, "model_not_found"),
        ({"api_key": ("sk-1",)}, {}, openai.AuthenticationError, None, "invalid_api_key"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
async def test_errors_raise_their_classes(
    settings: Json,
    options: Json,
    raised: type[openai.APIStatusError],
    param: str | None,
    code: str,
    stream: bool,
) -> None:
    async with client(scripted(TEXT), **settings) as asking:
        with pytest.raises(raised) as refused:
            await asking.chat.completions.create(**{**ASKED, **options, "stream": stream})

    spec.check("ErrorResponse", refused.value.response.json())
    assert (refused.value.param, refused.value.code) == (param, code)
    assert refused.value.request_id is not None


class Broken:
    """A model that fails after its first lap."""

    def start(self, prompt: Sequence[TokenId]) -> int:
        return 0

    def next(self, state: int) -> Distribution:
        if state:
            raise RuntimeError("secret of ours")
        return Distribution.certain(o200k().encode("one")[0])

    def append(self, state: int, token: TokenId) -> int:
        return state + 1


async def test_a_failure_raises_before_the_first_byte_and_after_it() -> None:
    async with client({"mock-1": Broken()}) as asking:
        with pytest.raises(openai.InternalServerError) as blocking:
            await asking.chat.completions.create(**ASKED)
        with pytest.raises(openai.APIError) as streaming:
            async for _ in await asking.chat.completions.create(**ASKED, stream=True):
                pass

    for failed in (blocking.value, streaming.value):
        assert "secret" not in str(failed)
        assert failed.type == "server_error"


async def test_models_are_listed_and_found_by_any_name() -> None:
    async with client(scripted(TEXT)) as asking:
        listed = [model async for model in asking.models.list()]
        found = [await asking.models.retrieve(name) for name in ("mock-1", "org/some-model")]

    assert {"tokenlap", "table", "echo", "mock-1"} <= {model.id for model in listed}
    assert [model.id for model in found] == ["mock-1", "org/some-model"]
    for model in (*listed, *found):
        spec.check("Model", model.to_dict(mode="json", exclude_unset=True))


async def test_headers_tell_what_blocking_waited_for() -> None:
    async with client(scripted(TEXT)) as asking:
        raw = await asking.chat.completions.with_raw_response.create(**ASKED)

    assert raw.headers["server-timing"].startswith("queue;dur=")
    assert raw.headers["content-type"] == "application/json"
    assert raw.parse().choices[0].message.content == TEXT
