"""Text as it stands inside a JSON string."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.engine.event import escape


@examples(200)
@given(text=st.text())
def test_an_escaped_text_is_ascii_and_reads_back(text: str) -> None:
    escaped = escape(text)

    assert escaped.isascii()
    assert json.loads(b'"' + escaped + b'"') == text


@pytest.mark.parametrize("text", ["\u2028", "\u2029", "\u0085", "\n", "\r", "\0", "\x7f\x1b"])
def test_nothing_that_a_reader_could_take_for_a_line_end_is_raw(text: str) -> None:
    assert len((b"a" + escape(text) + b"b").decode().splitlines()) == 1
