"""Answers in labelled parts: fields of DSPy, the code block of smolagents."""

import json

import pytest

from tests.api.plan.support import message
from tests.support import Json
from tokenlap.api.plan.conversation import Conversation
from tokenlap.api.plan.labelled import Field, labelled_fields, noted, unlabelled, wants_code
from tokenlap.engine.template import Turn

SYSTEM = """All interactions will be structured in the following way.

[[ ## mood ## ]]
{mood}     # note: the value you produce must exactly match (no extra signs) one of: good; bad

[[ ## tags ## ]]
{tags}        # note: the value you produce must adhere to the JSON schema: {"type": "array"}
"""
ASKED = (
    "[[ ## sentence ## ]]\nThe book was fun.\n\nRespond with the corresponding output fields, "
    "starting with the field `[[ ## thought ## ]]`, then `[[ ## mood ## ]]` (must be formatted as "
    "a valid Python Literal['good', 'bad']), then `[[ ## tags ## ]]` (must be formatted as a valid "
    "Python list[str]), then `[[ ## n ## ]]` (must be formatted as a valid Python int), and then "
    "ending with the marker for `[[ ## completed ## ]]`."
)


def fields(system: str) -> list[Field]:
    return list(labelled_fields(Conversation([Turn("system", system), Turn("user", ASKED)])))


def test_fields_are_read_from_the_question_and_the_notes_of_the_system() -> None:
    assert fields(SYSTEM) == [
        Field("thought"),
        Field("mood", ("good", "bad")),
        Field("tags", schema={"type": "array"}),
        Field("n", schema={"type": "integer"}),
    ]


def test_without_notes_the_types_of_the_question_will_do() -> None:
    assert fields("")[1:3] == [
        Field("mood", ("good", "bad")),
        Field("tags", schema={"type": "array"}),
    ]


def test_the_question_is_what_remains_without_labels() -> None:
    assert unlabelled(ASKED) == "The book was fun."
    assert unlabelled("plain") == "plain"


def test_other_questions_have_no_fields() -> None:
    assert labelled_fields(Conversation([Turn("user", "[[ ## x ## ]] hello")])) == ()


@pytest.mark.parametrize(
    ("must", "texts", "schema"),
    [
        ("must be a single float value", (), {"type": "number"}),
        ("must be True or False", (), {"type": "boolean"}),
        ("must match one of: a; b c", ("a", "b c"), None),
        ('must adhere to the JSON schema: {"type": "object"}.', (), {"type": "object"}),
        ("must adhere to the JSON schema: {broken", (), None),
        ("must be nice", (), None),
        ("", (), None),
    ],
)
def test_a_note_asks_for_texts_or_a_schema(
    must: str, texts: tuple[str, ...], schema: Json | None
) -> None:
    assert noted(must) == (texts, schema)


async def test_fields_are_answered_in_order() -> None:
    text = (
        await message([{"role": "system", "content": SYSTEM}, {"role": "user", "content": ASKED}])
    )["content"]
    labels = [line for line in text.splitlines() if line.startswith("[[ ##")]
    mood = text.partition("[[ ## mood ## ]]\n")[2].partition("\n")[0]
    count = text.partition("[[ ## n ## ]]\n")[2].partition("\n")[0]

    assert labels == [
        f"[[ ## {name} ## ]]" for name in ("thought", "mood", "tags", "n", "completed")
    ]
    tags = text.partition("[[ ## tags ## ]]\n")[2].partition("\n")[0]
    assert mood in ("good", "bad") and count.isdigit()
    assert isinstance(json.loads(tags), list) and "##" not in tags


async def test_an_agent_of_code_gets_a_block_that_ends_its_run() -> None:
    system = "Write code between <code> and </code>. End by calling final_answer(...)."
    asked = [{"role": "system", "content": system}, {"role": "user", "content": "What is a token?"}]

    text = (await message(asked))["content"]

    assert text.startswith("Thought: ") and '\n<code>\nfinal_answer("' in text
    assert text.endswith('")\n</code>')
    assert wants_code(Conversation([Turn("system", system)]))
    assert not wants_code(Conversation([Turn("system", "<code>")]))
