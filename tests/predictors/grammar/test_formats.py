"""Formats as patterns: what they allow is what checkers take for such."""

import re
from datetime import date, datetime, time
from ipaddress import IPv4Address, IPv6Address
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import FormatChecker

from tests.predictors.grammar.support import json_of
from tests.properties import examples
from tokenlap.predictors.grammar.formats import PATTERNS, WIDER

READERS = {
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "date-time": datetime.fromisoformat,
    "uuid": UUID,
    "ipv4": IPv4Address,
    "ipv6": IPv6Address,
}


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        pytest.param(name, pattern, id=f"{name} {kind}")
        for kind, patterns in (("usual", PATTERNS), ("wider", WIDER))
        for name, pattern in patterns.items()
        if name in READERS and (name, kind) != ("time", "wider")
    ],
)
@examples(30)
@given(data=st.data())
def test_every_text_of_a_pattern_has_the_format(
    name: str, pattern: str, data: st.DataObject
) -> None:
    text = data.draw(st.from_regex(pattern, fullmatch=True, alphabet=st.characters(codec="ascii")))

    READERS[name](text.replace("Z", "+00:00") if name == "date-time" else text)


@pytest.mark.parametrize("name", PATTERNS)
def test_what_is_written_for_a_format_is_checked_by_the_validator(name: str) -> None:
    for seed in range(5):
        text = json_of({"type": "string", "format": name}, seed=seed)
        assert re.search(PATTERNS[name], text)
        assert FormatChecker().conforms(text, name)


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"format": "ipv6", "maxLength": 6}, id="short address"),
        pytest.param({"format": "uri", "pattern": "^ftp:"}, id="another protocol"),
        pytest.param({"format": "date", "pattern": "^19"}, id="another century"),
        pytest.param({"format": "email", "pattern": "@corp\\.example$"}, id="another domain"),
    ],
)
def test_a_wider_pattern_is_taken_where_the_usual_one_leaves_nothing(
    schema: dict[str, object],
) -> None:
    assert json_of({"type": "string", **schema})
