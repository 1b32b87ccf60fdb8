from typing import Any

import pytest
from openai import AsyncOpenAI

from tests import spec
from tests.support import Json, application, served

CATEGORIES = {
    "harassment",
    "harassment/threatening",
    "hate",
    "hate/threatening",
    "illicit",
    "illicit/violent",
    "self-harm",
    "self-harm/intent",
    "self-harm/instructions",
    "sexual",
    "sexual/minors",
    "violence",
    "violence/graphic",
}


async def moderated(content: Any) -> Json:
    async with application() as client:
        answer = await client.post("/v1/moderations", json={"input": content})
    assert answer.status_code == 200, answer.text
    loaded: Json = answer.json()
    return loaded


async def test_the_example_of_the_documentation_is_flagged() -> None:
    answer = await moderated("I want to kill them.")

    spec.check("CreateModerationResponse", answer)
    (result,) = answer["results"]
    assert answer["id"].startswith("modr-")
    assert answer["model"] == "omni-moderation-latest"
    assert result["flagged"] is True
    assert {name for name, flag in result["categories"].items() if flag} == {
        "harassment",
        "harassment/threatening",
        "violence",
    }
    for name in ("categories", "category_scores", "category_applied_input_types"):
        assert result[name].keys() == CATEGORIES
    scores = result["category_scores"]
    assert all((scores[name] > 0.5) == flag for name, flag in result["categories"].items())


@pytest.mark.parametrize("text", ["", "The skill of a gorecki quartet.", "Hello there", "stable"])
async def test_a_text_without_those_words_never_is(text: str) -> None:
    (result,) = (await moderated(text))["results"]

    assert result["flagged"] is False
    assert not any(result["categories"].values())


async def test_strings_have_a_result_each_and_parts_have_one_together() -> None:
    several = await moderated(["murder", "flowers"])
    picture = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    parts = await moderated([{"type": "text", "text": "murder"}, picture])

    assert [result["flagged"] for result in several["results"]] == [True, False]
    (result,) = parts["results"]
    assert result["flagged"]
    assert result["category_applied_input_types"]["violence"] == ["text", "image"]
    assert result["category_applied_input_types"]["hate"] == ["text"]


@pytest.mark.parametrize(
    ("asked", "param"),
    [
        pytest.param({}, "input", id="nothing"),
        pytest.param({"input": None}, "input", id="null"),
        pytest.param({"input": []}, "input", id="an empty array"),
        pytest.param({"input": 1}, "input", id="a number"),
        pytest.param({"input": ["a", 1]}, "input[1]", id="mixed"),
        pytest.param({"input": [{"type": "text"}]}, "input[0]", id="a part without text"),
        pytest.param({"input": [{"type": "text", "text": "a"}, "b"]}, "input[1]", id="no part"),
        pytest.param({"input": ["a"] * 2049}, "input", id="too many"),
        pytest.param({"input": "a", "model": 1}, "model", id="a model that is no name"),
    ],
)
async def test_what_is_wrong_is_named(asked: Json, param: str) -> None:
    async with application() as client:
        answer = await client.post("/v1/moderations", json=asked)

    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == param


async def test_the_official_client_reads_it_strictly() -> None:
    async with served() as server:
        client = AsyncOpenAI(
            base_url=f"{server.url}/v1",
            api_key="k",
            max_retries=0,
            _strict_response_validation=True,
        )
        async with client:
            answer = await client.moderations.create(input="I want to kill them.")

    assert answer.results[0].flagged
    assert answer.results[0].categories.violence
    assert not answer.results[0].categories.self_harm
