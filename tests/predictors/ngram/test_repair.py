"""Tokens that the last token of a text may be the beginning of."""

import pytest

from tests.predictors.ngram.small import chat, small
from tokenlap.engine.tokenizer import o200k


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        pytest.param("{", ['"'], id="brace that opens json"),
        pytest.param("A cache keeps", [], id="words are never repaired"),
        pytest.param("A cache keeps a copy of something slow.", [], id="matched punctuation"),
        pytest.param("", [], id="nothing written"),
    ],
)
def test_rest_of_a_token(reply: str, expected: list[str]) -> None:
    predictor = small()
    state = predictor.start(chat("a user as JSON", reply))
    weights, rests = predictor._repair.complete(state)

    assert [o200k().decode([rests[local]]) for local in weights] == expected


def test_rest_replaces_the_token_in_the_context() -> None:
    predictor = small()
    state = predictor.start(chat("a user as JSON", "{"))
    state = predictor.append(state, o200k().encode('"')[0])

    assert o200k().decode(list(predictor.next(state).tokens[:1])) == "name"
