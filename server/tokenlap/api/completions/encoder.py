"""From events to text_completion: typed chunks, their bytes, and the one object they fold into.

Source: wire checklist 172-184 (API reference; recorded streams). Stream and blocking answer have
the same object name. Differences from OpenAI: `system_fingerprint` is always there.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from tokenlap.api.chat.frames import DONE, Envelope
from tokenlap.api.completions.fold import chosen, folded
from tokenlap.api.completions.logprobs import Echo, Ledger, Piece, Prompt
from tokenlap.api.logprobs import trace
from tokenlap.engine.batch import Lap
from tokenlap.engine.event import Event, Finish, LapTrace, PlainText, Text
from tokenlap.engine.tokenizer import Tokenizer
from tokenlap.errors import ApiError

CompletionChunk = tuple[int, Piece]
"""Which of the texts that are written, and what happened to it."""


@dataclass(slots=True)
class CompletionEncoder:
    """Encodes one text completion.

    candidates: texts written for each prompt, of which the n best are shown; echo: the prompt
    stands before its texts; scored: logprobs were asked for; include_usage: a stream ends with
    usage; cached_tokens: how much of the prompts a cache knew.
    """

    envelope: Envelope
    tokenizer: Tokenizer
    prompts: Sequence[Prompt]
    n: int = 1
    candidates: int = 1
    echo: bool = False
    scored: bool = False
    include_usage: bool = False
    cached_tokens: int = 0
    _begun: set[int] = field(default_factory=set)
    _tokens: int = 0
    _ledgers: dict[int, Ledger] = field(default_factory=dict)
    _heads: dict[int, bytes] = field(default_factory=dict)
    _tail: bytes = b""

    def __post_init__(self) -> None:
        """Make the bytes that surround the text of a plain chunk, once a request."""
        self._heads[0], self._tail = self._around(0)

    def encode(self, laps: Sequence[Lap]) -> list[CompletionChunk]:
        """Return the chunks of laps; an echoed prompt leaves with the first text after it."""
        chunks: list[CompletionChunk] = []
        for lap in laps:
            for choice, events in enumerate(lap):
                if self.echo and events and choice not in self._begun:
                    self._begun.add(choice)
                    chunks.append((choice, Echo(self._prompt(choice).text)))
                for event in events:
                    if isinstance(event, Text):
                        chunks.append((choice, event))
                    else:
                        chunks.append((choice, self._counted(event)))
        return chunks

    def close(self) -> list[CompletionChunk]:
        """Return nothing: usage is made from what has passed."""
        return []

    def frames(self, chunks: Sequence[CompletionChunk]) -> bytes:
        """Return chunks as server-sent events; a plain text is three pieces of ready bytes."""
        pieces: list[bytes] = []
        heads, tail, plain = self._heads, self._tail, not self.scored
        for choice, piece in chunks:
            if plain and type(piece) is PlainText:
                pieces += (heads.get(choice) or self._head(choice), piece.escaped, tail)
            else:
                pieces.append(self._framed(choice, piece))
        return b"".join(pieces)

    def end(self) -> bytes:
        """Return the usage chunk, where it was asked for, and [DONE]."""
        if not self.include_usage:
            return DONE
        return _data({**self._common(), "choices": [], "usage": self.usage()}) + DONE

    def failure(self, error: ApiError) -> bytes:
        """Return one error frame; no [DONE] follows, so that nobody takes the stream for
        complete.
        """
        return _data(error.body())

    def usage(self) -> dict[str, Any]:
        """Return the usage so far: each prompt counts once, all texts that are written count."""
        prompt = sum(len(prompt.tokens) for prompt in self.prompts)
        details = {"cached_tokens": self.cached_tokens} if self.cached_tokens else None
        return {
            "prompt_tokens": prompt,
            "completion_tokens": self._tokens,
            "total_tokens": prompt + self._tokens,
            **({"prompt_tokens_details": details} if details else {}),
        }

    def fold(self, chunks: Iterable[CompletionChunk]) -> dict[str, Any]:
        """Return the text_completion that the chunks add up to: of each prompt the n best texts."""
        texts: list[list[Piece]] = [[] for _ in range(len(self.prompts) * self.candidates)]
        for choice, piece in chunks:
            texts[choice].append(piece)
        shown = chosen(texts, self.candidates, self.n)
        choices = [
            folded(index, texts[choice], self._ledger(choice), self.tokenizer)
            for index, choice in enumerate(shown)
        ]
        return {**self._common(), "choices": choices, "usage": self.usage()}

    def _prompt(self, choice: int) -> Prompt:
        return self.prompts[choice // self.candidates]

    def _ledger(self, choice: int) -> Ledger | None:
        return Ledger(self._prompt(choice), self.tokenizer) if self.scored else None

    def _counted(self, event: Event) -> Finish:
        """Count a finish. A raw text has no tool calls: its markers mean nothing."""
        assert isinstance(event, Finish)
        self._tokens += event.tokens
        return event

    def _head(self, choice: int) -> bytes:
        self._heads[choice], _ = self._around(choice)
        return self._heads[choice]

    def _around(self, choice: int) -> tuple[bytes, bytes]:
        """Return the bytes before and after the text of a chunk that holds nothing but text."""
        before, _, after = self._frame(choice, "").partition(b'"text":""')
        return before + b'"text":"', b'"' + after

    def _framed(self, choice: int, piece: Piece) -> bytes:
        match piece:
            case Echo(text):
                logprobs = self._following(choice).echo() if self.scored else None
                return self._frame(choice, text, logprobs)
            case Text(text):
                logprobs = self._following(choice).reply(piece.scores) if self.scored else None
                return self._frame(choice, text, logprobs, None, piece.laps)
            case Finish(reason):
                return self._frame(choice, "", None, reason, piece.laps)
            case _:
                assert_never(piece)

    def _frame(
        self,
        choice: int,
        text: str,
        logprobs: dict[str, Any] | None = None,
        reason: str | None = None,
        laps: Sequence[LapTrace] = (),
    ) -> bytes:
        """Return one chunk with one choice."""
        # The index stands before the text, so that what follows the text is the same for all.
        body = {"index": choice, "text": text, "logprobs": logprobs, "finish_reason": reason}
        if laps:
            body["tokenlap"] = trace(self.tokenizer, laps)
        usage = {"usage": None} if self.include_usage else {}
        return _data({**self._common(), "choices": [body], **usage})

    def _following(self, choice: int) -> Ledger:
        """Return the ledger that follows a choice through its stream."""
        if choice not in self._ledgers:
            self._ledgers[choice] = Ledger(self._prompt(choice), self.tokenizer)
        return self._ledgers[choice]

    def _common(self) -> dict[str, Any]:
        envelope = self.envelope
        return {
            "id": envelope.id,
            "object": "text_completion",
            "created": envelope.created,
            "model": envelope.model,
            "system_fingerprint": envelope.fingerprint,
        }


def _data(body: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(body, separators=(",", ":")).encode("ascii") + b"\n\n"
