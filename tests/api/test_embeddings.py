import struct
from base64 import b64decode
from math import isclose
from typing import Any

import httpx
import pytest
from openai import AsyncOpenAI

from tests import spec
from tests.support import Json, application, quiet, served
from tokenlap.engine.tokenizer import o200k

MODEL = "text-embedding-3-small"


async def embedded(client: httpx.AsyncClient, content: Any, **options: Any) -> Json:
    """The answer to an embeddings request, which must be a 200."""
    answer = await client.post("/v1/embeddings", json={"model": MODEL, "input": content, **options})
    assert answer.status_code == 200, answer.text
    loaded: Json = answer.json()
    return loaded


def vectors(answer: Json) -> list[list[float]]:
    return [each["embedding"] for each in answer["data"]]


async def test_the_answer_is_a_list_in_the_order_of_the_inputs() -> None:
    async with application() as client:
        answer = await embedded(client, ["one two", "three"])
        alone = await embedded(client, "three")

    spec.check("CreateEmbeddingResponse", answer)
    assert answer["object"] == "list"
    assert answer["model"] == MODEL
    assert [each["index"] for each in answer["data"]] == [0, 1]
    assert {each["object"] for each in answer["data"]} == {"embedding"}
    assert answer["usage"] == {"prompt_tokens": 3, "total_tokens": 3}
    assert vectors(answer)[1] == vectors(alone)[0]


@pytest.mark.parametrize(
    ("model", "options", "length"),
    [
        ("text-embedding-3-small", {}, 1536),
        ("text-embedding-3-large", {}, 3072),
        ("text-embedding-ada-002", {}, 1536),
        ("tokenlap", {"dimensions": None}, 1536),
        ("text-embedding-3-large", {"dimensions": 256}, 256),
        ("text-embedding-3-small", {"dimensions": 1}, 1),
    ],
)
async def test_the_length_depends_on_the_model_and_on_dimensions(
    model: str, options: Json, length: int
) -> None:
    async with application() as client:
        (vector,) = vectors(await embedded(client, "hello", model=model, **options))

    assert len(vector) == length
    assert isclose(sum(x * x for x in vector), 1, abs_tol=1e-5)


async def test_base64_is_little_endian_float32_of_the_same_numbers() -> None:
    async with application() as client:
        (floats,) = vectors(await embedded(client, "hello there", encoding_format="float"))
        (packed,) = vectors(await embedded(client, "hello there", encoding_format="base64"))

    unpacked = struct.unpack("<1536f", b64decode(packed))  # type: ignore[arg-type]  # base64 text
    assert all(isclose(x, y, rel_tol=1e-8) for x, y in zip(unpacked, floats, strict=True))


async def test_token_ids_stand_for_their_text() -> None:
    ids = o200k().encode("The capital of France")
    async with application() as client:
        text = await embedded(client, "The capital of France")
        tokens = await embedded(client, ids)
        many = await embedded(client, [ids, ids])

    assert vectors(tokens) == vectors(text)
    assert vectors(many) == vectors(text) * 2
    assert text["usage"] == tokens["usage"]
    assert many["usage"]["prompt_tokens"] == 2 * len(ids)


@pytest.mark.parametrize(
    ("options", "param", "code"),
    [
        pytest.param({"input": ""}, "input", "invalid_value", id="an empty string"),
        pytest.param({"input": ["a", ""]}, "input[1]", "invalid_value", id="one empty string"),
        pytest.param({"input": []}, "input", "empty_array", id="an empty array"),
        pytest.param({"input": [[]]}, "input[0]", "empty_array", id="an empty array of ids"),
        pytest.param({"input": None}, "input", "invalid_type", id="null"),
        pytest.param({"input": {}}, "input", "invalid_type", id="an object"),
        pytest.param({"input": ["a", 1]}, "input[1]", "invalid_type", id="mixed"),
        pytest.param({"input": [200_001]}, "input[0]", "invalid_value", id="an unused id"),
        pytest.param({"input": ["a"] * 2049}, "input", "array_above_max_length", id="too many"),
        pytest.param({"input": "a " * 8200}, "input", "context_length_exceeded", id="too long"),
        pytest.param(
            {"input": ["a " * 8000] * 38}, "input", "max_tokens_per_request", id="too long together"
        ),
        pytest.param(
            {"dimensions": 0}, "dimensions", "integer_below_min_value", id="no dimensions"
        ),
        pytest.param(
            {"dimensions": 1537}, "dimensions", "integer_above_max_value", id="too many dimensions"
        ),
        pytest.param({"dimensions": "8"}, "dimensions", "invalid_type", id="dimensions a string"),
        pytest.param(
            {"model": "text-embedding-ada-002", "dimensions": 8},
            "dimensions",
            None,
            id="dimensions of a model that has none",
        ),
        pytest.param(
            {"encoding_format": "hex"}, "encoding_format", "invalid_value", id="an unknown format"
        ),
        pytest.param({"model": ""}, None, None, id="no model"),
    ],
)
async def test_what_is_wrong_is_named(options: Json, param: str | None, code: str | None) -> None:
    async with application() as client:
        answer = await client.post("/v1/embeddings", json={"model": MODEL, "input": "a", **options})

    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["param"], error["code"]) == (param, code)


async def test_a_missing_input_is_named() -> None:
    async with application() as client:
        answer = await client.post("/v1/embeddings", json={"model": MODEL})

    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == "input"
    assert answer.json()["error"]["code"] == "missing_required_parameter"


async def test_with_strict_the_models_of_the_platform_are_known() -> None:
    headers = {"authorization": "Bearer k"}
    async with application(quiet(strict=True)) as client:
        known, unknown = [
            await client.post(
                "/v1/embeddings", json={"model": model, "input": "a"}, headers=headers
            )
            for model in (MODEL, "my-embedder")
        ]

    assert known.status_code == 200
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "model_not_found")


@pytest.mark.parametrize("name", ["text-embedding-3-small", 'quo"te', "naïve", "a\r\nx: y"])
async def test_any_model_name_is_echoed_and_headers_stay_headers(name: str) -> None:
    async with application() as client:
        answer = await client.post("/v1/embeddings", json={"model": name, "input": "a"})

    assert answer.json()["model"] == name
    assert answer.headers.get("openai-model", name) == name
    assert "x" not in answer.headers


async def test_the_official_client_which_asks_for_base64_gets_the_numbers() -> None:
    async with served() as server:
        client = AsyncOpenAI(base_url=f"{server.url}/v1", api_key="k", max_retries=0)
        async with client:
            default = await client.embeddings.create(model=MODEL, input=["cat", "a cat", "bond"])
            floats = await client.embeddings.create(
                model=MODEL, input="cat", encoding_format="float", dimensions=8
            )

    cat, a_cat, bond = (each.embedding for each in default.data)
    assert len(cat) == 1536
    assert sum(x * y for x, y in zip(cat, a_cat, strict=True)) > 2 * abs(
        sum(x * y for x, y in zip(cat, bond, strict=True))
    )
    assert len(floats.data[0].embedding) == 8


async def test_the_most_inputs_are_answered() -> None:
    texts = [f"document number {i} speaks of topic {i % 7}" for i in range(2048)]
    async with application() as client:
        answer = await embedded(client, texts, dimensions=16)

    assert len(answer["data"]) == 2048
