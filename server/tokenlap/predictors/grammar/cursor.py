"""Where in a JSON text the writing stands, and which shapes may stand there: read along, byte by
byte, with the grammar's assurance that the text is right.
"""

import json
from dataclasses import dataclass, field
from typing import Literal

from tokenlap.predictors.grammar.shape import Items, Member, Record, Shape, alternatives

Mode = Literal["value", "scalar", "member", "key", "colon", "after", "done"]
"""value: one must begin; scalar: it has begun and is no container; member: a key may begin, or the
object end; key: inside one; after: a value in a container is complete.
"""
_QUOTE, _BACKSLASH = ord('"'), ord("\\")


@dataclass(slots=True)
class Frame:
    """A container that is open.

    records, items: the shapes it may still have; owner: the property that holds it; key: its latest
    property, or for an array the one that holds it; used: the JSON texts of the scalars in it;
    numbers: how many of them were numbers.
    """

    records: tuple[Record, ...] = ()
    items: tuple[Items, ...] = ()
    owner: str = ""
    key: str = ""
    seen: int = 0
    used: list[bytes] = field(default_factory=list)
    numbers: int = 0

    @property
    def is_array(self) -> bool:
        """Whether it is an array."""
        return bool(self.items)

    def members(self) -> list[Member]:
        """Return the properties that may come next, in order: up to the first that must."""
        found: dict[str, Member] = {}
        for record in self.records:
            for member in record.members[self._place(record) :]:
                found.setdefault(member.name, member)
                if member.required:
                    break
        return list(found.values())

    def may_close(self) -> bool:
        """Say whether the container may end here."""
        if self.items:
            return any(items.least <= self.seen for items in self.items)
        return any(
            not any(member.required for member in record.members[self._place(record) :])
            for record in self.records
        )

    def may_continue(self) -> bool:
        """Say whether another element or member may follow."""
        if self.items:
            return any(self.seen < items.most for items in self.items)
        return bool(self.members())

    def elements(self) -> tuple[Shape, ...]:
        """Return the shapes of the next element."""
        found: list[Shape] = []
        for items in self.items:
            if self.seen < len(items.first):
                found += alternatives(items.first[self.seen])
            elif items.rest is not None:
                found += alternatives(items.rest)
        return tuple(found)

    def values(self) -> tuple[Shape, ...]:
        """Return the shapes of the property whose key has just been written."""
        members = [m for record in self.records for m in record.members if m.name == self.key]
        return tuple(part for member in members for part in alternatives(member.shape))

    def enter(self, key: str) -> None:
        """Take a key: records without it are ruled out."""
        self.key = key
        self.records = tuple(r for r in self.records if any(m.name == key for m in r.members))

    def _place(self, record: Record) -> int:
        """Return how many members of a record lie behind."""
        if not self.seen:
            return 0
        names = [member.name for member in record.members]
        return names.index(self.key) + 1 if self.key in names else 0


class Cursor:
    """Follows one JSON text without blanks between its parts."""

    __slots__ = ("_escaped", "_frames", "_name", "mode", "ordinal", "partial", "shapes")

    def __init__(self, shape: Shape, name: str = "") -> None:
        """Take the shape of the whole text, and the name that it has, if any."""
        self._name = name
        self.mode: Mode = "value"
        self.shapes: tuple[Shape, ...] = alternatives(shape)
        self.partial = b""
        """What is written of the scalar or the key that has begun."""
        self.ordinal = 0
        """Which value this is, counted from the beginning of the text."""
        self._frames: list[Frame] = []
        self._escaped = False

    @property
    def frame(self) -> Frame | None:
        """The innermost container, None outside any."""
        return self._frames[-1] if self._frames else None

    @property
    def name(self) -> str:
        """The property that the next value belongs to; an element belongs to its array's."""
        return next((frame.key for frame in reversed(self._frames) if frame.key), self._name)

    @property
    def in_string(self) -> bool:
        """Whether a string value has begun."""
        return self.mode == "scalar" and self.partial[:1] == b'"'

    def take(self, raw: bytes) -> None:
        """Read on."""
        at = 0
        while at < len(raw):
            if self.mode in ("key", "scalar") and self.partial[:1] == b'"':
                at = self._read_string(raw, at)
            else:
                self._read(raw[at])
                at += 1

    def _read_string(self, raw: bytes, at: int) -> int:
        """Read to the end of the string that has begun, or of raw; return where that is."""
        for end in range(at, len(raw)):
            byte = raw[end]
            if self._escaped:
                self._escaped = False
            elif byte == _BACKSLASH:
                self._escaped = True
            elif byte == _QUOTE:
                self.partial += raw[at : end + 1]
                self._end_string()
                return end + 1
        self.partial += raw[at:]
        return len(raw)

    def _end_string(self) -> None:
        if self.mode == "scalar":
            self._end_scalar()
            return
        frame = self._frames[-1]
        frame.enter(_text(self.partial))
        frame.seen += 1
        self.mode, self.partial = "colon", b""

    def _read(self, byte: int) -> None:
        sign = chr(byte)
        match self.mode:
            case "value":
                self._begin(sign)
            case "scalar" if sign in ",]}":
                self._end_scalar()
                self._read(byte)
            case "scalar":
                self.partial += sign.encode("latin-1")
            case "member" if sign == '"':
                self.mode, self.partial = "key", b'"'
            case "member":
                self._close()
            case "colon":
                self._expect(self._frames[-1].values())
            case "after" if sign == ",":
                self._next()
            case "after":
                self._close()
            case _:
                pass

    def _begin(self, sign: str) -> None:
        if sign == "]":  # the array ends before its first element
            self._close()
            return
        if self._frames and self._frames[-1].is_array:
            self._frames[-1].seen += 1
        if sign == "{":
            records = tuple(shape for shape in self.shapes if isinstance(shape, Record))
            self._frames.append(Frame(records, owner=self.name))
            self.mode = "member"
        elif sign == "[":
            items = tuple(shape for shape in self.shapes if isinstance(shape, Items))
            self._frames.append(Frame(items=items, owner=self.name, key=self.name))
            self._expect(self._frames[-1].elements())
        else:
            self.mode, self.partial = "scalar", sign.encode("latin-1")

    def _expect(self, shapes: tuple[Shape, ...]) -> None:
        self.mode, self.shapes = "value", shapes
        self.ordinal += 1

    def _next(self) -> None:
        """Go on after a comma."""
        frame = self._frames[-1]
        if frame.is_array:
            self._expect(frame.elements())
        else:
            self.mode = "member"

    def _end_scalar(self) -> None:
        if self._frames:
            frame = self._frames[-1]
            frame.used.append(self.partial)
            frame.numbers += self.partial[:1] in b"-0123456789"
        self.partial = b""
        self.mode = "after" if self._frames else "done"

    def _close(self) -> None:
        self._frames.pop()
        self.mode = "after" if self._frames else "done"


def _text(quoted: bytes) -> str:
    """Return the string that a JSON text stands for, "" where it is none."""
    if b"\\" not in quoted:
        return quoted[1:-1].decode("utf-8", errors="replace")
    try:
        return str(json.loads(quoted))
    except ValueError:
        return ""
