"""How a server is asked: the answer ends where it says so."""

import socket
from collections.abc import Iterator
from threading import Event, Thread

import pytest
from bench.contenders import TOKENS, text
from bench.process import ask, first_event, whole

from tokenlap.engine.tokenizer import o200k

CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
SIZED = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"


@pytest.mark.parametrize(
    ("answer", "ended"),
    [
        pytest.param(SIZED[:-2], False, id="head not over"),
        pytest.param(SIZED + b"o", False, id="short of its length"),
        pytest.param(SIZED + b"ok", True, id="its length"),
        pytest.param(CHUNKED + b"2\r\nok\r\n", False, id="no last chunk"),
        pytest.param(CHUNKED + b"2\r\nok\r\n0\r\n\r\n", True, id="last chunk"),
    ],
)
def test_answer_is_whole(answer: bytes, ended: bool) -> None:
    assert whole(answer) is ended


class Keeper:
    """A server that gives every connection one answer and keeps it open."""

    def __init__(self, answer: bytes) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listening.getsockname()[1]
        self.answer, self.over = answer, Event()
        self.thread = Thread(target=self._serve)
        self.thread.start()

    def _serve(self) -> None:
        connection, _ = self.listening.accept()
        with self.listening, connection:
            connection.recv(65536)
            connection.sendall(self.answer)
            self.over.wait(10)

    def left(self) -> None:
        self.over.set()
        self.thread.join()


@pytest.fixture
def keeper(request: pytest.FixtureRequest) -> Iterator[Keeper]:
    server = Keeper(request.param)
    yield server
    server.left()


@pytest.mark.parametrize("keeper", [SIZED + b"ok"], indirect=True)
def test_asking_does_not_wait_for_a_server_that_keeps_the_connection(keeper: Keeper) -> None:
    answer = ask(keeper.port, "{}")

    assert answer.endswith(b"ok")
    assert not keeper.over.is_set()
    assert keeper.thread.is_alive()  # it would have ended before, had it closed the connection


@pytest.mark.parametrize("keeper", [CHUNKED + b'f\r\ndata: {"a": 1}\n\n\r\n'], indirect=True)
def test_first_event_is_enough(keeper: Keeper) -> None:
    assert first_event(keeper.port, "{}") > 0
    assert keeper.thread.is_alive()


@pytest.mark.parametrize("keeper", [b"HTTP/1.1 503 No\r\n\r\n"], indirect=True)
def test_refusal_is_no_first_event(keeper: Keeper) -> None:
    with pytest.raises(ConnectionError, match="503"):
        first_event(keeper.port, "{}")


def test_texts_have_the_tokens_they_are_asked_for() -> None:
    assert len(o200k().encode(text())) == TOKENS
    assert len(o200k().encode(text(2000, seed=7))) == 2000
