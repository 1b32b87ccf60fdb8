"""OpenAI's own clients, against a real socket: parsed answers, tool loops, thinking."""

import asyncio
import json
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import Enum
from typing import Any, Literal

import pytest
from openai import AsyncOpenAI, LengthFinishReasonError, pydantic_function_tool
from pydantic import BaseModel, Field

from tests.conftest import REPOSITORY, Require
from tests.support import served

PATIENCE = 60.0


class Mood(Enum):
    """How a text sounds."""

    GOOD = "good"
    BAD = "bad"


class Step(BaseModel):
    """One step of a solution."""

    explanation: str
    output: str


class Address(BaseModel):
    """Where somebody lives."""

    street: str
    city: str
    zip: str = Field(pattern="^[0-9]{5}$")


class Person(BaseModel):
    """A model of every kind of field."""

    name: str
    age: int = Field(ge=0, le=120)
    email: str | None
    mood: Mood
    kind: Literal["friend", "colleague"]
    tags: list[str]
    scores: list[float] = Field(min_length=1, max_length=3)
    address: Address | None
    steps: list[Step]


class Tree(BaseModel):
    """A model that refers to itself."""

    label: str
    children: list["Tree"]


class GetWeather(BaseModel):
    """Get the weather in a city."""

    city: str
    unit: Literal["celsius", "fahrenheit"]


@asynccontextmanager
async def client() -> AsyncIterator[AsyncOpenAI]:
    async with (
        served() as server,
        AsyncOpenAI(base_url=f"{server.url}/v1", api_key="k", max_retries=0) as openai,
    ):
        yield openai


ASKED: Any = [{"role": "user", "content": "Grace, 36, lives in Oslo and is my friend."}]
MODEL = "gpt-4o"


@pytest.mark.parametrize("model", [Person, Tree])
async def test_an_answer_is_parsed_into_a_model(model: type[BaseModel]) -> None:
    async with client() as openai:
        for seed in range(5):
            completion = await openai.chat.completions.parse(
                model=MODEL, messages=ASKED, response_format=model, seed=seed
            )
            assert isinstance(completion.choices[0].message.parsed, model)


async def test_a_streamed_answer_grows_by_what_has_been_delivered_and_is_parsed() -> None:
    async with (
        client() as openai,
        openai.chat.completions.stream(
            model=MODEL, messages=ASKED, response_format=Person
        ) as stream,
    ):
        snapshots = [event.snapshot async for event in stream if event.type == "content.delta"]
        final = await stream.get_final_completion()

    text = final.choices[0].message.content or ""
    assert final.choices[0].message.parsed == Person.model_validate_json(text)
    assert len(snapshots) > 20 and snapshots[-1] == text
    assert all(text.startswith(snapshot) for snapshot in snapshots)


async def test_a_cut_answer_is_no_answer() -> None:
    async with client() as openai:
        with pytest.raises(LengthFinishReasonError):
            await openai.chat.completions.parse(
                model=MODEL, messages=ASKED, response_format=Person, max_tokens=5
            )


async def test_a_tool_of_a_model_is_called_with_parsed_arguments_and_the_loop_ends() -> None:
    tools = [pydantic_function_tool(GetWeather)]
    messages: list[Any] = [{"role": "user", "content": "What's the weather in Oslo, in celsius?"}]
    async with client() as openai:
        first = await openai.chat.completions.parse(model=MODEL, messages=messages, tools=tools)
        calls = first.choices[0].message.tool_calls
        assert calls
        messages.append(first.choices[0].message.model_dump(exclude_none=True))
        messages.append({"role": "tool", "tool_call_id": calls[0].id, "content": "4 degrees"})
        second = await openai.chat.completions.parse(model=MODEL, messages=messages, tools=tools)

    assert calls[0].function.parsed_arguments == GetWeather(city="Oslo", unit="celsius")
    assert second.choices[0].finish_reason == "stop"
    assert "4 degrees" in (second.choices[0].message.content or "")


async def test_a_streamed_call_is_told_in_events() -> None:
    async with (
        client() as openai,
        openai.chat.completions.stream(
            model=MODEL,
            messages=[{"role": "user", "content": "Weather in Oslo and Rome?"}],
            tools=[pydantic_function_tool(GetWeather)],
        ) as stream,
    ):
        done = [
            event.parsed_arguments
            async for event in stream
            if event.type == "tool_calls.function.arguments.done"
        ]

    assert [call.city for call in done if isinstance(call, GetWeather)] == ["Oslo", "Rome"]


async def test_responses_are_parsed_and_their_tool_loop_ends() -> None:
    tool: Any = {
        "type": "function",
        "name": "get_weather",
        "parameters": GetWeather.model_json_schema(),
        "strict": False,
    }
    async with client() as openai:
        parsed = await openai.responses.parse(model=MODEL, input="Grace is 36", text_format=Person)
        first = await openai.responses.create(
            model=MODEL, input="What's the weather in Oslo?", tools=[tool]
        )
        call = first.output[0]
        assert call.type == "function_call"
        result: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "snow"}
        second = await openai.responses.create(
            model=MODEL, previous_response_id=first.id, input=[result], tools=[tool]
        )

    assert isinstance(parsed.output_parsed, Person)
    assert json.loads(call.arguments)["city"] == "Oslo"
    assert [item.type for item in second.output] == ["message"]
    assert "snow" in second.output_text


async def test_thinking_makes_the_sum_right() -> None:
    asked: Any = [{"role": "user", "content": "What is 482 * 194?"}]
    async with client() as openai:
        at_once = await openai.chat.completions.create(
            model=MODEL, messages=asked, reasoning_effort="none"
        )
        thought = await openai.chat.completions.create(
            model=MODEL, messages=asked, reasoning_effort="medium"
        )
        response = await openai.responses.create(
            model=MODEL, input=asked, reasoning={"effort": "low", "summary": "auto"}
        )

    assert at_once.choices[0].message.content != "93508"
    assert thought.choices[0].message.content == response.output_text == "93508"
    usage = thought.usage
    assert usage and usage.completion_tokens_details
    assert (usage.completion_tokens_details.reasoning_tokens or 0) > 60
    assert [item.type for item in response.output] == ["reasoning", "message"]


async def test_the_node_client_parses_streams_and_ends_its_tool_loops(require: Require) -> None:
    node = require("zod")
    async with asyncio.timeout(PATIENCE), served() as server:
        process = await asyncio.create_subprocess_exec(
            node,
            REPOSITORY / "tests/node/structure.mjs",
            stdout=PIPE,
            stderr=PIPE,
            env={"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "k"},
        )
        out, complaints = await process.communicate()
    assert process.returncode == 0, complaints.decode()
    told = json.loads(out)

    assert told["parsed"]["name"] == told["streamed"]["name"] == "Grace"
    for tools in (told["tools"], told["streamedTools"]):
        assert tools["asked"] == ["Oslo"] and "snow in Oslo" in tools["content"]
    assert told["responses"]["types"] == ["message"] and "snow" in told["responses"]["text"]
