"""What the tests of the engine share: a reply as it leaves, small random models, texts cut into
tokens anywhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tokenlap.engine.batch import GenerationRequest, Model, decode
from tokenlap.engine.event import Event, Finish, LapTrace, Score, Text
from tokenlap.engine.predictor import Distribution, Predictor
from tokenlap.engine.sampler import SamplingParams
from tokenlap.engine.stopping import StopParams
from tokenlap.engine.template import Turn, render
from tokenlap.engine.tokenizer import END, TokenId, o200k
from tokenlap.predictors.script import ScriptPredictor

PROMPT = tuple(render([Turn("user", "hi")], o200k()))
GREEDY = SamplingParams(temperature=0.0)
SURE = ["Sure", "!", " Here", " is", " the", " answer", ":", " 42", "\n", "User", ":", " next"]
"""The lesson's reply; each piece is a token, " 42" is two."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The events of one choice, a list a lap."""

    laps: list[Sequence[Event]]

    @property
    def events(self) -> list[Event]:
        return [event for lap in self.laps for event in lap]

    @property
    def deltas(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Text)]

    @property
    def text(self) -> str:
        return "".join(self.deltas)

    @property
    def finish(self) -> Finish:
        last = self.events[-1]
        assert isinstance(last, Finish)
        return last

    @property
    def scores(self) -> list[Score]:
        return [s for event in self.events if isinstance(event, Text) for s in event.scores]

    @property
    def traced(self) -> list[LapTrace]:
        return [lap for event in self.events for lap in event.laps]


def replies(
    predictor: Predictor[Any],
    sampling: SamplingParams = GREEDY,
    *,
    prompt: Sequence[TokenId] = PROMPT,
    n: int = 1,
    top: int | None = None,
    trace: bool = False,
    **stop: Any,
) -> list[Reply]:
    """What decode() writes, choice by choice."""
    params = StopParams(**{"max_tokens": 300, **stop})
    request = GenerationRequest(tuple(prompt), sampling, params, n=n, top_logprobs=top, trace=trace)
    laps = list(decode(request, Model(o200k(), predictor)))
    return [Reply([lap[choice] for lap in laps]) for choice in range(n)]


def reply(predictor: Predictor[Any], sampling: SamplingParams = GREEDY, **options: Any) -> Reply:
    """The only choice of replies()."""
    return replies(predictor, sampling, **options)[0]


def pieces(texts: Sequence[str]) -> ScriptPredictor:
    """A script of texts that are cut into tokens one by one."""
    return script([token for text in texts for token in o200k().encode(text)])


def script(tokens: Sequence[TokenId]) -> ScriptPredictor:
    """A script of tokens."""
    return ScriptPredictor.of_tokens(tokens, o200k())


class Chain:
    """A small random model: the next token depends on the last one alone."""

    def __init__(self, rows: Mapping[TokenId, Distribution], fallback: Distribution) -> None:
        self.rows, self.fallback = rows, fallback

    def start(self, prompt: Sequence[TokenId]) -> TokenId:
        return prompt[-1]

    def next(self, state: TokenId) -> Distribution:
        return self.rows.get(state, self.fallback)

    def append(self, state: TokenId, token: TokenId) -> TokenId:
        return token


TOKENS = st.integers(0, 30)
WEIGHTS = st.floats(1e-6, 1.0)


def distributions(tokens: st.SearchStrategy[TokenId] = TOKENS) -> st.SearchStrategy[Distribution]:
    """Distributions over a few tokens."""
    return st.dictionaries(tokens, WEIGHTS, min_size=1, max_size=12).map(Distribution.of)


def chains() -> st.SearchStrategy[Chain]:
    """Models that write a few letters and now and then the end token."""
    tokens = TOKENS | st.just(END)
    rows = st.dictionaries(TOKENS, distributions(tokens), max_size=6)
    return st.builds(Chain, rows, distributions(tokens))


@st.composite
def spelled(draw: st.DrawFn, text: str) -> list[TokenId]:
    """Tokens that spell text, cut anywhere, inside of characters as well."""
    tokens: list[TokenId] = []
    while text:
        at = draw(st.integers(1, 4))
        piece, text = text[:at], text[at:]
        tokens += (
            o200k().encode(piece) if draw(st.booleans()) else o200k().encode_bytes(piece.encode())
        )
    return tokens


def total(distribution: Distribution) -> float:
    """What the probabilities of a distribution sum to."""
    return sum(distribution.probabilities)


def sampling(**given: st.SearchStrategy[Any]) -> st.SearchStrategy[SamplingParams]:
    """Parameters with defaults for what is not given: st.builds makes those up of a named tuple."""
    return st.fixed_dictionaries(given).map(lambda fields: SamplingParams(**fields))
