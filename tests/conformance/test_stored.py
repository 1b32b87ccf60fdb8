"""Statements 168-171: stored chat completions."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from tests import spec
from tests.conformance.asking import CHAT, HELLO
from tests.support import Json, application, chat


@asynccontextmanager
async def stored(*metadata: Json) -> AsyncIterator[tuple[httpx.AsyncClient, list[Json]]]:
    """A client, and completions that are stored, one for each metadata, in their order."""
    async with application(models=HELLO) as client:
        bodies = [chat(store=True, metadata=each) for each in metadata]
        kept = [(await client.post(CHAT, json=body)).json() for body in bodies]
        await client.post(CHAT, json=chat())  # not stored
        yield client, kept


async def test_168_stored_completions_are_listed_with_filters_and_pages() -> None:
    async with stored({"k": "a"}, {"k": "b"}, {"k": "a"}) as (client, kept):
        ids = [each["id"] for each in kept]
        whole = (await client.get(CHAT)).json()
        page = (await client.get(CHAT, params={"after": ids[0], "limit": 1})).json()
        chosen = (await client.get(CHAT, params={"metadata[k]": "a"})).json()
        backwards = (await client.get(CHAT, params={"order": "desc"})).json()
        other = (await client.get(CHAT, params={"model": "other"})).json()

    spec.check("ChatCompletionList", whole)
    assert [each["id"] for each in whole["data"]] == ids
    assert (whole["first_id"], whole["last_id"]) == (ids[0], ids[-1])
    assert whole["has_more"] is False and page["has_more"] is True
    assert [each["id"] for each in page["data"]] == ids[1:2]
    assert [each["id"] for each in chosen["data"]] == [ids[0], ids[2]]
    assert [each["id"] for each in backwards["data"]] == ids[::-1]
    assert other["data"] == []


async def test_169_a_stored_completion_is_fetched_updated_and_deleted() -> None:
    async with stored({"k": "a"}) as (client, (kept,)):
        url = f"{CHAT}/{kept['id']}"
        fetched = (await client.get(url)).json()
        updated = (await client.post(url, json={"metadata": {"k": "z"}})).json()
        deleted = (await client.delete(url)).json()
        gone = await client.get(url)

    assert fetched["choices"] == kept["choices"] and fetched["metadata"] == {"k": "a"}
    assert updated["metadata"] == {"k": "z"}
    spec.check("ChatCompletionDeleted", deleted)
    assert deleted == {"object": "chat.completion.deleted", "id": kept["id"], "deleted": True}
    assert gone.status_code == 404


async def test_170_its_messages_are_listed_with_their_own_role() -> None:
    async with stored({"k": "a"}) as (client, (kept,)):
        listed = (await client.get(f"{CHAT}/{kept['id']}/messages")).json()

    (message,) = listed["data"]
    assert message["id"] and (message["role"], message["content"]) == ("user", "hi")


async def test_171_what_is_not_stored_is_404_in_the_envelope() -> None:
    async with stored() as (client, _):
        for method, path in (("GET", ""), ("POST", ""), ("DELETE", ""), ("GET", "/messages")):
            body: Json | None = {"metadata": {}} if method == "POST" else None
            given = await client.request(method, f"{CHAT}/chatcmpl-nope{path}", json=body)

            assert given.status_code == 404
            spec.check("ErrorResponse", given.json())
