import asyncio
import gzip

import pytest
from openai import AsyncAzureOpenAI, AsyncOpenAI, AzureOpenAI

from tests.support import application, chat, quiet, scripted, served
from tokenlap.api.azure import named

VERSION = "2024-10-21"
MESSAGES = [{"role": "user", "content": "hi"}]


async def test_the_official_client_chats_streams_completes_and_embeds() -> None:
    async with served(models=scripted("one two")) as server:
        client = AsyncAzureOpenAI(
            azure_endpoint=server.url, api_key="k", api_version=VERSION, max_retries=0
        )
        async with client:
            completion = await client.chat.completions.create(
                model="mock-1", messages=[{"role": "user", "content": "hi"}]
            )
            stream = await client.chat.completions.create(
                model="mock-1", messages=[{"role": "user", "content": "hi"}], stream=True
            )
            deltas = [chunk.choices[0].delta.content or "" async for chunk in stream]
            text = await client.completions.create(model="mock-1", prompt="hi")
            embedding = await client.embeddings.create(model="my-embedder", input="hi")
            models = [model.id async for model in client.models.list()]

    assert completion.choices[0].message.content == "one two"
    assert "".join(deltas) == "one two"
    assert text.choices[0].text == "one two"
    assert len(embedding.data[0].embedding) == 1536
    assert "mock-1" in models


async def test_the_synchronous_client_works_with_a_fixed_deployment() -> None:
    def ask(url: str) -> str | None:
        with AzureOpenAI(
            azure_endpoint=url, azure_deployment="mock-1", api_key="k", api_version=VERSION
        ) as client:
            completion = client.chat.completions.create(
                model="ignored-by-the-path", messages=[{"role": "user", "content": "hi"}]
            )
            return completion.model

    async with served(models=scripted("one")) as server:
        model = await asyncio.to_thread(ask, server.url)

    assert model == "ignored-by-the-path"


async def test_the_v1_form_works_with_the_plain_client() -> None:
    async with served(models=scripted("one two")) as server:
        client = AsyncOpenAI(base_url=f"{server.url}/openai/v1/", api_key="k", max_retries=0)
        async with client:
            completion = await client.chat.completions.create(
                model="mock-1", messages=[{"role": "user", "content": "hi"}]
            )
            response = await client.responses.create(model="mock-1", input="hi")

    assert completion.choices[0].message.content == "one two"
    assert response.output_text == "one two"


@pytest.mark.parametrize("model", [{}, {"model": None}], ids=["absent", "null"])
async def test_the_deployment_names_the_model_where_the_body_has_none(
    model: dict[str, None],
) -> None:
    url = "/openai/deployments/mock-1/chat/completions"
    async with application(models=scripted("one")) as client:
        answer = await client.post(url, json={"messages": MESSAGES, **model})

    assert answer.json()["model"] == "mock-1"
    assert answer.json()["choices"][0]["message"]["content"] == "one"


async def test_a_compressed_body_is_named_too() -> None:
    url = "/openai/deployments/mock-1/completions"
    async with application(models=scripted("one")) as client:
        answer = await client.post(
            url, content=gzip.compress(b'{"prompt":"x"}'), headers={"content-encoding": "gzip"}
        )

    assert answer.json()["model"] == "mock-1"


async def test_the_api_key_header_is_the_key() -> None:
    url = "/openai/deployments/mock-1/chat/completions"
    async with application(quiet(api_key=("good-key",)), models=scripted("one")) as client:
        good = await client.post(url, json=chat(), headers={"api-key": "good-key"})
        bad = await client.post(url, json=chat(), headers={"api-key": "bad-key"})
        none = await client.post(url, json=chat())

    assert [answer.status_code for answer in (good, bad, none)] == [200, 401, 401]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"messages":"hi"}', b'{"x":NaN}', b"\xff"])
async def test_a_broken_body_is_refused_in_the_envelope(body: bytes) -> None:
    url = "/openai/deployments/mock-1/chat/completions"
    async with application(models=scripted("one")) as client:
        answer = await client.post(url, content=body)

    assert answer.status_code == 400
    assert answer.json()["error"].keys() == {"message", "type", "param", "code"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(b'{"a": 1}', b'{"a":1,"model":"m"}', id="absent"),
        pytest.param(b"{}", b'{"model":"m"}', id="empty"),
        pytest.param(b'{"model": "x"}', b'{"model": "x"}', id="named"),
        pytest.param(b'{"model": ""}', b'{"model": ""}', id="an empty name is the body's own"),
        pytest.param(b"[1]", b"[1]", id="no object"),
        pytest.param(b'{"a":"\xc3\xa9"}', b'{"a":"\xc3\xa9","model":"m"}', id="not ASCII"),
        pytest.param(
            b'{"a":18446744073709551616}', b'{"a":18446744073709551616,"model":"m"}', id="large"
        ),
    ],
)
def test_only_a_missing_model_is_added(body: bytes, expected: bytes) -> None:
    assert named(body, "m") == expected


async def test_an_unknown_path_under_a_deployment_is_a_404() -> None:
    async with application() as client:
        answer = await client.post("/openai/deployments/x/nothing", json={})
        wrong = await client.get("/openai/deployments/x/chat/completions")

    assert (answer.status_code, wrong.status_code) == (404, 405)
