"""Thinking before an answer, and the sums that need it."""

import pytest

from tests.api.plan.support import WEATHER, answer, choice, message
from tests.support import Json

ARITHMETIC = "What is 482 * 194?"
RIGHT = "93508"


async def test_thinking_comes_first_and_is_counted() -> None:
    body = await answer("Why is the sky blue?", reasoning_effort="low")
    said, usage = body["choices"][0]["message"], body["usage"]

    assert said["content"] and said["reasoning_content"] == said["reasoning"]
    assert 0 < usage["completion_tokens_details"]["reasoning_tokens"] < usage["completion_tokens"]


async def test_thinking_comes_before_a_call_too() -> None:
    found = await choice("Weather in Paris?", tools=[WEATHER], reasoning_effort="low")

    assert found["finish_reason"] == "tool_calls" and found["message"]["content"] is None
    assert "get_weather" in found["message"]["reasoning_content"]


@pytest.mark.parametrize(
    ("options", "answers"),
    [
        pytest.param({"reasoning_effort": "none"}, False, id="none"),
        pytest.param({}, False, id="not asked for"),
        pytest.param({"reasoning_effort": "low"}, True, id="low"),
        pytest.param({"model": "o3-mini"}, True, id="by its name"),
    ],
)
async def test_arithmetic_needs_thinking(options: Json, answers: bool) -> None:
    found = await message(ARITHMETIC, **options)

    assert (found["content"] == RIGHT) is answers
    assert ("reasoning_content" in found) is answers


@pytest.mark.parametrize("content", [{}, {"content": ""}, {"content": None}], ids=str)
async def test_an_answer_follows_an_altered_thought(content: Json) -> None:
    thought = "482 * 194 = 482 * 4 + 482 * 90 + 482 * 100\n482 * 4 = 1000\n"
    last: Json = {"role": "assistant", "reasoning_content": thought, **content}

    found = await message(
        [{"role": "user", "content": ARITHMETIC}, last], continue_final_message=True
    )

    assert found["content"] == str(1000 + 43380 + 48200)


async def test_steps_that_are_asked_for_are_shown() -> None:
    assert (await message(f"{ARITHMETIC} Think step by step."))["content"].endswith(f"= {RIGHT}")
