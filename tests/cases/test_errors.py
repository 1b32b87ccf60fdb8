"""Cases of the kind errors, and the defaults of the kind faults."""

import json
from typing import Any

import httpx
import openai
import pytest

from tests.cases.cases import body_of, cases, models_of, run, streamed
from tests.conformance.asking import Broken
from tests.support import (
    Json,
    application,
    chat,
    chunks_of,
    joined,
    quiet,
    served,
)

CHAT = "/v1/chat/completions"


@pytest.mark.parametrize("path", [CHAT, "/v1/completions", "/v1/responses"])
async def test_B084_errors_are_objects_in_an_object(path: str) -> None:
    async with application() as client:
        body = {"model": "m", "messages": [], "prompt": "x", "input": "x", "temperature": "warm"}
        answer = await client.post(path, json=body)

    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/json"
    assert set(answer.json()) == {"error"}
    assert set(answer.json()["error"]) == {"message", "type", "param", "code"}
    assert (await run("B084")).json()["error"]["param"] == "temperature"


async def test_B085_a_code_is_a_string_or_null() -> None:
    strict = quiet(strict=True)
    async with application(strict) as client:
        headers = {"authorization": "Bearer key"}
        answer = await client.post(CHAT, json=body_of(cases()["B085"]), headers=headers)
        others = [
            await client.post(CHAT, json={}, headers=headers),
            await client.get("/nope"),
            await client.put(CHAT),
            await client.post(CHAT, json={}),
        ]

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "model_not_found")
    assert all(isinstance(each.json()["error"]["code"], str | None) for each in others)


async def test_B087_an_error_in_a_stream_is_data_that_the_client_raises() -> None:
    models: Any = {"mock-1": Broken()}
    async with application(models=models) as client:
        text = (await client.post(CHAT, json=body_of(cases()["B087"]))).text
        official: Any = openai.AsyncOpenAI(
            base_url="http://localhost/v1",
            api_key="k",
            http_client=client,  # type: ignore[arg-type] # the legacy httpx works at run time
        )
        stream = await official.chat.completions.create(**chat(stream=True))
        with pytest.raises(openai.APIError, match="The server had an error"):
            async for _ in stream:
                pass

    assert text.removesuffix("\n\n").split("\n\n")[-1].startswith('data: {"error":{"message":')
    assert not any(line.startswith("error:") for line in text.split("\n"))


@pytest.mark.parametrize(
    "options",
    [
        {"logprobs": True, "top_logprobs": 21},
        {"n": 0},
        {"temperature": 3},
        {"stop": [""]},
        {"tool_choice": "auto"},
        {"response_format": {"type": "json_object"}},
        {"max_tokens": 10**9},
        {"logit_bias": {"x": 1}},
        {"messages": []},
        {"model": None},
    ],
    ids=str,
)
async def test_B090_a_bad_parameter_is_refused_before_the_stream(options: Json) -> None:
    answers = [
        await run(
            "B090",
            body_of(
                cases()["B090"],
                **{"logprobs": None, "top_logprobs": None, **options, "stream": stream},
            ),
        )
        for stream in (True, False)
    ]

    assert [answer.status_code for answer in answers] == [400, 400]
    assert answers[0].headers["content-type"] == "application/json"
    assert answers[0].json() == answers[1].json()


async def test_B095_when_paced_each_event_is_a_write_of_its_own() -> None:
    settings = quiet(latency="natural", ttft="0", itl="30ms")
    models = models_of(cases()["B095"]["setup"])
    async with (
        served(settings, models=models) as server,
        httpx.AsyncClient(base_url=server.url) as client,
        client.stream("POST", CHAT, json=body_of(cases()["B095"])) as answer,
    ):
        parts = [part async for part in answer.aiter_raw()]

    assert all(part.endswith(b"\n\n") for part in parts)
    texts = [joined(chunks_of(part)) for part in parts]
    assert "".join(texts) == "hé \U0001f600"
    assert sum(bool(text) for text in texts) >= 2


async def test_B099_json_that_is_cut_says_length() -> None:
    cut = (await run("B099")).json()["choices"][0]
    whole = (await run("B099", body_of(cases()["B099"], max_tokens=None))).json()["choices"][0]

    assert cut["finish_reason"] == "length"
    with pytest.raises(json.JSONDecodeError):
        json.loads(cut["message"]["content"])
    assert json.loads(whole["message"]["content"]) and whole["finish_reason"] == "stop"
    found = await streamed("B099", body_of(cases()["B099"], stream=True))
    assert joined(found) == cut["message"]["content"]
