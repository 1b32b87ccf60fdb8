"""The output of a response while it is written: items, one open at a time, and texts in them.

Source: wire checklist 202-214. Each method yields the events it causes, without their numbers.
Differences from OpenAI: the summary of reasoning is the reasoning itself, as one part;
`encrypted_content` is that text in base64.
"""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from tokenlap.api.logprobs import entries
from tokenlap.api.responses.chunks import Json, Kind, Place
from tokenlap.api.responses.ids import item_id
from tokenlap.engine.event import Arguments, Channel, Score, Text
from tokenlap.engine.tokenizer import Tokenizer

Said = tuple[str, Json]
"""The type of an event, and its fields."""
Status = Literal["completed", "incomplete"]
_KINDS: dict[Channel, Kind] = {
    "content": "output_text",
    "refusal": "refusal",
    "reasoning": "reasoning_summary_text",
}


@dataclass(slots=True)
class OpenText:
    """A text under way: a part of an item, or the arguments of a call."""

    place: Place
    pieces: list[Text | Arguments] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All pieces so far, as one text."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def scores(self) -> list[Score]:
        """The scores of all pieces so far."""
        return [s for piece in self.pieces if isinstance(piece, Text) for s in piece.scores]


@dataclass(slots=True)
class Output:
    """Builds the items of a response.

    before: how many items the input has. summary: reasoning is shown; encrypted: it comes along
    for the client to send back; custom: the names of custom tools. items: those that are closed;
    open, channel: the text under way; None for a call's arguments and where nothing is shown.
    """

    response_id: str
    tokenizer: Tokenizer
    before: int = 0
    summary: bool = False
    encrypted: bool = False
    custom: frozenset[str] = frozenset()
    items: list[Json] = field(default_factory=list)
    open: OpenText | None = None
    channel: Channel | None = None
    _item: Json = field(default_factory=dict)  # as it was announced; empty between items
    _parts: list[Json] = field(default_factory=list)
    _hidden: list[str] = field(default_factory=list)

    def text(self, channel: Channel) -> Iterator[Said]:
        """Open what the text of a channel needs; reasoning that is not shown needs no part."""
        type = "reasoning" if channel == "reasoning" else "message"
        if self._item.get("type") != type:
            yield from self.close("completed")
            yield self._announce(type, *_EMPTY[type])
        if self.channel != channel:
            yield from self._close_text()
            if channel != "reasoning" or self.summary:
                yield from self._open_part(channel)

    def call(self, name: str, call_id: str) -> Iterator[Said]:
        """Open a call, whose arguments follow; those of a custom tool are its input."""
        yield from self.close("completed")
        type, text = _CALLS[name in self.custom]
        said = (text, ""), ("call_id", call_id), ("name", name)
        yield self._announce(type, ("status", "in_progress"), *said)
        self.open = OpenText(Place.of(_ARGUMENTS[text], self._address()))

    def end(self, complete: bool) -> Iterator[Said]:
        """Close what is open; a reply without any item is an empty message."""
        if not self._item and not self.items:
            yield from self.text("content")
        yield from self.close("completed" if complete else "incomplete")

    def hide(self, text: str) -> None:
        """Take reasoning that is not shown."""
        self._hidden.append(text)

    def close(self, status: Status) -> Iterator[Said]:
        """Close the open item, if there is one, with the text that is open in it."""
        if not self._item:
            return
        yield from self._close_text()
        item = self._closed(status)
        yield "response.output_item.done", {"output_index": len(self.items), "item": item}
        self.items.append(item)
        self._item, self._parts, self._hidden = {}, [], []

    def _announce(self, type: str, *fields: tuple[str, object]) -> Said:
        index = len(self.items)
        id = item_id(type, self.response_id, self.before + index)
        self._item = {"id": id, "type": type, **dict(fields)}
        return "response.output_item.added", {"output_index": index, "item": self._item}

    def _address(self) -> Json:
        return {"item_id": self._item["id"], "output_index": len(self.items)}

    def _open_part(self, channel: Channel) -> Iterator[Said]:
        kind = _KINDS[channel]
        group, index = _group(kind)
        address = {**self._address(), index: len(self._parts)}
        self.open, self.channel = OpenText(Place.of(kind, address)), channel
        yield f"response.{group}.added", {**address, "part": _part(kind, "", [])}

    def _close_text(self) -> Iterator[Said]:
        if self.open is None:
            return
        place, text = self.open.place, self.open.text
        scores = entries(self.tokenizer, self.open.scores)
        done = f"response.{place.kind}.done"
        match place.kind:
            case "function_call_arguments":
                said = {"name": self._item["name"], "arguments": text}
                self._item = {**self._item, "arguments": text}
            case "custom_tool_call_input":
                said = {"input": text}
                self._item = {**self._item, "input": text}
            case "refusal":
                said = {"refusal": text}
            case "output_text":
                said = {"text": text, "logprobs": scores}
            case _:
                said = {"text": text}
        yield done, {**place.address, **said}
        if place.kind not in _ARGUMENTS.values():
            # The part tells no logprobs here, the item does: recorded so (checklist 222).
            part = _part(place.kind, text, [])
            yield f"response.{_group(place.kind)[0]}.done", {**place.address, "part": part}
            self._parts.append(_part(place.kind, text, scores))
        self.open = self.channel = None

    def _closed(self, status: Status) -> Json:
        """Return the open item as it ends."""
        match self._item["type"]:
            case "message":
                return {**self._item, "status": status, "content": self._parts}
            case "function_call" | "custom_tool_call":
                return {**self._item, "status": status}
            case _:
                text = "".join([*self._hidden, *(part["text"] for part in self._parts)])
                kept = {"encrypted_content": b64encode(text.encode()).decode()}
                return {**self._item, "summary": self._parts, **(kept if self.encrypted else {})}


_CALLS = (("function_call", "arguments"), ("custom_tool_call", "input"))
"""The type of a call and the name of its text: of a function, of a custom tool."""
_ARGUMENTS: dict[str, Kind] = {
    "arguments": "function_call_arguments",
    "input": "custom_tool_call_input",
}
_EMPTY: dict[str, list[tuple[str, object]]] = {
    "message": [("status", "in_progress"), ("role", "assistant"), ("content", [])],
    "reasoning": [("summary", [])],
}
"""What an item says when it is announced, beside id and type."""


def _group(kind: Kind) -> tuple[str, str]:
    """Return what the events of a part are called, and the field that counts parts."""
    if kind == "reasoning_summary_text":
        return "reasoning_summary_part", "summary_index"
    return "content_part", "content_index"


def _part(kind: Kind, text: str, scores: list[Json]) -> Json:
    match kind:
        case "output_text":
            return {"type": kind, "annotations": [], "logprobs": scores, "text": text}
        case "refusal":
            return {"type": kind, "refusal": text}
        case _:
            return {"type": "summary_text", "text": text}
