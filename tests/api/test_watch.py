"""`--watch`: who speaks, lap by lap."""

import io

import pytest

from tokenlap.api.calls import Call
from tokenlap.api.watch import Watch
from tokenlap.engine.batch import Lap
from tokenlap.engine.event import Event, Finish, Text, ToolCall, escape


class Terminal(io.StringIO):
    """A terminal that remembers what was written on it."""

    def isatty(self) -> bool:
        """Say yes."""
        return True


def call(name: str, stream: bool = False) -> Call:
    """A call whose id ends with name."""
    return Call(f"req_{name}", "/v1/chat/completions", stream, "m", 1, "", arrived=0.0)


def said(text: str) -> Event:
    """The event of a text."""
    return Text(text, escape(text))


def show(watch: Watch, call: Call, *laps: Lap) -> None:
    """Let laps of a call leave."""
    call.first = 0.0
    call.lapped(laps)
    watch.lapped(call, laps)


def test_terminal_shows_a_reply_on_one_line() -> None:
    watch, one = Watch(out := Terminal()), call("aaaaaa")

    for word in ("Hello", " there"):
        show(watch, one, ((said(word),),))
    show(watch, one, ((Finish("stop", 2),),))
    watch.ended(one)

    assert out.getvalue() == "aaaaaa blocking Hello there  [end]\n"


def test_terminal_names_the_speaker_when_it_changes() -> None:
    watch, one, two = Watch(out := Terminal()), call("aaaaaa"), call("bbbbbb", stream=True)

    show(watch, one, ((said("A"),),))
    show(watch, two, ((said("B"),),))
    show(watch, one, ((said("C"),),))
    one.ending = "client left"
    watch.ended(two)
    watch.ended(one)

    assert out.getvalue().splitlines() == [
        "aaaaaa blocking A",
        "bbbbbb stream B",
        "aaaaaa blocking C",
        "bbbbbb stream  [None]",
        "aaaaaa blocking  [client left]",
    ]


def test_pipe_gets_a_line_a_lap_with_its_number_even_without_text() -> None:
    watch, one = Watch(out := io.StringIO()), call("aaaaaa")

    show(watch, one, ((said("A"),),), ((),))
    show(watch, one, ((said("\x1b"),),))

    assert out.getvalue().splitlines() == [
        "aaaaaa blocking lap 1 'A'",
        "aaaaaa blocking lap 2 ''",
        "aaaaaa blocking lap 3 '\\x1b'",
    ]


@pytest.mark.parametrize("terminal", [True, False])
def test_choices_are_told_apart(terminal: bool) -> None:
    watch, one = Watch(out := Terminal() if terminal else io.StringIO()), call("aaaaaa")

    show(watch, one, ((said("A"),), (ToolCall(0, "look_up"),)))

    assert "aaaaaa blocking #1" in out.getvalue()
    assert "look_up" in out.getvalue()
