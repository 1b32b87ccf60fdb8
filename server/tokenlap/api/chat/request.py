"""What a chat request may ask for: OpenAI's parameters in the order in which the platform checks
them, and extensions.

Source: API reference, Create chat completion; wire checklist 110-142.
Differences from OpenAI: with both given, max_completion_tokens wins over max_tokens; parameters
that change nothing here (service_tier, prediction, verbosity and the like) are accepted; unknown
ones are ignored unless --strict.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from tokenlap.api.body import Body, Lenient, ModelName
from tokenlap.api.chat.callform import PLAIN, CallForm
from tokenlap.api.formats import Structured, one_format
from tokenlap.api.messages import MOST, Message, check_calls, check_parts, turns
from tokenlap.api.parameters import Generation, Metadata
from tokenlap.api.plan.asked import (
    Asked,
    check_choice,
    choice_of,
    effort_of,
    functions,
    offers,
    plain,
    streamable,
)
from tokenlap.api.shapes import FunctionCallChoice, ResponseFormat, ToolChoice
from tokenlap.api.tools import Function, Tool, tool_turns
from tokenlap.engine.template import ANSWERING, Turn
from tokenlap.errors import BadRequest

ServiceTier = Literal["auto", "default", "fast", "flex", "priority", "scale"]
ORDER = (
    "model messages functions function_call tools tool_choice parallel_tool_calls "
    "max_completion_tokens n temperature top_p presence_penalty frequency_penalty logprobs "
    "top_logprobs user seed safety_identifier prompt_cache_options prompt_cache_key "
    "prompt_cache_retention service_tier max_tokens logit_bias stop response_format stream "
    "stream_options store metadata prediction verbosity reasoning_effort"
)


_SHAPING = frozenset(
    {
        *Structured.model_fields,
        *("tools", "tool_choice", "functions", "function_call", "parallel_tool_calls"),
        *("response_format", "reasoning_effort"),
    }
)
"""The parameters that shape a reply beside its messages: what `asked` reads."""


class StreamOptions(Lenient):
    """What a stream carries beside its text."""

    extensions: ClassVar[frozenset[str]] = frozenset({"continuous_usage_stats"})

    include_usage: bool | None = None
    include_obfuscation: bool | None = None
    continuous_usage_stats: bool | None = None


class Conversation(Body):
    """What is asked."""

    model: ModelName
    messages: Annotated[list[Message], Field(min_length=1, max_length=MOST, fail_fast=True)]
    functions: Annotated[list[Function], Field(max_length=128, fail_fast=True)] | None = None
    function_call: FunctionCallChoice = None
    tools: Annotated[list[Tool], Field(max_length=128, fail_fast=True)] | None = None
    tool_choice: ToolChoice = None
    parallel_tool_calls: bool | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    n: Annotated[int, Field(ge=1, le=128)] | None = None


class ChatRequest(Generation, Structured, Conversation):
    """The body of POST /v1/chat/completions: Conversation, Generation, then these."""

    order: ClassVar[tuple[str, ...]] = tuple(ORDER.split())
    extensions: ClassVar[frozenset[str]] = (
        Generation.extensions
        | Structured.extensions
        | {"continue_final_message", "add_generation_prompt"}
    )

    logprobs: bool | None = None
    top_logprobs: Annotated[int, Field(ge=0, le=20)] | None = None
    response_format: ResponseFormat = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    store: bool | None = None
    metadata: Metadata | None = None
    service_tier: ServiceTier | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = (
        None
    )
    verbosity: Literal["low", "medium", "high"] | None = None
    prediction: dict[str, Any] | None = None
    modalities: Annotated[list[str], Field(fail_fast=True)] | None = None
    audio: dict[str, Any] | None = None
    web_search_options: dict[str, Any] | None = None
    moderation: dict[str, Any] | None = None
    safety_identifier: Annotated[str, Field(max_length=64)] | None = None
    prompt_cache_key: str | None = None
    prompt_cache_retention: Literal["in_memory", "24h"] | None = None
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

    @property
    def tier(self) -> str:
        """The service tier that an answer reports: the one that was used, not the one asked for."""
        used = {"flex": "flex", "priority": "priority", "fast": "priority"}
        return used.get(self.service_tier or "default", "default")

    def check(self, strict: bool = False) -> None:
        """Raise BadRequest for parameters that are right one by one and wrong together."""
        check_parts(self.messages, strict)
        if self.top_logprobs is not None and not self.logprobs:
            raise _only_with("top_logprobs", "'logprobs' is enabled")
        if self.stream_options is not None and not self.stream:
            raise _only_with("stream_options", "'stream' is enabled")
        for name in ("tool_choice", "parallel_tool_calls"):
            if getattr(self, name) is not None and not self.tools:
                raise _only_beside(name, "tools")
        if self.function_call is not None and not self.functions:
            raise _only_beside("function_call", "functions")
        check_calls(self.messages)
        if self.response_format is not None:
            self._check_json(self.response_format)

    def given_tools(self) -> list[dict[str, Any]]:
        """Return the tools as they were sent."""
        return [tool.model_dump(exclude_none=True) for tool in self.tools or ()]

    def asked(self) -> Asked:
        """Return what shapes the reply, in the form that all endpoints share.

        Raises BadRequest for a choice of a tool that is not offered, and for two formats at once.
        """
        if _SHAPING.isdisjoint(self.model_fields_set):
            return plain(self.model)  # the usual case (measured: 7 us less)
        older = self.functions is not None and not self.tools
        written = [function.model_dump(exclude_none=True) for function in self.functions or ()]
        tools = functions(written) if older else offers(self.given_tools())
        choice = choice_of(self.function_call if older else self.tool_choice)
        param = "function_call" if older else "tool_choice"
        check_choice(choice, tools, param)
        return Asked(
            tools=streamable(tools, choice) if self.stream else tools,
            choice=choice,
            parallel=self.parallel_tool_calls is not False and not older,
            format=one_format(self.response_format, self),
            effort=effort_of(self.model, self.reasoning_effort),
        )

    def call_form(self, *, alone: bool) -> CallForm:
        """Return how calls are spelled on the wire. alone: the reply makes one."""
        if not self.tools and self.functions is None:
            return PLAIN
        custom = (tool.custom.name for tool in self.tools or () if tool.custom)
        return CallForm(self.functions is not None and not self.tools, frozenset(custom), alone)

    def _check_json(self, response_format: Mapping[str, Any]) -> None:
        """Raise BadRequest for a json_object that the conversation does not speak of."""
        if response_format["type"] != "json_object":
            return
        if not any("json" in message.text.lower() for message in self.messages):
            raise BadRequest(
                "'messages' must contain the word 'json' in some form, to use 'response_format' of "
                "type 'json_object'.",
                "messages",
            )

    def document(self) -> tuple[list[Turn], Turn | None]:
        """Return the closed turns of the conversation and the one that the reply continues."""
        offered = [
            *(self.functions or ()),
            *(tool.function for tool in self.tools or () if tool.function),
        ]
        written = [*tool_turns(offered), *turns(self.messages)]
        if self.continue_final_message and self.messages[-1].role == "assistant":
            return written[:-1], written[-1]
        return written, ANSWERING


def _only_beside(name: str, other: str) -> BadRequest:
    only = f"'{name}' is only allowed when '{other}' are specified."
    return BadRequest(f"Invalid value for '{name}': {only}", name)


def _only_with(name: str, condition: str) -> BadRequest:
    return BadRequest(f"The '{name}' parameter is only allowed when {condition}.", name)
