"""Every event and every object is what OpenAI's document says that it is."""

import re
from functools import cache

import pytest

from tests.api.responses.support import FEATURES, Feature, asked, events_of, posted, streamed
from tests.spec import check, document, strangers
from tests.support import Json, application, marked, scripted
from tokenlap.api.responses.chunks import error_event

UNLISTED = {"store", "bytes", "status"}
"""Keys that the live API sends and the document does not know: of the response, of the logprobs in
a delta, of a call of a custom tool.
"""
Table = pytest.mark.parametrize("feature", FEATURES.values(), ids=FEATURES.keys())


@cache
def schemas() -> dict[str, str]:
    """The schema of an event, by its type."""
    names = [
        branch["$ref"].rpartition("/")[2] for branch in document()["ResponseStreamEvent"]["anyOf"]
    ]
    return {document()[name]["properties"]["type"]["enum"][0]: name for name in names}


def unlisted(schema: str, value: Json) -> set[str]:
    return {re.split(r"[.\]]", place)[-1] for place in strangers(schema, value)}


@Table
async def test_every_event_is_valid(feature: Feature) -> None:
    async with application(models=marked(feature.script)) as client:
        events = await streamed(client, asked(**feature.options))

    for event in events:
        check(schemas()[event["type"]], event)
        assert unlisted(schemas()[event["type"]], event) <= UNLISTED


@Table
async def test_every_response_is_valid(feature: Feature) -> None:
    async with application(models=marked(feature.script)) as client:
        response = await posted(client, asked(**feature.options))

    check("Response", response)
    assert unlisted("Response", response) <= UNLISTED


async def test_queued_events_and_the_error_event_are_valid() -> None:
    async with application(models=scripted("Hi")) as client:
        events = await streamed(client, asked(background=True))

    for event in events:
        check(schemas()[event["type"]], event)
    [told] = events_of(error_event("server_error", "no", 3))
    check("ResponseErrorEvent", told)


@pytest.mark.parametrize(
    "items",
    [
        pytest.param("hi", id="text"),
        pytest.param(
            [
                {"role": "developer", "content": "So."},
                {
                    "role": "user",
                    "content": [
                        {"type": "input_text", "text": "Look."},
                        {"type": "input_image", "image_url": "https://localhost/a.png"},
                        {"type": "input_file", "filename": "a.txt", "file_data": "YQ=="},
                    ],
                },
                {"role": "assistant", "content": "I see."},
                {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c", "output": "x"},
                {"type": "reasoning", "id": "rs_1", "summary": []},
                {"role": "user", "content": "And?"},
            ],
            id="of every kind",
        ),
    ],
)
async def test_a_list_of_input_items_is_valid(items: object) -> None:
    async with application(models=scripted("Hi")) as client:
        id = (await posted(client, asked(items)))["id"]
        page = (await client.get(f"/v1/responses/{id}/input_items?order=asc")).json()

    check("ResponseItemList", page)
    assert not strangers("ResponseItemList", page)
