"""`--watch`: the text of every request, token by token as its loop turns, blocking ones too.

On a terminal the text is typed on; elsewhere each lap is a line of its own.
"""

from collections.abc import Sequence
from typing import TextIO

from tokenlap.api.calls import Call, Exchange
from tokenlap.api.log import printable
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
        for number, lap in enumerate(laps, start=call.laps - len(laps) + 1):
            for choice, events in enumerate(lap):
                text = "".join(shown(event) for event in events)
                if self._typing:
                    self._type(call, choice, text)
                else:
                    print(f"{label(call, choice)} lap {number} {text!r}", file=self._out)
        self._out.flush()

    def ended(self, call: Call) -> None:
        """Say how a call ended."""
        if not self._typing:
            print(f"{label(call)} {call.ending}", file=self._out, flush=True)
            return
        if self._speaker is not None and self._speaker[0] is not call:
            self._out.write("\n")
        begun = self._speaker is not None and self._speaker[0] is call
        print(f"{'' if begun else label(call)}  [{call.ending}]", file=self._out, flush=True)
        self._speaker = None

    def answered(self, exchange: Exchange) -> None:
        """Say nothing: no loop turned."""

    def _type(self, call: Call, choice: int, text: str) -> None:
        if not text:
            return
        if self._speaker != (call, choice):
            line_end = "\n" if self._speaker is not None else ""
            self._out.write(f"{line_end}{label(call, choice)} ")
            self._speaker = (call, choice)
        self._out.write(printable(text, keep="\n"))


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
