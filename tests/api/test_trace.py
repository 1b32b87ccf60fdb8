"""The trace on the wire: the bars stand in the order in which the roll falls on them."""

from itertools import accumulate

import pytest

from tests.api.chat.support import Models
from tests.engine.support import Chain
from tests.support import Json, application, bytewise, chat, chunks_of
from tokenlap.engine.predictor import Distribution

HEADERS = {"X-Tokenlap-Trace": "1"}
WIDE = Chain(
    {},
    Distribution.of({64 + i: 1.0 + i % 5 for i in range(60)}),
)
"""More candidates than a lap names."""


async def laps(models: Models, **options: object) -> list[Json]:
    """The laps behind an answer."""
    async with application(models=models) as client:
        asked = chat("Tell me about tokens", **options)
        response = await client.post("/v1/chat/completions", json=asked, headers=HEADERS)
    traced: list[Json] = response.json()["choices"][0]["tokenlap"]["laps"]
    return traced


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"temperature": 2},
        {"temperature": 0.3, "top_p": 0.9},
        {"frequency_penalty": 2, "presence_penalty": 2},
        {"logit_bias": {"64": 4, "70": -100, "13": 2}},
        {"min_tokens": 30},
    ],
    ids=str,
)
@pytest.mark.parametrize("model", ["mock-1", "tokenlap"])
async def test_the_roll_lies_in_the_bar_of_the_token(model: str, options: Json) -> None:
    rolled = 0
    for lap in await laps({"mock-1": WIDE}, model=model, max_tokens=30, **options):
        ids = [bar[0] for bar in lap["kept"]]
        ends = [0.0, *accumulate(bar[3] for bar in lap["kept"])]
        assert len(ids) <= 20
        assert ends[-1] + lap["rest"]["p_die"] == pytest.approx(1)
        if lap["u"] is None:
            assert (ids[0], lap["kept"][0][3]) == (lap["id"], 1.0)
        elif lap["id"] in ids:
            at = ids.index(lap["id"])
            assert ends[at] - 1e-9 <= lap["u"] <= ends[at + 1] + 1e-9
            rolled += 1
        else:
            assert lap["u"] >= ends[-1] - 1e-9
            assert lap["rest"]["n"] > 0
    assert rolled


async def test_a_bar_has_the_models_share_and_the_dies() -> None:
    model = Chain({}, Distribution.of({64: 3, 65: 1}, context=2))

    [lap] = await laps({"mock-1": model}, temperature=0.5, logit_bias={"66": 1}, max_tokens=1)

    assert [bar[:3] for bar in lap["kept"]] == [[64, "a", 0.75], [65, "b", 0.25], [66, "c", 0.0]]
    assert [bar[3] for bar in lap["kept"]] == pytest.approx([0.9, 0.1, 0.0])
    assert (lap["lap"], lap["context"], lap["reason"]) == (1, 2, "length")
    assert lap["rest"] == {"n": 0, "p_model": 0, "p_die": 0}


async def test_a_lap_without_text_of_its_own_spells_its_bytes() -> None:
    traced = await laps(bytewise("é"))

    assert [(lap["text"], lap["bytes"]) for lap in traced] == [
        ("bytes:\\xc3", [0xC3]),
        ("bytes:\\xa9", [0xA9]),
        ("<|endoftext|>", list(b"<|endoftext|>")),
    ]


async def test_a_streamed_trace_rides_on_the_next_chunk() -> None:
    async with application(models=bytewise("é")) as client:
        response = await client.post(
            "/v1/chat/completions", json=chat(stream=True), headers=HEADERS
        )

    parts = [part for chunk in chunks_of(response.text) for part in chunk["choices"]]
    assert [len(part.get("tokenlap", {"laps": []})["laps"]) for part in parts] == [0, 2, 1]


async def test_without_the_header_there_is_no_trace() -> None:
    async with application(models=bytewise("é")) as client:
        response = await client.post("/v1/chat/completions", json=chat(stream=True))

    assert "tokenlap" not in response.text
