import pytest

from tests.api.responses.support import asked, posted, text_of
from tests.support import Json, application

CHAT = "/v1/chat/completions"


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"seed": 7, "temperature": 1.3}, id="with a seed"),
        pytest.param({}, id="with the derived seed"),
        pytest.param({"temperature": 0}, id="greedy"),
        pytest.param({"top_p": 0.6, "frequency_penalty": 0.5}, id="nucleus and penalty"),
    ],
)
async def test_the_reply_is_that_of_the_same_chat(options: Json) -> None:
    text = "Tell me about streaming tokens."
    async with application() as client:
        body = {"model": "tokenlap", "input": text, "max_output_tokens": 40, **options}
        response = await posted(client, body)
        messages = [{"role": "user", "content": text}]
        chat = {"model": "tokenlap", "messages": messages, "max_tokens": 40, **options}
        completion = await posted(client, chat, CHAT)

    said = completion["choices"][0]["message"]["content"]
    assert said and text_of(response) == said
    assert response["usage"]["output_tokens"] == completion["usage"]["completion_tokens"]


async def test_an_image_counts_as_in_a_chat() -> None:
    image = {"type": "input_image", "image_url": "data:image/png;base64,AA=="}
    words = {"type": "input_text", "text": "What is it?"}
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    async with application() as client:
        response = await posted(
            client, asked([{"role": "user", "content": [words, image]}], max_output_tokens=16)
        )
        chat = await posted(
            client,
            {
                "model": "mock-1",
                "messages": [
                    {"role": "user", "content": [{"type": "text", "text": "What is it?"}, part]}
                ],
                "max_tokens": 16,
            },
            CHAT,
        )

    assert response["usage"]["input_tokens"] == chat["usage"]["prompt_tokens"] > 85
