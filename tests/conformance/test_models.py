"""Statements 229-231: models."""

import pytest

from tests import spec
from tests.conformance.asking import KEY
from tests.support import application, quiet


async def test_229_models_are_listed() -> None:
    async with application() as client:
        listed = (await client.get("/v1/models")).json()

    spec.check("ListModelsResponse", listed)
    assert listed["object"] == "list"
    assert {"tokenlap", "table", "echo"} <= {model["id"] for model in listed["data"]}
    for model in listed["data"]:
        assert {"id", "object", "created", "owned_by"} <= model.keys()
        assert type(model["created"]) is int


@pytest.mark.parametrize("strict", [False, True])
async def test_230_one_model_is_the_bare_object_and_an_unknown_one_404_with_strict(
    strict: bool,
) -> None:
    async with application(quiet(strict=strict), models={}) as client:
        known = await client.get("/v1/models/echo", headers=KEY)
        unknown = await client.get("/v1/models/nope", headers=KEY)

    spec.check("Model", known.json())
    assert known.json()["id"] == "echo"
    assert unknown.status_code == (404 if strict else 200)
    if strict:
        assert unknown.json()["error"]["code"] == "model_not_found"


async def test_231_deleting_answers_with_the_id() -> None:
    async with application() as client:
        deleted = (await client.delete("/v1/models/ft:gpt-4o:acme")).json()

    spec.check("DeleteModelResponse", deleted)
    assert deleted == {"id": "ft:gpt-4o:acme", "object": "model", "deleted": True}
