import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.delivery.background import Background, Ending, Running, after
from tokenlap.delivery.drain import Drain

EVENTS = [b"event: a\ndata: %d\n\n" % n for n in range(6)]


class Source:
    """Frames that come when they are let go."""

    def __init__(self, frames: Sequence[bytes]) -> None:
        self.closed = False
        self._frames = frames
        self._go: asyncio.Queue[None] = asyncio.Queue()

    def release(self, count: int) -> None:
        for _ in range(count):
            self._go.put_nowait(None)

    async def frames(self) -> AsyncGenerator[bytes, None]:
        try:
            for frame in self._frames:
                await self._go.get()
                yield frame
            await self._go.get()
        finally:
            self.closed = True


class Endings:
    """Notes how streams end, and writes a last word."""

    def __init__(self) -> None:
        self.seen: list[Ending] = []

    async def __call__(self, running: Running, ending: Ending) -> None:
        self.seen.append(ending)
        running.write(b"last\n\n")


def started(source: Source, endings: Endings, limit: int = 1) -> tuple[Background, Running]:
    background = Background(limit, Drain())
    return background, background.start("name", source.frames(), endings)


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@examples(100)
@given(cut=st.integers(0, 6), skipped=st.integers(0, 8))
def test_after_leaves_out_whole_events(cut: int, skipped: int) -> None:
    frames = b"".join(EVENTS[:cut])

    assert after(frames, skipped) == b"".join(EVENTS[:cut][skipped:])


async def test_it_runs_to_its_end_though_nobody_follows() -> None:
    source, endings = Source(EVENTS), Endings()
    background, running = started(source, endings)

    source.release(7)
    await settle()

    assert running.tape == b"".join(EVENTS) + b"last\n\n"
    assert endings.seen == ["done"]
    assert background.get("name") is None


async def test_a_follower_sees_what_was_and_what_comes() -> None:
    source, endings = Source(EVENTS), Endings()
    _, running = started(source, endings)
    source.release(3)
    await settle()

    follower = running.follow()
    early = [await anext(follower) for _ in range(3)]
    source.release(4)
    late = [frames async for frames in follower]

    assert early == EVENTS[:3]
    assert late == [*EVENTS[3:], b"last\n\n"]


@pytest.mark.parametrize("skip", range(8))
async def test_a_follower_may_start_after_some_events(skip: int) -> None:
    source, endings = Source([b"".join(EVENTS[:2]), b"".join(EVENTS[2:5]), EVENTS[5]]), Endings()
    _, running = started(source, endings)
    source.release(4)

    followed = b"".join([frames async for frames in running.follow(skip)])

    assert followed == b"".join([*EVENTS, b"last\n\n"][skip:])


async def test_a_follower_that_leaves_stops_nothing() -> None:
    source, endings = Source(EVENTS), Endings()
    _, running = started(source, endings)
    source.release(1)
    follower = running.follow()
    await anext(follower)
    await follower.aclose()

    source.release(6)
    await settle()

    assert endings.seen == ["done"]


async def test_cancel_stops_the_source_and_returns_when_all_is_in_order() -> None:
    source, endings = Source(EVENTS), Endings()
    background, running = started(source, endings)
    source.release(2)
    await settle()

    await running.cancel()
    await running.cancel()

    assert (endings.seen, source.closed, background.get("name")) == (["cancelled"], True, None)
    assert running.tape == b"".join(EVENTS[:2]) + b"last\n\n"


async def test_one_that_is_cancelled_before_it_begins_is_put_in_order_too() -> None:
    source, endings = Source(EVENTS), Endings()
    _, running = started(source, endings)

    await running.cancel()

    assert endings.seen == ["cancelled"]


async def test_the_end_of_the_server_ends_all() -> None:
    source, endings = Source(EVENTS), Endings()
    background, _ = started(source, endings)

    await background.close()

    assert (endings.seen, source.closed) == (["shutdown"], True)


async def test_the_grace_period_ends_all() -> None:
    drain, source, endings = Drain(), Source(EVENTS), Endings()
    running = Background(1, drain).start("name", source.frames(), endings)

    drain.end_all()
    followed = [frames async for frames in running.follow()]

    assert endings.seen == ["shutdown"]
    assert followed == [b"last\n\n"]


async def test_it_is_full_until_one_has_ended() -> None:
    source, endings = Source(EVENTS), Endings()
    background, running = started(source, endings, limit=1)
    assert background.full

    await running.cancel()

    assert not background.full


async def test_a_source_that_breaks_still_ends() -> None:
    async def broken() -> AsyncGenerator[bytes, None]:
        yield EVENTS[0]
        raise RuntimeError("broken")

    endings = Endings()
    background = Background(1, Drain())
    running = background.start("name", broken(), endings)
    assert running.task is not None

    with pytest.raises(RuntimeError):
        await running.task
    assert (endings.seen, running.ended) == (["done"], True)
