"""A prompt may end amid a character: the reply completes it."""

import pytest

from tests.engine.test_transcript import PARROT, encode, read, summed
from tokenlap.engine.tokenizer import END, START, TokenId, o200k
from tokenlap.engine.transcript import pieces_of, unfinished


@pytest.mark.parametrize("known", [0, 1, 2, 3])
def test_a_character_begun_in_the_prompt_leaves_with_its_last_token(known: int) -> None:
    prompt = [*encode("a"), *PARROT[:known]]
    begun = unfinished(prompt, pieces_of(o200k()))

    _, left = read([*PARROT[known:], *encode("b")], begun=begun)

    assert begun == (o200k().decode_bytes(PARROT[:known]) if known < 3 else b"")
    assert summed(left) == [("content", "🦜b" if known < 3 else "b")]


@pytest.mark.parametrize("known", [1, 2, 3])
def test_a_character_may_be_begun_byte_by_byte(known: int) -> None:
    prompt = o200k().encode_bytes("a🦜".encode())[: 1 + known]

    assert unfinished(prompt, pieces_of(o200k())) == "🦜".encode()[:known]


@pytest.mark.parametrize("prompt", [[], [*PARROT, END], [START], [*encode("é"), 13]])
def test_a_finished_prompt_leaves_nothing_to_complete(prompt: list[TokenId]) -> None:
    assert unfinished(prompt, pieces_of(o200k())) == b""
