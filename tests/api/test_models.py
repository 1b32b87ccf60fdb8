import pytest
from openai import AsyncOpenAI

from tests import spec
from tests.support import application, quiet, scripted, served


async def test_the_models_are_listed_with_what_a_page_needs_to_know() -> None:
    async with application(quiet(context_window=500), models=scripted("a")) as client:
        listed = (await client.get("/v1/models")).json()

    spec.check("ListModelsResponse", listed)
    assert listed["object"] == "list"
    assert {"tokenlap", "table", "echo", "mock-1"} <= {each["id"] for each in listed["data"]}
    assert {each["object"] for each in listed["data"]} == {"model"}
    assert all(isinstance(each["created"], int) for each in listed["data"])
    assert listed["data"][0]["tokenlap"]["context_window"] == 500


@pytest.mark.parametrize("name", ["mock-1", "org/model", "org%2Fmodel", "gpt-anything"])
async def test_any_name_is_a_model_with_or_without_a_slash(name: str) -> None:
    async with application(models=scripted("a")) as client:
        answer = await client.get(f"/v1/models/{name}")

    spec.check("Model", answer.json())
    assert answer.json()["id"] == name.replace("%2F", "/")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_an_unlisted_model_is_not_found_with_strict(method: str) -> None:
    headers = {"authorization": "Bearer k"}
    async with application(quiet(strict=True)) as client:
        answer = await client.request(method, "/v1/models/gpt-anything", headers=headers)

    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "model_not_found"


async def test_a_listed_model_cannot_be_deleted_any_other_name_can() -> None:
    async with application() as client:
        listed = await client.delete("/v1/models/tokenlap")
        tuned = await client.delete("/v1/models/ft:gpt-4o:me")

    assert listed.status_code == 403
    assert listed.json()["error"]["param"] == "model"
    spec.check("DeleteModelResponse", tuned.json())
    spec.check("ErrorResponse", listed.json())
    assert tuned.json() == {"id": "ft:gpt-4o:me", "object": "model", "deleted": True}


async def test_the_official_client_lists_gets_and_deletes() -> None:
    async with served(models=scripted("a")) as server:
        client = AsyncOpenAI(
            base_url=f"{server.url}/v1",
            api_key="k",
            max_retries=0,
            _strict_response_validation=True,
        )
        async with client:
            listed = [model.id async for model in client.models.list()]
            model = await client.models.retrieve("org/mock")
            deleted = await client.models.delete("org/mock")

    assert "mock-1" in listed
    assert model.id == "org/mock"
    assert deleted.deleted
