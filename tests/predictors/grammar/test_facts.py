"""What a conversation mentions."""

import json

import pytest

from tokenlap.predictors.grammar.facts import facts_of


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        pytest.param("What's the weather in Paris today?", "names", ("Paris",), id="a city"),
        pytest.param("Alice and Bob go on Friday.", "names", ("Alice", "Bob"), id="a first word"),
        pytest.param("Book a flight from New York", "names", ("New York",), id="two words"),
        pytest.param("Send it. Call Kim's office", "names", ("Kim",), id="a verb before"),
        pytest.param("Give me JSON and I am happy", "names", (), id="no names"),
        pytest.param("Grace flies to Rome and Oslo", "places", ("Rome", "Oslo"), id="places"),
        pytest.param("about Lisbon in Portugal", "places", ("Lisbon", "Portugal"), id="in another"),
        pytest.param("Users: Grace 36, Kim 40", "names", ("Grace", "Kim"), id="a heading"),
        pytest.param("Grace and Kim are here", "places", (), id="no places"),
        pytest.param("Meet on Friday or today", "days", ("Friday", "today"), id="days"),
        pytest.param("12 times 7.5 makes -3", "numbers", ("12", "7.5", "-3"), id="numbers"),
        pytest.param("at 10:30 on 2026-12-24", "numbers", (), id="no numbers"),
        pytest.param("at 10:30 on 2026-12-24", "dates", ("2026-12-24",), id="a date"),
        pytest.param("at 10:30 on 2026-12-24", "times", ("10:30",), id="a time"),
        pytest.param("say \"hi there\" or 'bye'", "quoted", ("hi there", "bye"), id="quoted"),
        pytest.param("to bob@example.com.", "emails", ("bob@example.com",), id="address"),
        pytest.param("(https://a.example/b).", "urls", ("https://a.example/b",), id="link"),
        pytest.param("open src/main.py now", "paths", ("src/main.py",), id="path"),
    ],
)
def test_it_finds(text: str, kind: str, found: tuple[str, ...]) -> None:
    assert getattr(facts_of(text), kind) == found


def test_it_knows_whether_a_word_of_a_text_was_said() -> None:
    facts = facts_of("How many degrees Celsius is it?")

    assert facts.mentions('"celsius"') and not facts.mentions('"fahrenheit"')
    assert not facts.mentions('"is"')


def test_scalars_of_tool_results_are_found_by_key() -> None:
    result = json.dumps({"Temp": 18, "days": [{"sky": "clear"}, {"sky": "grey"}], "x": None})

    found = facts_of("", ["no JSON", result]).results

    assert found == {"temp": ("18",), "sky": ('"clear"', '"grey"'), "x": ("null",)}


def test_a_long_text_is_read_in_part() -> None:
    assert facts_of("x " * 100_000 + "Paris").names == ()
