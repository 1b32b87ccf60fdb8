"""The model as a value, and as one file: a line of JSON that names the arrays, then the arrays
themselves.
"""

import json
import sys
from array import array
from dataclasses import dataclass, fields
from enum import IntEnum
from pathlib import Path

_MAGIC = b"tokenlap ngram 1\n"


class Kind(IntEnum):
    """What an answer is for: its own questions, any prompt, any prompt in another language, or to
    continue a text.

    A CONTINUATION has questions too, but opens in the middle of a sentence: with a blank or a small
    letter.
    """

    SPECIFIC = 0
    GENERIC = 1
    FOREIGN = 2
    CONTINUATION = 3


@dataclass(frozen=True, slots=True)
class Questions:
    """Which words lead to which document: an inverted index in arrays.

    words: stems, sorted; a word's number is its place here. weights: for each word its idf,
    ln((documents + 1) / documents with it), less for words that say little. wordings: for each
    wording the document it asks for; totals: the weights of its words together. asked, asked_at:
    the wordings with word w are asked[asked_at[w]:asked_at[w + 1]]. answered, answered_at: the same
    for the documents whose answer has the word. intended, intended_at: the same for the documents
    that mark the word as their intent.
    """

    words: tuple[str, ...]
    weights: "array[float]"
    wordings: "array[int]"
    totals: "array[float]"
    asked: "array[int]"
    asked_at: "array[int]"
    answered: "array[int]"
    answered_at: "array[int]"
    intended: "array[int]"
    intended_at: "array[int]"


@dataclass(frozen=True, slots=True)
class NgramModel:
    """A corpus as arrays.

    vocabulary: the o200k_base id of each local id; counts: how often each occurs in the answers.
    tokens, sentences, flags: for each position its local id, the number of its sentence, and its
    Flag bits. documents: document d has the positions documents[d] to documents[d + 1] - 1; kinds:
    its Kind.
    """

    vocabulary: "array[int]"
    counts: "array[int]"
    tokens: "array[int]"
    sentences: "array[int]"
    flags: "array[int]"
    documents: "array[int]"
    kinds: "array[int]"
    questions: Questions

    def to_bytes(self) -> bytes:
        """Return the file of this model; equal models have equal bytes."""
        arrays = {**_arrays(self), **_arrays(self.questions)}
        shapes = {name: [values.typecode, len(values)] for name, values in arrays.items()}
        head = {"arrays": shapes, "words": self.questions.words}
        line = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        return (
            _MAGIC + line + b"".join(_little_endian(values).tobytes() for values in arrays.values())
        )

    def save(self, path: Path) -> None:
        """Write the file of this model."""
        path.write_bytes(self.to_bytes())

    @classmethod
    def load(cls, packed: bytes) -> "NgramModel":
        """Read a file that save wrote; raises ValueError if it is something else or cut short."""
        if not packed.startswith(_MAGIC):
            raise ValueError("not an n-gram model of this version; write one with `tokenlap train`")
        begin = packed.index(b"\n", len(_MAGIC)) + 1
        head = json.loads(packed[len(_MAGIC) : begin])
        arrays: dict[str, array[int]] = {}
        for name, (typecode, length) in head["arrays"].items():
            values = array(typecode)
            end = begin + length * values.itemsize
            if end > len(packed):
                raise ValueError(
                    "the n-gram model is cut short; write it again with `tokenlap train`"
                )
            values.frombytes(packed[begin:end])
            arrays[name], begin = _little_endian(values), end
        own = {field.name for field in fields(cls)}
        index = {name: values for name, values in arrays.items() if name not in own}
        questions = Questions(words=tuple(head["words"]), **index)  # type: ignore[arg-type]  # floats among them
        return cls(questions=questions, **{name: arrays[name] for name in arrays if name in own})


def _arrays(value: NgramModel | Questions) -> dict[str, "array[int]"]:
    pairs = ((field.name, getattr(value, field.name)) for field in fields(value))
    return {name: values for name, values in pairs if isinstance(values, array)}


def _little_endian(values: "array[int]") -> "array[int]":
    """Return values as the file orders their bytes, or back: the same array on most machines."""
    if sys.byteorder == "big":
        values = values[:]
        values.byteswap()
    return values
