"""The prefix cache, against a slow model of it that keeps whole prefixes in lists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.delivery.prefix import BLOCK, Lease, PrefixCache, shown

PREFIX = tuple[int, ...]


class SlowCache:
    """What the cache must do, written down as plainly as possible: prefixes, not hashes."""

    def __init__(self, blocks: int) -> None:
        self.blocks = blocks
        self.pins: dict[PREFIX, int] = {}
        self.idle: list[PREFIX] = []

    def lease(self, prompt: PREFIX) -> tuple[int, list[PREFIX]]:
        prefixes = [prompt[:end] for end in range(BLOCK, len(prompt) + 1, BLOCK)]
        known = 0
        for prefix in prefixes:
            if prefix not in self.pins:
                break
            known += 1
        held = []
        for prefix in prefixes:
            if prefix not in self.pins:
                if len(self.pins) == self.blocks:
                    if not self.idle:
                        break
                    del self.pins[self.idle.pop(0)]
                self.pins[prefix] = 0
            elif prefix in self.idle:
                self.idle.remove(prefix)
            self.pins[prefix] += 1
            held.append(prefix)
        computed_last = (len(prompt) - 1) // BLOCK if prompt else 0
        return min(known, computed_last) * BLOCK, held

    def release(self, held: list[PREFIX]) -> None:
        for prefix in reversed(held):
            self.pins[prefix] -= 1
            if self.pins[prefix] == 0:
                self.idle.append(prefix)


prompts = st.lists(st.integers(0, 2), max_size=5).map(
    lambda parts: tuple(token for part in parts for token in [part] * BLOCK)
)
moves = st.lists(st.one_of(st.tuples(prompts, st.integers(0, 15)), st.integers(0, 9)), max_size=40)


@examples(60)
@given(blocks=st.integers(1, 8), moves=moves)
def test_it_counts_as_the_slow_model_does(
    blocks: int, moves: "list[tuple[PREFIX, int] | int]"
) -> None:
    cache, slow = PrefixCache(blocks * BLOCK), SlowCache(blocks)
    held: list[tuple[Lease, list[PREFIX]]] = []
    for move in moves:
        if isinstance(move, tuple):
            prompt = (*move[0], *[9] * move[1])
            lease = cache.lease("key", prompt)
            cached, prefixes = slow.lease(prompt)
            assert lease.cached_tokens == cached
            held.append((lease, prefixes))
        elif held:
            lease, prefixes = held.pop(move % len(held))
            lease.release()
            slow.release(prefixes)
        pinned = sum(pins > 0 for pins in slow.pins.values())
        assert cache.usage == pytest.approx(pinned / blocks)


def tokens(count: int, start: int = 0) -> list[int]:
    return list(range(start, start + count))


def test_only_full_blocks_are_kept_and_the_last_token_is_always_computed() -> None:
    cache = PrefixCache(1000)
    cache.lease("key", tokens(40)).release()

    assert cache.lease("key", tokens(40)).cached_tokens == 32
    assert cache.lease("key", tokens(32)).cached_tokens == 16
    assert cache.lease("key", tokens(33)).cached_tokens == 32


def test_another_beginning_shares_nothing_although_what_follows_is_the_same() -> None:
    cache = PrefixCache(1000)
    cache.lease("key", tokens(64)).release()

    assert cache.lease("key", [999, *tokens(64)[1:]]).cached_tokens == 0


def test_api_keys_do_not_share() -> None:
    cache = PrefixCache(1000)
    cache.lease("one", tokens(64)).release()

    assert cache.lease("other", tokens(64)).cached_tokens == 0


def test_the_least_recently_used_goes_first_and_the_end_of_a_prompt_before_its_beginning() -> None:
    cache = PrefixCache(6 * BLOCK)
    cache.lease("key", tokens(48)).release()
    cache.lease("key", tokens(48, 1000)).release()
    cache.lease("key", tokens(32, 2000)).release()  # two blocks of the first have to go

    assert cache.lease("key", tokens(48)).cached_tokens == 16


def test_blocks_of_running_requests_stay() -> None:
    cache = PrefixCache(4 * BLOCK)
    running = cache.lease("key", tokens(64))
    crowded_out = cache.lease("key", tokens(64, 1000))

    assert cache.usage == 1.0
    assert cache.lease("key", tokens(64)).cached_tokens == 48
    crowded_out.release()
    running.release()
    running.release()  # twice is once


def test_size_zero_caches_nothing() -> None:
    cache = PrefixCache(0)
    cache.lease("key", tokens(64)).release()

    assert cache.lease("key", tokens(64)).cached_tokens == 0
    assert cache.usage == 0.0


@pytest.mark.parametrize(
    ("cached", "told"), [(0, 0), (1008, 0), (1024, 1024), (1151, 1024), (1152, 1152), (4000, 3968)]
)
def test_usage_tells_of_cached_tokens_from_1024_in_steps_of_128(cached: int, told: int) -> None:
    assert shown(cached) == told
