"""What a chat request may ask for: OpenAI's parameters in the order in which the platform checks
them, and extensions.

Source: API reference, Create chat completion; wire checklist 110-142.
Differences from OpenAI: with both given, max_completion_tokens wins over max_tokens; parameters
that change nothing here (service_tier, prediction, verbosity and the like) are accepted; unknown
ones are ignored unless --strict.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from tokenlap.api.body import Body
from tokenlap.api.messages import Lenient, Message, turns
from tokenlap.api.parameters import Generation, Metadata
from tokenlap.api.tools import Function, Tool, tool_turns
from tokenlap.engine.template import Turn
from tokenlap.errors import BadRequest


class StreamOptions(Lenient):
    """What a stream carries beside its text."""

    include_usage: bool | None = None
    include_obfuscation: bool | None = None
    continuous_usage_stats: bool | None = None


class Conversation(Body):
    """What is asked: checked first."""

    model: Annotated[str, Field(min_length=1)]
    messages: Annotated[list[Message], Field(min_length=1)]
    functions: Annotated[list[Function], Field(max_length=128)] | None = None
    function_call: str | dict[str, Any] | None = None
    tools: Annotated[list[Tool], Field(max_length=128)] | None = None
    tool_choice: str | dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    n: Annotated[int, Field(ge=1, le=128)] | None = None


class ChatRequest(Generation, Conversation):
    """The body of POST /v1/chat/completions: Conversation, Generation, then these, in the
    platform's order of checks.
    """

    logprobs: bool | None = None
    top_logprobs: Annotated[int, Field(ge=0, le=20)] | None = None
    response_format: dict[str, Any] | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    store: bool | None = None
    metadata: Metadata | None = None
    service_tier: Literal["auto", "default", "flex", "priority", "scale", "fast"] | None = None
    reasoning_effort: str | None = None
    verbosity: str | None = None
    prediction: dict[str, Any] | None = None
    modalities: list[str] | None = None
    audio: dict[str, Any] | None = None
    web_search_options: dict[str, Any] | None = None
    moderation: dict[str, Any] | None = None
    safety_identifier: Annotated[str, Field(max_length=64)] | None = None
    prompt_cache_key: str | None = None
    prompt_cache_retention: str | None = None
    prompt_cache_options: dict[str, Any] | None = None
    continue_final_message: bool | None = None
    add_generation_prompt: bool | None = None

    @property
    def cap(self) -> int | None:
        """The length wall that was asked for, in tokens; None leaves it to the model."""
        return self.max_completion_tokens or self.max_tokens

    @property
    def scored(self) -> int | None:
        """How many candidates to score per token, None for no logprobs."""
        return (self.top_logprobs or 0) if self.logprobs else None

    @property
    def include_usage(self) -> bool:
        """Whether a stream ends with a usage chunk."""
        return bool(self.stream_options and self.stream_options.include_usage)

    def check(self) -> None:
        """Raise BadRequest for parameters that are right one by one and wrong together."""
        if self.top_logprobs is not None and not self.logprobs:
            raise _only_with("top_logprobs", "'logprobs' is enabled")
        if self.stream_options is not None and not self.stream:
            raise _only_with("stream_options", "'stream' is enabled")
        for name in ("tool_choice", "parallel_tool_calls"):
            if getattr(self, name) is not None and not self.tools:
                only = f"'{name}' is only allowed when 'tools' are specified."
                raise BadRequest(f"Invalid value for '{name}': {only}", name)

    def document(self) -> tuple[list[Turn], Turn | None]:
        """Return the closed turns of the conversation and the one that the reply continues."""
        offered = [
            *(self.functions or ()),
            *(tool.function for tool in self.tools or () if tool.function),
        ]
        written = [*tool_turns(offered), *turns(self.messages)]
        if self.continue_final_message and self.messages[-1].role == "assistant":
            return written[:-1], written[-1]
        return written, Turn("assistant", "")


def _only_with(name: str, condition: str) -> BadRequest:
    return BadRequest(f"The '{name}' parameter is only allowed when {condition}.", name)
