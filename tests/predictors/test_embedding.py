from array import array
from math import isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.engine.tokenizer import o200k
from tokenlap.predictors.embedding import LONGEST, embed


def vector(text: str, dimensions: int = 1536) -> "array[float]":
    return embed(text, o200k(), dimensions)


def cosine(one: str, other: str, dimensions: int = 1536) -> float:
    pairs = zip(vector(one, dimensions), vector(other, dimensions), strict=True)
    return sum(x * y for x, y in pairs)


SIMILAR = [
    ("How do I reset my password?", "I forgot my password, how can I reset it?"),
    ("The cat sat on the mat.", "A cat is sitting on a mat."),
    (
        "Streaming sends each token as it is written.",
        "Each token is sent as soon as it is written.",
    ),
    ("Paris is the capital of France", "The capital of France is Paris."),
    ("東京は日本の首都です", "日本の首都は東京です"),
    ("Der Hund läuft im Park", "Im Park laufen die Hunde"),
]


@pytest.mark.parametrize("dimensions", [256, 1536, 3072])
@pytest.mark.parametrize(("one", "other"), SIMILAR)
def test_texts_that_share_words_are_closer_than_texts_that_do_not(
    one: str, other: str, dimensions: int
) -> None:
    unrelated = [text for pair in SIMILAR if pair != (one, other) for text in pair]

    nearest = max(cosine(one, text, dimensions) for text in unrelated)
    assert cosine(one, other, dimensions) > nearest


def test_rare_words_weigh_more_than_common_ones() -> None:
    assert cosine("the parrot", "a parrot") > cosine("the parrot", "the window")


@examples(60)
@given(st.text(max_size=60), st.integers(1, LONGEST))
def test_a_vector_has_the_length_that_was_asked_for_and_norm_one(
    text: str, dimensions: int
) -> None:
    numbers = vector(text, dimensions)

    assert len(numbers) == dimensions
    assert isclose(sqrt(sum(x * x for x in numbers)), 1, abs_tol=1e-5)


@pytest.mark.parametrize("dimensions", [1, 8, 256, 1000, 1536])
def test_a_shorter_vector_is_the_beginning_of_the_longer_one_renormalised(dimensions: int) -> None:
    whole = vector("Tokens are written one by one.", LONGEST)[:dimensions]
    norm = sqrt(sum(x * x for x in whole))

    short = vector("Tokens are written one by one.", dimensions)
    assert all(isclose(x, y / norm, abs_tol=1e-6) for x, y in zip(short, whole, strict=True))


def test_the_same_text_has_the_same_vector_in_every_process() -> None:
    # The values of one machine, kept: a hash is of the text alone, not of the process.
    assert [round(x, 4) for x in vector("Hello", 4)] == [-0.0428, 0.2308, -0.923, 0.3049]
