"""The o200k_base vocabulary that ships in the package."""

import hashlib
from base64 import b64encode
from importlib.resources import files

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.engine import tokenizer as module
from tokenlap.engine.tokenizer import (
    END,
    SPECIAL_TOKENS,
    VOCABULARY_SIZE,
    o200k,
    ranks_digest,
    read_ranks,
)

PUBLISHED = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""The SHA-256 of OpenAI's o200k_base.tiktoken (DESIGN.md, decision 1)."""
TEXTS = st.text(max_size=40)


def test_the_ranks_are_openais_byte_for_byte() -> None:
    ranks = read_ranks(files("tokenlap").joinpath("data/o200k_base.ranks").read_bytes())

    rebuilt = b"".join(b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())
    assert len(rebuilt) == 3_613_922
    assert hashlib.sha256(rebuilt).hexdigest() == PUBLISHED
    assert ranks_digest(ranks) == PUBLISHED


def test_ranks_are_read_in_order() -> None:
    assert read_ranks(b"\x02\0\0\0\x01\x02abc") == {b"a": 0, b"bc": 1}


def test_the_lessons_words_have_their_published_ids() -> None:
    assert o200k().encode("The capital of France is") == [976, 9029, 328, 10128, 382]
    assert o200k().encode(" Paris") == [12650]
    assert o200k().encode(".") == [13]
    assert o200k().encode("🦜") == [4103, 99, 250]


@examples(150)
@given(text=TEXTS)
def test_text_survives_encoding(text: str) -> None:
    tokens = o200k().encode(text)

    assert o200k().decode(tokens) == text
    assert o200k().decode_bytes(tokens) == text.encode()
    assert all(o200k().knows(token) for token in tokens)


@examples(100)
@given(raw=st.binary(max_size=40))
def test_every_byte_is_a_token(raw: bytes) -> None:
    tokens = o200k().encode_bytes(raw)

    assert [o200k().token_bytes(token) for token in tokens] == [bytes([byte]) for byte in raw]


@pytest.mark.parametrize("marker", SPECIAL_TOKENS)
def test_text_cannot_spell_a_marker(marker: str) -> None:
    assert SPECIAL_TOKENS[marker] not in o200k().encode(f"a{marker}b")
    assert o200k().decode([SPECIAL_TOKENS[marker]]) == marker


def test_half_a_character_decodes_to_a_replacement() -> None:
    assert o200k().decode([4103, 99]) == "\ufffd"


@pytest.mark.parametrize(
    ("token", "known"),
    [(0, True), (199_997, True), (199_998, False), (END, True), (200_001, False), (-1, False)],
)
def test_it_tells_which_ids_exist(token: int, known: bool) -> None:
    assert o200k().knows(token) is known


@pytest.mark.parametrize("token", [199_998, 200_001, VOCABULARY_SIZE])
def test_an_unknown_id_has_no_bytes(token: int) -> None:
    with pytest.raises(KeyError):
        o200k().decode_bytes([token])


def test_overlong_runs_of_blanks_are_cut_so_that_they_encode_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_LONGEST_RUN", 40)
    text = "long words " * 9 + " " * 100 + "x" + "\n" * 130 + " y"

    tokens = o200k().encode(text)

    assert o200k().decode(tokens) == text
    assert tokens[:17] == o200k().encode("long words " * 9)[:17]
    assert max(len(o200k().token_bytes(token)) for token in tokens) <= 40


def test_two_million_blanks_encode() -> None:
    text = "a" + " " * 1_100_000 + "b"

    assert o200k().decode(o200k().encode(text)) == text


def test_the_pattern_cuts_as_tiktokens_own_does() -> None:
    # Written down from tiktoken's o200k_base: letters by case, digits in threes, marks, blanks.
    text = "HelloWorld's 12345 --\n\n  x\tñandú ÀB can't I'LL"

    cut = [o200k().decode([token]) for token in o200k().encode(text)]

    assert "".join(cut) == text
    assert [piece for piece in cut if piece.strip().isdigit()] == ["123", "45"]
    assert cut[:3] == ["Hello", "World", "'s"]


def test_one_tokenizer_is_shared() -> None:
    assert o200k() is o200k()
    assert isinstance(o200k()._encoding, tiktoken.Encoding)
