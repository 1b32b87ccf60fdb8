"""The load generator counts what came, however the network cut it."""

import asyncio
from itertools import count
from typing import cast

import pytest
from bench.client import Answer, Connection, summary

HEAD = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
STREAM = b'f\r\ndata: {"a": 1}\n\n\r\n' * 3 + b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"


class Wire(asyncio.Transport):
    """Keeps what was written."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []
        self.closed = False

    def write(self, data: object) -> None:
        self.sent.append(cast(bytes, data))

    def close(self) -> None:
        self.closed = True


def connected(requests: int = 1) -> tuple[Connection, Wire]:
    connection = Connection({"requests": requests, "bodies": ["{}"]}, count(), 0.0)
    wire = Wire()
    connection.connection_made(wire)
    return connection, wire


@pytest.mark.parametrize("size", [1, 2, 3, 7, 10, 64, 1000])
async def test_events_are_counted_however_the_stream_is_cut(size: int) -> None:
    connection, wire = connected()

    answer = HEAD + STREAM
    for start in range(0, len(answer), size):
        assert not wire.closed
        connection.data_received(answer[start : start + size])

    assert [(one.events, one.size) for one in connection.answers] == [(4, len(STREAM))]
    assert wire.closed


async def test_blocking_answer_ends_with_its_length_and_has_no_events() -> None:
    connection, _ = connected()

    connection.data_received(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab")
    assert not connection.answers
    connection.data_received(b"cd")

    assert [one.events for one in connection.answers] == [0]


async def test_next_request_is_sent_when_the_last_is_answered() -> None:
    connection, wire = connected(requests=2)

    connection.data_received(HEAD + STREAM)
    assert len(wire.sent) == 2
    assert not wire.closed
    connection.data_received(HEAD + STREAM)

    assert [one.events for one in connection.answers] == [4, 4]
    assert wire.closed


async def test_refusal_ends_the_run() -> None:
    connection, _ = connected()

    with pytest.raises(SystemExit, match="429"):
        connection.data_received(b"HTTP/1.1 429 Too Many Requests\r\n\r\n")


def test_summary_takes_gaps_within_a_stream_and_spans_without_the_set_up() -> None:
    answers = [Answer(3, 90, 1.3, [0.2, 0.3, 1.2]), Answer(2, 60, 0.7, [0.5, 0.6])]

    told = summary(answers, wall=2.0)

    assert told["events"] == 5
    assert told["bytes"] == 150
    assert told["requests"] == 2
    assert told["ttft_p50"] == 0.5
    assert told["span_p50"] == pytest.approx(1.0)
    assert told["gap_p99"] == pytest.approx(0.9)
