"""The format of a corpus: questions, an answer, alternatives and slots.

    === What is a token? | tokens explained | token meaning
    A token is a [[small|short]] piece of text. ...
    === *
    Here is how I would begin with {t}.

A line `=== question | other wording | key words` opens a document; its answer is what follows, up
to the next one. `=== *` opens an answer that fits any prompt, `=== @` one for prompts in other
languages. `+word` in a question marks an intent: the answer *is* a poem, a list, JSON. `[[a|b]]` in
prose are alternatives, `{t}` is the topic of the prompt and `{q}` the prompt itself. Code (between
fences, or an answer that opens with `{` or `[`) has slots, but no alternatives. Lines before the
first document that begin with `#` are comments.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tokenlap.predictors.ngram.store import Kind

_OPENING = "==="
_TABLE = re.compile(r"^\|.*(?:\n\|.*)*", re.MULTILINE)
_FENCED = re.compile(r"(```.*?(?:```|\Z))", re.DOTALL)
_CHOICE = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)
_INLINE_CODE = re.compile(r"`[^`\n]*`")
_SLOT = re.compile(r"\{(\w*)\}")
_SLOTS = ("t", "q")


@dataclass(frozen=True, slots=True)
class Entry:
    """One document of a corpus.

    wordings: the questions, without their `+` marks; empty if GENERIC or FOREIGN.
    intents: the words marked `+`, lower case.
    answer: the text with the first of each group of alternatives, slots as written.
    variants: the text once more for each other alternative, with only that one exchanged.
    """

    kind: Kind
    wordings: tuple[str, ...]
    intents: frozenset[str]
    answer: str
    variants: tuple[str, ...]


def parse(text: str, name: str = "corpus") -> list[Entry]:
    """Return the documents of one corpus text, in order.

    name: what errors call the text, usually its path.
    Raises ValueError naming the line and what would be right.
    """
    return [_entry(head, _Body(name, line, body)) for line, head, body in _split(text, name)]


def code_spans(answer: str) -> list[tuple[int, int]]:
    """Return where answer is code, as (begin, end) offsets in characters, fences included.

    The lines of a table count as code, since their columns have to stay together.
    """
    if opens_code(answer):
        return [(0, len(answer))]
    fences = [match.span() for match in _FENCED.finditer(answer)]
    return fences or [match.span() for match in _TABLE.finditer(answer)]


def opens_code(answer: str) -> bool:
    """Say whether the whole of answer is JSON."""
    if answer.startswith(("{t}", "{q}", "[[")):
        return False
    return answer.startswith(("{", "[")) and answer.rstrip().endswith(("}", "]"))


def _split(text: str, name: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line number, question line and answer of each document."""
    line, head, body = 0, "", list[str]()
    for number, content in enumerate(text.splitlines(), 1):
        if content == _OPENING or content.startswith(_OPENING + " "):
            if line:
                yield line, head, "\n".join(body)
            line, head, body = number, content[len(_OPENING) :].strip(), []
        elif line:
            body.append(content)
        elif content.strip() and not content.startswith("#"):
            raise ValueError(
                f"{name}:{number}: text before the first question; write '=== question' above it"
            )
    if line:
        yield line, head, "\n".join(body)


@dataclass(frozen=True, slots=True)
class _Body:
    """The lines below a question, and where they stand: the question is line `line` of `name`."""

    name: str
    line: int
    text: str

    def error(self, message: str, fragment: str = "") -> ValueError:
        """Return an error that names the line of fragment, or of the question."""
        at = self.text.find(fragment) if fragment else -1
        line = self.line + (self.text.count("\n", 0, at) + 1 if at >= 0 else 0)
        return ValueError(f"{self.name}:{line}: {message}")


def _entry(head: str, body: _Body) -> Entry:
    if not head:
        raise body.error("a document without a question; write '=== question', '*' or '@'")
    if not body.text.strip():
        raise body.error("the answer is empty; write its text on the lines below the question")
    kind = {"*": Kind.GENERIC, "@": Kind.FOREIGN}.get(head, Kind.SPECIFIC)
    marked = re.findall(r"(?<!\S)\+(\w+)", head)
    wordings = [part.strip() for part in re.sub(r"(?<!\S)\+(?=\w)", "", head).split("|")]
    answer, variants = _expand(body)
    asked = tuple(filter(None, wordings)) if kind is Kind.SPECIFIC else ()
    if asked and (answer[0] == " " or answer[0].islower()):
        kind = Kind.CONTINUATION
    return Entry(kind, asked, frozenset(word.lower() for word in marked), answer, tuple(variants))


def _expand(body: _Body) -> tuple[str, list[str]]:
    """Return the answer with every first alternative, and a copy for each other alternative."""
    text = body.text.strip("\n").rstrip()
    pieces: list[list[str]] = []  # a piece with one text is plain
    for index, part in enumerate([text] if opens_code(text) else _FENCED.split(text)):
        if index % 2 or opens_code(text):
            pieces.append([part])
        else:
            pieces += _choices(part, body)
    first = [piece[0] for piece in pieces]
    variants = [
        "".join([*first[:at], other, *first[at + 1 :]])
        for at, piece in enumerate(pieces)
        for other in piece[1:]
    ]
    return "".join(first), variants


def _choices(prose: str, body: _Body) -> Iterator[list[str]]:
    """Yield the pieces of prose: plain texts, and groups of alternatives."""
    for slot in _SLOT.findall(_INLINE_CODE.sub("", prose)):
        if slot not in _SLOTS:
            message = f"unknown slot {{{slot}}}; write {{t}} for the topic, {{q}} for the prompt"
            raise body.error(message, f"{{{slot}}}")
    for index, part in enumerate(_CHOICE.split(prose)):
        choices = part.split("|") if index % 2 else [part]
        for mark, lack in (("[[", "']]' after it"), ("]]", "'[[' before it")):
            if mark in part:
                raise body.error(f"'{mark}' has no {lack}; write [[a|b]], not nested", part)
        if index % 2 and len(choices) < 2:
            raise body.error(f"[[{part}]] has one alternative; write [[{part}|another]]", part)
        yield choices
