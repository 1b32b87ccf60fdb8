"""From laps to the events of a response, their bytes, and the one object they end with.

Source: wire checklist 185-222. A blocking answer is the response of the terminal event.
Differences from OpenAI: no `obfuscation`; `user` and `usage` are left out until they have a value,
as the document demands. Where the loop fails, `response.failed` ends a stream; where the server
stops or a background response is cancelled, a flat `error` event.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from tokenlap.api.backend import random_id
from tokenlap.api.logprobs import trace
from tokenlap.api.responses.chunks import Deltas, Json, Notice, ResponseChunk, error_event, frames
from tokenlap.api.responses.output import Output, Said
from tokenlap.engine.batch import Lap
from tokenlap.engine.event import Arguments, Event, Finish, LapTrace, Text, ToolCall
from tokenlap.engine.tokenizer import Tokenizer
from tokenlap.errors import ApiError, Overloaded, RateLimited

_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}
_TIERS = {"auto": "default", "fast": "priority"}
"""The tier that answered, by the tier asked for (checklist 48, 193)."""


@dataclass(slots=True)
class ResponseEncoder:
    """Encodes one response.

    response: the object as it stands, at first queued or in progress, without output; output: what
    builds the items. now: seconds since 1970; scored: logprobs were asked for.
    """

    response: Json
    output: Output
    tokenizer: Tokenizer
    prompt_tokens: int
    now: Callable[[], float]
    scored: bool = False
    new_id: Callable[[str], str] = random_id
    cached_tokens: int = 0
    _sequence: int = 0
    _begun: bool = False
    _finish: Finish | None = None
    _laps: list[LapTrace] = field(default_factory=list)

    def queue(self) -> list[ResponseChunk]:
        """Return the events of a background response that waits for its turn."""
        told = {"response": self.response}
        return self._notices([("response.created", told), ("response.queued", told)])

    def encode(self, laps: Sequence[Lap]) -> list[ResponseChunk]:
        """Return the chunks of laps; before the first come those that begin the response.

        Pieces of the text that is under way gather in a run, so that a token costs little.
        """
        chunks = [] if self._begun else self._begin()
        channel = self.output.channel
        run: list[Text | Arguments] = []
        for (events,) in laps:
            for piece in events:
                if type(piece) is Arguments or (
                    isinstance(piece, Text) and piece.channel == channel
                ):
                    run.append(piece)
                    continue
                chunks += self._deltas(run)
                chunks += self._turn(piece)
                channel = self.output.channel
                run = [piece] if isinstance(piece, Text) and channel else []
        chunks += self._deltas(run)
        return chunks

    def close(self) -> list[ResponseChunk]:
        """Return the terminal event, which tells the whole response."""
        finish = self._finish or Finish("stop", 0)
        reason = _INCOMPLETE.get(finish.reason)
        status = "incomplete" if reason else "completed"
        self._becomes(
            status,
            completed_at=None if reason else int(self.now()),
            incomplete_details={"reason": reason} if reason else None,
            usage=self._usage(finish),
            **({"tokenlap": trace(self.tokenizer, self._laps)} if self._laps else {}),
        )
        return self._notices([(f"response.{status}", {"response": self.response})])

    def frames(self, chunks: Sequence[ResponseChunk]) -> bytes:
        """Return chunks as server-sent events; a plain piece fills the template of its place."""
        return b"".join([frames(chunk, self.tokenizer, self.scored) for chunk in chunks])

    def end(self) -> bytes:
        """Return nothing: the terminal event is the last, there is no [DONE] (checklist 22)."""
        return b""

    def failure(self, error: ApiError) -> bytes:
        """Return the event that ends a stream after its first byte, when something went wrong."""
        code = "rate_limit_exceeded" if isinstance(error, RateLimited) else "server_error"
        if isinstance(error, Overloaded):
            return self._error(code, error.message)
        self._becomes("failed", error={"code": code, "message": error.message})
        return self.frames(self._notices([("response.failed", {"response": self.response})]))

    def cancel(self) -> bytes:
        """Return the event that ends the stream of a response that is cancelled."""
        self._becomes("cancelled")
        return self._error("response_cancelled", "The response was cancelled.")

    def fold(self, chunks: Iterable[ResponseChunk]) -> Json:
        """Return the response of the terminal event."""
        *_, last = chunks
        assert isinstance(last, Notice)
        response: Json = last.fields["response"]
        return response

    def _begin(self) -> list[ResponseChunk]:
        self._begun = True
        self.response = {**self.response, "status": "in_progress"}
        said = ("response.in_progress", {"response": self.response})
        if self._sequence:  # it was created when it was queued
            return self._notices([said])
        return self._notices([("response.created", {"response": self.response}), said])

    def _deltas(self, run: Sequence[Text | Arguments]) -> list[ResponseChunk]:
        """Return further pieces of the text that is under way."""
        if not run:
            return []
        text = self.output.open
        assert text is not None
        text.pieces += run
        self._laps += [lap for piece in run for lap in piece.laps]
        self._sequence += len(run)
        return [Deltas(self._sequence - len(run), text.place, run)]

    def _turn(self, piece: Event) -> list[ResponseChunk]:
        """Return the notices that come before, or instead of, what is no further piece."""
        output = self.output
        match piece:
            case Text():
                said = output.text(piece.channel)
            case ToolCall():
                said = output.call(piece.name, self.new_id("call_")[:29])
            case Finish():
                self._finish = piece
                said = output.end(complete=piece.reason not in _INCOMPLETE)
            case Arguments():
                raise AssertionError("arguments without a call")
            case _:
                assert_never(piece)
        notices = self._notices(said)
        if output.channel is None:
            if isinstance(piece, Text):
                output.hide(piece.text)
            self._laps += piece.laps
        return notices

    def _notices(self, said: Iterable[Said]) -> list[ResponseChunk]:
        notices: list[ResponseChunk] = []
        for type, fields in said:
            notices.append(Notice(self._sequence, type, fields))
            self._sequence += 1
        return notices

    def _becomes(self, status: str, **changes: object) -> None:
        """Let the response end; what is open in it is not told."""
        tier = self.response["service_tier"]
        self.response = {
            **self.response,
            "status": status,
            "output": self.output.items,
            "service_tier": _TIERS.get(tier, tier),
            **changes,
        }

    def _error(self, code: str, message: str) -> bytes:
        self._sequence += 1
        return error_event(code, message, self._sequence - 1)

    def _usage(self, finish: Finish) -> Json:
        """Return the usage, counts in tokens; cache_write_tokens because the document demands."""
        return {
            "input_tokens": self.prompt_tokens,
            "input_tokens_details": {"cached_tokens": self.cached_tokens, "cache_write_tokens": 0},
            "output_tokens": finish.tokens,
            "output_tokens_details": {"reasoning_tokens": finish.reasoning_tokens},
            "total_tokens": self.prompt_tokens + finish.tokens,
        }
