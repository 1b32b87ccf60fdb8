"""What a request asks for, in the one form that all endpoints share."""

import pytest

from tests.support import Json
from tokenlap.api.plan.asked import (
    Choice,
    Offer,
    check_choice,
    choice_of,
    effort_of,
    functions,
    offers,
    streamable,
)
from tokenlap.errors import BadRequest

NO_ARGUMENTS: Json = {"type": "object", "properties": {}}
CUSTOM = Offer("code", custom=True)
FUNCTION = Offer("f", schema=NO_ARGUMENTS)


@pytest.mark.parametrize(
    ("model", "asked", "effort"),
    [
        ("gpt-4o", None, None),
        ("tokenlap", "low", "low"),
        ("o1", None, "medium"),
        ("o3-mini", None, "medium"),
        ("o4-mini-2025-04-16", None, "medium"),
        ("gpt-5", None, "medium"),
        ("gpt-5-mini", None, "medium"),
        ("openai/gpt-5.2", None, "medium"),
        ("gpt-5-chat-latest", None, None),
        ("gpt-5", "none", "none"),
        ("foo1", None, None),
        ("gpt-50x", "high", "high"),
    ],
)
def test_models_reason_by_name_or_when_asked(
    model: str, asked: str | None, effort: str | None
) -> None:
    assert effort_of(model, asked) == effort


@pytest.mark.parametrize(
    ("value", "choice"),
    [
        (None, Choice()),
        ("auto", Choice()),
        ("none", Choice("none")),
        ("required", Choice("required")),
        ({"type": "function", "function": {"name": "f"}}, Choice("required", ("f",))),
        ({"type": "custom", "custom": {"name": "c"}}, Choice("required", ("c",))),
        ({"name": "f"}, Choice("required", ("f",))),
        (
            {
                "type": "allowed_tools",
                "allowed_tools": {
                    "mode": "required",
                    "tools": [
                        {"type": "function", "function": {"name": "a"}},
                        {"type": "custom", "custom": {"name": "b"}},
                        {"type": "function", "name": "c"},
                        {"type": "web_search"},
                        "odd",
                    ],
                },
            },
            Choice("required", ("a", "b", "c")),
        ),
        ({"type": "allowed_tools", "allowed_tools": {}}, Choice("auto", ())),
    ],
)
def test_a_tool_choice_is_read_in_all_its_forms(value: object, choice: Choice) -> None:
    assert choice_of(value) == choice


def test_tools_are_offers_with_their_places() -> None:
    tools: list[Json] = [
        {"type": "web_search", "web_search": {}},
        {"type": "function", "function": {"name": "f", "description": "d"}},
        {"type": "custom", "custom": {"name": "c"}},
    ]

    nested, flat = offers(tools), offers(tools, flat=True)

    assert nested == (
        Offer("f", "d", NO_ARGUMENTS, param="tools[1].function.parameters"),
        Offer("c", custom=True, param="tools[2].custom"),
    )
    assert [offer.param for offer in flat] == ["tools[1].parameters", "tools[2]"]
    assert functions([{"name": "f", "parameters": {"type": "object"}}]) == (
        Offer("f", schema={"type": "object"}, param="functions[0].parameters"),
    )


@pytest.mark.parametrize(
    ("format", "grammar"),
    [
        ({"type": "text"}, None),
        (
            {"type": "grammar", "grammar": {"syntax": "regex", "definition": "a+"}},
            ("regex", "a+"),
        ),
        ({"type": "grammar", "syntax": "lark", "definition": "start: /a/"}, ("lark", "start: /a/")),
    ],
)
def test_a_custom_tool_may_have_a_grammar(format: Json, grammar: tuple[str, str] | None) -> None:
    (offer,) = offers([{"type": "custom", "custom": {"name": "c", "format": format}}])

    assert offer.grammar == grammar


def test_a_grammar_without_a_definition_is_refused() -> None:
    broken = {"type": "grammar", "grammar": {"syntax": "ebnf"}}

    with pytest.raises(BadRequest) as refused:
        offers([{"type": "custom", "custom": {"name": "c", "format": broken}}])

    assert refused.value.param == "tools[0].custom.format"


def test_a_choice_of_what_is_not_offered_is_refused() -> None:
    check_choice(Choice("required", ("f",)), (FUNCTION,), "tool_choice")

    with pytest.raises(BadRequest, match="Tool choice 'g' not found in 'tools' parameter"):
        check_choice(Choice("required", ("g",)), (FUNCTION,), "tool_choice")


def test_a_stream_can_call_functions_alone() -> None:
    both = (FUNCTION, CUSTOM)

    assert streamable(both, Choice()) == streamable(both, Choice("required")) == (FUNCTION,)
    for choice in (Choice("required", ("code",)), Choice("required")):
        with pytest.raises(BadRequest) as refused:
            streamable((CUSTOM,) if choice.names is None else both, choice)
        assert refused.value.param == "stream"
