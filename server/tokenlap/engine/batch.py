"""What every endpoint asks for, and the n sequences that answer it, one token each per lap."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from tokenlap.engine.dice import mixed_seed
from tokenlap.engine.event import Event, Finish
from tokenlap.engine.events import Notes, events
from tokenlap.engine.holdback import HoldBack
from tokenlap.engine.loop import generate
from tokenlap.engine.predictor import Predictor
from tokenlap.engine.sampler import Sampler, SamplingParams, sampler_for
from tokenlap.engine.stopping import StopCondition, StopParams
from tokenlap.engine.template import ASSISTANT
from tokenlap.engine.tokenizer import TokenId, Tokenizer
from tokenlap.engine.trace import Traced
from tokenlap.engine.transcript import Transcript, pieces_of, unfinished

Lap = tuple[Sequence[Event], ...]
"""One turn of the loop: for each choice the events of its token; empty where nothing may leave, or
it has ended.
"""


class GenerationRequest(NamedTuple):
    """What an endpoint wants written.

    prompt: the whole document, token ids; opening: the header of its open turn, "" for a raw text,
    in which markers mean nothing. n: how many choices, >= 1; top_logprobs: candidates to score per
    token, 0..20, None for none; trace: note the die. beside: requests for further prompts, whose
    choices are written together with these and follow them.
    """

    prompt: tuple[TokenId, ...]
    sampling: SamplingParams
    stop: StopParams
    n: int = 1
    opening: str = ASSISTANT
    top_logprobs: int | None = None
    trace: bool = False
    beside: tuple["GenerationRequest", ...] = ()

    @property
    def choices(self) -> int:
        """How many choices are written together."""
        return self.n + sum([each.n for each in self.beside]) if self.beside else self.n


@dataclass(frozen=True, slots=True)
class Model:
    """A tokenizer and a predictor: all that the loop needs to write.

    obeys: what a request can have planned around the predictor: all it asks for (tools, formats,
    thinking), only what it insists on, or nothing, since a script says what it says.
    """

    tokenizer: Tokenizer
    predictor: Predictor[Any]
    obeys: Literal["all", "force", "nothing"] = "force"


def decode(request: GenerationRequest, model: Model) -> Iterator[Lap]:
    """Advance the n sequences of request, and of those beside it, together, one token each per lap,
    until all have ended.
    """
    if request.n == 1 and not request.beside:
        return zip(reply(request, model, 0))  # of one choice: each list, in a tuple
    together = (request, *request.beside)
    return _in_step([reply(each, model, choice) for each in together for choice in range(each.n)])


def _in_step(choices: Sequence[Iterator[Sequence[Event]]]) -> Iterator[Lap]:
    while True:
        lap = [next(choice, None) for choice in choices]
        if all(written is None for written in lap):
            return
        yield tuple(written or () for written in lap)


def reply(request: GenerationRequest, model: Model, choice: int) -> Iterator[Sequence[Event]]:
    """Yield the events of one choice, a list per token."""
    if request.stop.max_tokens == 0:
        return iter([[Finish("length", 0)]])
    stop = request.stop
    params = request.sampling
    if choice:
        params = params._replace(seed=mixed_seed(params.seed, choice))
    sampler: Sampler = sampler_for(params, request.prompt)
    traced = Traced(sampler, params.seed) if request.trace else None
    holdback = HoldBack(stop.sequences, stop.include_sequence) if stop.sequences else None
    scored = request.top_logprobs is not None
    pieces = pieces_of(model.tokenizer)
    transcript = Transcript(
        pieces, holdback, request.opening, scored, unfinished(request.prompt, pieces)
    )
    notes = Notes(transcript, request.top_logprobs, traced) if scored or traced else None
    condition = StopCondition(stop, transcript)
    laps = generate(model.predictor, traced or sampler, condition, request.prompt)
    return events(laps, condition, transcript, notes)
