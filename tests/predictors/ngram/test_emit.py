"""From weights of local ids to distributions."""

import pytest

from tests.predictors.ngram.small import chat, default, small, speak
from tokenlap.engine.tokenizer import END, o200k
from tokenlap.predictors.ngram.lexicon import ANSWER, DONE, NEWLINES, TOPIC


def test_single_candidates_are_made_once() -> None:
    emitter = small()._emitter

    assert emitter.certain(13, 4) is emitter.certain(13, 4)


def test_ties_stand_by_lower_id() -> None:
    predictor = small()
    state = predictor.start(chat("capital of France"))
    local = predictor._lexicon.local
    tokens = o200k().encode(" question capital France")
    said, _ = predictor._emitter.emit(state, {local[token]: 1.0 for token in tokens})

    assert list(said.tokens) == sorted(tokens)


def test_slot_stands_for_its_phrase_where_its_share_is_larger() -> None:
    predictor = small()
    state = predictor.start(chat("How do I knit a hat?"))
    first = predictor._emitter.phrase(state, TOPIC)[0]
    said, offers = predictor._emitter.emit(state, {TOPIC: 3.0, DONE: 1.0})

    assert offers[first] == TOPIC
    assert said.tokens[0] == first


def test_end_has_a_paragraph_beside_it() -> None:
    predictor = small()
    said, offers = predictor._emitter.emit(predictor.start(chat("x")), {DONE: 5.0})

    assert list(said.tokens) == [END, NEWLINES]
    assert said.probabilities[1] == pytest.approx(0.002)
    assert offers[NEWLINES] == ANSWER


def test_long_replies_are_urged_to_end() -> None:
    predictor = default()
    document = chat("What is a token?")
    state = predictor.start([*document, *speak(predictor, document, most=600, ends=False)])
    while not state.starts or state.last == ANSWER:
        token = next(token for token in predictor.next(state).tokens if token != END)
        state = predictor.append(state, token)
    said = predictor.next(state)

    assert said.tokens[0] == END
    assert said.probabilities[0] > 0.99
