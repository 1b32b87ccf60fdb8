"""The bytes of a chat stream: each chunk stands between what all chunks of a reply say alike.

JSON is ASCII: U+2028 and the like never appear raw.
"""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, assert_never

from tokenlap.api.chat.callform import CallForm
from tokenlap.api.chat.chunks import ChatChunk, ChatEvent, Kind, OpenedCall, Opening, Said
from tokenlap.api.chat.deltas import no_scores, role_delta, text_delta
from tokenlap.api.logprobs import entries, trace
from tokenlap.engine.event import Arguments, Finish, Run, Text
from tokenlap.engine.tokenizer import Tokenizer

DONE = b"data: [DONE]\n\n"
Json = dict[str, Any]


class Envelope(NamedTuple):
    """What every chunk and the blocking answer say alike. created: seconds since 1970."""

    id: str
    created: int
    model: str
    fingerprint: str
    service_tier: str = "default"

    def chunk(self) -> Json:
        """Return what stands in every chunk."""
        return {
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "service_tier": self.service_tier,
            "system_fingerprint": self.fingerprint,
        }


class Frames:
    """Writes the chunks of one reply as server-sent events."""

    __slots__ = (
        "_after", "_around_texts", "_before", "_envelope", "_form", "_scored", "_tokenizer",
    )  # fmt: skip

    def __init__(
        self,
        envelope: Envelope,
        tokenizer: Tokenizer,
        form: CallForm,
        *,
        scored: bool,
        with_usage: bool,
    ) -> None:
        """scored: with logprobs; with_usage: the last chunk will tell usage, the others have
        null.
        """
        self._envelope = envelope
        self._tokenizer = tokenizer
        self._form = form
        self._scored = scored
        to_id, to_created, rest = _parts(
            envelope.model, envelope.fingerprint, envelope.service_tier
        )
        known = to_id, envelope.id.encode(), to_created, envelope.created, rest
        self._before = b'data: %b%b%b%d%b,"choices":[' % known
        self._after = b"]" + (b',"usage":null' if with_usage else b"") + b"}\n\n"
        self._around_texts: dict[int, tuple[bytes, bytes, bytes]] = {}

    def write(self, chunks: Sequence[ChatChunk]) -> bytes:
        """Return chunks as events; a plain text is ready bytes between ready bytes."""
        if len(chunks) == 1:
            return self._frame_of(*chunks[0])
        return b"".join([self._frame_of(choice, event) for choice, event in chunks])

    def usage(self, told: Json) -> bytes:
        """Return the chunk that tells usage and has no choice."""
        return data({**self._envelope.chunk(), "choices": [], "usage": told})

    def _joined(self, choice: int, run: Run) -> bytes:
        """Return a chunk for each text: what stands between two of them is the same everywhere."""
        if choice not in self._around_texts:
            logprobs = _json(no_scores("content")) if self._scored else b"null"
            head = b'%b{"index":%d,"delta":{"content":"' % (self._before, choice)
            tail = b'"},"logprobs":%b,"finish_reason":null}%b' % (logprobs, self._after)
            self._around_texts[choice] = head, tail + head, tail
        head, between, tail = self._around_texts[choice]
        if len(run) == 1:
            return head + run[0].escaped + tail
        return head + between.join([plain.escaped for plain in run]) + tail

    def _frame_of(self, choice: int, event: ChatEvent) -> bytes:
        match event:
            case tuple():
                return self._joined(choice, event)
            case Opening(kind, call):
                if call is None:
                    return self._around(_opened(choice, kind, self._scored))
                scores = no_scores(kind) if self._scored else None
                return self._frame(choice, role_delta(kind) | self._form.opened(call), scores, call)
            case Finish(reason):
                if not event.laps:
                    return self._around(_finished(choice, self._form.reason(reason)))
                return self._frame(choice, {}, None, event, self._form.reason(reason))
            case Text():
                return self._frame(choice, text_delta(event), self._logprobs(event), event)
            case OpenedCall():
                return self._frame(choice, self._form.opened(event), None, event)
            case Arguments(index, text):
                return self._frame(choice, self._form.arguments(index, text), None, event)
            case _:
                assert_never(event)

    def _logprobs(self, text: Text) -> Json | None:
        if not self._scored or text.channel == "reasoning":
            return None
        scored = entries(self._tokenizer, text.scores)
        other = "refusal" if text.channel == "content" else "content"
        return {text.channel: scored, other: None}

    def _frame(
        self, index: int, delta: Json, logprobs: Json | None, said: Said, reason: str | None = None
    ) -> bytes:
        """Return one chunk with one choice."""
        body = _choice(index, delta, logprobs, reason)
        if said.laps:
            body["tokenlap"] = trace(self._tokenizer, said.laps)
        return self._around(_json(body))

    def _around(self, choice: bytes) -> bytes:
        return self._before + choice + self._after


def data(body: Json) -> bytes:
    """Return one event."""
    return b"data: " + _json(body) + b"\n\n"


def _choice(index: int, delta: Json, logprobs: Json | None, reason: str | None) -> Json:
    return {"index": index, "delta": delta, "logprobs": logprobs, "finish_reason": reason}


@lru_cache(maxsize=1024)
def _opened(index: int, kind: Kind, scored: bool) -> bytes:
    """Return the choice that opens with its role; there are a few hundred of them."""
    return _json(_choice(index, role_delta(kind), no_scores(kind) if scored else None, None))


@lru_cache(maxsize=64)
def _parts(model: str, fingerprint: str, tier: str) -> tuple[bytes, bytes, bytes]:
    """Return what a chunk says before its id, from there to created, and after that."""
    chunk = _json(Envelope("\0", -1, model, fingerprint, tier).chunk())
    to_id, _, rest = chunk[:-1].partition(b"\\u0000")
    to_created, _, rest = rest.partition(b"-1")
    return to_id, to_created, rest


@lru_cache(maxsize=1024)
def _finished(index: int, reason: str) -> bytes:
    """Return the choice that ends, with its reason."""
    return _json(_choice(index, {}, None, reason))


_encode = json.JSONEncoder(separators=(",", ":")).encode


def _json(body: Json) -> bytes:
    return _encode(body).encode("ascii")
