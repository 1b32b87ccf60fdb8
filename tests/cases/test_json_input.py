"""Cases of the kind json-input, and their neighbours: each odd body is sent to every endpoint."""

from collections.abc import Iterable

import pytest

from tests.cases.cases import run
from tests.support import application, chunks_of, joined
from tokenlap.engine.tokenizer import o200k
from tokenlap.predictors.echo import EchoPredictor

CHAT = "/v1/chat/completions"
PATHS = [CHAT, "/v1/completions", "/v1/responses", "/v1/embeddings"]
HEAD = b'{"model":"mock-1","messages":[{"role":"user","content":"hi"}],"prompt":"hi","input":"hi"'


async def answers(bodies: Iterable[bytes], path: str = CHAT) -> list[tuple[bytes, int, bytes]]:
    """For each body what it is answered with: its status and its bytes."""
    headers = {"content-type": "application/json"}
    async with application(models={"mock-1": EchoPredictor(o200k())}) as client:
        given = [(body, await client.post(path, content=body, headers=headers)) for body in bodies]
    return [(body, answer.status_code, answer.content) for body, answer in given]


async def accepted(bodies: Iterable[bytes], path: str = CHAT) -> list[bytes]:
    """Those bodies that are not refused with a 400 in the envelope; there should be none."""
    return [
        body[:200]
        for body, status, content in await answers(bodies, path)
        if status != 400 or not content.startswith(b'{"error":{"message":"')
    ]


@pytest.mark.parametrize("path", PATHS)
async def test_B064_no_number_is_endless(path: str) -> None:
    bodies = [
        HEAD + f',"{key}":{value % number}}}'.encode()
        for number in ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1e309")
        for key in ("temperature", "seed", "made_up", "metadata")
        for value in ("%s", "[%s]", '{"a":%s}')
    ]

    assert await accepted(bodies, path) == []
    assert (await run("B064")).status_code == 400


async def test_B065_half_a_pair_is_refused_wherever_it_stands() -> None:
    halves = (r"\ud800", r"\udfff", r"\ud83d\u0041", r"\ude00\ud83d", r"\uD800\uD800")
    places = (
        '"content":"a%s"',
        '"content":"x","name":"%s"',
        '"content":[{"type":"text","text":"%s"}]',
        '"content":"x"}],"stop":["%s"],"a":[{"b":1',
        '"content":"x"}],"model":"%s","a":[{"b":1',
        '"content":"x"}],"user":"%s","a":[{"b":1',
        '"content":"x"}],"metadata":{"%s":"v"},"a":[{"b":1',
        '"content":"x"}],"tools":[{"type":"function","function":{"name":"%s"}}],"a":[{"b":1',
        '"content":"x"}],"%s":[{"b":1',
    )
    head = '{"model":"mock-1","stream":true,"messages":[{"role":"user",'
    bodies = [f"{head}{place % half}}}]}}".encode() for half in halves for place in places]

    assert await accepted(bodies) == []
    assert (await run("B065")).status_code == 400


async def test_B065_a_whole_pair_is_echoed() -> None:
    body = HEAD.replace(b"hi", rb"a\ud83d\ude00b") + b',"stream":true}'
    ((_, status, content),) = await answers([body])

    assert status == 200
    assert joined(chunks_of(content)) == "a\U0001f600b"


@pytest.mark.parametrize("path", [*PATHS, "/tokenize"])
async def test_B067_deep_nesting_is_refused(path: str) -> None:
    many = 100_000
    nested = [
        "[" * many + "]",
        "[" * many + "]" * many,
        '{"a":' * many,
        '{"a":' * many + "1" + "}" * many,
        '[{"a":' * many + "1" + "}]" * many,
    ]
    bodies = [HEAD + f',"{key}":{each}}}'.encode() for each in nested for key in ("metadata", "x")]

    assert await accepted([*bodies, *(each.encode() for each in nested)], path) == []
    assert (await run("B067")).status_code == 400


async def test_B068_of_equal_keys_the_last_one_counts() -> None:
    answer = await run("B068")

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert {chunk["model"] for chunk in chunks_of(answer.content)} == {"mock-1"}
    first = b'{"messages":[{"role":"user","content":"a"}],"stream":true,"n":3,'
    last = HEAD.replace(b"hi", b"b").removeprefix(b"{") + b',"stream":false,"n":1}'
    ((_, _, content),) = await answers([first + last])
    assert b'"content":"b"' in content and b'"index":1' not in content


@pytest.mark.parametrize("path", [*PATHS, "/tokenize"])
async def test_B069_bytes_that_are_no_utf_8_are_refused(path: str) -> None:
    whole = (HEAD + b"}").decode()
    bodies = [
        HEAD.replace(b"hi", b"\xff\xfe") + b"}",
        HEAD.replace(b"hi", b"\xed\xa0\x80") + b"}",
        HEAD.replace(b"hi", b"\xc0\x80") + b"}",
        HEAD.replace(b"hi", b"\xf5\x80\x80\x80") + b"}",
        HEAD.replace(b"hi", "é".encode("latin-1")) + b"}",
        HEAD + b',"\xff":1}',
        *(whole.encode(name) for name in ("utf-16", "utf-16-be", "utf-16-le", "utf-32")),
        b"\xff\xfe",
        b"\x80",
    ]

    assert await accepted(bodies, path) == []
    assert (await run("B069")).status_code == 400


@pytest.mark.parametrize("path", [*PATHS, "/v1/moderations", "/tokenize", "/detokenize"])
async def test_B071_what_is_no_object_is_refused(path: str) -> None:
    bodies = [
        *(b"[]", b'"x"', b"null", b"1", b"1.5", b"true", b"", b" ", b"{", b"{}{}", b"{}x", b"[{}]"),
        *(b"\xef\xbb\xbf", b'{"model":"m",}', b"{'model':'m'}", b'{"model":"m"', b"// x\n{}"),
        *(b"model=m&messages=x", b"<xml/>", b"\x00", b"{}\x00", b"\n"),
    ]

    assert await accepted(bodies, path) == []
    assert (await run("B071")).status_code == 400
