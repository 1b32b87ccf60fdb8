import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from tests.api.responses.support import asked, events_of, posted, text_of, types_of
from tests.support import HeldTime, Json, Served, application, quiet, scripted, served
from tokenlap.api.calls import Call
from tokenlap.settings import Settings

WORDS = "one two three four five six"


def paced(**options: Any) -> Settings:
    """A token a second, by the clock that is injected."""
    return quiet(latency="natural", ttft="1s", itl="1s", **options)


async def until(client: httpx.AsyncClient, id: str, *statuses: str) -> Json:
    """The response once it has one of these statuses."""
    while True:
        response: Json = (await client.get(f"/v1/responses/{id}")).json()
        if response["status"] in statuses:
            return response
        await asyncio.sleep(0)


@asynccontextmanager
async def live(settings: Settings, **parts: Any) -> AsyncIterator[tuple[Served, httpx.AsyncClient]]:
    """A real server, and a client of it."""
    async with (
        served(settings, **parts) as server,
        httpx.AsyncClient(base_url=server.url, timeout=10) as client,
    ):
        yield server, client


async def begun(answer: httpx.Response) -> str:
    """The id of the response that a stream begins with, as soon as it is told."""
    async for line in answer.aiter_lines():
        if line.startswith("data: "):
            id: str = json.loads(line.removeprefix("data: "))["response"]["id"]
            return id
    raise AssertionError("the stream has ended")


async def test_it_is_queued_at_first_and_completed_in_the_end() -> None:
    time = HeldTime(until=2.5)
    async with application(paced(), models=scripted(WORDS), clock=time.clock) as client:
        queued = await posted(client, asked(background=True))
        running = await until(client, queued["id"], "in_progress")
        time.release()
        completed = await until(client, queued["id"], "completed")

    assert (queued["status"], queued["background"], queued["output"]) == ("queued", True, [])
    assert (running["output"], running["completed_at"]) == ([], None)
    assert text_of(completed) == WORDS
    assert completed["usage"]["output_tokens"] == 6


async def test_the_order_of_events_begins_with_queued() -> None:
    async with application(models=scripted(WORDS)) as client:
        answer = await client.post("/v1/responses", json=asked(background=True, stream=True))

    events = events_of(answer.content)
    assert types_of(events)[:4] == ["created", "queued", "in_progress", "output_item.added"]
    assert [e["response"]["status"] for e in events[:3]] == ["queued", "queued", "in_progress"]
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert events[-1]["type"] == "response.completed"


async def test_it_waits_for_a_slot_in_the_queue_of_its_model() -> None:
    time = HeldTime(until=2.5)
    settings = paced(max_num_seqs=1)
    async with application(settings, models=scripted(WORDS), clock=time.clock) as client:
        first = await posted(client, asked(background=True))
        await until(client, first["id"], "in_progress")
        second = await posted(client, asked(background=True))
        waiting = (await client.get(f"/v1/responses/{second['id']}")).json()
        time.release()
        completed = await until(client, second["id"], "completed")

    assert waiting["status"] == "queued"
    assert text_of(completed) == WORDS


async def test_a_running_response_is_followed_from_any_event_to_its_end() -> None:
    time = HeldTime(until=2.5)
    async with live(paced(), models=scripted(WORDS), clock=time.clock) as (_, client):
        id = (await posted(client, asked(background=True)))["id"]
        await until(client, id, "in_progress")
        path = f"/v1/responses/{id}?stream=true&starting_after=1"
        async with client.stream("GET", path) as answer:
            parts = answer.aiter_bytes()
            early = b""
            while b'" two"' not in early:  # the second lap, the last before time stands still
                early += await anext(parts)
            time.release()
            rest = b"".join([part async for part in parts])
        replayed = await client.get(path)

    assert b"response.completed" not in early
    assert early + rest == replayed.content
    assert events_of(early + rest)[0]["sequence_number"] == 2


async def test_it_survives_the_client_that_started_it() -> None:
    time = HeldTime(until=2.5)
    async with live(paced(), models=scripted(WORDS), clock=time.clock) as (_, client):
        body = asked(background=True, stream=True)
        async with client.stream("POST", "/v1/responses", json=body) as answer:
            id = await begun(answer)
        time.release()
        completed = await until(client, id, "completed")

    assert text_of(completed) == WORDS


async def test_cancel_stops_the_loop_and_the_stream_and_can_be_repeated() -> None:
    time = HeldTime(until=2.5)
    async with live(paced(), models=scripted(WORDS), clock=time.clock) as (server, client):
        body = asked(background=True, stream=True)
        async with client.stream("POST", "/v1/responses", json=body) as answer:
            id = await begun(answer)
            cancelled = await posted(client, {}, f"/v1/responses/{id}/cancel")
        again = await posted(client, {}, f"/v1/responses/{id}/cancel")
        replayed = await client.get(f"/v1/responses/{id}?stream=true")
        assert not server.server.backend.calls.flying

    assert cancelled["status"] == "cancelled" and cancelled == again
    assert events_of(replayed.content)[-1]["type"] == "error"


async def test_cancelling_what_has_completed_changes_nothing() -> None:
    async with application(models=scripted(WORDS)) as client:
        id = (await posted(client, asked(background=True)))["id"]
        completed = await until(client, id, "completed")
        cancelled = await posted(client, {}, f"/v1/responses/{id}/cancel")

    assert cancelled == completed


async def test_deleting_a_running_response_stops_it() -> None:
    time = HeldTime(until=2.5)
    async with live(paced(), models=scripted(WORDS), clock=time.clock) as (server, client):
        id = (await posted(client, asked(background=True)))["id"]
        await until(client, id, "in_progress")
        deleted = await client.delete(f"/v1/responses/{id}")
        assert not server.server.backend.calls.flying
        assert (await client.get(f"/v1/responses/{id}")).status_code == 404

    assert deleted.json()["deleted"] is True


async def test_one_too_many_is_refused_until_another_has_ended() -> None:
    time = HeldTime(until=2.5)
    settings = paced(max_background=1)
    async with application(settings, models=scripted(WORDS), clock=time.clock) as client:
        first = await posted(client, asked(background=True))
        refused = await client.post("/v1/responses", json=asked(background=True))
        await posted(client, {}, f"/v1/responses/{first['id']}/cancel")
        allowed = await posted(client, asked(background=True))
        await posted(client, {}, f"/v1/responses/{allowed['id']}/cancel")

    error = refused.json()["error"]
    assert (refused.status_code, error["code"]) == (429, "rate_limit_exceeded")
    assert "--max-background" in error["message"] and refused.headers["retry-after"]


async def test_nobody_goes_on_from_a_response_that_is_under_way() -> None:
    time = HeldTime(until=2.5)
    async with application(paced(), models=scripted(WORDS), clock=time.clock) as client:
        first = await posted(client, asked(background=True))
        refused = await client.post("/v1/responses", json=asked(previous_response_id=first["id"]))
        await posted(client, {}, f"/v1/responses/{first['id']}/cancel")

    assert refused.status_code == 400
    assert "Wait until it has completed." in refused.json()["error"]["message"]


class Endings:
    """Notes how calls end."""

    def __init__(self) -> None:
        self.seen: list[str | None] = []

    def began(self, call: Call) -> None: ...
    def lapped(self, call: Call, laps: Any) -> None: ...
    def answered(self, exchange: Any) -> None: ...
    def ended(self, call: Call) -> None:
        self.seen.append(call.ending)


async def test_the_server_stops_what_runs_in_the_background() -> None:
    time, endings = HeldTime(until=2.5), Endings()
    parts = {"models": scripted(WORDS), "clock": time.clock, "observers": [endings]}
    async with live(paced(), **parts) as (_, client):
        await until(client, (await posted(client, asked(background=True)))["id"], "in_progress")

    assert endings.seen == ["shutdown"]


async def test_a_background_response_whose_loop_breaks_has_failed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Failing:
        def start(self, prompt: Any) -> None:
            return None

        def next(self, state: None) -> Any:
            raise RuntimeError("broken")

        def append(self, state: None, token: int) -> None:
            return None

    async with application(models={"mock-1": Failing()}) as client:
        id = (await posted(client, asked(background=True)))["id"]
        failed = await until(client, id, "failed")

    assert failed["error"]["code"] == "server_error"
