"""Logprobs in the legacy form: four lists of equal length, one entry per token.

Source: wire checklist 178-181 (API reference; vLLM's tests). With echo the first token of the
prompt has null for its logprob: nothing precedes it.
"""

from codecs import getincrementaldecoder
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tokenlap.api.logprobs import token_text
from tokenlap.engine.event import Finish, Score, Text
from tokenlap.engine.tokenizer import TokenId, Tokenizer


@dataclass(frozen=True, slots=True)
class Echo:
    """The prompt is repeated before the text that continues it."""

    text: str


Piece = Echo | Text | Finish
"""What a choice consists of."""

_Utf8 = getincrementaldecoder("utf-8")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt, as its choices show it.

    text: its whole characters; scores: of its tokens from the second on, where they are shown.
    """

    tokens: tuple[TokenId, ...]
    text: str
    scores: tuple[Score, ...] = ()

    @classmethod
    def of(
        cls, tokens: tuple[TokenId, ...], tokenizer: Tokenizer, scores: tuple[Score, ...] = ()
    ) -> "Prompt":
        """Return the prompt of tokens; a character that it only begins belongs to the reply."""
        return cls(tokens, _Utf8("replace").decode(tokenizer.decode_bytes(tokens)), scores)


class Ledger:
    """Writes down the tokens of one choice, and where each begins: counted in characters from the
    start of the prompt, also when the prompt is not echoed.
    """

    def __init__(self, prompt: Prompt, tokenizer: Tokenizer) -> None:
        """Begin before the prompt."""
        self._tokenizer = tokenizer
        self._prompt = prompt
        self._decoder = _Utf8("replace")
        self._offset = 0
        self._past = False

    def echo(self) -> dict[str, Any]:
        """Return the logprobs of the prompt, which is shown."""
        self._past = True
        tokens, scores = self._prompt.tokens, self._prompt.scores
        return self._lists([*((token, None) for token in tokens[:1]), *_with_tokens(scores)])

    def reply(self, scores: Iterable[Score]) -> dict[str, Any]:
        """Return the logprobs of the next tokens of the reply."""
        if not self._past:
            self._past = True
            read = self._decoder.decode(self._tokenizer.decode_bytes(self._prompt.tokens))
            self._offset = len(read)
        return self._lists(_with_tokens(scores))

    def _lists(self, tokens: Iterable[tuple[TokenId, Score | None]]) -> dict[str, Any]:
        lists: dict[str, list[Any]] = {name: [] for name in NAMES}
        for token, score in tokens:
            lists["tokens"].append(token_text(self._tokenizer, token))
            lists["token_logprobs"].append(None if score is None else score.logprob)
            lists["top_logprobs"].append(None if score is None else self._top(score))
            lists["text_offset"].append(self._offset)
            self._offset += len(self._decoder.decode(self._tokenizer.token_bytes(token)))
        return lists

    def _top(self, score: Score) -> dict[str, float]:
        """Return the most likely candidates by text, and the token itself where it is not one."""
        named = {token_text(self._tokenizer, token): logprob for token, logprob in score.top}
        return {**named, token_text(self._tokenizer, score.token): score.logprob}


NAMES = ("tokens", "token_logprobs", "top_logprobs", "text_offset")


def joined(parts: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the logprobs that those of several chunks add up to."""
    lists: dict[str, list[Any]] = {name: [] for name in NAMES}
    for part in parts:
        for name in NAMES:
            lists[name] += part[name]
    return lists


def _with_tokens(scores: Iterable[Score]) -> list[tuple[TokenId, Score | None]]:
    return [(score.token, score) for score in scores]
