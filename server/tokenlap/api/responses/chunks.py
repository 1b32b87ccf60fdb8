"""The typed events of a response, and their bytes.

Source: wire checklist 18-29, 201-222. A frame is `event: <type>` and `data: <JSON>`, whose type is
the same; JSON is ASCII, so neither U+2028 nor half a character ever appears.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from tokenlap.api.logprobs import entries, trace
from tokenlap.engine.event import Arguments, Text
from tokenlap.engine.tokenizer import Tokenizer

Json = dict[str, Any]
Kind = Literal[
    "output_text",
    "refusal",
    "reasoning_summary_text",
    "function_call_arguments",
    "custom_tool_call_input",
]
"""What is written piece by piece; the event of a piece is `response.<kind>.delta`."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the pieces of one text belong.

    address: the fields that say it on the wire (item_id, output_index and the like). template: the
    frame of a piece that brings nothing along, with room for the escaped text and the sequence
    number; made once, since it is what every token of a stream passes through.
    """

    kind: Kind
    address: Json
    template: bytes

    @classmethod
    def of(cls, kind: Kind, address: Json) -> "Place":
        """Return a place with its template."""
        logprobs: Json = {"logprobs": []} if kind == "output_text" else {}
        type = f"response.{kind}.delta"
        frame = event(type, {**address, "delta": "", **logprobs}, 0)
        before, _, after = frame.replace(b"%", b"%%").partition(b'"delta":""')
        after = after.removesuffix(b"0}\n\n") + b"%d}\n\n"
        return cls(kind, address, before + b'"delta":"%b"' + after)


class Deltas(NamedTuple):
    """Pieces of one text that leave together: an event each, numbered from sequence on."""

    sequence: int
    place: Place
    pieces: Sequence[Text | Arguments]


class Notice(NamedTuple):
    """Any other event: its number, its type, its fields."""

    sequence: int
    type: str
    fields: Json


ResponseChunk = Deltas | Notice


_encode = json.JSONEncoder(separators=(",", ":")).encode


def dumped(value: Any) -> bytes:
    """Return a value as JSON, in ASCII and without spare blanks."""
    return _encode(value).encode("ascii")


def event(type: str, fields: Json, sequence: int) -> bytes:
    """Return the frame of an event."""
    data = dumped({"type": type, **fields, "sequence_number": sequence})
    return b"event: %b\ndata: %b\n\n" % (type.encode(), data)


def error_event(code: str, message: str, sequence: int) -> bytes:
    """Return the frame of an error: flat, so that clients take it for an event (checklist 217)."""
    return event("error", {"code": code, "message": message, "param": None}, sequence)


def frames(chunk: ResponseChunk, tokenizer: Tokenizer, scored: bool) -> bytes:
    """Return the frames of a chunk; plain pieces fill the template of their place.

    scored: logprobs were asked for.
    """
    if isinstance(chunk, Notice):
        return event(chunk.type, chunk.fields, chunk.sequence)
    numbered = enumerate(chunk.pieces, chunk.sequence)
    if scored or any([piece.laps for piece in chunk.pieces]):
        return b"".join(_delta(chunk.place, piece, n, tokenizer, scored) for n, piece in numbered)
    template = chunk.place.template
    return b"".join([template % (piece.escaped, n) for n, piece in numbered])


def _delta(
    place: Place, piece: Text | Arguments, sequence: int, tokenizer: Tokenizer, scored: bool
) -> bytes:
    """Return the frame of a piece with all that it brings along."""
    fields: Json = {**place.address, "delta": piece.text}
    if place.kind == "output_text":
        scores = piece.scores if isinstance(piece, Text) and scored else ()
        fields["logprobs"] = entries(tokenizer, scores)
    if piece.laps:
        fields["tokenlap"] = trace(tokenizer, piece.laps)
    return event(f"response.{place.kind}.delta", fields, sequence)
