from typing import Any

import pytest

from tests.support import Json, application, chat, quiet, scripted
from tokenlap.engine.tokenizer import CLOSE, MESSAGE, START, o200k

HELLO = [{"role": "user", "content": "Hello"}]


async def tokenized(asked: Json, **settings: Any) -> Json:
    async with application(quiet(**settings)) as client:
        answer = await client.post("/tokenize", json=asked)
    assert answer.status_code == 200, answer.text
    loaded: Json = answer.json()
    return loaded


async def test_a_text_becomes_its_token_ids() -> None:
    answer = await tokenized({"model": "any", "prompt": "The capital of France is"})

    assert answer == {
        "count": 5,
        "max_model_len": 128_000,
        "tokens": [976, 9029, 328, 10128, 382],
        "token_strs": None,
    }


async def test_the_texts_of_the_tokens_come_on_demand() -> None:
    answer = await tokenized({"prompt": "a 🦜", "return_token_strs": True}, context_window=500)

    assert answer["token_strs"] == ["a", "bytes:\\x20\\xf0\\x9f", "bytes:\\xa6", "bytes:\\x9c"]
    assert answer["count"] == 4
    assert answer["max_model_len"] == 500


@pytest.mark.parametrize(
    ("options", "ending"),
    [
        pytest.param({}, [CLOSE, START, *o200k().encode("assistant"), MESSAGE], id="default"),
        pytest.param({"add_generation_prompt": False}, [CLOSE], id="closed"),
        pytest.param({"model": None, "add_generation_prompt": None}, [MESSAGE], id="null"),
    ],
)
async def test_a_conversation_becomes_the_document_that_is_continued(
    options: Json, ending: list[int]
) -> None:
    answer = await tokenized({"messages": HELLO, **options})

    begin = [START, *o200k().encode("user"), MESSAGE, *o200k().encode("Hello"), CLOSE]
    assert answer["tokens"][: len(begin)] == begin
    assert answer["tokens"][-len(ending) :] == ending


async def test_a_last_assistant_message_may_stay_open() -> None:
    messages = [*HELLO, {"role": "assistant", "content": "{"}]
    open_ended = await tokenized({"messages": messages, "continue_final_message": True})

    assert open_ended["tokens"][-2:] == [MESSAGE, *o200k().encode("{")]


async def test_the_document_is_the_one_that_a_chat_request_is_counted_by() -> None:
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    asked = chat("What is it?", tools=tools)
    async with application(models=scripted("a")) as client:
        document = (await client.post("/tokenize", json=asked)).json()
        completion = (await client.post("/v1/chat/completions", json=asked)).json()

    assert completion["usage"]["prompt_tokens"] == document["count"]


async def test_detokenizing_spells_the_markers() -> None:
    async with application() as client:
        tokens = (await client.post("/tokenize", json={"messages": HELLO})).json()["tokens"]
        answer = await client.post("/detokenize", json={"model": "any", "tokens": tokens})

    assert answer.json() == {
        "prompt": "<|start|>user<|message|>Hello<|end|><|start|>assistant<|message|>"
    }


@pytest.mark.parametrize(
    ("path", "asked", "param"),
    [
        pytest.param("/tokenize", {}, "prompt", id="nothing"),
        pytest.param("/tokenize", {"prompt": 1}, "prompt", id="a number"),
        pytest.param("/tokenize", {"messages": []}, "messages", id="no messages"),
        pytest.param("/tokenize", {"messages": "hi"}, "messages", id="messages as a text"),
        pytest.param(
            "/tokenize",
            {"messages": HELLO, "add_generation_prompt": True, "continue_final_message": True},
            "continue_final_message",
            id="both open and closed",
        ),
        pytest.param("/detokenize", {"tokens": [200_001]}, "tokens[0]", id="an unused id"),
        pytest.param("/detokenize", {"tokens": [1.5]}, "tokens[0]", id="a fraction"),
        pytest.param("/detokenize", {"tokens": "a"}, "tokens", id="a text"),
        pytest.param("/detokenize", {}, "tokens", id="no tokens"),
    ],
)
async def test_what_is_wrong_is_named(path: str, asked: Json, param: str) -> None:
    async with application() as client:
        answer = await client.post(path, json=asked)

    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == param


async def test_what_is_no_object_is_refused() -> None:
    async with application() as client:
        answers = [await client.post("/tokenize", content=raw) for raw in (b"", b"[]", b"{")]

    assert {answer.status_code for answer in answers} == {400}


async def test_a_key_is_needed_where_keys_are_accepted() -> None:
    async with application(quiet(api_key=("k" * 16,))) as client:
        answer = await client.post("/tokenize", json={"prompt": "a"})

    assert answer.status_code == 401
