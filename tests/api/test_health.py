import httpx

from tests.support import application, chat, quiet, scripted, served


async def test_health_needs_no_key_and_counts_what_is_in_flight() -> None:
    settings = quiet(api_key="k", latency="natural", ttft="10s")
    asking = {"json": chat(stream=True), "headers": {"api-key": "k"}}
    async with (
        served(settings, models=scripted("hello")) as server,
        httpx.AsyncClient(base_url=server.url) as client,
    ):
        idle = await client.get("/health")
        async with client.stream("POST", "/v1/chat/completions", **asking) as answer:  # type: ignore[arg-type] # a table of options
            busy = await client.get("/health")

    assert answer.status_code == 200
    assert idle.json() == {"status": "ok", "in_flight": 0}
    assert busy.json() == {"status": "ok", "in_flight": 1}


async def test_health_is_read_only() -> None:
    async with application() as client:
        assert (await client.head("/health")).status_code == 200
        assert (await client.post("/health")).status_code == 405
