"""Cases of the kinds finish-reason, stop, max-tokens and usage."""

from typing import Any

import pytest

from tests.cases.cases import body_of, both, cases, run, streamed
from tests.support import Json, application, chat, chunks_of, joined, scripted

CHAT = "/v1/chat/completions"


async def ended(pieces: Any, **options: Any) -> tuple[str, str]:
    """Text and finish reason of a reply, the same streamed and blocking."""
    async with application(models=scripted(pieces)) as client:
        (choice,) = (await client.post(CHAT, json=chat(**options))).json()["choices"]
        found = chunks_of((await client.post(CHAT, json=chat(stream=True, **options))).content)
    assert joined(found) == choice["message"]["content"]
    assert found[-1]["choices"][0]["finish_reason"] == choice["finish_reason"]
    return choice["message"]["content"], choice["finish_reason"]


async def test_B021_the_finish_reason_is_null_until_the_end() -> None:
    reasons = [chunk["choices"][0]["finish_reason"] for chunk in await streamed("B021")]

    assert reasons[-1] == "stop" and set(reasons[:-1]) == {None}


@pytest.mark.parametrize(
    ("cap", "reason"), [(1, "length"), (2, "length"), (3, "length"), (4, "length"), (5, "stop")]
)
async def test_B023_a_cap_that_is_reached_says_length(cap: int, reason: str) -> None:
    """A reply that is exactly as long as the cap says `length`: see CONFORMANCE.md."""
    text, said, _ = await both("B023", max_tokens=cap)
    usage = (await run("B023", body_of(cases()["B023"], max_tokens=cap, stream=False))).json()

    assert (text, said) == (" ".join(["one", "two", "three", "four"][:cap]), reason)
    assert usage["usage"]["completion_tokens"] == min(cap, 4)


async def test_B024_the_finish_chunk_has_an_empty_delta() -> None:
    assert (await streamed("B024"))[-1]["choices"][0]["delta"] == {}


async def test_B026_every_choice_has_its_own_finish_chunk() -> None:
    choices = [each for chunk in await streamed("B026") for each in chunk["choices"]]

    assert [each["index"] for each in choices if each["finish_reason"]] == [0, 1]


@pytest.mark.parametrize(
    "pieces",
    [
        ["abc ", "DEF", "G", "HIJ", " xyz"],
        ["abc ", *"DEFGHIJ"],
        ["abc D", "DEFGHIJ"],
        ["abc ", "DEFGHI", "DEFGHIJ"],
    ],
)
async def test_B028_no_part_of_a_stop_is_shown(pieces: list[str]) -> None:
    text, reason = await ended(pieces, stop=["DEFGHIJ"])

    assert (text, reason) == ("".join(pieces).partition("DEFGHIJ")[0], "stop")
    assert await both("B028") == ("abc ", "stop", "|abc| ")


@pytest.mark.parametrize(
    ("pieces", "stop", "options", "expected"),
    [
        (["what colour", "?"], ["?!END"], {}, ("what colour?", "stop")),
        (["a", "b", "X"], ["XYZ"], {}, ("abX", "stop")),
        (["a", "X", "Y", "b"], ["XYZ"], {}, ("aXYb", "stop")),
        (["a", "X", "Y", "b"], ["XYZ"], {"max_tokens": 3}, ("aXY", "length")),
        (["X", "X", "Y", "Z"], ["XYZ"], {}, ("X", "stop")),
    ],
)
async def test_B029_what_was_held_back_leaves_at_the_end(
    pieces: list[str], stop: list[str], options: Json, expected: tuple[str, str]
) -> None:
    assert await ended(pieces, stop=stop, **options) == expected
    assert (await both("B029"))[:2] == ("what colour?", "stop")


@pytest.mark.parametrize("stop", [[""], "", ["", "a"], ["a", ""]])
@pytest.mark.parametrize("path", [CHAT, "/v1/completions"])
async def test_B031_an_empty_stop_is_refused(stop: Any, path: str) -> None:
    async with application(models=scripted("hello")) as client:
        body = {**chat(stop=stop), "prompt": "x"} if path == CHAT else {"model": "m", "prompt": "x"}
        answer = await client.post(path, json={**body, "stop": stop})

    assert answer.status_code == 400
    assert "stop" in answer.json()["error"]["param"]
    assert (await run("B031")).status_code == 400


@pytest.mark.parametrize("stop", [[], None])
async def test_B031_no_stop_is_no_stop(stop: Any) -> None:
    assert (await both("B031", stop=stop))[:2] == ("hello", "stop")


@pytest.mark.parametrize("stop", ["gamma", ["gamma"], ["zzz", "gamma", "delta"]])
async def test_B032_what_follows_the_match_in_its_token_is_dropped(stop: Any) -> None:
    assert (await both("B032", stop=stop))[:2] == ("alpha beta ", "stop")


async def test_B036_a_stop_that_completes_on_the_last_token_says_stop() -> None:
    assert (await both("B036"))[:2] == ("a b ", "stop")
    assert (await both("B036", max_tokens=2))[:2] == ("a b", "length")
    assert await ended(["a", "ST", "OP", "b"], stop="STOP", max_tokens=3) == ("a", "stop")


async def test_B037_completions_hold_back_as_chats_do() -> None:
    found = await streamed("B037")
    shown = [chunk["choices"][0]["text"] for chunk in found]

    assert "".join(shown) == "abc "
    assert not any("D" in text for text in shown)


async def test_B038_null_is_no_cap() -> None:
    answer = await run("B038")

    assert answer.status_code == 200
    assert answer.json()["choices"][0]["text"] == "x"


async def test_B039_an_echo_without_a_new_token() -> None:
    none = (await run("B039")).json()
    one = (await run("B039", body_of(cases()["B039"], max_tokens=1))).json()
    found = await streamed("B039", body_of(cases()["B039"], stream=True))

    assert none["choices"][0]["text"] == "hello"
    assert none["choices"][0]["finish_reason"] == "length"
    assert none["usage"]["completion_tokens"] == 0
    assert one["choices"][0]["text"] == "hellox"
    assert "".join(chunk["choices"][0]["text"] for chunk in found) == "hello"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"max_completion_tokens": 1, "max_tokens": None}, "one"),
        ({"max_completion_tokens": None, "max_tokens": 3}, "one two three"),
        ({"max_completion_tokens": 1, "max_tokens": 3}, "one"),
        ({"max_completion_tokens": 3, "max_tokens": 1}, "one two three"),
    ],
)
async def test_B041_the_newer_cap_wins(options: Json, text: str) -> None:
    assert (await both("B041", **options))[:2] == (text, "length")


async def test_B042_usage_comes_after_the_finish_and_before_done() -> None:
    *before, finish, usage = await streamed("B042")

    assert finish["choices"][0]["finish_reason"] == "stop"
    assert usage["choices"] == [] and usage["usage"]["completion_tokens"] == 2
    assert all(chunk["usage"] is None for chunk in [*before, finish])


@pytest.mark.parametrize("options", [{}, {"stream_options": {}}, {"n": 2}, {"max_tokens": 1}])
async def test_B043_no_chunk_is_without_choices(options: Json) -> None:
    for chunk in await streamed("B043", body_of(cases()["B043"], **options)):
        assert len(chunk["choices"]) == 1
        assert "usage" not in chunk


async def test_B046_one_chunk_has_usage() -> None:
    assert sum(bool(chunk["usage"]) for chunk in await streamed("B046")) == 1


@pytest.mark.parametrize("stream", [False, None, ...])
@pytest.mark.parametrize("options", [{}, {"include_usage": True}, {"include_usage": False}])
async def test_B047_stream_options_need_a_stream(stream: Any, options: Json) -> None:
    body = body_of(cases()["B047"], stream=stream, stream_options=options)
    body = {name: value for name, value in body.items() if value is not ...}
    answer = await run("B047", body)

    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == "stream_options"
