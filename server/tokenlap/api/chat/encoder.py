"""From events to chat.completion.chunk: typed chunks, their bytes, and the one object they fold
into.

Source: wire checklist 32-95 (API reference; recorded streams). JSON is ASCII: U+2028 and the like
never appear raw. Differences from OpenAI: the role chunk leaves together with the first text, so
TTFT is what the latency says; no `obfuscation`; `system_fingerprint` is always a string, `logprobs`
always there, as the document demands.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from tokenlap.api.backend import random_id
from tokenlap.api.chat.callform import PLAIN, CallForm
from tokenlap.api.chat.chunks import ChatChunk, ChatEvent, OpenedCall, Opening, Said, opening
from tokenlap.api.chat.deltas import no_scores, role_delta, text_delta
from tokenlap.api.chat.fold import folded
from tokenlap.api.chat.predicted import Predicted
from tokenlap.api.chat.usage import usage
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

    scored: logprobs were asked for; include_usage: a stream ends with a usage chunk; form: of tool
    calls; predicted: compares the reply
    with what the client predicts.
    """

    envelope: Envelope
    tokenizer: Tokenizer
    prompt_tokens: int
    scored: bool = False
    include_usage: bool = False
    cached_tokens: int = 0
    new_id: Callable[[str], str] = random_id
    form: CallForm = PLAIN
    predicted: Predicted | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    _opened: int = 0
    _finished: list[Finish] = field(default_factory=list)
    _around: tuple[bytes, bytes] | None = None
    _heads: dict[int, tuple[bytes, bytes]] = field(default_factory=dict)

    def encode(self, laps: Sequence[Lap]) -> list[ChatChunk]:
        """Return the chunks of laps; the first event of a choice opens it, and those before it."""
        chunks: list[ChatChunk] = []
        for position, lap in enumerate(laps):
            if self._opened and len(lap) == 1:  # the usual case: more of the one choice
                written = [event for (events,) in laps[position:] for event in events]
                chunks += [(0, e if type(e) is Text else self._noted(e)) for e in written]
                break
            chunks += self._encode(lap)
        if self.predicted is not None:
            self.predicted.read(chunks)
        return chunks

    def _encode(self, lap: Lap) -> list[ChatChunk]:
        chunks: list[ChatChunk] = []
        for choice, events in enumerate(lap):
            if choice >= self._opened and events:
                kind = opening(events[0])
                chunks += [(i, Opening(kind)) for i in range(self._opened, choice)]
                call = None
                if self.form.alone and isinstance(events[0], ToolCall):
                    call, events = self._with_id(events[0]), events[1:]
                chunks.append((choice, Opening(kind, call)))
                self._opened = choice + 1
            for event in events:
                chunks.append((choice, event if type(event) is Text else self._noted(event)))
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
            frames += [self._joined(run), frame] if run else [frame]
            run = []
        return b"".join([*frames, self._joined(run)] if run else frames)

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
            self.predicted.counts() if self.predicted else (0, 0),
        )

    def fold(self, chunks: Iterable[ChatChunk]) -> dict[str, Any]:
        """Return the chat.completion that the chunks of the stream add up to."""
        events: defaultdict[int, list[ChatEvent]] = defaultdict(list)
        for choice, event in chunks:
            events[choice].append(event)
        how = (self.tokenizer, self.scored, self.form)
        return {
            "id": self.envelope.id,
            "object": "chat.completion",
            "created": self.envelope.created,
            "model": self.envelope.model,
            "choices": [folded(i, events[i], *how) for i in sorted(events)],
            "usage": self.usage(),
            "service_tier": self.envelope.service_tier,
            "system_fingerprint": self.envelope.fingerprint,
            **self.extra,
        }

    def _noted(self, event: Event) -> Said:
        """Count a finish; give a tool call its id."""
        if isinstance(event, ToolCall):
            return self._with_id(event)
        if isinstance(event, Finish):
            self._finished.append(event)
        return event

    def _with_id(self, call: ToolCall) -> OpenedCall:
        return OpenedCall(call.index, self.new_id("call_")[:29], call.name, call.laps)

    def _joined(self, texts: Sequence[bytes]) -> bytes:
        head, tail = self._plain(0)
        return head + (tail + head).join(texts) + tail

    def _plain(self, choice: int) -> tuple[bytes, bytes]:
        """Return the bytes before and after the text of a chunk that holds nothing but text."""
        if choice not in self._heads:
            before, after = self._template()
            head = b'%b{"index":%d,"delta":{"content":"' % (before, choice)
            self._heads[choice] = head, b'"},"logprobs":null,"finish_reason":null}' + after
        return self._heads[choice]

    def _template(self) -> tuple[bytes, bytes]:
        """Return the bytes before and after the one choice of a chunk, made once a request."""
        if self._around is None:
            usage = b',"usage":null' if self.include_usage else b""
            before = b'data: %b,"choices":[' % _json(self._common())[:-1]
            self._around = before, b"]" + usage + b"}\n\n"
        return self._around

    def _frame_of(self, choice: int, event: ChatEvent) -> bytes:
        match event:
            case Opening(kind, call):
                scores = no_scores(kind) if self.scored else None
                opened = {} if call is None else self.form.opened(call)
                return self._frame(choice, role_delta(kind) | opened, scores, None, call)
            case Finish(reason):
                return self._frame(choice, {}, None, self.form.reason(reason), event)
            case Text():
                return self._frame(choice, text_delta(event), self._logprobs(event), None, event)
            case OpenedCall():
                return self._frame(choice, self.form.opened(event), None, None, event)
            case Arguments(index, text):
                delta = self.form.arguments(index, text)
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
