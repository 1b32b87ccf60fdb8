"""What a completion request may ask for: a text to go on with, and how.

Source: API reference, Create completion; wire checklist 172-184.
Differences from OpenAI: `suffix` is accepted and changes nothing, since no model here inserts; an
absent or empty prompt is an empty document, not an end token; chat models are served here too,
unless --strict.
"""

import re
from typing import Annotated

from pydantic import Field

from tokenlap.api.body import Body, ModelName
from tokenlap.api.chat.request import StreamOptions
from tokenlap.api.parameters import Generation
from tokenlap.api.texts import Prompts
from tokenlap.errors import BadRequest, NotFound

DEFAULT_MAX_TOKENS = 16
MAX_CHOICES = 128
"""How many texts one request may have written: prompts times the larger of n and best_of."""
NO_CHAT = (
    "This is a chat model and not supported in the v1/completions endpoint. "
    "Did you mean to use v1/chat/completions?"
)
_CHAT_MODEL = re.compile(r"(ft:)?(gpt-[4-9]|gpt-3\.5-turbo(?!-instruct)|chatgpt-|o\d(-|$))")


class Continuation(Body):
    """What is asked: checked first."""

    model: ModelName
    prompt: Prompts = [""]  # noqa: RUF012 # pydantic copies defaults
    suffix: str | None = None
    max_tokens: Annotated[int, Field(ge=0)] | None = None
    n: Annotated[int, Field(ge=1, le=128)] | None = None
    best_of: Annotated[int, Field(ge=0, le=20)] | None = None


class CompletionRequest(Generation, Continuation):
    """The body of POST /v1/completions: Continuation, Generation, then these."""

    logprobs: Annotated[int, Field(ge=0, le=5)] | None = None
    echo: bool | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None

    @property
    def cap(self) -> int:
        """The length wall, in tokens."""
        return DEFAULT_MAX_TOKENS if self.max_tokens is None else self.max_tokens

    @property
    def candidates(self) -> int:
        """How many texts are written for each prompt, of which n are shown."""
        return max(self.n or 1, self.best_of or 1)

    @property
    def selects(self) -> bool:
        """Whether some candidates are not shown."""
        return self.candidates > (self.n or 1)

    @property
    def scored(self) -> int | None:
        """How many candidates to score per token, None for no logprobs: best_of needs them too."""
        return 0 if self.logprobs is None and self.selects else self.logprobs

    @property
    def include_usage(self) -> bool:
        """Whether a stream ends with a usage chunk."""
        return bool(self.stream_options and self.stream_options.include_usage)

    def check(self, strict: bool = False) -> None:
        """Raise BadRequest for parameters that are right one by one and wrong together; with strict
        NotFound for a chat model.
        """
        if strict and _CHAT_MODEL.match(self.model):
            raise NotFound(NO_CHAT, "model")
        if self.stream_options is not None and not self.stream:
            only = "is only allowed when 'stream' is enabled"
            raise BadRequest(f"The 'stream_options' parameter {only}.", "stream_options")
        if self.best_of is not None and self.best_of < (self.n or 1):
            raise BadRequest(
                f"Invalid 'best_of': expected at least 'n' ({self.n or 1}), but got {self.best_of} "
                "instead. best_of texts are written, and the n best of them returned.",
                "best_of",
                "invalid_value",
            )
        if self.stream and self.selects:
            raise BadRequest(
                "Results cannot be streamed when 'best_of' is greater than 'n': the best are known "
                "only at the end. Use stream: false, or best_of equal to n.",
                "best_of",
            )
        self._check_number()

    def _check_number(self) -> None:
        asked = len(self.prompt) * self.candidates
        if asked > MAX_CHOICES:
            raise BadRequest(
                f"Too many parallel completions requested: {len(self.prompt)} prompts with "
                f"{self.candidates} each are {asked}, but one request may have at most "
                f"{MAX_CHOICES}. Send smaller batches.",
                "prompt",
                "too_many_completions",
            )
