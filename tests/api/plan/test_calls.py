"""Which tools are called: plausibly asked for, never twice for the same need."""

from collections.abc import Sequence

import pytest

from tests.support import Json
from tokenlap.api.plan.asked import Asked, Choice, Offer
from tokenlap.api.plan.calls import MOST_CALLS, calls
from tokenlap.api.plan.conversation import Conversation
from tokenlap.engine.template import Turn


def schema(*required: str, **properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(required)}


TEXT, NUMBER = {"type": "string"}, {"type": "number"}
WEATHER = Offer("get_weather", "Get the current temperature in a city", schema("city", city=TEXT))
ADD = Offer("add", "Add two numbers", schema("a", "b", a=NUMBER, b=NUMBER))
MAIL = Offer("send_email", "Send a message", schema("to", to=TEXT, body=TEXT))
SEARCH = Offer("search", "Search the web for pages", schema("query", query=TEXT))
FINAL = Offer("final_result", "The final answer", schema("answer", answer=TEXT))
AUTO = Choice()
TOOLS = (WEATHER, ADD, MAIL, SEARCH)


def called(
    asked: str,
    *since: Turn,
    tools: Sequence[Offer] = TOOLS,
    choice: Choice = AUTO,
    parallel: bool = True,
) -> list[tuple[str, int]]:
    conversation = Conversation([Turn("user", asked), *since])
    planned = calls(Asked(tuple(tools), choice, parallel), conversation)
    return [(tool.name, turn) for tool, turn in planned]


def made(name: str, result: str = "done") -> tuple[Turn, Turn]:
    return Turn(f"assistant to={name}", "{}"), Turn("tool", result)


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        pytest.param("What's the weather in Paris?", ["get_weather"], id="its name"),
        pytest.param("How is the weather?", ["get_weather"], id="its name alone"),
        pytest.param("What's the temperature in Oslo?", ["get_weather"], id="description, value"),
        pytest.param("What is 3 + 4?", ["add"], id="a sign"),
        pytest.param("Add 3 and 4", ["add"], id="a verb"),
        pytest.param("Send an email to bob@example.com", ["send_email"], id="two words"),
        pytest.param("Search the web for owls", ["search"], id="verb and description"),
        pytest.param("Tell me a joke", [], id="something else"),
        pytest.param("hello", [], id="nothing"),
        pytest.param("What is the capital city of France?", [], id="one shared word"),
        pytest.param("Who wrote Hamlet?", [], id="a name alone"),
        pytest.param("", [], id="empty"),
    ],
)
def test_auto_calls_what_is_plausibly_asked_for(asked: str, names: list[str]) -> None:
    assert [name for name, _ in called(asked)] == names


def test_several_needs_are_several_calls_where_that_is_allowed() -> None:
    asked = "What's the weather in Paris, and what is 3 + 4?"

    assert {name for name, _ in called(asked)} == {"get_weather", "add"}
    assert len(called(asked, parallel=False)) == 1


def test_things_in_a_list_are_a_call_each() -> None:
    assert called("Weather in Paris, Rome and Oslo?") == [("get_weather", i) for i in range(3)]
    assert called("Weather in Paris, Rome and Oslo?", parallel=False) == [("get_weather", 0)]
    assert called("Weather in Paris. I wrote to Rome about it") == [("get_weather", 0)]
    many = ", ".join(f"City{letter}" for letter in "abcdefgh")
    assert len(called(f"Weather in {many}?")) == MOST_CALLS


def test_after_a_result_nothing_is_called_again() -> None:
    assert called("Weather in Paris?", *made("get_weather")) == []


def test_what_was_not_called_yet_follows_one_by_one() -> None:
    asked = "What's the weather in Paris, and what is 3 + 4?"
    first = called(asked, parallel=False)

    second = called(asked, *made(first[0][0]), parallel=False)

    assert {first[0][0], second[0][0]} == {"get_weather", "add"}
    assert called(asked, *made("get_weather"), *made("add"), parallel=False) == []


def test_a_new_question_may_call_again() -> None:
    asked = Turn("user", "And the weather in Rome?")

    assert called("Weather in Paris?", *made("get_weather"), asked) == [("get_weather", 0)]


@pytest.mark.parametrize(
    ("choice", "asked", "names"),
    [
        pytest.param(Choice("none"), "Weather in Paris?", [], id="none"),
        pytest.param(Choice("required"), "hello", ["get_weather"], id="required, nothing asked"),
        pytest.param(Choice("required"), "What is 3 + 4?", ["add"], id="required, one asked"),
        pytest.param(Choice("required", ("search",)), "3 + 4", ["search"], id="named"),
        pytest.param(Choice("auto", ("search",)), "Weather in Paris?", [], id="allowed, auto"),
        pytest.param(
            Choice("required", ("send_email",)), "hello", ["send_email"], id="one allowed"
        ),
        pytest.param(Choice("required", ()), "hello", [], id="none allowed"),
    ],
)
def test_a_choice_is_kept_to(choice: Choice, asked: str, names: list[str]) -> None:
    assert [name for name, _ in called(asked, choice=choice)] == names


def test_where_a_call_is_required_the_one_that_ends_the_run_comes_last() -> None:
    tools, required = (FINAL, WEATHER), Choice("required")

    assert called("Weather in Paris?", tools=tools, choice=required) == [("get_weather", 0)]
    assert called("hello", tools=tools, choice=required) == [("final_result", 0)]
    assert called("Weather in Paris?", *made("get_weather"), tools=tools, choice=required) == [
        ("final_result", 0)
    ]


def test_the_tool_that_ends_a_run_is_not_called_where_text_will_do() -> None:
    assert called("Give me the final answer", tools=(FINAL,)) == []


def test_where_all_were_called_and_one_is_required_it_is_one_of_them() -> None:
    found = called("Weather?", *made("get_weather"), tools=(WEATHER,), choice=Choice("required"))

    assert found == [("get_weather", 0)]


def test_without_tools_nothing_is_called() -> None:
    assert called("Weather in Paris?", tools=()) == []
