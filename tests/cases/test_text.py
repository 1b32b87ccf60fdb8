"""Cases of the kinds utf8, sse-framing, chunk-shape and logprobs."""

import json
import unicodedata
from typing import Any

import httpx
import pytest

from tests.cases.cases import body_of, cases, models_of, run, streamed
from tests.properties import EXHAUSTIVE
from tests.support import (
    Json,
    application,
    bytewise,
    chat,
    chunks_of,
    data_of,
    joined,
    scripted,
    served,
)
from tokenlap.engine.tokenizer import o200k

CHAT = "/v1/chat/completions"


async def text_of(models: Any, **options: Any) -> tuple[str, list[Json], bytes]:
    """The joined text of a streamed reply, its chunks, and its bytes."""
    async with application(models=models) as client:
        answer = await client.post(CHAT, json=chat(stream=True, **options))
    return joined(chunks_of(answer.content)), chunks_of(answer.content), answer.content


EMOJI = [
    "ok \U0001f600 end",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "\U0001f1e9\U0001f1ea\U0001f3f4\U000e0067\U000e0062\U000e007f",
    "ende\U0001f600",
    "\U0001f600",
    "漢字かな交じり文",
    "\U00020bb7\U0010ffff",
]


@pytest.mark.parametrize("reply", EMOJI)
@pytest.mark.parametrize("cut", [bytewise, scripted])
async def test_B001_no_delta_holds_half_a_character(reply: str, cut: Any) -> None:
    text, found, content = await text_of(cut(reply))

    assert text == reply
    assert b"fffd" not in content.lower() and "\ufffd" not in content.decode()
    for chunk in found:
        chunk["choices"][0]["delta"].get("content", "").encode()  # no lone surrogate
    for line in content.splitlines():
        line.decode("utf-8", "strict")
    assert (await streamed("B001"))[-1]["choices"][0]["finish_reason"] == "stop"


async def test_B001_a_character_that_the_cap_cuts_is_dropped() -> None:
    for cap in range(1, 8):
        text, _, content = await text_of(bytewise("a\U0001f600b"), max_tokens=cap)

        assert "a\U0001f600b".startswith(text) and "\ufffd" not in text
        assert b"fffd" not in content


@pytest.mark.parametrize(
    "reply",
    [
        "\U0001f3c3\u200d\u2640\ufe0f e\u0301 \u1112\u1161\u11ab",
        "Å Å Å",
        "ﬁ ½ ㎏ \u00a0\u200b\u2060\ufeff",
        "\u0628\u0650\u0633\u0652\u0645\u0650 \u202eabc\u202c",
    ],
)
@pytest.mark.parametrize("cut", [bytewise, scripted])
async def test_B003_text_is_never_normalised(reply: str, cut: Any) -> None:
    text, _, _ = await text_of(cut(reply))

    assert text.encode() == reply.encode()
    assert joined(await streamed("B003")) == cases()["B003"]["setup"]["reply"]
    assert unicodedata.normalize("NFC", "e\u0301") != "e\u0301"


@pytest.mark.parametrize(
    "reply",
    ["a\u2028b\u2029c\u0085d\u000be", "a\x1c\x1d\x1e\x0c\x00\x7f", "a\r\nb\rc\n\nd", 'a"\\b/\t'],
)
async def test_B004_odd_line_ends_appear_as_escapes_alone(reply: str) -> None:
    text, _, content = await text_of(scripted(reply))

    assert text == reply
    lines = [line for line in content.decode().splitlines() if line]
    for line in lines[:-1]:
        json.loads(line.removeprefix("data: "))
    assert lines[-1] == "data: [DONE]"
    assert joined(await streamed("B004")) == cases()["B004"]["setup"]["reply"]


async def test_B006_events_end_with_two_line_feeds_and_no_carriage_return() -> None:
    content = (await run("B006")).content

    assert b"\r" not in content
    assert content.endswith(b"\n\n") and b"\n\n\n" not in content


STREAMS: list[Json] = [
    {},
    {"stream_options": {"include_usage": True}},
    {"n": 2},
    {"n": 2, "stream_options": {"include_usage": True}, "logprobs": True},
    {"tools": [{"type": "function", "function": {"name": "f"}}]},
    {"max_tokens": 1},
]


@pytest.mark.parametrize("options", STREAMS, ids=str)
async def test_B008_done_comes_once_and_last(options: Json) -> None:
    text = (await run("B008", body_of(cases()["B008"], **options))).text

    assert text.count("[DONE]") == 1
    assert text.endswith("data: [DONE]\n\n")


@pytest.mark.parametrize("options", STREAMS, ids=str)
async def test_B009_there_are_no_lines_but_data(options: Json) -> None:
    text = (await run("B009", body_of(cases()["B009"], **options))).text

    assert all(line.startswith("data: ") for line in text.split("\n") if line)


async def test_B012_no_line_is_longer_than_a_reader_takes() -> None:
    body = body_of(cases()["B012"], max_tokens=100_000)
    models = models_of(cases()["B012"]["setup"])
    async with served(models=models) as server, httpx.AsyncClient(base_url=server.url) as client:
        text = (await client.post(CHAT, json=body)).text

    assert max(map(len, text.split("\n"))) <= 65_536
    assert joined(chunks_of(text)) == "A" * 400_000


async def test_B013_id_and_created_do_not_change_though_time_goes_on() -> None:
    ticking = iter(range(1_790_000_000, 1_800_000_000))
    models = models_of(cases()["B013"]["setup"])
    async with application(models=models, now=lambda: next(ticking)) as client:
        found = chunks_of((await client.post(CHAT, json=body_of(cases()["B013"]))).content)

    assert len({chunk["id"] for chunk in found}) == 1
    assert len({chunk["created"] for chunk in found}) == 1
    assert found[-1]["usage"]


async def test_B014_ids_are_never_the_same_twice() -> None:
    times = 3000 if EXHAUSTIVE else 300
    async with application(models=scripted("x")) as client:
        ids = []
        for i in range(times):
            answer = await client.post(CHAT, json=chat(stream=bool(i % 2)))
            found = chunks_of(answer.content)[0] if i % 2 else answer.json()
            ids.append(found["id"])

    assert len(set(ids)) == times
    assert all(id.startswith("chatcmpl-") and len(id) > 20 for id in ids)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (CHAT, chat()),
        (CHAT, chat(stream=True, stream_options={"include_usage": True})),
        ("/v1/completions", {"model": "mock-1", "prompt": "x"}),
        ("/v1/responses", {"model": "mock-1", "input": "x"}),
        ("/v1/embeddings", {"model": "mock-1", "input": "x"}),
        ("/v1/models", None),
    ],
)
async def test_B015_times_and_counts_are_integers(path: str, body: Json | None) -> None:
    def numbers(value: Any, key: str = "") -> None:
        if isinstance(value, dict):
            for name, each in value.items():
                numbers(each, name)
        elif isinstance(value, list) and key != "embedding":
            for each in value:
                numbers(each, key)
        elif key.startswith(("created", "completed_at")) or key.endswith("tokens"):
            assert type(value) is int or value is None

    async with application(models=scripted("x"), now=lambda: 1790000000.75) as client:
        answer = await client.request("POST" if body else "GET", path, json=body)
    assert answer.status_code == 200
    for data in data_of(answer.text) if "stream" in (body or {}) else [answer.text]:
        numbers(json.loads(data) if data != "[DONE]" else {})


@pytest.mark.parametrize("n", [1, 2, 5])
async def test_B016_the_first_delta_of_each_choice_has_the_role(n: int) -> None:
    seen: dict[int, Json] = {}
    for chunk in await streamed("B016", body_of(cases()["B016"], n=n)):
        for each in chunk["choices"]:
            seen.setdefault(each["index"], each["delta"])

    assert len(seen) == n
    assert all(delta["role"] == "assistant" for delta in seen.values())


@pytest.mark.parametrize(
    "name", ["team/My Model:v1@eu", " spaced ", "模型", "a" * 300, 'q"uote\\', "\u2028"]
)
async def test_B019_the_model_is_echoed_in_every_form(name: str) -> None:
    async with application(models=scripted("x")) as client:
        body = {**chat(), "model": name}
        blocking = (await client.post(CHAT, json=body)).json()
        found = chunks_of((await client.post(CHAT, json={**body, "stream": True})).content)
        legacy = await client.post("/v1/completions", json={"model": name, "prompt": "x"})
        response = await client.post("/v1/responses", json={"model": name, "input": "x"})
        vector = await client.post("/v1/embeddings", json={"model": name, "input": "x"})

    assert {chunk["model"] for chunk in found} == {name}
    assert blocking["model"] == legacy.json()["model"] == response.json()["model"] == name
    assert vector.json()["model"] == name


async def test_B020_completions_stream_texts_under_one_id() -> None:
    found = await streamed("B020")

    assert {chunk["object"] for chunk in found} == {"text_completion"}
    (id,) = {chunk["id"] for chunk in found}
    assert id.startswith("cmpl-")
    choices = [each for chunk in found for each in chunk["choices"]]
    assert all("text" in each and "delta" not in each for each in choices)
    assert [each["finish_reason"] for each in choices] == [None] * (len(choices) - 1) + ["stop"]


@pytest.mark.parametrize(
    "reply", ["\U0001f600", "a\U0001f600", "\U0001f600\U0001f600b", "漢", "\u00e9x"]
)
@pytest.mark.parametrize("cut", [bytewise, scripted])
async def test_B062_joined_bytes_are_the_bytes_of_the_content(reply: str, cut: Any) -> None:
    async with application(models=cut(reply)) as client:
        body = chat(logprobs=True, top_logprobs=2)
        (choice,) = (await client.post(CHAT, json=body)).json()["choices"]
    entries = choice["logprobs"]["content"]

    assert bytes(byte for entry in entries for byte in entry["bytes"]).decode() == reply
    assert not [entry for entry in entries if entry["bytes"] == [239, 191, 189]]
    for entry in entries:
        assert all("\ufffd" not in top["token"] for top in [entry, *entry["top_logprobs"]])
    assert (await run("B062")).json()["choices"][0]["message"]["content"] == "\U0001f600"
    assert o200k().encode(reply)
