"""Text that may begin a stop sequence waits, no longer than it must, and a match ends the text."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.engine.holdback import HoldBack

PIECES = st.lists(st.text("ab\n", max_size=4), max_size=14)
STOPS = st.lists(st.text("ab\n", min_size=1, max_size=5), min_size=1, max_size=4)


def reference(
    pieces: Sequence[str], stops: Sequence[str], include: bool = False, free: int = 0
) -> tuple[str, bool]:
    """The slow way: after each piece but the first `free`, look everywhere in the whole text for a
    sequence that this piece completes.
    """
    text = ""
    for number, piece in enumerate(pieces):
        before, text = len(text), text + piece
        found = [
            (at, len(stop))
            for at in range(len(text))
            for stop in stops
            if text.startswith(stop, at) and at + len(stop) > before
        ]
        if found and number >= free:
            at, length = min(found)
            return text[: at + length if include else at], True
    return text, False


def pushed(
    pieces: Sequence[str], stops: Sequence[str], include: bool = False, free: int = 0
) -> tuple[str, bool]:
    """The same, with HoldBack, as the transcript uses it."""
    holdback, text = HoldBack(stops, include), ""
    for number, piece in enumerate(pieces):
        text += holdback.push(piece, number >= free)
        if holdback.matched:
            return text, True
    return text + holdback.flush(), False


@examples(400)
@given(pieces=PIECES, stops=STOPS, include=st.booleans(), free=st.integers(0, 5))
def test_it_releases_what_a_slow_search_of_the_whole_text_leaves(
    pieces: list[str], stops: list[str], include: bool, free: int
) -> None:
    assert pushed(pieces, stops, include, free) == reference(pieces, stops, include, free)


@examples(200)
@given(pieces=PIECES, stops=STOPS, free=st.integers(0, 5))
def test_only_a_true_beginning_of_a_sequence_waits(
    pieces: list[str], stops: list[str], free: int
) -> None:
    holdback, seen, released = HoldBack(stops), "", ""
    for number, piece in enumerate(pieces):
        seen += piece
        released += holdback.push(piece, number >= free)
        if holdback.matched:
            break

        waiting = seen[len(released) :]
        assert seen.startswith(released)
        assert not waiting or any(s.startswith(waiting) and s != waiting for s in stops)


@pytest.mark.parametrize(
    ("pieces", "stops", "released"),
    [
        pytest.param([" 42", "\n", "User", ":"], ["\nUser:"], [" 42", "", "", ""], id="lesson"),
        pytest.param(["abc ", "DEF", "G", "HIJ"], ["DEFGHIJ"], ["abc ", "", "", ""], id="split"),
        pytest.param([" gammadelta"], ["gamma"], [" "], id="inside one token"),
        pytest.param(["a", "b", "c"], ["abd"], ["", "", "abc"], id="let go when it cannot match"),
        pytest.param(["xa", "ab"], ["aab"], ["x", ""], id="overlapping beginnings"),
        pytest.param(["one two"], ["two", "one"], [""], id="the earliest position wins"),
        pytest.param(["w1", " w2"], ["Z" * 200], ["w1", " w2"], id="a long one delays nothing"),
        pytest.param([" EN", "TRY"], ["END"], [" ", "ENTRY"], id="no stop after all"),
    ],
)
def test_what_leaves_with_each_piece(
    pieces: list[str], stops: list[str], released: list[str]
) -> None:
    holdback = HoldBack(stops)

    assert [holdback.push(piece) for piece in pieces] == released


def test_what_waits_leaves_at_the_end() -> None:
    holdback = HoldBack(["?!END"])

    assert holdback.push("colour?") == "colour"
    assert holdback.flush() == "?"
    assert holdback.flush() == ""


def test_of_two_at_the_same_place_the_shorter_one_is_included() -> None:
    assert pushed(["xab!"], ["ab!", "ab"], include=True) == ("xab", True)


def test_a_sequence_that_was_complete_too_early_does_not_count_later() -> None:
    # "xaby" keeps "xab" waiting, and "ab" in it was complete while it did not count.
    assert pushed(["xab", "q"], ["xaby", "ab"], free=1) == ("xabq", False)
    assert pushed(["a", "b"], ["ab"], free=1) == ("", True)
