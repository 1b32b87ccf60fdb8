"""The form of an answer, by parameter or prompt: kept to, cut, continued, refused."""

import json
from typing import Any

import pytest

from tests.api.plan.support import CITY, CODE, WEATHER, choice, format_of, message
from tests.support import Json, application


async def refusal(**options: Any) -> Json:
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": "json?"}], **options}
    async with application() as client:
        response = await client.post("/v1/chat/completions", json=body)
    assert response.status_code == 400, response.text
    error: Json = response.json()["error"]
    return error


async def test_a_custom_tool_gets_free_text_or_keeps_to_its_grammar() -> None:
    grammar = {"type": "grammar", "grammar": {"syntax": "regex", "definition": "SELECT [0-9]{2}"}}
    sql: Json = {"type": "custom", "custom": {"name": "sql", "format": grammar}}

    free = await message("go", tools=[CODE], tool_choice="required")
    kept = await message("go", tools=[sql], tool_choice="required")

    assert free["tool_calls"][0]["type"] == "custom" and free["tool_calls"][0]["custom"]["input"]
    assert kept["tool_calls"][0]["custom"]["input"].startswith("SELECT ")


@pytest.mark.parametrize(
    ("options", "fits"),
    [
        pytest.param({"response_format": format_of(CITY)}, {"city": "Oslo"}, id="json_schema"),
        pytest.param({"guided_json": CITY}, {"city": "Oslo"}, id="guided_json"),
        pytest.param({"guided_json": json.dumps(CITY)}, {"city": "Oslo"}, id="as a text"),
        pytest.param({"structured_outputs": {"json": CITY}}, {"city": "Oslo"}, id="vLLM"),
    ],
)
async def test_an_answer_has_the_form_of_a_schema(options: Json, fits: Json) -> None:
    assert (
        json.loads((await message("I live in Oslo", temperature=0, **options))["content"]) == fits
    )


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        pytest.param({"guided_choice": ["yes", "no"]}, {"yes", "no"}, id="choice"),
        pytest.param({"structured_outputs": {"choice": ["a", "ab"]}}, {"a", "ab"}, id="vLLM"),
        pytest.param({"guided_regex": "(red|blue)!"}, {"red!", "blue!"}, id="regex"),
        pytest.param({"guided_grammar": 'start: "x" | "y"'}, {"x", "y"}, id="grammar"),
    ],
)
async def test_an_answer_is_one_of_few_texts(options: Json, texts: set[str]) -> None:
    for seed in range(4):
        assert (await message("Well?", seed=seed, **options))["content"] in texts


@pytest.mark.parametrize(
    "asked",
    ["Give me JSON about a user", "JSON with the keys name and age", "Is it JSON?", "json please"],
)
async def test_a_json_object_is_one(asked: str) -> None:
    for seed in range(3):
        found = await message(asked, seed=seed, response_format={"type": "json_object"})
        assert isinstance(json.loads(found["content"]), dict)


async def test_a_schema_in_the_prompt_is_followed() -> None:
    system = f"Answer in JSON that conforms to this schema: {json.dumps(CITY)}"
    asked = [{"role": "system", "content": system}, {"role": "user", "content": "I am in Oslo"}]

    assert json.loads((await message(asked, temperature=0))["content"]) == {"city": "Oslo"}


async def test_labelled_fields_are_written_in_order() -> None:
    asked = (
        "Respond with the corresponding output fields, starting with the field "
        "`[[ ## answer ## ]]`, then `[[ ## score ## ]]` (must be formatted as a valid Python float)"
        ", and then ending with the marker for `[[ ## completed ## ]]`."
    )

    text = (await message(asked))["content"]
    answered, _, rest = text.partition("\n\n[[ ## score ## ]]\n")
    score, _, end = rest.partition("\n\n")

    assert answered.startswith("[[ ## answer ## ]]\n") and len(answered) > 25
    assert float(score) >= 0 and end == "[[ ## completed ## ]]"


@pytest.mark.parametrize("options", [{}, {"response_format": {"type": "json_object"}}], ids=str)
async def test_a_schema_in_the_prompt_that_asks_too_much_is_passed_over(options: Json) -> None:
    hopeless = {"type": "object", "properties": {"a": False}, "required": ["a"]}
    asked = f"Respond in JSON that conforms to this schema: {json.dumps(hopeless)}"

    assert (await choice(asked, **options))["finish_reason"] == "stop"


async def test_a_schema_in_the_prompt_is_the_form_of_a_json_object() -> None:
    asked = f"I am in Oslo. Respond in JSON that conforms to this schema: {json.dumps(CITY)}"

    found = await message(asked, temperature=0, response_format={"type": "json_object"})

    assert json.loads(found["content"]) == {"city": "Oslo"}


async def test_a_begun_object_becomes_one() -> None:
    asked = [{"role": "user", "content": "A user"}, {"role": "assistant", "content": '{"name":'}]

    for seed in range(4):
        rest = await message(asked, continue_final_message=True, seed=seed)
        assert json.loads('{"name":' + rest["content"])


async def test_a_last_assistant_message_is_a_past_turn_unless_it_is_to_be_continued() -> None:
    asked = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "{"}]

    assert not (await message(asked))["content"].startswith('"')


async def test_a_form_that_is_complete_ends_the_reply_whatever_is_said_of_the_end() -> None:
    ended = await choice("x", guided_choice=["yes"], ignore_eos=True, min_tokens=20, max_tokens=50)

    assert (ended["message"]["content"], ended["finish_reason"]) == ("yes", "stop")


async def test_a_cap_cuts_the_form_and_says_so() -> None:
    found = await choice("I live in Oslo", response_format=format_of(CITY), max_tokens=3)

    assert found["finish_reason"] == "length"
    assert found["message"]["content"] and not found["message"]["content"].endswith("}")


@pytest.mark.parametrize(
    ("options", "param", "words"),
    [
        pytest.param(
            {"response_format": format_of({"type": "string", "pattern": "(a)\\1"}, "bad")},
            "response_format",
            "Invalid schema for response_format 'bad': 'pattern'",
            id="schema",
        ),
        pytest.param(
            {
                "tools": [
                    {"type": "function", "function": {"name": "f", "parameters": {"not": {}}}}
                ],
                "tool_choice": "required",
            },
            "tools[0].function.parameters",
            "Invalid schema for function 'f': 'not'",
            id="tool",
        ),
        pytest.param({"guided_regex": "("}, "guided_regex", "Invalid format", id="regex"),
        pytest.param(
            {"guided_regex": "a", "response_format": {"type": "json_object"}},
            "guided_regex",
            "already given by 'response_format'",
            id="two forms",
        ),
        pytest.param(
            {"tools": [CODE], "tool_choice": "required", "stream": True},
            "stream",
            "custom",
            id="82",
        ),
        pytest.param(
            {"tools": [WEATHER], "tool_choice": {"type": "function", "function": {"name": "g"}}},
            "tool_choice",
            "Tool choice 'g' not found",
            id="not offered",
        ),
    ],
)
async def test_what_cannot_be_honoured_is_refused(options: Json, param: str, words: str) -> None:
    error = await refusal(**options)

    assert error["param"] == param and words in error["message"]


async def test_a_beginning_that_does_not_fit_the_form_is_refused() -> None:
    messages = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "Hello"}]

    error = await refusal(
        messages=messages, continue_final_message=True, response_format=format_of(CITY)
    )

    assert error["param"] == "messages"
