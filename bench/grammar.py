"""What a grammar costs: CPU per token of the default model alone and under schemas, interleaved.

    python bench/grammar.py [--rounds 5]

The loop alone, without a server: predict, sample, append, stop. Every reply is to a prompt of its
own, so nothing is found in memory; making a grammar is measured by itself, since it is kept.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

from tokenlap.engine.batch import GenerationRequest, Model, decode
from tokenlap.engine.event import Finish
from tokenlap.engine.predictor import Predictor
from tokenlap.engine.sampler import SamplingParams
from tokenlap.engine.stopping import StopParams
from tokenlap.engine.template import Turn, render
from tokenlap.engine.tokenizer import o200k
from tokenlap.predictors.grammar.build import shape_of
from tokenlap.predictors.grammar.facts import facts_of
from tokenlap.predictors.grammar.mask import GrammarPredictor
from tokenlap.predictors.grammar.matcher import follow_shape
from tokenlap.predictors.grammar.values import ValuePredictor
from tokenlap.predictors.ngram.ngram import NgramPredictor, default_model

TEXT: Any = {"type": "string"}


def obj(**properties: Any) -> Any:
    """The schema of an object that has these properties."""
    return {"type": "object", "properties": properties, "required": list(properties)}


SCHEMAS: Mapping[str, Any] = {
    "tool arguments": obj(city=TEXT, unit={"enum": ["celsius", "fahrenheit"]}),
    "record": obj(
        name=TEXT,
        age={"type": "integer"},
        email={"type": "string", "format": "email"},
        tags={"type": "array", "items": TEXT},
        score={"type": "number", "minimum": 0, "maximum": 1},
        address={"anyOf": [obj(street=TEXT, city=TEXT), {"type": "null"}]},
        code={"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"},
    ),
    "sentences": obj(
        steps={"type": "array", "items": obj(explanation=TEXT, output=TEXT)}, answer=TEXT
    ),
}
TOPICS = ("bicycles", "tea", "tides", "tests", "maps", "owls", "clocks", "bread", "rivers", "chess")
REPLIES = 60


def asked(number: int) -> str:
    """A question that was not asked before."""
    return f"Tell me about {TOPICS[number % len(TOPICS)]}, please, number {number}."


def main() -> None:
    """Measure, and print the medians and their ratios."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    rounds = options.parse_args().rounds
    model = NgramPredictor(default_model(), o200k())
    contenders: dict[str, Callable[[str], Predictor[Any]]] = {"no grammar": lambda _: model}
    for name, schema in SCHEMAS.items():
        contenders[name] = _under(name, schema, model)
    found: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(rounds + 1):
        for name, writer in contenders.items():
            spent = _measure(writer, turn * REPLIES)
            if turn:  # the first round warms up
                found[name].append(spent)
    plain = statistics.median(found["no grammar"])
    for name, all_spent in found.items():
        median = statistics.median(all_spent)
        print(f"{name:15} {median:5.1f} us a token   {median / plain:4.2f} x")


def _under(name: str, schema: Any, model: Predictor[Any]) -> Callable[[str], Predictor[Any]]:
    """Return what makes the writer of a schema; says what the grammar took to make."""
    begun = time.process_time()
    shape = shape_of(schema)
    beginning = follow_shape(shape)
    print(f"{name:15} {(time.process_time() - begun) * 1000:5.1f} ms to make")

    def writer(text: str) -> Predictor[Any]:
        values = ValuePredictor(shape, o200k(), model, facts_of(text))
        return GrammarPredictor(beginning, values, o200k())

    return writer


def _measure(writer: Callable[[str], Predictor[Any]], first: int) -> float:
    """Return the CPU time of a token, in microseconds."""
    tokens = 0
    begun = time.process_time()
    for number in range(first, first + REPLIES):
        text = asked(number)
        prompt = tuple(render([Turn("user", text)], o200k()))
        params, stop = SamplingParams(seed=number), StopParams(max_tokens=400)
        request = GenerationRequest(prompt, params, stop)
        for lap in decode(request, Model(o200k(), writer(text))):
            for event in lap[0]:
                if isinstance(event, Finish):
                    tokens += event.tokens
    return (time.process_time() - begun) / tokens * 1e6


if __name__ == "__main__":
    main()
