"""The model file."""

from pathlib import Path

import pytest

from tests.predictors.ngram.small import small_model
from tokenlap.predictors.ngram.store import NgramModel


def test_saved_model_loads_as_it_was(tmp_path: Path) -> None:
    small_model().save(tmp_path / "small.ngram")

    assert NgramModel.load((tmp_path / "small.ngram").read_bytes()) == small_model()


def test_equal_models_have_equal_bytes() -> None:
    again = NgramModel.load(small_model().to_bytes())

    assert again.to_bytes() == small_model().to_bytes()


def test_bytes_are_the_same_on_a_big_endian_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = small_model().to_bytes()
    swapped = NgramModel.load(packed)
    for name in ("tokens", "documents", "vocabulary", "counts", "sentences"):
        getattr(swapped, name).byteswap()
    for name in swapped.questions.__slots__:
        values = getattr(swapped.questions, name)
        if name != "words":
            values.byteswap()
    monkeypatch.setattr("sys.byteorder", "big")

    assert swapped.to_bytes() == packed
    assert NgramModel.load(packed) == swapped


@pytest.mark.parametrize(
    ("packed", "message"),
    [
        pytest.param(b"", "not an n-gram model", id="empty"),
        pytest.param(b"GGUF....", "not an n-gram model", id="something else"),
        pytest.param(small_model().to_bytes()[:-1], "cut short", id="cut"),
    ],
)
def test_other_bytes_are_refused(packed: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NgramModel.load(packed)
