"""The official client, which checks every object against its types."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import openai
import pytest
from openai import AsyncOpenAI
from openai.types.responses import ResponseStreamEvent
from pydantic import BaseModel

from tests.api.responses.support import CALL, FEATURES
from tests.support import HeldTime, marked, quiet, served
from tokenlap.settings import Settings


class Fruit(BaseModel):
    fruit: str


MODEL = "mock-1"
FRUIT = '{"fruit":"fig"}'
PRICE: openai.types.responses.FunctionToolParam = {
    "type": "function",
    "name": "get_price",
    "strict": True,
    "parameters": {
        "type": "object",
        "properties": {"fruit": {"type": "string"}},
        "required": ["fruit"],
        "additionalProperties": False,
    },
}


@asynccontextmanager
async def client_of(
    script: str, settings: Settings | None = None, **parts: object
) -> AsyncIterator[AsyncOpenAI]:
    """A client of a real server whose model writes script."""
    async with (
        served(settings, **{"models": marked(script), **parts}) as server,
        AsyncOpenAI(
            api_key="sk-test",
            base_url=f"{server.url}/v1",
            max_retries=0,
            _strict_response_validation=True,
        ) as client,
    ):
        yield client


async def test_every_answer_and_event_is_of_its_type() -> None:
    scripts = {name: marked(feature.script)[MODEL] for name, feature in FEATURES.items()}
    async with client_of(FRUIT, models=scripts) as client:
        for name, feature in FEATURES.items():
            body = feature.options
            response = await client.responses.create(model=name, input="hi", extra_body=body)
            stream = await client.responses.create(
                model=name, input="hi", stream=True, extra_body=body
            )
            events: list[ResponseStreamEvent] = [event async for event in stream]

            assert response.object == "response", name
            assert events[-1].type in ("response.completed", "response.incomplete"), name


async def test_the_stream_helper_adds_up_and_parses() -> None:
    async with client_of(FRUIT) as client:
        async with client.responses.stream(model=MODEL, input="hi", text_format=Fruit) as stream:
            deltas = [e.delta async for e in stream if e.type == "response.output_text.delta"]
            final = await stream.get_final_response()
        parsed = await client.responses.parse(model=MODEL, input="hi", text_format=Fruit)

    assert "".join(deltas) == final.output_text == FRUIT
    assert final.output_parsed == parsed.output_parsed == Fruit(fruit="fig")


async def test_the_stream_helper_resumes_a_stored_stream() -> None:
    async with client_of(FRUIT) as client:
        response = await client.responses.create(model=MODEL, input="hi")
        async with client.responses.stream(response_id=response.id) as stream:
            final = await stream.get_final_response()
        resumed = await client.responses.retrieve(response.id, stream=True, starting_after=4)
        numbers = [event.sequence_number async for event in resumed]

    assert final.output_text == FRUIT
    assert numbers == list(range(5, numbers[-1] + 1))


async def test_a_call_is_parsed_and_answered() -> None:
    async with client_of(CALL) as client:
        response = await client.responses.parse(model=MODEL, input="hi", tools=[PRICE])
        [call] = response.output
        assert call.type == "function_call"
        follow = await client.responses.create(
            model=MODEL,
            previous_response_id=response.id,
            tools=[PRICE],
            input=[{"type": "function_call_output", "call_id": call.call_id, "output": "3"}],
        )
        items = [item.type async for item in client.responses.input_items.list(follow.id)]

    assert call.parsed_arguments == {"fruit": "quince"}
    assert items == ["function_call_output", "function_call", "message"]


async def test_an_output_can_be_sent_back_as_it_came() -> None:
    async with client_of(FEATURES["text, thought, text"].script) as client:
        first = await client.responses.create(
            model=MODEL, input="hi", include=["reasoning.encrypted_content"], store=False
        )
        history = [item.model_dump(exclude_none=True) for item in first.output]
        second = await client.responses.create(
            model=MODEL,
            input=[*history, {"role": "user", "content": "more"}],  # type: ignore[list-item] # dumped models
        )

    assert second.status == "completed"


async def test_a_stored_response_is_retrieved_listed_and_deleted() -> None:
    async with client_of(FRUIT) as client:
        response = await client.responses.create(
            model=MODEL, input=[{"role": "user", "content": letter} for letter in "abc"]
        )
        retrieved = await client.responses.retrieve(response.id)
        pages = client.responses.input_items.list(response.id, limit=1, order="asc")
        roles = [item.role async for item in pages if item.type == "message"]
        await client.responses.delete(response.id)
        with pytest.raises(openai.NotFoundError) as gone:
            await client.responses.retrieve(response.id)

    assert retrieved == response
    assert roles == ["user"] * 3
    assert response.id in gone.value.message


async def test_a_background_response_is_polled_and_cancelled() -> None:
    time = HeldTime(until=1.5)
    settings = quiet(latency="natural", ttft="1s", itl="1s")
    async with client_of(FRUIT, settings=settings, clock=time.clock) as client:
        queued = await client.responses.create(model=MODEL, input="hi", background=True)
        polled = await client.responses.retrieve(queued.id)
        cancelled = await client.responses.cancel(queued.id)

    assert queued.status == "queued"
    assert polled.status in ("queued", "in_progress")
    assert cancelled.status == "cancelled"


async def test_an_error_has_its_class_code_and_param() -> None:
    async with client_of(FRUIT) as client:
        with pytest.raises(openai.BadRequestError) as refused:
            await client.responses.create(
                model=MODEL, input="hi", previous_response_id="resp_nope", stream=True
            )

    assert refused.value.code == "previous_response_not_found"
    assert refused.value.param == "previous_response_id"
