"""The predictor inside a JSON grammar: at each place it says how likely each continuation is that a
sensible writer would choose. The grammar around it (mask.py) strikes out what is not allowed.

Short values come from choices.py, sentences from the default model, which reads the same
conversation and writes into the string. Past a budget it prefers whatever closes soonest.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tokenlap.engine.predictor import Distribution, Predictor
from tokenlap.engine.template import ASSISTANT, read
from tokenlap.engine.tokenizer import END, MESSAGE, START, TokenId, Tokenizer
from tokenlap.predictors.grammar.choices import Choice, Chooser
from tokenlap.predictors.grammar.cursor import Cursor, Frame
from tokenlap.predictors.grammar.facts import NOTHING, Facts
from tokenlap.predictors.grammar.prose import Prose
from tokenlap.predictors.grammar.shape import Shape, Text
from tokenlap.predictors.sentences import first_token

SOFT_BUDGET = 160
"""Tokens after which a value prefers to end."""
_UNLIKELY = 1e-9
_MORE_MEMBERS = 0.8
"""How likely an optional property follows."""
_QUOTE = Distribution.certain(1)
"""What is proposed where nothing is known: the token of a quotation mark."""


@dataclass(slots=True)
class ValueState:
    """Where the writing stands. choices: of the value with this ordinal, made when first asked for;
    free: the string that has begun follows none of them; prose: the sentences of the whole reply.
    """

    cursor: Cursor
    prose: Prose
    written: int = 0
    ordinal: int = -1
    choices: Sequence[Choice] = ()
    free: bool = False


class ValuePredictor:
    """Writes a sensible JSON text of a shape, if its proposals are filtered by the shape's
    grammar.
    """

    def __init__(
        self,
        shape: Shape,
        tokenizer: Tokenizer,
        model: Predictor[Any],
        facts: Facts = NOTHING,
        name: str = "",
        budget: int = SOFT_BUDGET,
    ) -> None:
        """Take what is written, who writes its sentences, what the conversation mentions, and the
        name of the whole value, if it has one.
        """
        self._shape = shape
        self._tokenizer = tokenizer
        self._model = model
        self._chooser = Chooser(facts)
        self._name = name
        self._budget = budget

    def start(self, prompt: Sequence[TokenId]) -> ValueState:
        """Read the conversation, and the part of the value that the open turn already holds."""
        reply = read(prompt, self._tokenizer).reply
        conversation = [*prompt[: _last_start(prompt)], START]
        conversation += [*self._tokenizer.encode(ASSISTANT), MESSAGE]
        prose = Prose(self._model, conversation, self._tokenizer)
        state = ValueState(Cursor(self._shape, self._name), prose)
        for token in reply:
            state = self.append(state, token)
        return state

    def next(self, state: ValueState) -> Distribution:
        """Return the continuations worth writing, allowed or not."""
        weights = self._weights(state)
        return Distribution.of(weights) if weights else _QUOTE

    def append(self, state: ValueState, token: TokenId) -> ValueState:
        """Take a token."""
        if token == END:
            return state
        cursor, ordinal, was_free = state.cursor, state.cursor.ordinal, state.free
        least, _ = _lengths(cursor.shapes)
        cursor.take(self._tokenizer.token_bytes(token))
        state.written += 1
        still_open = cursor.in_string and cursor.ordinal == ordinal
        if was_free:
            state.prose.take(token, least, still_open=still_open)
        state.free = cursor.in_string and ((still_open and was_free) or not self._closed(state))
        return state

    def _closed(self, state: ValueState) -> list[Choice]:
        """Return the complete texts that the value that has begun may still become."""
        if state.ordinal != state.cursor.ordinal:
            state.ordinal = state.cursor.ordinal
            state.choices = self._chooser.choices(state.cursor)
        partial = state.cursor.partial
        return [one for one in state.choices if not one.open and one.text.startswith(partial)]

    def _weights(self, state: ValueState) -> dict[TokenId, float]:
        cursor, late = state.cursor, state.written > self._budget
        if cursor.mode in ("value", "scalar"):
            return self._in_value(state, late)
        if cursor.mode == "colon":
            return self._tokens([(b":", 1.0)])
        if cursor.frame is None:
            return {END: 1.0}
        if cursor.mode == "after":
            return self._tokens(self._after(cursor.frame, late))
        return self._continue(_keys(cursor.frame, late), cursor.partial)

    def _in_value(self, state: ValueState, late: bool) -> dict[TokenId, float]:
        cursor, partial = state.cursor, state.cursor.partial
        if state.free:
            prosaic = any(choice.open for choice in state.choices)
            haste = state.written / self._budget
            return state.prose.weights(haste, *_lengths(cursor.shapes)) if prosaic else {}
        options = self._closed(state)
        if cursor.mode == "value":
            options += [choice for choice in state.choices if choice.open]
            options += _empty_array(cursor, options)
        if late:
            options = _soonest(options)
        weights = self._continue([(one.text, one.weight) for one in options], partial)
        complete = sum(one.weight for one in options if one.text == partial)
        if cursor.mode == "scalar" and complete:
            closing = [(b"", 1.0)] if cursor.frame is None else self._after(cursor.frame, late)
            weights |= self._tokens((text, share * complete) for text, share in closing)
        return weights

    def _after(self, frame: Frame, late: bool) -> list[tuple[bytes, float]]:
        """Return what may follow a complete value: a comma, or the end of the container."""
        end = b"]" if frame.is_array else b"}"
        if not frame.may_continue():
            return [(end, 1.0)]
        if not frame.may_close():
            return [(b",", 1.0)]
        if late:
            return [(end, 1.0), (b",", _UNLIKELY)]
        more = self._chooser.more(frame) if frame.is_array else _MORE_MEMBERS
        return [(b",", more), (end, 1 - more)]

    def _continue(
        self, options: Iterable[tuple[bytes, float]], partial: bytes
    ) -> dict[TokenId, float]:
        """Return the first tokens of what options have after partial."""
        rests = [(text[len(partial) :], w) for text, w in options if text.startswith(partial)]
        return self._tokens([(rest, weight) for rest, weight in rests if rest])

    def _tokens(self, options: Iterable[tuple[bytes, float]]) -> dict[TokenId, float]:
        """Return the first token of each text, the end token for an empty one."""
        weights: dict[TokenId, float] = {}
        for rest, weight in options:
            token = first_token(rest, self._tokenizer) if rest else END
            weights[token] = weights.get(token, 0.0) + weight
        return weights


def _empty_array(cursor: Cursor, options: Sequence[Choice]) -> list[Choice]:
    """Return the end of an array that has no element yet and needs none."""
    frame = cursor.frame
    if frame is None or not frame.is_array or frame.seen or not frame.may_close():
        return []
    return [Choice(b"]", 0.05 * sum(choice.weight for choice in options) or 1.0)]


def _soonest(options: Sequence[Choice]) -> list[Choice]:
    """Return options of which only the shortest is likely; a container is never that."""
    if not options:
        return []
    best = min(options, key=lambda one: (one.open and one.text != b'"', len(one.text)))
    return [Choice(one.text, 1.0 if one is best else _UNLIKELY, one.open) for one in options]


def _keys(frame: Frame, late: bool) -> list[tuple[bytes, float]]:
    """Return the keys that may come next, and the end of the object where it may."""
    members = frame.members()
    share, found = 1.0, []
    for member in members:
        found.append((json.dumps(member.name, ensure_ascii=False).encode() + b":", share))
        share *= 0.3
    if not frame.seen and frame.may_close():
        found.append((b"}", 1.0 if not found else 0.1))
    if late and found:
        # The last is the end, or a property that must come in any case.
        found = [(text, _UNLIKELY) for text, _ in found[:-1]] + [(found[-1][0], 1.0)]
    return found


def _lengths(shapes: Iterable[Shape]) -> tuple[int, int]:
    """Return how short and how long a string of these shapes may be."""
    texts = [shape for shape in shapes if isinstance(shape, Text)]
    return min((t.least for t in texts), default=0), max((t.most for t in texts), default=0)


def _last_start(prompt: Sequence[TokenId]) -> int:
    """Return where the open turn begins, the end where there is none."""
    return max((i for i, token in enumerate(prompt) if token == START), default=len(prompt))
