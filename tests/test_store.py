from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.store import MemoryStore, Page, Record

ROOMY = 10**6


def record(id: str, text: str = "{}", model: str = "m", **metadata: str) -> Record:
    return Record(id, text.encode(), model, metadata)


async def filled(*records: Record, max_count: int = 100, max_bytes: int = ROOMY) -> MemoryStore:
    store = MemoryStore(max_count, max_bytes)
    for each in records:
        await store.put("c", each)
    return store


def ids(page: Page) -> list[str]:
    return [record.id for record in page.records]


async def test_a_record_is_found_under_its_id_in_its_collection_only() -> None:
    store = await filled(record("a", '{"x":1}'))

    assert await store.get("c", "a") == record("a", '{"x":1}')
    assert await store.get("other", "a") is None
    assert await store.get("c", "b") is None


async def test_a_deleted_record_is_gone_and_cannot_be_deleted_again() -> None:
    store = await filled(record("a"), record("b"))

    assert await store.delete("c", "a")
    assert not await store.delete("c", "a")
    assert await store.get("c", "a") is None
    assert ids(await store.page("c")) == ["b"]


async def test_replacing_keeps_the_place_in_the_list() -> None:
    store = await filled(record("a"), record("b"), record("a", '{"new":true}'))

    page = await store.page("c")
    assert ids(page) == ["a", "b"]
    assert page.records[0].body == b'{"new":true}'


async def test_beyond_the_count_the_oldest_goes() -> None:
    store = await filled(record("a"), record("b"), record("c"), max_count=2)

    assert ids(await store.page("c")) == ["b", "c"]


async def test_beyond_the_bytes_as_many_of_the_oldest_go_as_needed() -> None:
    store = await filled(
        record("a", "x" * 30), record("b", "x" * 30), record("c", "x" * 70), max_bytes=110
    )

    assert ids(await store.page("c")) == ["b", "c"]


async def test_the_bounds_hold_over_all_collections() -> None:
    store = MemoryStore(2, ROOMY)
    for collection in ("one", "two", "three"):
        await store.put(collection, record("a"))

    assert await store.get("one", "a") is None
    assert await store.get("three", "a") is not None


async def test_a_record_that_grows_in_place_pushes_others_out_not_itself() -> None:
    store = await filled(record("a"), record("b"), record("a", "x" * 95), max_bytes=100)

    assert ids(await store.page("c")) == ["a"]


async def test_a_record_over_the_bound_is_not_kept_and_costs_nobody_else_a_place() -> None:
    store = await filled(record("a"), record("b"), record("b", "x" * 200), max_bytes=100)

    assert ids(await store.page("c")) == ["a"]


@pytest.mark.parametrize("part", ["body", "parts", "model", "metadata"])
async def test_everything_a_client_sends_counts(part: str) -> None:
    text = "x" * 100
    large = {
        "body": Record("a", text.encode()),
        "parts": Record("a", b"", parts={"events": text.encode()}),
        "model": Record("a", b"", model=text),
        "metadata": Record("a", b"", metadata={"k": text}),
    }[part]

    assert large.size > 100


@pytest.mark.parametrize(
    ("query", "expected", "more"),
    [
        pytest.param({}, ["a", "b", "c", "d"], False, id="all"),
        pytest.param({"limit": 2}, ["a", "b"], True, id="first page"),
        pytest.param({"limit": 2, "after": "b"}, ["c", "d"], False, id="last page"),
        pytest.param({"after": "d"}, [], False, id="after the last"),
        pytest.param({"order": "desc", "limit": 3}, ["d", "c", "b"], True, id="newest first"),
        pytest.param({"order": "desc", "after": "b"}, ["a"], False, id="after, newest first"),
        pytest.param({"model": "n"}, ["b", "d"], False, id="by model"),
        pytest.param({"model": "n", "limit": 1}, ["b"], True, id="more of this model"),
        pytest.param({"metadata": {"k": "1"}}, ["c", "d"], False, id="by metadata"),
        pytest.param({"metadata": {"k": "1", "l": "2"}}, ["d"], False, id="by every pair"),
    ],
)
async def test_pages(query: dict[str, object], expected: list[str], more: bool) -> None:
    store = await filled(
        record("a"),
        record("b", model="n"),
        record("c", k="1"),
        record("d", model="n", k="1", l="2"),
    )

    page = await store.page("c", **query)  # type: ignore[arg-type] # a table of keyword arguments

    assert (ids(page), page.has_more) == (expected, more)


async def test_a_page_after_an_unknown_id_is_refused() -> None:
    store = await filled(record("a"))

    with pytest.raises(LookupError):
        await store.page("c", after="zzz")


Puts = st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 40)), max_size=30)


@examples(100)
@given(puts=Puts, max_count=st.integers(0, 4), max_bytes=st.integers(1, 100))
async def test_never_over_its_bounds_and_what_is_kept_is_the_newest(
    puts: list[tuple[str, int]], max_count: int, max_bytes: int
) -> None:
    store = MemoryStore(max_count, max_bytes)
    known: Mapping[str, Record] = {}
    for id, length in puts:
        await store.put("c", record(id, "x" * length))
        known = {**known, id: record(id, "x" * length)}

        kept = (await store.page("c", limit=100)).records

        assert len(kept) <= max_count
        assert sum(each.size for each in kept) <= max_bytes
        assert all(known[each.id] == each for each in kept)
        fits = max_count > 0 and known[id].size <= max_bytes
        assert (await store.get("c", id) is not None) == fits
