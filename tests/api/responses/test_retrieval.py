import pytest

from tests.api.responses.support import FEATURES, Feature, asked, events_of, posted, streamed
from tests.support import Json, application, marked, scripted

KNOWN = "Response with id 'resp_nope' not found."


@pytest.mark.parametrize("feature", FEATURES.values(), ids=FEATURES.keys())
async def test_a_stored_stream_is_replayed_as_it_was_sent(feature: Feature) -> None:
    async with application(models=marked(feature.script)) as client:
        events = await streamed(client, asked(**feature.options))
        path = f"/v1/responses/{events[0]['response']['id']}"
        replayed = await client.get(f"{path}?stream=true")
        retrieved = await client.get(path)

    assert replayed.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert events_of(replayed.content) == events
    assert retrieved.json() == events[-1]["response"]


@pytest.mark.parametrize("after", [0, 5, 9, 10, 99])
async def test_a_replay_starts_after_the_given_number(after: int) -> None:
    async with application(models=scripted("Hello there.")) as client:
        events = await streamed(client, asked())
        path = f"/v1/responses/{events[0]['response']['id']}"
        replayed = await client.get(f"{path}?stream=true&starting_after={after}")

    assert events_of(replayed.content) == events[after + 1 :]


async def test_a_blocking_response_can_be_replayed_too() -> None:
    async with application(models=scripted("Hello there.")) as client:
        response = await posted(client, asked())
        replayed = await client.get(f"/v1/responses/{response['id']}?stream=true")

    events = events_of(replayed.content)
    assert [event["sequence_number"] for event in events] == list(range(11))
    assert events[-1]["response"] == response


async def test_a_deleted_response_is_gone() -> None:
    async with application(models=scripted("Hello")) as client:
        path = f"/v1/responses/{(await posted(client, asked()))['id']}"
        deleted = await client.delete(path)
        again = await client.delete(path)

    id = path.rpartition("/")[2]
    assert deleted.json() == {"id": id, "object": "response", "deleted": True}
    assert again.status_code == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/responses/resp_nope"),
        ("GET", "/v1/responses/resp_nope?stream=true"),
        ("DELETE", "/v1/responses/resp_nope"),
        ("POST", "/v1/responses/resp_nope/cancel"),
        ("GET", "/v1/responses/resp_nope/input_items"),
    ],
)
async def test_an_unknown_response_is_a_404_in_the_envelope(method: str, path: str) -> None:
    async with application() as client:
        answer = await client.request(method, path)

    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == KNOWN


async def test_only_a_background_response_can_be_cancelled() -> None:
    async with application(models=scripted("Hello")) as client:
        id = (await posted(client, asked()))["id"]
        answer = await client.post(f"/v1/responses/{id}/cancel")

    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == "Cannot cancel a synchronous response."


@pytest.mark.parametrize(
    ("query", "texts", "more"),
    [
        pytest.param("", "dcba", False, id="the newest first"),
        pytest.param("?order=asc", "abcd", False, id="the oldest first"),
        pytest.param("?order=asc&limit=2", "ab", True, id="a page"),
        pytest.param("?order=asc&limit=2&after=1", "cd", False, id="the next page"),
        pytest.param("?limit=3&after=2", "ba", False, id="after, the newest first"),
    ],
)
async def test_input_items_come_in_pages(query: str, texts: str, more: bool) -> None:
    items = [{"role": "user", "content": letter, "id": str(n)} for n, letter in enumerate("abcd")]
    async with application(models=scripted("Hello")) as client:
        id = (await posted(client, asked(items)))["id"]
        page: Json = (await client.get(f"/v1/responses/{id}/input_items{query}")).json()

    assert "".join(item["content"][0]["text"] for item in page["data"]) == texts
    assert page["has_more"] is more
    ids = [item["id"] for item in page["data"]]
    assert (page["first_id"], page["last_id"]) == (ids[0], ids[-1])


@pytest.mark.parametrize(
    ("query", "message", "param"),
    [
        pytest.param(
            "stream=maybe",
            "Invalid type for 'stream': expected a boolean, but got a string instead.",
            "stream",
            id="no boolean",
        ),
        pytest.param(
            "stream=true&starting_after=two",
            "Invalid type for 'starting_after': expected an integer, but got a string instead.",
            "starting_after",
            id="no integer",
        ),
    ],
)
async def test_a_wrong_query_is_refused(query: str, message: str, param: str) -> None:
    async with application(models=scripted("Hello")) as client:
        id = (await posted(client, asked()))["id"]
        answer = await client.get(f"/v1/responses/{id}?{query}")

    error = answer.json()["error"]
    assert answer.status_code == 400
    assert (error["message"], error["param"]) == (message, param)
