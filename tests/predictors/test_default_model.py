"""The default model as its users meet it: measures over prompts that its corpus does not have.

By default each prompt gets two seeds, with TOKENLAP_EXHAUSTIVE=1 four.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import log
from pathlib import Path
from random import Random
from statistics import fmean, median

import pytest

from tests.predictors.ngram.small import chat, default, heated, speak, text
from tests.properties import EXHAUSTIVE
from tokenlap.engine.tokenizer import END, TokenId, o200k
from tokenlap.predictors.ngram.corpus import Entry, parse
from tokenlap.predictors.ngram.ngram import default_model
from tokenlap.predictors.ngram.train import train_files
from tokenlap.predictors.ngram.words import STOP_STEMS, stems

DATA = Path(str(files("tokenlap"))) / "data"
PROMPTS = Path(__file__).parents[1] / "data" / "prompts.txt"
GROUPS = ("on-topic", "format", "off-topic", "languages")
SEEDS = 4 if EXHAUSTIVE else 2
TEMPERATURES = [0.0, 0.7, 1.0, 1.5]
SHORT_TOKENS = 20
"""A greeting or a fact has one wording; only longer answers can be copied."""


@cache
def prompts() -> dict[str, dict[str, str]]:
    """The prompts of each group, each with a word of the document that should be found."""
    groups: dict[str, dict[str, str]] = {}
    for line in PROMPTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            groups[line[1:-1]] = current = {}
        elif line and not line.startswith("#"):
            prompt, _, word = line.partition(" | ")
            current[prompt] = word
    return groups


@cache
def corpus() -> list[Entry]:
    paths = sorted((DATA / "corpus").glob("*.txt"))
    return [entry for path in paths for entry in parse(path.read_text("utf-8"), path.name)]


@dataclass
class Reply:
    """A reply and what its laps were like."""

    prompt: str
    tokens: list[TokenId] = field(default_factory=list)
    ended: bool = False
    entropies: list[float] = field(default_factory=list)
    open_laps: int = 0
    logprobs: list[float] = field(default_factory=list)

    @property
    def text(self) -> str:
        return text(self.tokens)


def reply(prompt: str, temperature: float, seed: int) -> Reply:
    die = Random(f"{prompt}{seed}")
    said = Reply(prompt)
    state = default().start(chat(prompt))
    while len(said.tokens) < 400 and not said.ended:
        distribution = default().next(state)
        token = heated(distribution, temperature).draw(die.random())
        said.entropies.append(-sum(p * log(p) for p in distribution.probabilities))
        said.open_laps += sum(p > 0.03 for p in distribution.probabilities) > 1
        said.logprobs.append(distribution.logprob(token))
        if token == END:
            said.ended = True
        else:
            said.tokens.append(token)
            state = default().append(state, token)
    return said


@cache
def replies(temperature: float) -> dict[str, list[list[Reply]]]:
    """By group and prompt, the replies with different seeds."""
    seeds = range(SEEDS if temperature else 1)
    return {
        group: [[reply(prompt, temperature, seed) for seed in seeds] for prompt in prompts()[group]]
        for group in GROUPS
    }


def everything(temperature: float) -> list[Reply]:
    return [said for group in GROUPS for said in of_group(temperature, group)]


def of_group(temperature: float, group: str) -> list[Reply]:
    return [said for seeds in replies(temperature)[group] for said in seeds]


def share(found: list[Reply], holds: Callable[[Reply], bool]) -> float:
    return sum(map(holds, found)) / len(found)


def is_about_its_prompt(said: Reply) -> bool:
    """A word of content in common, or the prompt as such."""
    words = set(stems(said.prompt)) - STOP_STEMS
    return bool(words & set(stems(said.text))) or said.prompt[:20] in said.text


def longest_copied_run(tokens: list[TokenId]) -> int:
    """The longest run of tokens that stands so in an answer of the corpus."""
    longest, running = 0, dict[tuple[int, int], int]()
    for pair in pairwise(tokens):
        running = {
            (answer, at): running.get((answer, at - 1), 1) + 1
            for answer, at in places_of_pairs().get(pair, ())
        }
        longest = max(longest, max(running.values(), default=0))
    return longest


@cache
def places_of_pairs() -> dict[tuple[TokenId, TokenId], list[tuple[int, int]]]:
    places: dict[tuple[TokenId, TokenId], list[tuple[int, int]]] = {}
    for number, entry in enumerate(corpus()):
        for at, pair in enumerate(pairwise(o200k().encode(entry.answer))):
            places.setdefault(pair, []).append((number, at))
    return places


def sentences(said: Reply) -> Iterator[str]:
    return (part for part in re.split(r"(?<=[.?!])\s+", said.text) if len(part) > 12)


at_each_temperature = pytest.mark.parametrize("temperature", TEMPERATURES)
in_each_group = pytest.mark.parametrize("group", GROUPS)


def test_there_are_two_hundred_prompts_that_the_corpus_does_not_have() -> None:
    wordings = {wording.lower() for entry in corpus() for wording in entry.wordings}
    asked = [prompt for group in GROUPS for prompt in prompts()[group]]

    assert len(asked) == len(set(asked)) == 200
    assert not [prompt for prompt in asked if prompt.lower() in wordings]


def test_shipped_model_is_what_its_corpus_gives() -> None:
    trained = train_files(sorted((DATA / "corpus").glob("*.txt")))

    assert trained.to_bytes() == default_model().to_bytes(), (
        "train it again: tokenlap train server/tokenlap/data/corpus "
        "-o server/tokenlap/data/default.ngram"
    )


@at_each_temperature
def test_replies_end_by_the_end_token(temperature: float) -> None:
    assert share(everything(temperature), lambda said: said.ended) >= 0.99


@at_each_temperature
def test_replies_have_the_length_of_an_answer(temperature: float) -> None:
    found = everything(temperature)

    assert share(found, lambda said: 20 <= len(said.tokens) <= 300) >= 0.9
    assert 40 <= median(len(said.tokens) for said in found) <= 90


@at_each_temperature
@in_each_group
def test_replies_are_about_their_prompts(temperature: float, group: str) -> None:
    assert share(of_group(temperature, group), is_about_its_prompt) >= 0.75


@in_each_group
def test_seeds_bring_different_replies(group: str) -> None:
    found = [len({said.text for said in seeds}) / SEEDS for seeds in replies(1.0)[group]]

    assert fmean(found) >= 0.8


@in_each_group
def test_prompts_bring_different_greedy_replies(group: str) -> None:
    found = {said.text for said in of_group(0.0, group)}

    assert len(found) >= 0.9 * len(prompts()[group])


def test_answers_are_seldom_copied_as_a_whole() -> None:
    copies = {text for entry in corpus() for text in (entry.answer, *entry.variants)}
    found = of_group(1.0, "on-topic")

    assert share(found, lambda s: s.text in copies and len(s.tokens) > SHORT_TOKENS) <= 0.1
    assert median(longest_copied_run(said.tokens) for said in found) <= 35


def test_laps_leave_a_choice() -> None:
    found = everything(1.0)

    assert fmean(entropy for said in found for entropy in said.entropies) >= 0.12
    laps = sum(len(said.entropies) for said in found)
    assert sum(said.open_laps for said in found) / laps >= 0.12
    assert -0.5 <= fmean(logprob for said in found for logprob in said.logprobs) <= -0.1


@at_each_temperature
def test_no_sentence_is_said_twice(temperature: float) -> None:
    found = [Counter(sentences(said)) for said in everything(temperature)]

    again = sum(count.total() - len(count) for count in found)
    assert again <= 0.02 * sum(count.total() for count in found)


@pytest.mark.parametrize("temperature", [0.0, 0.7])
@pytest.mark.parametrize("prefilled", ["", "{"])
def test_json_is_valid_without_a_grammar(temperature: float, prefilled: str) -> None:
    asked = ("Return JSON for a product", "Give me a book as JSON", "A JSON list of cities")
    for prompt in (*asked, "Describe a user") if prefilled else asked:
        for seed in range(SEEDS * 2):
            written = speak(default(), chat(prompt, prefilled), temperature=temperature, seed=seed)
            assert json.loads(prefilled + text(written))


@pytest.mark.parametrize("group", ["on-topic", "format"])
def test_prompts_find_their_document(group: str) -> None:
    missed = []
    for prompt, word in prompts()[group].items():
        best = default()._reader.read(prompt).matches[0]
        entry = corpus()[best.document]
        known = " ".join((*entry.wordings, *entry.intents)).lower()
        if word.lower() not in known or (group == "on-topic" and best.score <= 0.33):
            missed.append((prompt, word, best.score, entry.wordings[:1]))

    assert len(missed) <= 0.03 * len(prompts()[group]), missed


@pytest.mark.parametrize("group", ["off-topic", "languages"])
def test_other_prompts_find_none(group: str) -> None:
    best = {prompt: default()._reader.read(prompt).matches[0] for prompt in prompts()[group]}
    wrong = [prompt for prompt, match in best.items() if corpus()[match.document].wordings]

    assert not wrong


def test_most_answers_have_alternatives() -> None:
    bare = [entry for entry in corpus() if not entry.variants and "{" not in entry.answer]
    print("\nanswers without an alternative:")
    for entry in bare:
        print(f"  {(entry.wordings or ('*',))[0]}: {entry.answer[:60]!r}")

    assert len(bare) <= 0.15 * len(corpus())


def test_model_file_is_small() -> None:
    assert len((DATA / "default.ngram").read_bytes()) < 700_000
