"""From events to chat.completion.chunk: typed chunks, their bytes, and the one object they fold
into.

Source: wire checklist 32-95 (API reference; recorded streams). JSON is ASCII: U+2028 and the like
never appear raw. Differences from OpenAI: the role chunk leaves together with the first text, so
TTFT is what the latency says; no `obfuscation`; `system_fingerprint` is always a string, `logprobs`
always there, as the document demands.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from tokenlap.api.backend import random_id
from tokenlap.api.chat.chunks import ChatChunk, ChatEvent, OpenedCall, Opening, Said, opening
from tokenlap.api.chat.deltas import no_scores, opened_call, role_delta, text_delta
from tokenlap.api.chat.fold import folded
from tokenlap.api.logprobs import entries, trace
from tokenlap.engine.batch import Lap
from tokenlap.engine.event import Arguments, Event, Finish, Text, ToolCall
from tokenlap.engine.tokenizer import Tokenizer
from tokenlap.errors import ApiError

DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Envelope:
    """What every chunk and the blocking answer say alike. created: seconds since 1970."""

    id: str
    created: int
    model: str
    fingerprint: str
    service_tier: str = "default"


@dataclass(slots=True)
class ChatEncoder:
    """Encodes one chat completion.

    scored: logprobs were asked for; include_usage: a stream ends with a usage chunk.
    """

    envelope: Envelope
    tokenizer: Tokenizer
    prompt_tokens: int
    scored: bool = False
    include_usage: bool = False
    cached_tokens: int = 0
    new_id: Callable[[str], str] = random_id
    extra: dict[str, Any] = field(default_factory=dict)
    _opened: int = 0
    _finished: list[Finish] = field(default_factory=list)
    _around: tuple[bytes, bytes] | None = None

    def encode(self, laps: Sequence[Lap]) -> list[ChatChunk]:
        """Return the chunks of laps; the first event of a choice opens it, and those before it."""
        if self._opened and laps and len(laps[0]) == 1:  # the usual case: more of the one choice
            written = [event for (events,) in laps for event in events]
            return [(0, event if type(event) is Text else self._noted(event)) for event in written]
        chunks: list[ChatChunk] = []
        for lap in laps:
            for choice, events in enumerate(lap):
                if choice >= self._opened and events:
                    chunks += [
                        (i, Opening(opening(events[0]))) for i in range(self._opened, choice + 1)
                    ]
                    self._opened = choice + 1
                for event in events:
                    if type(event) is Text:
                        chunks.append((choice, event))
                    else:
                        chunks.append((choice, self._noted(event)))
        return chunks

    def close(self) -> list[ChatChunk]:
        """Return nothing: usage is made from what has passed."""
        return []

    def frames(self, chunks: Sequence[ChatChunk]) -> bytes:
        """Return chunks as server-sent events; a plain text is ready bytes between ready bytes."""
        if self.scored:
            return b"".join(self._frame_of(choice, event) for choice, event in chunks)
        frames: list[bytes] = []
        run: list[bytes] = []  # plain texts of the first choice: what stands between them is joined
        for choice, event in chunks:
            if type(event) is Text and event.channel == "content" and not event.laps:
                if choice == 0:
                    run.append(event.escaped)
                    continue
                head, tail = self._plain(choice)
                frame = head + event.escaped + tail
            else:
                frame = self._frame_of(choice, event)
            if run:
                frames.append(self._joined(run))
                run = []
            frames.append(frame)
        if run:
            frames.append(self._joined(run))
        return b"".join(frames)

    def end(self) -> bytes:
        """Return the usage chunk, where it was asked for, and [DONE]."""
        if not self.include_usage:
            return DONE
        return self._data({**self._common(), "choices": [], "usage": self.usage()}) + DONE

    def failure(self, error: ApiError) -> bytes:
        """Return one error frame; no [DONE] follows, so that nobody takes the stream for
        complete.
        """
        return self._data(error.body())

    def usage(self) -> dict[str, Any]:
        """Return the usage of all choices so far; the prompt counts once."""
        return usage(
            self.prompt_tokens,
            sum(finish.tokens for finish in self._finished),
            sum(finish.reasoning_tokens for finish in self._finished),
            self.cached_tokens,
        )

    def fold(self, chunks: Iterable[ChatChunk]) -> dict[str, Any]:
        """Return the chat.completion that the chunks of the stream add up to."""
        events: dict[int, list[ChatEvent]] = {}
        for choice, event in chunks:
            events.setdefault(choice, []).append(event)
        return {
            "id": self.envelope.id,
            "object": "chat.completion",
            "created": self.envelope.created,
            "model": self.envelope.model,
            "choices": [folded(i, events[i], self.tokenizer, self.scored) for i in sorted(events)],
            "usage": self.usage(),
            "service_tier": self.envelope.service_tier,
            "system_fingerprint": self.envelope.fingerprint,
            **self.extra,
        }

    def _noted(self, event: Event) -> Said:
        """Count a finish; give a tool call its id."""
        if isinstance(event, ToolCall):
            return OpenedCall(event.index, self.new_id("call_")[:29], event.name, event.laps)
        if isinstance(event, Finish):
            self._finished.append(event)
        return event

    def _joined(self, texts: Sequence[bytes]) -> bytes:
        head, tail = self._plain(0)
        return head + (tail + head).join(texts) + tail

    def _plain(self, choice: int) -> tuple[bytes, bytes]:
        """Return the bytes before and after the text of a chunk that holds nothing but text."""
        before, after = self._template()
        head = b'%b{"index":%d,"delta":{"content":"' % (before, choice)
        return head, b'"},"logprobs":null,"finish_reason":null}' + after

    def _template(self) -> tuple[bytes, bytes]:
        """Return the bytes before and after the one choice of a chunk, made once a request."""
        if self._around is None:
            usage = b',"usage":null' if self.include_usage else b""
            before = b'data: %b,"choices":[' % _json(self._common())[:-1]
            self._around = before, b"]" + usage + b"}\n\n"
        return self._around

    def _frame_of(self, choice: int, event: ChatEvent) -> bytes:
        match event:
            case Opening(kind):
                scores = no_scores(kind) if self.scored else None
                return self._frame(choice, role_delta(kind), scores)
            case Finish(reason):
                return self._frame(choice, {}, None, reason, event)
            case Text():
                return self._frame(choice, text_delta(event), self._logprobs(event), None, event)
            case OpenedCall():
                return self._frame(choice, {"tool_calls": [opened_call(event)]}, None, None, event)
            case Arguments(index, text):
                delta = {"tool_calls": [{"index": index, "function": {"arguments": text}}]}
                return self._frame(choice, delta, None, None, event)
            case _:
                assert_never(event)

    def _logprobs(self, text: Text) -> dict[str, Any] | None:
        if not self.scored or text.channel == "reasoning":
            return None
        scored = entries(self.tokenizer, text.scores)
        other = "refusal" if text.channel == "content" else "content"
        return {text.channel: scored, other: None}

    def _frame(
        self,
        choice: int,
        delta: dict[str, Any],
        logprobs: dict[str, Any] | None = None,
        reason: str | None = None,
        event: Said | None = None,
    ) -> bytes:
        """Return one chunk with one choice."""
        body = {"index": choice, "delta": delta, "logprobs": logprobs, "finish_reason": reason}
        if event is not None and event.laps:
            body["tokenlap"] = trace(self.tokenizer, event.laps)
        before, after = self._template()
        return before + _json(body) + after

    def _common(self) -> dict[str, Any]:
        envelope = self.envelope
        return {
            "id": envelope.id,
            "object": "chat.completion.chunk",
            "created": envelope.created,
            "model": envelope.model,
            "service_tier": envelope.service_tier,
            "system_fingerprint": envelope.fingerprint,
        }

    @staticmethod
    def _data(body: dict[str, Any]) -> bytes:
        return b"data: " + _json(body) + b"\n\n"


_encode = json.JSONEncoder(separators=(",", ":")).encode


def _json(body: dict[str, Any]) -> bytes:
    return _encode(body).encode("ascii")


def usage(prompt: int, completion: int, reasoning: int = 0, cached: int = 0) -> dict[str, Any]:
    """Return the usage object, counts in tokens."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }
