import pytest

from tests.api.responses.support import CALL, asked, posted, text_of
from tests.support import Json, application, marked, quiet, scripted

KEY = {"authorization": "Bearer other"}


async def items_of(client: object, id: str) -> list[Json]:
    answer = await client.get(f"/v1/responses/{id}/input_items?order=asc&limit=100")  # type: ignore[attr-defined] # httpx's, untyped here
    found: list[Json] = answer.json()["data"]
    return found


def said(items: list[Json]) -> list[tuple[str, str]]:
    return [(item["role"], text_of({"output": [item]})) for item in items]


async def test_a_response_goes_on_from_the_whole_conversation_before_it() -> None:
    async with application(models=scripted("Hello")) as client:
        first = await posted(client, asked("one", instructions="Be brief."))
        second = await posted(client, asked("two", previous_response_id=first["id"]))
        third = await posted(client, asked("three", previous_response_id=second["id"]))
        items = await items_of(client, third["id"])

    assert said(items) == [
        ("user", "one"),
        ("assistant", "Hello"),
        ("user", "two"),
        ("assistant", "Hello"),
        ("user", "three"),
    ]
    assert third["previous_response_id"] == second["id"]
    assert second["usage"]["input_tokens"] < third["usage"]["input_tokens"]
    assert third["instructions"] is None


async def test_going_on_gives_the_reply_of_the_same_items_sent_again() -> None:
    async with application() as client:
        first = await posted(client, {"model": "tokenlap", "input": "What is a token?"})
        second = {"model": "tokenlap", "max_output_tokens": 30}
        follow = await posted(
            client, {**second, "input": "Go on.", "previous_response_id": first["id"]}
        )
        again = [
            {"role": "user", "content": "What is a token?"},
            *first["output"],
            {"role": "user", "content": "Go on."},
        ]
        sent = await posted(client, {**second, "input": again})

    assert text_of(follow) == text_of(sent)
    assert follow["usage"]["input_tokens"] == sent["usage"]["input_tokens"]


async def test_a_call_of_a_stored_response_is_answered_by_its_output_alone() -> None:
    async with application(models=marked(CALL)) as client:
        first = await posted(client, asked())
        output = {"type": "function_call_output", "output": "3 euro"}
        call_id = first["output"][0]["call_id"]
        body = asked([{**output, "call_id": call_id}], previous_response_id=first["id"])
        second = await posted(client, body)
        unanswered = await client.post(
            "/v1/responses", json=asked("so?", previous_response_id=first["id"])
        )

    assert second["status"] == "completed"
    message = unanswered.json()["error"]["message"]
    assert message == f"No tool output found for function call {call_id}."


async def test_a_reference_stands_for_the_item_it_names() -> None:
    async with application(models=scripted("Hello")) as client:
        first = await posted(client, asked("one"))
        answered = first["output"][0]["id"]
        [question] = [item["id"] for item in await items_of(client, first["id"])]
        references = [{"type": "item_reference", "id": question}, {"id": answered}]
        second = await posted(client, asked([*references, {"role": "user", "content": "two"}]))
        items = await items_of(client, second["id"])

    assert said(items) == [("user", "one"), ("assistant", "Hello"), ("user", "two")]
    assert [item["id"] for item in items[:2]] == [question, answered]


async def test_a_reference_to_what_is_not_kept_is_a_404() -> None:
    async with application(models=scripted("Hello")) as client:
        first = await posted(client, asked("one", store=False))
        id = first["output"][0]["id"]
        answer = await client.post("/v1/responses", json=asked([{"id": id}]))

    error = answer.json()["error"]
    assert (answer.status_code, error["param"], error["code"]) == (404, "input", None)
    assert error["message"].startswith(f"Item with id '{id}' not found. Items are not persisted")


async def test_hidden_reasoning_comes_back_from_what_was_called_encrypted() -> None:
    script = "<|start|>assistant reasoning<|message|>Hm.<|start|>assistant<|message|>Yes"
    async with application(models=marked(script)) as client:
        body = asked(include=["reasoning.encrypted_content"], store=False)
        output = (await posted(client, body))["output"]
        hidden = [{**output[0], "encrypted_content": None}, *output[1:]]
        user = {"role": "user", "content": "more"}
        with_it = await posted(client, asked([*output, user]))
        without = await posted(client, asked([*hidden, user]))
        foreign = {**output[0], "encrypted_content": "gAAAAB-not-ours"}
        other = await posted(client, asked([foreign, *output[1:], user]))

    assert with_it["usage"]["input_tokens"] > without["usage"]["input_tokens"]
    assert other["usage"]["input_tokens"] == without["usage"]["input_tokens"]


async def test_what_is_not_to_be_stored_is_not_found() -> None:
    async with application(models=scripted("Hello")) as client:
        response = await posted(client, asked(store=False))
        retrieved = await client.get(f"/v1/responses/{response['id']}")
        followed = await client.post(
            "/v1/responses", json=asked(previous_response_id=response["id"])
        )

    assert response["store"] is False
    assert retrieved.status_code == 404
    assert followed.json()["error"]["code"] == "previous_response_not_found"


async def test_a_key_sees_its_own_responses_alone() -> None:
    async with application(models=scripted("Hello")) as client:
        response = await posted(client, asked())
        path = f"/v1/responses/{response['id']}"
        others = [
            await client.get(path, headers=KEY),
            await client.get(f"{path}/input_items", headers=KEY),
            await client.delete(path, headers=KEY),
        ]
        own = await client.get(path)

    assert [answer.status_code for answer in others] == [404, 404, 404]
    assert own.json() == response


@pytest.mark.parametrize("bound", [{"max_stored": 2}, {"max_stored_size": 6000}])
async def test_beyond_the_bounds_the_oldest_responses_go(bound: Json) -> None:
    async with application(quiet(**bound), models=scripted("Hello")) as client:
        ids = [(await posted(client, asked()))["id"] for _ in range(6)]
        kept = [(await client.get(f"/v1/responses/{id}")).status_code == 200 for id in ids]

    assert kept[-1] and not kept[0] and kept == sorted(kept)
