from typing import Any

import httpx
import pytest
from openai import AsyncOpenAI

from tests import spec
from tests.support import Json, application, chat, chunks_of, quiet, scripted, served

PATH = "/v1/chat/completions"


async def stored(client: httpx.AsyncClient, content: str = "hi", **options: Any) -> Json:
    """A chat completion that has been stored."""
    answer = await client.post(PATH, json=chat(content, store=True, **options))
    assert answer.status_code == 200, answer.text
    loaded: Json = answer.json()
    return loaded


async def test_a_stored_completion_is_retrieved_as_it_was_answered() -> None:
    async with application(models=scripted("one two")) as client:
        completion = await stored(client, metadata={"a": "b"})
        found = await client.get(f"{PATH}/{completion['id']}")

    spec.check("CreateChatCompletionResponse", completion)
    assert found.json() == completion
    assert completion["metadata"] == {"a": "b"}


async def test_a_streamed_completion_is_stored_when_it_has_ended() -> None:
    asked = chat(store=True, stream=True, n=2, logprobs=True)
    async with application(models=scripted("one two")) as client:
        chunks = chunks_of((await client.post(PATH, json=asked)).text)
        blocking = await stored(client, n=2, logprobs=True)
        found = (await client.get(f"{PATH}/{chunks[0]['id']}")).json()

    assert found["choices"] == blocking["choices"]
    assert found["object"] == "chat.completion"
    assert all("metadata" not in chunk for chunk in chunks)


@pytest.mark.parametrize("store", [{}, {"store": False}, {"store": None}])
async def test_what_is_not_to_be_stored_is_not_and_has_no_metadata(store: Json) -> None:
    async with application(models=scripted("one")) as client:
        answer = (await client.post(PATH, json=chat(metadata={"a": "b"}, **store))).json()
        found = await client.get(f"{PATH}/{answer['id']}")
        listed = (await client.get(PATH)).json()

    assert "metadata" not in answer
    assert found.status_code == 404
    assert found.json()["error"].keys() == {"message", "type", "param", "code"}
    assert listed == {
        "object": "list",
        "data": [],
        "first_id": "",
        "last_id": "",
        "has_more": False,
    }


async def test_a_trace_is_no_part_of_what_is_stored() -> None:
    async with application(models=scripted("one")) as client:
        answer = await client.post(PATH, json=chat(store=True), headers={"X-Tokenlap-Trace": "1"})
        found = (await client.get(f"{PATH}/{answer.json()['id']}")).json()

    assert "tokenlap" in answer.json()["choices"][0]
    assert "tokenlap" not in found["choices"][0]


async def test_the_list_is_paged_and_filtered() -> None:
    async with application(models=scripted("one")) as client:
        made = [await stored(client, metadata={"turn": str(i % 2), "x": "y"}) for i in range(5)]
        ids = [completion["id"] for completion in made]
        first = (await client.get(PATH, params={"limit": 2})).json()
        second = (await client.get(PATH, params={"limit": 2, "after": ids[1]})).json()
        newest = (await client.get(PATH, params={"order": "desc", "limit": 1})).json()
        odd = (await client.get(PATH, params={"metadata[turn]": "1", "metadata[x]": "y"})).json()
        other = (await client.get(PATH, params={"model": "other"})).json()

    for answer in (first, newest, other):
        spec.check("ChatCompletionList", answer)
    assert [each["id"] for each in first["data"]] == ids[:2]
    assert (first["first_id"], first["last_id"], first["has_more"]) == (ids[0], ids[1], True)
    assert [each["id"] for each in second["data"]] == ids[2:4]
    assert newest["data"][0]["id"] == ids[4]
    assert [each["id"] for each in odd["data"]] == [ids[1], ids[3]]
    assert other["data"] == []


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "101"}, "limit"),
        ({"limit": "x"}, "limit"),
        ({"order": "up"}, "order"),
        ({"after": "chatcmpl-unknown"}, "after"),
    ],
)
async def test_a_query_that_is_wrong_is_named(query: dict[str, str], param: str) -> None:
    async with application(models=scripted("one")) as client:
        completion = await stored(client)
        answers = [
            await client.get(path, params=query)
            for path in (PATH, f"{PATH}/{completion['id']}/messages")
        ]

    assert [answer.status_code for answer in answers] == [400, 400]
    assert {answer.json()["error"]["param"] for answer in answers} == {param}


async def test_the_metadata_is_replaced_and_emptied() -> None:
    async with application(models=scripted("one")) as client:
        completion = await stored(client, metadata={"a": "b"})
        url = f"{PATH}/{completion['id']}"
        updated = (await client.post(url, json={"metadata": {"c": "d"}})).json()
        found = (await client.get(url)).json()
        listed = (await client.get(PATH, params={"metadata[c]": "d"})).json()
        emptied = (await client.post(url, json={"metadata": None})).json()
        wrong = [await client.post(url, json=body) for body in ({}, {"metadata": {"a": 1}})]

    assert updated == {**completion, "metadata": {"c": "d"}}
    assert found == updated
    assert listed["data"] == [updated]
    assert emptied["metadata"] == {}
    assert [answer.status_code for answer in wrong] == [400, 400]


async def test_a_deleted_completion_is_gone() -> None:
    async with application(models=scripted("one")) as client:
        completion = await stored(client)
        url = f"{PATH}/{completion['id']}"
        deleted = (await client.delete(url)).json()
        again = [await client.request(method, url) for method in ("GET", "DELETE")]
        update = await client.post(url, json={"metadata": {}})

    spec.check("ChatCompletionDeleted", deleted)
    assert deleted == {
        "object": "chat.completion.deleted",
        "id": completion["id"],
        "deleted": True,
    }
    assert [answer.status_code for answer in (*again, update)] == [404, 404, 404]


async def test_the_messages_are_listed_as_they_were_sent() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages: list[Json] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "What?"}, picture], "name": "ann"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "12:00", "tool_call_id": "call_1"},
    ]
    async with application(models=scripted("one")) as client:
        completion = await stored(client, messages=messages)
        url = f"{PATH}/{completion['id']}/messages"
        listed = (await client.get(url)).json()
        second = (await client.get(url, params={"after": listed["first_id"], "limit": 1})).json()
        last = (await client.get(url, params={"order": "desc", "limit": 1})).json()

    said = listed["data"]
    # The document knows no role but the assistant's here; the platform lists what was sent.
    as_assistant = [{**message, "role": "assistant"} for message in said]
    spec.check("ChatCompletionMessageList", {**listed, "data": as_assistant})
    assert [message["id"] for message in said] == [f"{completion['id']}-{i}" for i in range(4)]
    assert [message["role"] for message in said] == ["system", "user", "assistant", "tool"]
    assert [message["content"] for message in said] == ["Be brief.", "What?", None, "12:00"]
    assert [message["content_parts"] for message in said] == [
        None,
        messages[1]["content"],
        None,
        None,
    ]
    assert said[1]["name"] == "ann"
    assert said[2]["tool_calls"] == [call]
    assert said[3]["tool_call_id"] == "call_1"
    assert (second["data"], second["has_more"]) == ([said[1]], True)
    assert last["data"] == [said[3]]


async def test_a_key_sees_its_own_completions_alone() -> None:
    async with application(models=scripted("one")) as client:
        answer = await client.post(
            PATH, json=chat(store=True), headers={"authorization": "Bearer one"}
        )
        url = f"{PATH}/{answer.json()['id']}"
        own = await client.get(url, headers={"authorization": "Bearer one"})
        other = await client.get(url, headers={"authorization": "Bearer two"})

    assert (own.status_code, other.status_code) == (200, 404)


async def test_the_oldest_go_where_the_store_is_full() -> None:
    async with application(quiet(max_stored=2), models=scripted("one")) as client:
        made = [await stored(client) for _ in range(3)]
        listed = (await client.get(PATH)).json()

    assert [each["id"] for each in listed["data"]] == [each["id"] for each in made[1:]]


async def test_the_official_client_stores_lists_updates_and_deletes() -> None:
    async with served(models=scripted("one two")) as server:
        client = AsyncOpenAI(base_url=f"{server.url}/v1", api_key="k", max_retries=0)
        async with client:
            completion = await client.chat.completions.create(
                model="mock-1",
                messages=[{"role": "user", "content": "hi"}],
                store=True,
                metadata={"a": "b"},
            )
            found = await client.chat.completions.retrieve(completion.id)
            listed = [
                each.id async for each in client.chat.completions.list(metadata={"a": "b"}, limit=1)
            ]
            updated = await client.chat.completions.update(completion.id, metadata={"c": "d"})
            said = [
                (message.id, message.content)
                async for message in client.chat.completions.messages.list(completion.id)
            ]
            deleted = await client.chat.completions.delete(completion.id)

    assert found.choices[0].message.content == "one two"
    assert listed == [completion.id]
    assert updated.model_dump()["metadata"] == {"c": "d"}
    assert said == [(f"{completion.id}-0", "hi")]
    assert deleted.deleted
