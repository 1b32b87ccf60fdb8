"""`--watch`: the text of every request, token by token as its loop turns, blocking ones too.

On a terminal the text is typed on; elsewhere each lap is a line of its own.
"""

from collections.abc import Sequence
from typing import TextIO

from tokenlap.api.calls import Call, Exchange
from tokenlap.api.log import printable, write
from tokenlap.engine.batch import Lap
from tokenlap.engine.event import Arguments, Event, Finish, Text, ToolCall


class Watch:
    """Prints laps at the moment they leave, or are put into the buffer of a blocking answer."""

    def __init__(self, out: TextIO) -> None:
        """out: where the text goes."""
        self._out = out
        self._typing = out.isatty()
        self._speaker: tuple[Call, int] | None = None

    def began(self, call: Call) -> None:
        """Say nothing until the first lap."""

    def lapped(self, call: Call, laps: Sequence[Lap]) -> None:
        """Print the text of laps."""
        printed: list[str] = []
        for number, lap in enumerate(laps, start=call.laps - len(laps) + 1):
            for choice, events in enumerate(lap):
                text = "".join(shown(event) for event in events)
                if self._typing:
                    printed.append(self._typed(call, choice, text))
                else:
                    printed.append(f"{label(call, choice)} lap {number} {text!r}\n")
        write(self._out, "".join(printed))

    def ended(self, call: Call) -> None:
        """Say how a call ended."""
        if not self._typing:
            return write(self._out, f"{label(call)} {call.ending}\n")
        begun = self._speaker is not None and self._speaker[0] is call
        head = "" if begun else self._turn(call, 0)
        self._speaker = None
        return write(self._out, f"{head}  [{call.ending}]\n")

    def answered(self, exchange: Exchange) -> None:
        """Say nothing: no loop turned."""

    def _typed(self, call: Call, choice: int, text: str) -> str:
        """Return what is typed for a lap; a speaker that begins gets a line of its own."""
        if not text:
            return ""
        head = "" if self._speaker == (call, choice) else f"{self._turn(call, choice)} "
        return head + printable(text, keep="\n")

    def _turn(self, call: Call, choice: int) -> str:
        """Let another one speak; return what begins its line."""
        line_end = "\n" if self._speaker is not None else ""
        self._speaker = (call, choice)
        return line_end + label(call, choice)


def label(call: Call, choice: int = 0) -> str:
    """Return who speaks: the request's last characters, its mode, and the choice where there are
    several.
    """
    mode = "stream" if call.stream else "blocking"
    return f"{call.id[-6:]} {mode}" + (f" #{choice}" if choice else "")


def shown(event: Event) -> str:
    """Return what a person sees of an event."""
    match event:
        case Text(text) | Arguments(_, text):
            return text
        case ToolCall(_, name):
            return f"→ {name} "
        case Finish():
            return ""
