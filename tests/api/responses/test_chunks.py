import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.api.responses.support import events_of
from tests.properties import examples
from tests.support import Json
from tokenlap.api.responses.chunks import Deltas, Kind, Place, event, frames
from tokenlap.engine.event import Arguments, Score, Text, escape
from tokenlap.engine.tokenizer import o200k

KINDS: list[Kind] = [
    "output_text",
    "refusal",
    "reasoning_summary_text",
    "function_call_arguments",
    "custom_tool_call_input",
]


@pytest.mark.parametrize("kind", KINDS)
@examples(100)
@given(text=st.text(), sequence=st.integers(0, 10**9))
def test_the_template_gives_the_bytes_of_the_json(kind: Kind, text: str, sequence: int) -> None:
    address = {"item_id": "msg_%d%b1", "output_index": 3}
    place = Place.of(kind, address)
    piece = Arguments(0, text, escape(text)) if "call" in kind else Text(text, escape(text))

    sent = frames(Deltas(sequence, place, [piece, piece]), o200k(), False)

    logprobs: Json = {"logprobs": []} if kind == "output_text" else {}
    said = {**address, "delta": text, **logprobs}
    type = f"response.{kind}.delta"
    assert sent == event(type, said, sequence) + event(type, said, sequence + 1)
    assert [told["delta"] for told in events_of(sent)] == [text, text]


@examples(100)
@given(text=st.text())
def test_a_frame_is_two_lines_of_ascii(text: str) -> None:
    sent = event("response.output_text.done", {"text": text}, 0)

    assert sent.isascii() and sent.endswith(b"}\n\n")
    assert len(sent.splitlines()) == 3


def test_scores_leave_with_their_piece() -> None:
    score = Score(13, -0.25, ((13, -0.25), (0, -2.0)))
    deltas = Deltas(4, Place.of("output_text", {}), [Text(".", b".", scores=(score,))])

    [told] = events_of(frames(deltas, o200k(), True))

    assert told["logprobs"][0]["token"] == "."
    assert [top["logprob"] for top in told["logprobs"][0]["top_logprobs"]] == [-0.25, -2.0]
