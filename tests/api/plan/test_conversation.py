"""What turns tell: what is asked, what was called since, what came back."""

import pytest

from tokenlap.api.plan.conversation import Conversation, told
from tokenlap.engine.template import Turn

TALK = Conversation(
    [
        Turn("system", "Be brief."),
        Turn("user", "first"),
        Turn("assistant to=old", "{}"),
        Turn("tool", "old result"),
        Turn("user kim", "second"),
        Turn("assistant", "wait"),
        Turn("assistant to=new", "{}"),
        Turn("tool", '{"temp_c": 18}'),
        Turn("function new", "text."),
    ]
)


def test_it_is_seen_from_the_last_user_turn() -> None:
    assert (TALK.asked, TALK.system) == ("second", "Be brief.")
    assert TALK.called == ["new"]
    assert TALK.results == ['{"temp_c": 18}', "text."]
    assert TALK.told == "temp c: 18; text"


def test_what_an_agent_observes_is_a_result_and_no_question() -> None:
    talk = Conversation(
        [
            Turn("user", "weather?"),
            Turn("assistant", "Calling tools:\n[{'id': '1', 'function': {'name': 'get_weather'}}]"),
            Turn("user", "Observation:\nsunny"),
        ]
    )

    assert (talk.asked, talk.called, talk.results) == ("weather?", ["get_weather"], ["sunny"])
    assert talk.asking("tea?").asked == "tea?"
    assert Conversation([]).asking("tea?").asked == ""


def test_an_empty_one_says_nothing() -> None:
    empty = Conversation([])

    assert (empty.asked, empty.system, empty.told) == ("", "", "")
    assert not empty.called and not empty.results


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ('{"a_b": 1, "c": [true, null], "d": {"e": "f"}}', "a b: 1, c: true, null, d: e: f"),
        ("plain text\nover lines.", "plain text over lines"),
        ("12.5", "12.5"),
        ('"quoted"', "quoted"),
        ("", ""),
        ("x" * 1000, "x" * 300 + "\u2026"),
    ],
)
def test_a_result_is_told_in_words(result: str, words: str) -> None:
    assert told(result) == words
