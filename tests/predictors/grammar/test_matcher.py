"""Following a grammar byte by byte, and what it costs whoever does not need it."""

import subprocess
import sys

import pytest

from tokenlap.predictors.grammar.matcher import (
    Matcher,
    follow,
    follow_any,
    follow_shape,
    satisfiable,
)
from tokenlap.predictors.grammar.shape import Fixed, SchemaRefused, Text


def test_it_says_what_is_allowed_forced_and_complete() -> None:
    matcher = follow("ab[cd]e?", "regex")

    assert matcher.forced() == b"ab"
    assert matcher.allows(b"abc") and not matcher.allows(b"abx")
    assert matcher.take(b"ab")
    assert matcher.options() == b"cd"
    assert not matcher.accepts()
    assert matcher.take(b"c") and matcher.accepts()
    assert not matcher.take(b"z") and matcher.options() == b"e"


def test_a_copy_goes_its_own_way() -> None:
    one = follow("[ab]c", "regex")
    other = one.copy()

    one.take(b"a")

    assert (one.options(), other.options()) == (b"c", b"ab")


def test_grammars_are_kept_at_their_beginning() -> None:
    follow("[xy]z", "regex").take(b"x")

    assert follow("[xy]z", "regex").options() == b"xy"


@pytest.mark.parametrize(
    ("matcher", "text"),
    [
        pytest.param(follow_shape(Fixed(('{"a":[1]}',))), '{"a":[1]}', id="shape"),
        pytest.param(follow_any("object"), '{ "a" : [1, {}] }', id="any object"),
        pytest.param(follow_any("array"), "[1, []]", id="any array"),
        pytest.param(follow('start: "x"+ /[0-9]/', "lark"), "xx7", id="lark"),
    ],
)
def test_it_follows(matcher: Matcher, text: str) -> None:
    assert matcher.take(text.encode()) and matcher.accepts()


@pytest.mark.parametrize(
    ("source", "syntax"), [("(a", "regex"), ("(?=a)b", "regex"), ("start: nothing", "lark")]
)
def test_what_cannot_be_followed_is_refused_in_one_line(source: str, syntax: str) -> None:
    with pytest.raises(SchemaRefused) as refused:
        follow(source, syntax)  # type: ignore[arg-type]  # one of the two

    assert str(refused.value) and "\n" not in str(refused.value)


def test_it_says_why_no_string_fits() -> None:
    assert satisfiable(Text(("^a", "^b"), 0, 9)).startswith("Unsatisfiable")
    assert satisfiable(Text(("^a", "b$"), 0, 9)) == ""


def test_nothing_is_imported_before_a_grammar_is_asked_for() -> None:
    program = (
        "import sys; from tokenlap.app import create_app; create_app(); "
        "sys.exit('llguidance' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
