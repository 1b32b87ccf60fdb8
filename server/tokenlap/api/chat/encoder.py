"""From events to chat.completion.chunk: typed chunks, and the one object they fold into.

Source: wire checklist 32-95 (API reference; recorded streams). Differences from OpenAI: the role
chunk leaves together with the first text, so TTFT is what the latency says; no `obfuscation`;
`system_fingerprint` is always a string, `logprobs` always there, as the document demands.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, cast

from tokenlap.api.backend import random_id
from tokenlap.api.chat.callform import PLAIN, CallForm
from tokenlap.api.chat.chunks import ChatChunk, ChatEvent, OpenedCall, Opening, Said, opening
from tokenlap.api.chat.fold import folded
from tokenlap.api.chat.frames import DONE, Envelope, Frames, data
from tokenlap.api.chat.predicted import Predicted
from tokenlap.api.chat.usage import usage
from tokenlap.engine.batch import Lap
from tokenlap.engine.event import Event, Finish, PlainText, Run, ToolCall
from tokenlap.engine.tokenizer import Tokenizer
from tokenlap.errors import ApiError


@dataclass(slots=True)
class ChatEncoder:
    """Encodes one chat completion.

    scored: logprobs were asked for; include_usage: a stream ends with a usage chunk; form: of tool
    calls; predicted: compares the reply with what the client predicts.
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
    _frames: Frames | None = None

    def encode(self, laps: Sequence[Lap]) -> list[ChatChunk]:
        """Return the chunks of laps; the first event of a choice opens it, and those before it."""
        chunks: list[ChatChunk] = []
        for position, lap in enumerate(laps):
            if self._opened and len(lap) == 1:  # the usual case: more of the one choice
                chunks += self._further(laps[position:] if position else laps)
                break
            chunks += self._encode(lap)
        if self.predicted is not None:
            self.predicted.read(chunks)
        return chunks

    def _further(self, laps: Sequence[Lap]) -> list[ChatChunk]:
        """Return further chunks of the only choice."""
        last = laps[-1][0]
        if len(laps) == 1:
            return self._said(0, last)
        try:  # the usual case: one plain text a lap, and with the last lap the end
            run = tuple([event for ((event,),) in laps[:-1] if type(event) is PlainText])
        except ValueError:  # a lap of several events, or of none
            run = ()
        if len(run) == len(laps) - 1:
            return [(0, run), *self._said(0, last)]
        return self._said(0, [event for (events,) in laps for event in events])

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
            chunks += self._said(choice, events)
        return chunks

    def _said(self, choice: int, events: Sequence[Event]) -> list[ChatChunk]:
        """Return further chunks of a choice, its plain texts in runs."""
        if len(events) == 1 and type(events[0]) is PlainText:
            return [(choice, (events[0],))]
        chunks: list[ChatChunk] = []
        for kind, alike in groupby(events, type):
            if kind is PlainText:
                chunks.append((choice, cast(Run, tuple(alike))))
            else:
                chunks += [(choice, self._noted(event)) for event in alike]
        return chunks

    def close(self) -> list[ChatChunk]:
        """Return nothing: usage is made from what has passed."""
        return []

    def frames(self, chunks: Sequence[ChatChunk]) -> bytes:
        """Return chunks as server-sent events."""
        return (self._frames or self._opened_frames()).write(chunks)

    def end(self) -> bytes:
        """Return the usage chunk, where it was asked for, and [DONE]."""
        if not self.include_usage:
            return DONE
        return (self._frames or self._opened_frames()).usage(self.usage()) + DONE

    def failure(self, error: ApiError) -> bytes:
        """Return one error frame; no [DONE] follows, so that nobody takes the stream for
        complete.
        """
        return data(error.body())

    def usage(self) -> dict[str, Any]:
        """Return the usage of all choices so far; the prompt counts once."""
        return usage(
            self.prompt_tokens,
            sum([finish.tokens for finish in self._finished]),
            sum([finish.reasoning_tokens for finish in self._finished]),
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

    def _opened_frames(self) -> Frames:
        """Return what writes the stream; a blocking answer does without."""
        self._frames = Frames(
            self.envelope,
            self.tokenizer,
            self.form,
            scored=self.scored,
            with_usage=self.include_usage,
        )
        return self._frames
