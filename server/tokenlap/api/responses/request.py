"""What a responses request may ask for, and what its response says of it.

Source: API reference, Create a model response; wire checklist 186-199.
Differences from OpenAI: `seed`, `stop`, `logit_bias` and the penalties are accepted as in a chat
request, unless --strict; there are no stored prompts and no conversation objects, so each of their
ids is unknown.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from tokenlap.api.body import Body, Lenient, ModelName
from tokenlap.api.capability import REASONING
from tokenlap.api.complaints import wrong_kind
from tokenlap.api.formats import format_of
from tokenlap.api.parameters import Generation, Metadata
from tokenlap.api.plan.asked import Asked as Shaping
from tokenlap.api.plan.asked import choice_of, effort_of, offers
from tokenlap.api.responses.chunks import Json
from tokenlap.api.responses.items import Input
from tokenlap.api.responses.tools import (
    TextParam,
    ToolChoice,
    Tools,
    chat_choice,
    chat_format,
    check_choice,
)
from tokenlap.api.tools import Function, tool_turns
from tokenlap.api.wording import absent, unknown
from tokenlap.engine.template import Turn
from tokenlap.errors import BadRequest, NotFound

LOGPROBS = "message.output_text.logprobs"
ENCRYPTED = "reasoning.encrypted_content"
Include = Literal[
    "code_interpreter_call.outputs",
    "computer_call_output.output.image_url",
    "file_search_call.results",
    "message.input_image.image_url",
    "message.output_text.logprobs",
    "reasoning.encrypted_content",
    "web_search_call.action.sources",
    "web_search_call.results",
]


class ResponseStreamOptions(Lenient):
    """What a stream carries beside its events: there is no usage to include, it is always there."""

    include_obfuscation: bool | None = None


class Reasoning(Lenient):
    """How much to think, and whether the thinking is told."""

    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = None
    summary: Literal["auto", "concise", "detailed"] | None = None
    generate_summary: Literal["auto", "concise", "detailed"] | None = None
    mode: str | None = None
    context: str | None = None


def _conversation(value: Any) -> Any:
    if not isinstance(value, str | dict | None):
        raise wrong_kind("one of a string or object")
    return value


Conversation = Annotated[
    Any, BeforeValidator(_conversation, json_schema_input_type=str | dict[str, Any] | None)
]


class Asked(Body):
    """What is asked."""

    model: ModelName
    input: Input | None = None
    instructions: str | None = None
    previous_response_id: str | None = None
    conversation: Conversation = None
    prompt: dict[str, Any] | None = None
    tools: Tools | None = None
    tool_choice: ToolChoice = None
    parallel_tool_calls: bool | None = None
    max_tool_calls: Annotated[int, Field(ge=1)] | None = None
    max_output_tokens: Annotated[int, Field(ge=16)] | None = None


class ResponseRequest(Generation, Asked):
    """The body of POST /v1/responses: Asked, Generation, then these."""

    extensions: ClassVar[frozenset[str]] = Generation.extensions | {
        "frequency_penalty",
        "presence_penalty",
        "seed",
        "logit_bias",
        "stop",
    }

    top_logprobs: Annotated[int, Field(ge=0, le=20)] | None = None
    include: Annotated[list[Include], Field(max_length=64, fail_fast=True)] | None = None
    reasoning: Reasoning | None = None
    text: TextParam | None = None
    truncation: Literal["auto", "disabled"] | None = None
    service_tier: Literal["auto", "default", "fast", "flex", "priority", "scale"] | None = None
    stream: bool | None = None
    stream_options: ResponseStreamOptions | None = None
    background: bool | None = None
    store: bool | None = None
    metadata: Metadata | None = None
    safety_identifier: Annotated[str, Field(max_length=64)] | None = None
    prompt_cache_key: Annotated[str, Field(max_length=64)] | None = None
    prompt_cache_retention: Literal["in_memory", "24h"] | None = None
    prompt_cache_options: dict[str, Any] | None = None
    moderation: dict[str, Any] | None = None
    context_management: Annotated[list[dict[str, Any]], Field(fail_fast=True)] | None = None

    @property
    def scored(self) -> int | None:
        """How many candidates to score per token, None for no logprobs."""
        return (self.top_logprobs or 0) if LOGPROBS in (self.include or ()) else None

    @property
    def stored(self) -> bool:
        """Whether the response can be retrieved later."""
        return self.store is not False

    @property
    def format(self) -> Json | None:
        """What text.format asks for."""
        return self.text.format if self.text else None

    @property
    def summarised(self) -> bool:
        """Whether reasoning is shown."""
        return bool(self.reasoning and (self.reasoning.summary or self.reasoning.generate_summary))

    @property
    def encrypted(self) -> bool:
        """Whether reasoning comes along for the client to send back."""
        return ENCRYPTED in (self.include or ())

    @property
    def custom_tools(self) -> frozenset[str]:
        """The names of the tools whose input is free text."""
        return frozenset(tool.name or "" for tool in self.tools or () if tool.type == "custom")

    def shaping(self) -> Shaping:
        """Return what shapes the reply, in the form that all endpoints share."""
        effort = self.reasoning.effort if self.reasoning else None
        return Shaping(
            tools=offers([tool.chat() for tool in self.tools or ()], flat=True),
            choice=choice_of(chat_choice(self.tool_choice)),
            parallel=self.parallel_tool_calls is not False,
            format=format_of(chat_format(self.format), "text.format.schema"),
            effort=effort_of(self.model, effort),
        )

    def front(self) -> list[Turn]:
        """Return the turns before the conversation: the tools, then the instructions."""
        functions = [
            Function.model_construct(
                name=tool.name or "", description=tool.description, parameters=tool.parameters
            )
            for tool in self.tools or ()
            if tool.type == "function"
        ]
        said = [] if self.instructions is None else [Turn("system", self.instructions)]
        return [*tool_turns(functions), *said]

    def check(self) -> None:
        """Raise BadRequest for parameters that are right one by one and wrong together."""
        if self.input is None and self.previous_response_id is None and self.prompt is None:
            raise absent("input")
        if self.stream_options is not None:
            if "include_usage" in (self.stream_options.model_extra or ()):
                raise unknown("stream_options.include_usage")
            if not self.stream:
                only = "only allowed when 'stream' is enabled."
                raise BadRequest(f"The 'stream_options' parameter is {only}", "stream_options")
        if self.background and not self.stored:
            raise BadRequest(
                "Invalid value for 'background': a background response must be stored. "
                "Set 'store' to true, or leave it out.",
                "background",
            )
        check_choice(self.tool_choice, self.tools or ())
        self._check_elsewhere()

    def check_capability(self) -> None:
        """Raise BadRequest for a parameter that a model of this name does not support."""
        effort = self.reasoning.effort if self.reasoning else None
        if effort == "none" or REASONING.match(self.model) is None:
            return
        for name, default in (("temperature", 1), ("top_p", 1), ("top_logprobs", 0)):
            if getattr(self, name) not in (None, default):
                message = f"Unsupported parameter: '{name}' is not supported with this model."
                raise BadRequest(message, name)

    def _check_elsewhere(self) -> None:
        """Raise NotFound for what would be kept by endpoints that there are not."""
        if self.conversation is not None:
            wanted = self.conversation
            id = wanted if isinstance(wanted, str) else wanted.get("id")
            raise NotFound(f"Conversation with id '{id}' not found.", "conversation")
        if self.prompt is not None:
            raise NotFound(f"Prompt with id '{self.prompt.get('id')}' not found.", "prompt")


def new_response(asked: ResponseRequest, id: str, created_at: int) -> Json:
    """Return the Response object before anything is written (API reference, the response object).

    All keys are there but `user` and `usage`, which may not be null.
    """
    reasoning, text = asked.reasoning or Reasoning(), asked.text or TextParam()
    return {
        "id": id,
        "object": "response",
        "created_at": created_at,
        "status": "queued" if asked.background else "in_progress",
        "background": bool(asked.background),
        "completed_at": None,
        "error": None,
        "incomplete_details": None,
        "instructions": asked.instructions,
        "max_output_tokens": asked.max_output_tokens,
        "max_tool_calls": asked.max_tool_calls,
        "model": asked.model,
        "output": [],
        "parallel_tool_calls": asked.parallel_tool_calls is not False,
        "previous_response_id": asked.previous_response_id,
        "prompt_cache_key": asked.prompt_cache_key,
        "prompt_cache_retention": asked.prompt_cache_retention,
        "reasoning": {
            "effort": reasoning.effort,
            "summary": reasoning.summary or reasoning.generate_summary,
        },
        "safety_identifier": asked.safety_identifier,
        "service_tier": asked.service_tier or "auto",
        "store": asked.stored,
        "temperature": 1.0 if asked.temperature is None else asked.temperature,
        "text": {
            "format": asked.format or {"type": "text"},
            "verbosity": text.verbosity or "medium",
        },
        "tool_choice": "auto" if asked.tool_choice is None else asked.tool_choice,
        "tools": [tool.echo() for tool in asked.tools or ()],
        "top_logprobs": asked.top_logprobs or 0,
        "top_p": 1.0 if asked.top_p is None else asked.top_p,
        "truncation": asked.truncation or "disabled",
        "metadata": asked.metadata or {},
        **({} if asked.user is None else {"user": asked.user}),
    }
