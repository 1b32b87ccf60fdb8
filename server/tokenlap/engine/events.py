"""From laps to events: one list per token, often empty, because a lap whose text is not out yet
takes its time too.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from tokenlap.engine.event import Event, FinalReason, Finish, LapTrace, Score, Text
from tokenlap.engine.loop import Step
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.stopping import FinishReason, StopCondition
from tokenlap.engine.tokenizer import END, SPECIAL_TOKENS, TokenId
from tokenlap.engine.trace import Traced
from tokenlap.engine.transcript import Transcript

_MARKERS = frozenset(SPECIAL_TOKENS.values())


class Notes:
    """What a request wants to know of each lap beside its text: logprobs, or the trace of the die.

    A note leaves with the text its token wrote: the tokens of one character together, those of
    held-back text when it is released, those of a stop sequence never.
    """

    def __init__(self, transcript: Transcript, top: int | None, die: Traced | None) -> None:
        """Take how many candidates to score per lap (0..20, None for no logprobs) and the die to
        trace, if any.
        """
        self._transcript = transcript
        self._top = top
        self._die = die
        self._scores: list[tuple[int, Score]] = []  # where in the text the token begins
        self._laps: list[LapTrace] = []
        self._begin = 0
        self._lap = 0

    def lap(self, token: TokenId, distribution: Distribution, finish: FinishReason | None) -> None:
        """Note one lap, after the transcript has read its token."""
        self._lap += 1
        if self._top is not None and token not in _MARKERS and self._transcript.scored:
            score = Score(token, distribution.logprob(token), tuple(distribution.top(self._top)))
            self._scores.append((self._begin, score))
            self._begin = self._transcript.produced
        if self._die is not None and self._die.last is not None:
            self._laps.append(LapTrace(self._lap, token, self._die.last, finish))

    def attach(self, events: Sequence[Event]) -> list[Event]:
        """Return events with the notes that are due."""
        attached: list[Event] = []
        for event in events:
            laps, self._laps = tuple(self._laps), []
            if isinstance(event, Text):
                event = Text(event.text, event.escaped, event.channel, self._due(), laps)
            elif laps:
                event = replace(event, laps=laps)
            attached.append(event)
        return attached

    def unfinished(self) -> list[Event]:
        """Return the scores of an unfinished last character, on a text of no characters."""
        left = tuple(score for _, score in self._scores)
        return [Text("", b"", self._transcript.channel, scores=left)] if left else []

    def _due(self) -> tuple[Score, ...]:
        released = self._transcript.released
        due = tuple(score for begin, score in self._scores if begin < released)
        self._scores = [(begin, score) for begin, score in self._scores if begin >= released]
        return due


def events(
    steps: Iterable[Step], stop: StopCondition, transcript: Transcript, notes: Notes | None = None
) -> Iterator[Sequence[Event]]:
    """Yield the events of each lap; the last list ends with Finish.

    stop: the condition behind steps; transcript: the one that it pushes each token to.
    """
    for token, distribution, finish in steps:
        ready = transcript.ready
        if notes is not None:
            notes.lap(token, distribution, finish)
            ready = notes.attach(ready)
        if finish is None:
            yield ready
        else:
            ended = token == END and finish == "stop"
            yield [*ready, *_ending(finish, stop.written - ended, transcript, notes)]


def _ending(
    finish: FinishReason, tokens: int, transcript: Transcript, notes: Notes | None
) -> list[Event]:
    """Return what leaves with the last lap: held-back text, then Finish."""
    reason: FinalReason = finish
    if finish == "stop" and transcript.filtered:
        reason = "content_filter"
    elif finish == "stop" and transcript.called:
        reason = "tool_calls"
    held = transcript.close()
    finished = Finish(reason, tokens, transcript.reasoning_tokens)
    if notes is None:
        return [*held, finished]
    shown = notes.attach(held)
    unfinished = [] if transcript.matched else notes.unfinished()
    return [*shown, *unfinished, *notes.attach([finished])]
