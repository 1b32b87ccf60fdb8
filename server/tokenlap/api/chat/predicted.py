"""Predicted outputs: how many tokens of a prediction a reply has confirmed.

Source: API reference, `prediction` and `completion_tokens_details`; wire checklist 137. Reckoned as
speculative decoding would: the reply is read along the prediction; after a difference both meet
again where two tokens of the reply stand in the prediction.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tokenlap.api.chat.chunks import ChatChunk
from tokenlap.engine.event import Text
from tokenlap.engine.tokenizer import TokenId, Tokenizer

_AHEAD = 256
"""Tokens of the prediction that are searched for the place to go on from."""


@dataclass(slots=True)
class Predicted:
    """Compares the content of the choices with a prediction."""

    text: str
    tokenizer: Tokenizer
    _said: dict[int, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, prediction: Mapping[str, Any] | None, tokenizer: Tokenizer) -> "Predicted | None":
        """Return what compares with a prediction's text, its parts joined; None without one."""
        if prediction is None:
            return None
        content = prediction.get("content")
        if isinstance(content, list):
            parts = (part.get("text") for part in content if isinstance(part, Mapping))
            content = "".join(part for part in parts if isinstance(part, str))
        return cls(content, tokenizer) if isinstance(content, str) else None

    def read(self, chunks: Iterable[ChatChunk]) -> None:
        """Keep the content of chunks."""
        for choice, event in chunks:
            match event:
                case tuple():
                    texts = [plain.text for plain in event]
                case Text(text, channel="content"):
                    texts = [text]
                case _:
                    continue
            self._said.setdefault(choice, []).extend(texts)

    def counts(self) -> tuple[int, int]:
        """Return how many of its tokens the choices accepted and rejected, all together."""
        predicted, encode = self.tokenizer.encode(self.text), self.tokenizer.encode
        texts = ["".join(pieces) for pieces in self._said.values()] or [""]
        found = [counts(predicted, encode(text)) for text in texts]
        return sum(accepted for accepted, _ in found), sum(rejected for _, rejected in found)


def counts(prediction: Sequence[TokenId], reply: Sequence[TokenId]) -> tuple[int, int]:
    """Return how many tokens of a prediction a reply accepted, and how many it rejected.

    Example: prediction a b c d, reply a b x c d -> 4 accepted, 0 rejected
    """
    at = accepted = 0
    for i, token in enumerate(reply):
        if at < len(prediction) and prediction[at] == token:
            accepted += 1
            at += 1
            continue
        pair = tuple(reply[i : i + 2])
        found = _find(prediction, pair, at) if len(pair) == 2 else -1
        if found >= 0:
            accepted += 1
            at = found + 1
    return accepted, len(prediction) - accepted


def _find(prediction: Sequence[TokenId], pair: tuple[TokenId, ...], begin: int) -> int:
    for at in range(begin, min(begin + _AHEAD, len(prediction) - 1)):
        if (prediction[at], prediction[at + 1]) == pair:
            return at
    return -1
