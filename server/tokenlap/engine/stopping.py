"""The ways a reply ends: end token or stop token, stop sequence on its text, the length wall."""

from typing import Literal, NamedTuple

from tokenlap.engine.tokenizer import CALL, END, TokenId
from tokenlap.engine.transcript import Transcript

FinishReason = Literal["stop", "length"]


class StopParams(NamedTuple):
    """What may end a reply.

    max_tokens: the length wall, >= 0, in generated tokens; sequences: stop sequences on the decoded
    text, none empty. token_ids: further ids that stop like the end token; ignore_eos: the end token
    is an ordinary token. min_tokens: before so many tokens neither end token, stop token nor stop
    sequence counts. include_sequence: the matched sequence stays in the text. As the engines (vLLM)
    define them.
    """

    max_tokens: int
    sequences: tuple[str, ...] = ()
    token_ids: tuple[TokenId, ...] = ()
    min_tokens: int = 0
    ignore_eos: bool = False
    include_sequence: bool = False

    @property
    def ends(self) -> tuple[TokenId, ...]:
        """The tokens that end a reply; a finished tool call always does."""
        return (*(() if self.ignore_eos else (END,)), CALL, *self.token_ids)


class StopCondition:
    """Told of each token, says whether the reply ends with it."""

    def __init__(self, params: StopParams, transcript: Transcript) -> None:
        """Take the transcript that reads the reply's text for stop sequences."""
        self._ends = frozenset(params.ends)
        self._texts_end = bool(params.token_ids)  # the others that end a reply are markers
        self._shown = params.include_sequence
        self._max_tokens = params.max_tokens
        self._min_tokens = params.min_tokens
        self._transcript = transcript
        self._push = transcript.push
        self._left = params.max_tokens

    def reached(self, token: TokenId) -> FinishReason | None:
        """Return why the reply ends with token, or None.

        The wall comes last: a reply whose last allowed token also stops it says `stop`.
        """
        self._left = left = self._left - 1
        piece = self._transcript.plain.get(token)
        if piece is None or self._texts_end:
            return self._reached(token, self.written)
        self._transcript.ready = piece  # the usual case: a text, and it is all there is to say
        return None if left else "length"

    @property
    def written(self) -> int:
        """How many tokens there were."""
        return self._max_tokens - self._left

    def _reached(self, token: TokenId, written: int) -> FinishReason | None:
        if token in self._ends and written > self._min_tokens:
            if self._shown:
                self._push(token)
            else:
                self._transcript.skip()
            return "stop"
        if self._push(token, written > self._min_tokens):  # a stop sequence is complete
            return "stop"
        return None if written < self._max_tokens else "length"
