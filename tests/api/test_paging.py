import pytest

from tests.api.responses.support import asked, posted
from tests.support import application, scripted


@pytest.mark.parametrize(
    ("query", "message", "param"),
    [
        pytest.param(
            "limit=0",
            "Invalid 'limit': integer below minimum value. Expected a value >= 1, but got 0 "
            "instead.",
            "limit",
            id="no page",
        ),
        pytest.param(
            "limit=101",
            "Invalid 'limit': integer above maximum value. Expected a value <= 100, but got 101 "
            "instead.",
            "limit",
            id="too much",
        ),
        pytest.param(
            "limit=many",
            "Invalid type for 'limit': expected an integer, but got a string instead.",
            "limit",
            id="no number",
        ),
        pytest.param(
            "order=up",
            "Invalid value: 'up'. Supported values are: 'asc' and 'desc'.",
            "order",
            id="unknown order",
        ),
        pytest.param(
            "after=nobody",
            "Invalid 'after': there is no item 'nobody' in this list.",
            "after",
            id="unknown cursor",
        ),
    ],
)
async def test_a_wrong_page_is_refused(query: str, message: str, param: str) -> None:
    async with application(models=scripted("ok")) as client:
        id = (await posted(client, asked()))["id"]
        answer = await client.get(f"/v1/responses/{id}/input_items?{query}")

    error = answer.json()["error"]
    assert answer.status_code == 400
    assert (error["message"], error["param"]) == (message, param)


async def test_an_unknown_key_of_a_query_is_ignored() -> None:
    async with application(models=scripted("ok")) as client:
        id = (await posted(client, asked()))["id"]
        answer = await client.get(f"/v1/responses/{id}/input_items?include[]=x&a=b")

    assert len(answer.json()["data"]) == 1
