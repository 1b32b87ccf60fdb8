"""Statements 223-228: embeddings."""

import base64
import struct
from math import isclose, sqrt
from typing import Any

import pytest

from tests import spec
from tests.conformance.asking import answer, official
from tests.support import Json

EMBEDDINGS = "/v1/embeddings"


async def embeddings(input: Any = "hello", **options: Any) -> Json:
    body = {"model": "text-embedding-3-small", "input": input, **options}
    given = await answer(body, EMBEDDINGS)
    assert given.status_code == 200, given.text
    found: Json = given.json()
    spec.check("CreateEmbeddingResponse", found)
    return found


def length(vector: list[float]) -> float:
    return sqrt(sum(value * value for value in vector))


async def test_223_base64_is_little_endian_float32_as_the_clients_ask() -> None:
    (plain,) = (await embeddings())["data"]
    (coded,) = (await embeddings(encoding_format="base64"))["data"]
    raw = base64.b64decode(coded["embedding"])
    async with official() as client:
        read = await client.embeddings.create(model="text-embedding-3-small", input="hello")

    decoded = list(struct.unpack(f"<{len(raw) // 4}f", raw))
    assert len(decoded) == 1536
    assert decoded == pytest.approx(plain["embedding"], abs=1e-6)
    assert read.data[0].embedding == pytest.approx(plain["embedding"], abs=1e-6)


async def test_224_the_answer_is_a_list_in_input_order_with_usage() -> None:
    body = await embeddings(["a", "b", "c d e"])
    each = [(await embeddings(text))["data"][0]["embedding"] for text in ("a", "b", "c d e")]

    assert (body["object"], body["model"]) == ("list", "text-embedding-3-small")
    assert [item["index"] for item in body["data"]] == [0, 1, 2]
    assert all(item["object"] == "embedding" for item in body["data"])
    assert [item["embedding"] for item in body["data"]] == each
    assert body["usage"] == {"prompt_tokens": 5, "total_tokens": 5}


async def test_225_base64_is_a_string() -> None:
    (item,) = (await embeddings(encoding_format="base64"))["data"]

    assert isinstance(item["embedding"], str)


@pytest.mark.parametrize(
    ("input", "number"),
    [("hi", 1), (["hi", "ho"], 2), ([976, 9029], 1), ([[976], [9029]], 2), (["x"] * 2048, 2048)],
    ids=["text", "texts", "ids", "lists of ids", "2048 texts"],
)
async def test_226_an_input_has_four_forms(input: Any, number: int) -> None:
    assert len((await embeddings(input, dimensions=8))["data"]) == number


@pytest.mark.parametrize(
    "input", ["", [], [""], ["a", ""], ["x"] * 2049, None, 5], ids=lambda value: str(value)[:20]
)
async def test_226_it_is_neither_empty_nor_too_long(input: Any) -> None:
    body = {"model": "text-embedding-3-small", "input": input}
    given = await answer(body, EMBEDDINGS)

    assert (given.status_code, given.json()["error"]["param"][:5]) == (400, "input")


async def test_227_there_is_always_data() -> None:
    async with official() as client:
        read = await client.embeddings.create(model="any", input=[[976]])

    assert len(read.data) == 1


@pytest.mark.parametrize("dimensions", [1, 256, 1536])
async def test_228_dimensions_shorten_and_renormalise(dimensions: int) -> None:
    (whole,) = (await embeddings())["data"]
    (short,) = (await embeddings(dimensions=dimensions))["data"]
    begin = whole["embedding"][:dimensions]

    assert len(short["embedding"]) == dimensions
    assert isclose(length(short["embedding"]), 1, abs_tol=1e-5)
    assert short["embedding"] == pytest.approx([value / length(begin) for value in begin], abs=1e-5)
