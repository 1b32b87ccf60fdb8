"""Chat messages as clients send them, and the turns of the document they become.

Source: API reference, Create chat completion, `messages`; wire checklist 110-118.
Differences from OpenAI: parts that are no text (images, audio, files) are accepted, counted roughly
and not looked at; so are parts of an unknown type, unless --strict.
"""

from collections.abc import Collection, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from tokenlap.api.body import Lenient
from tokenlap.api.complaints import wrong_kind
from tokenlap.api.wording import absent, short, unsupported
from tokenlap.engine.template import Turn
from tokenlap.errors import BadRequest

Role = Literal["system", "assistant", "user", "function", "tool", "developer"]
PART_TYPES = ("text", "image_url", "input_audio", "refusal", "audio", "file")
PART_TOKENS = {
    "image_url": 85,
    "input_image": 85,
    "input_audio": 100,
    "file": 100,
    "input_file": 100,
}
"""What a part that is no text counts, roughly: a low-detail image is 85 tokens (API guide on
images).
"""
MOST = 2048
"""The messages of a conversation, and the parts of a message, as on the platform."""
_NO_CALL = (
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
    "'tool_calls'."
)
_NO_ID = "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'."
_NO_ANSWER = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. The following tool_call_ids did not have response messages: "
)


class Part(Lenient):
    """One part of a content array; what a type brings along is kept as it is."""

    opaque: ClassVar[bool] = True

    type: str
    text: str | None = None
    refusal: str | None = None


def _parts(value: Any) -> Any:
    """Read a text as an array of one part."""
    if isinstance(value, str):
        return [{"type": "text", "text": value}]
    if not isinstance(value, list | None):
        raise wrong_kind("one of a string or array of objects")
    return value


_Parts = Annotated[list[Part], Field(max_length=MOST, fail_fast=True)]
Content = Annotated[_Parts, BeforeValidator(_parts, json_schema_input_type=str | _Parts)]


class FunctionCall(Lenient):
    """The function that a past assistant turn called; arguments is JSON text."""

    name: str
    arguments: str = ""


class PastToolCall(Lenient):
    """A tool call in a past assistant turn."""

    id: str
    type: str = "function"
    function: FunctionCall | None = None
    custom: dict[str, Any] | None = None


class Message(Lenient):
    """One message of a conversation, of any role."""

    extensions: ClassVar[frozenset[str]] = frozenset({"reasoning_content"})

    role: Role
    content: Content | None = None
    name: str | None = None
    refusal: str | None = None
    tool_calls: (
        Annotated[list[PastToolCall], Field(min_length=1, max_length=MOST, fail_fast=True)] | None
    ) = None
    function_call: FunctionCall | None = None
    tool_call_id: str | None = None
    audio: dict[str, Any] | None = None
    reasoning_content: str | None = Field(
        None, description="the thinking of a past turn, as engines send it"
    )

    @property
    def text(self) -> str:
        """The text parts in order, as one text."""
        return "".join([part.text or part.refusal or "" for part in self.content or ()])

    @property
    def other_tokens(self) -> int:
        """The rough count of the parts that are no text."""
        return sum([PART_TOKENS.get(part.type, 0) for part in self.content or ()])


def turns(messages: Sequence[Message]) -> list[Turn]:
    """Return the turns that messages stand for; a call in a past turn is written as its name and
    arguments. A developer says what a system says.
    """
    written: list[Turn] = []
    for message in messages:
        if message.reasoning_content:
            written.append(Turn("assistant reasoning", message.reasoning_content))
        role = "system" if message.role == "developer" else message.role
        header = f"{role} {message.name}" if message.name else role
        body = message.text or message.refusal or ""
        if body or not (message.tool_calls or message.function_call):
            written.append(Turn(header, body))
        written += [Turn(f"assistant to={name}", arguments) for name, arguments in _calls(message)]
    return written


def check_parts(messages: Sequence[Message], strict: bool) -> None:
    """Raise BadRequest for a text part without text; with strict for a part of an unknown type."""
    for i, message in enumerate(messages):
        for j, part in enumerate(message.content or ()):
            if part.type == "text" and part.text is None:
                raise absent(f"messages[{i}].content[{j}].text")
            if strict and part.type not in PART_TYPES:
                raise unsupported(f"messages[{i}].content[{j}].type", part.type, PART_TYPES)


def check_calls(messages: Sequence[Message]) -> None:
    """Raise BadRequest for a tool message that answers no call, and for a call without an answer.

    The answers follow the assistant's turn directly, in any order. The texts are the platform's,
    and so is the spelling of `param`.
    """
    called: frozenset[str] = frozenset()
    waiting: dict[str, None] = {}
    for i, message in enumerate(messages):
        if message.role == "tool":
            waiting.pop(_answered(message, i, called), None)
            continue
        if waiting:
            raise _unanswered(waiting, i)
        if message.role == "assistant" and message.tool_calls:
            waiting = {call.id: None for call in message.tool_calls}
        called = frozenset(waiting)
    if waiting:
        raise _unanswered(waiting, len(messages) - 1)


def _answered(message: Message, at: int, called: frozenset[str]) -> str:
    """Return the id of the call that a tool message answers, or raise BadRequest."""
    if message.tool_call_id is None:
        raise BadRequest(_NO_ID, f"messages.[{at}].tool_call_id")
    if message.tool_call_id not in called:
        raise BadRequest(_NO_CALL, f"messages.[{at}].role")
    return message.tool_call_id


def _unanswered(waiting: Collection[str], at: int) -> BadRequest:
    return BadRequest(_NO_ANSWER + short(", ".join(waiting), 1000), f"messages.[{at}].role")


def _calls(message: Message) -> list[tuple[str, str]]:
    calls = [message.function_call] if message.function_call else []
    calls += [call.function for call in message.tool_calls or () if call.function]
    return [(call.name, call.arguments) for call in calls]
