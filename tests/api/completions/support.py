"""What the tests of completions share."""

from typing import Any

import httpx

from tests.support import Json, chunks_of


def body(prompt: Any = "hello", **options: Any) -> Json:
    """The body of a completion request to `mock-1`."""
    return {"model": "mock-1", "prompt": prompt, **options}


async def completed(client: httpx.AsyncClient, asked: Json, **headers: str) -> Json:
    """The blocking answer to a completion request, which must be a 200."""
    answer = await client.post("/v1/completions", json=asked, headers=headers)
    assert answer.status_code == 200, answer.text
    loaded: Json = answer.json()
    return loaded


async def streamed(client: httpx.AsyncClient, asked: Json, **headers: str) -> list[Json]:
    """The chunks of the stream that answers a completion request, [DONE] left out."""
    answer = await client.post("/v1/completions", json={**asked, "stream": True}, headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.text.endswith("data: [DONE]\n\n")
    return chunks_of(answer.text)


async def refused(client: httpx.AsyncClient, asked: Json) -> Json:
    """The error of a request that must be a 400, the same with and without stream."""
    errors = []
    for stream in ({}, {"stream": True}) if "stream" not in asked else ({},):
        answer = await client.post("/v1/completions", json={**asked, **stream})
        assert answer.status_code == 400, answer.text
        errors.append(answer.json()["error"])
    assert all(error == errors[0] for error in errors)
    error: Json = errors[0]
    return error


def texts(answer: Json) -> list[str]:
    """The texts of a blocking answer's choices."""
    return [choice["text"] for choice in answer["choices"]]


def texts_of(chunks: list[Json]) -> dict[int, str]:
    """The text of each choice of a stream."""
    joined: dict[int, str] = {}
    for chunk in chunks:
        for choice in chunk["choices"]:
            joined[choice["index"]] = joined.get(choice["index"], "") + choice["text"]
    return joined
