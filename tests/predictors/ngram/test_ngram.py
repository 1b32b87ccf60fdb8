"""The n-gram as a predictor: what it may say, and that its state is a function of the document."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.predictors.ngram.small import chat, default, small, speak, text, without
from tests.properties import examples
from tokenlap.engine.predictor import Distribution
from tokenlap.engine.template import Turn, render
from tokenlap.engine.tokenizer import (
    CLOSE,
    END,
    MESSAGE,
    START,
    VOCABULARY_SIZE,
    TokenId,
    o200k,
)
from tokenlap.predictors.ngram.ngram import NgramPredictor, default_model

PREDICTORS = [pytest.param(small, id="small"), pytest.param(default, id="default")]
WORDS = """
what is a cache poem about rain the capital of France Spain list JSON write ? . : {t} def fib(n):
Once upon Wie ist das 1. - ``` { [[ café 猫 token user 2+2
"""
QUERIES = st.one_of(
    st.text(max_size=40),
    st.lists(st.sampled_from([*WORDS.split(), "\n"]), max_size=12).map(" ".join),
)


def documents() -> st.SearchStrategy[list[TokenId]]:
    """Raw texts, conversations, replies that have begun, and documents that are put together
    wrongly.
    """
    encoded = QUERIES.map(o200k().encode)
    broken = st.lists(
        st.one_of(
            st.sampled_from((START, MESSAGE, CLOSE, END, 200012)),
            st.integers(0, END - 2),
            st.sampled_from(o200k().encode("assistant user The main idea is that. {\n\n1.")),
        ),
        max_size=12,
    )
    return st.one_of(encoded, st.builds(chat, QUERIES, QUERIES), broken)


def shape(said: Distribution) -> tuple[list[TokenId], list[float], int]:
    return list(said.tokens), list(said.probabilities), said.context


def check(said: Distribution) -> None:
    """A distribution is what engine/predictor.py asks for."""
    assert said.tokens
    assert len(set(said.tokens)) == len(said.tokens)
    assert sum(said.probabilities) == pytest.approx(1, abs=1e-6)
    assert min(said.probabilities) > 0
    assert sorted(zip((-p for p in said.probabilities), said.tokens, strict=True)) == [
        (-p, token) for token, p in zip(said.tokens, said.probabilities, strict=True)
    ]
    assert 0 <= said.context <= 12
    assert all(o200k().knows(token) for token in said.tokens)


def walk(predictor: NgramPredictor, document: list[TokenId], seed: int, laps: int) -> list[TokenId]:
    """Tokens that follow a document: mostly drawn from the head, some at random."""
    die = random.Random(seed)
    state = predictor.start(document)
    written = []
    for _ in range(laps):
        said = without(predictor.next(state), END) if die.random() < 0.7 else predictor.next(state)
        token = said.draw(die.random())
        if die.random() < 0.1:
            token = die.randrange(END)
        written.append(token)
        state = predictor.append(state, token)
    return written


@pytest.mark.parametrize("make", PREDICTORS)
@examples(60)
@given(document=documents(), seed=st.integers(0, 999))
def test_stepped_equals_streamed(
    make: Callable[[], NgramPredictor], document: list[TokenId], seed: int
) -> None:
    predictor = make()
    state = predictor.start(document)
    for count, token in enumerate(walk(predictor, document, seed, 10)):
        afresh = predictor.start([*document, *walk(predictor, document, seed, 10)[:count]])
        assert shape(predictor.next(afresh)) == shape(predictor.next(state))
        state = predictor.append(state, token)


@pytest.mark.parametrize("make", PREDICTORS)
@examples(60)
@given(document=documents(), seed=st.integers(0, 999))
def test_distribution_is_never_empty_and_sums_to_one(
    make: Callable[[], NgramPredictor], document: list[TokenId], seed: int
) -> None:
    predictor = make()
    state = predictor.start(document)
    for token in walk(predictor, document, seed, 40):
        check(predictor.next(state))
        state = predictor.append(state, token)


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_without_the_end_token_it_rambles_on(temperature: float) -> None:
    reply = speak(
        default(), chat("What is a token?"), temperature=temperature, most=2000, ends=False
    )

    assert len(reply) == 2000
    assert "\n\n" in text(reply)
    grams = [tuple(reply[i : i + 8]) for i in range(len(reply) - 8)]
    assert len(set(grams)) > 0.1 * len(grams)


def test_raw_text_rambles_past_its_window_and_steps_the_same() -> None:
    predictor = default()
    document = o200k().encode("Once upon a time")
    reply = speak(predictor, document, most=800, ends=False)
    state = predictor.start(document)
    for count, token in enumerate(reply):
        if count % 100 == 7 or 505 <= count <= 510:
            afresh = predictor.start([*document, *reply[:count]])
            assert shape(predictor.next(afresh)) == shape(predictor.next(state))
        state = predictor.append(state, token)


def test_end_token_that_is_passed_over_opens_a_new_answer() -> None:
    predictor = small()
    document = chat("What is a cache?")
    opened = predictor.next(predictor.start(document))
    state = predictor.start([*document, *o200k().encode("A cache keeps"), END])

    assert set(predictor.next(state).tokens) == set(opened.tokens)


def test_end_brings_a_paragraph_of_a_five_hundredth_of_its_share() -> None:
    predictor = small()
    said = predictor.next(
        predictor.start(chat("capital of France", "The capital of France is Paris."))
    )
    shares = dict(zip(said.tokens, said.probabilities, strict=True))

    assert said.tokens[0] == END
    assert shares[279] / shares[END] == pytest.approx(0.002 / 0.998)


def test_same_document_same_reply() -> None:
    again = NgramPredictor(default_model(), o200k())

    for query in ("What is a token?", "Write a poem about snow", "How do I knit?"):
        assert speak(default(), chat(query), seed=3) == speak(again, chat(query), seed=3)


def test_fact_belongs_to_its_question() -> None:
    assert text(speak(small(), chat("What is the capital of France?"), temperature=0)) == (
        "The capital of France is Paris."
    )
    for seed in range(20):
        assert "Paris" not in text(speak(small(), chat("What is the capital of Spain?"), seed=seed))


def test_slot_takes_the_topic_and_a_capital_where_a_sentence_begins() -> None:
    replies = {
        text(speak(small(), chat("How do I knit a scarf?"), seed=seed)) for seed in range(12)
    }

    assert any(reply.startswith("I know little about knitting a scarf.") for reply in replies)
    assert any(reply.startswith("Knitting a scarf is a wide field.") for reply in replies)


def test_prompt_slot_quotes_the_prompt_on_one_line_and_cut() -> None:
    reply = text(speak(small(), chat("Wie ist das\nWetter, " + "und " * 40), temperature=0))

    assert '"Wie ist das Wetter, und und' in reply
    assert "\u2026" in reply


def test_topic_that_is_left_in_its_middle_reads_as_a_noun() -> None:
    predictor = small()
    written = o200k().encode("I know little about knitting a hat")
    state = predictor.start([*chat("How do I knit a scarf?"), *written])

    assert predictor.next(state).tokens[0] == o200k().encode(".")[0]


def test_json_prefill_is_continued_within_its_token() -> None:
    predictor = small()
    reply = speak(predictor, chat("Describe a user as JSON", "{"), temperature=0)

    assert text(reply) == '"name": "Ada", "age": 36, "about": "a user"}'


def test_text_of_the_client_that_the_corpus_does_not_have_is_followed_by_an_answer() -> None:
    reply = speak(
        small(), chat("What is a cache?", "Sure, my pleasure! Here it comes:"), temperature=0
    )

    assert text(reply).startswith(" A cache keeps")


def test_list_items_with_the_same_number_are_exchanged() -> None:
    replies = {
        text(speak(small(), chat("Give me a list of hats"), seed=seed)) for seed in range(40)
    }

    mixed = [reply for reply in replies if "Ask a friend" in reply and "Wait a day" in reply]
    assert mixed
    assert all("2. Ask a friend" in reply and "1. Wait a day" in reply for reply in mixed)


@pytest.mark.parametrize(
    ("raw", "start"),
    [
        pytest.param("The capital of France", " is Paris.", id="goes on within a sentence"),
        pytest.param("Once upon a time", " there was a small house.", id="continuation"),
        pytest.param("Q: What is a cache?\nA:", " A cache keeps", id="label"),
        pytest.param("What is a cache?\n", "A cache keeps", id="line"),
        pytest.param("What is a cache?", " A cache keeps", id="question"),
    ],
)
def test_raw_text_is_continued(raw: str, start: str) -> None:
    assert text(speak(small(), o200k().encode(raw), temperature=0)).startswith(start)


def test_tool_call_opens_with_json() -> None:
    document = render([Turn("user", "Look up a user")], o200k(), Turn("assistant to=find_user", ""))

    assert text(speak(small(), document, temperature=0)).startswith('{"name"')


def test_context_tells_how_much_was_looked_at() -> None:
    predictor = small()
    state = predictor.start(chat("capital of France"))
    contexts = [predictor.next(state).context]
    for token in o200k().encode("The capital of France is"):
        state = predictor.append(state, token)
        contexts.append(predictor.next(state).context)

    assert contexts == [1, 2, 3, 4, 5, 6]


def test_tail_gives_every_id_a_probability() -> None:
    said = small().next(small().start(chat("capital of France", "The capital")))
    common, rare = o200k().encode(" of")[0], o200k().encode(" Zeitgeist")[0]

    assert said.tail.probability(common) > said.tail.probability(rare) > 0
    assert said.tail.probability(VOCABULARY_SIZE - 1) > 0
    assert said.tail.probability(VOCABULARY_SIZE) == said.tail.probability(-1) == 0
    counts = [said.tail.probability(token) for token in said.tail.commonest]
    assert counts == sorted(counts, reverse=True)
    assert sum(map(said.tail.probability, said.tail.commonest)) <= 2e-5


def test_prompts_differ_in_their_greedy_replies() -> None:
    queries = ("What is caching?", "What is DNS?", "Why is the sky blue?", "How do I knit a hat?")

    assert len({text(speak(default(), chat(q), temperature=0)) for q in queries}) == 4


def test_prefill_is_kept_for_the_latest_prompts_only() -> None:
    predictor = small()
    for number in range(300):
        predictor.start(chat(f"prompt {number}"))

    assert predictor._reader.read.cache_info().currsize == 256
