import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import examples
from tokenlap.api.responses.ids import item_id, response_of

TYPES = ["message", "reasoning", "function_call", "function_call_output", "web_search_call"]


@examples(100)
@given(
    type=st.sampled_from(TYPES),
    tail=st.text("0123456789abcdef", min_size=1),
    place=st.integers(0, 2047),
)
def test_an_item_names_its_response(type: str, tail: str, place: int) -> None:
    assert response_of(item_id(type, f"resp_{tail}", place)) == f"resp_{tail}"


@examples(100)
@given(places=st.sets(st.integers(0, 2047), min_size=2))
def test_the_items_of_a_response_have_ids_of_their_own(places: set[int]) -> None:
    assert len({item_id("message", "resp_5f0c", place) for place in places}) == len(places)


@pytest.mark.parametrize(
    ("type", "prefix"),
    [("message", "msg_"), ("reasoning", "rs_"), ("function_call", "fc_")],
)
def test_ids_begin_as_on_the_platform(type: str, prefix: str) -> None:
    assert item_id(type, "resp_5f0c", 1).startswith(prefix)


@pytest.mark.parametrize("id", ["", "msg", "msg_", "msg_1", "résumé"])
def test_any_id_names_some_response(id: str) -> None:
    assert response_of(id).startswith("resp_")
