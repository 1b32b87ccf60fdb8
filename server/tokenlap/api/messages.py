"""Chat messages as clients send them, and the turns of the document they become.

Differences from OpenAI: parts that are no text (images, audio, files) are accepted, counted roughly
and not looked at.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo

from tokenlap.api.complaints import named, wrong
from tokenlap.engine.template import Turn

Role = Literal["system", "assistant", "user", "function", "tool", "developer"]
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


class Lenient(BaseModel):
    """A nested object: strict types, unknown keys ignored."""

    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False, frozen=True)


class Part(Lenient):
    """One part of a content array; what the type brings along is kept as it is."""

    model_config = ConfigDict(strict=True, extra="allow", allow_inf_nan=False, frozen=True)

    type: str
    text: str | None = None
    refusal: str | None = None


def _parts(value: Any, info: ValidationInfo) -> Any:
    """Read a text as an array of one part."""
    if isinstance(value, str):
        return [{"type": "text", "text": value}]
    if value is None or isinstance(value, list):
        return value
    expected = "expected one of a string or array of objects"
    message = f"Invalid type for '{info.field_name}': {expected}, but got {named(value)} instead."
    raise wrong(message, "invalid_type")


Content = Annotated[list[Part], BeforeValidator(_parts)]


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

    role: Role
    content: Content | None = None
    name: str | None = None
    refusal: str | None = None
    tool_calls: list[PastToolCall] | None = None
    function_call: FunctionCall | None = None
    tool_call_id: str | None = None
    reasoning_content: str | None = Field(
        None, description="the thinking of a past turn, as engines send it"
    )

    @property
    def text(self) -> str:
        """The text parts in order, as one text."""
        return "".join(part.text or part.refusal or "" for part in self.content or ())

    @property
    def other_tokens(self) -> int:
        """The rough count of the parts that are no text."""
        return sum(PART_TOKENS.get(part.type, 0) for part in self.content or ())


def turns(messages: Sequence[Message]) -> list[Turn]:
    """Return the turns that messages stand for; a call in a past turn is written as its name and
    arguments.
    """
    written: list[Turn] = []
    for message in messages:
        if message.reasoning_content:
            written.append(Turn("assistant reasoning", message.reasoning_content))
        header = f"{message.role} {message.name}" if message.name else message.role
        body = message.text or message.refusal or ""
        if body or not (message.tool_calls or message.function_call):
            written.append(Turn(header, body))
        written += [Turn(f"assistant to={name}", arguments) for name, arguments in _calls(message)]
    return written


def _calls(message: Message) -> list[tuple[str, str]]:
    calls = [message.function_call] if message.function_call else []
    calls += [call.function for call in message.tool_calls or () if call.function]
    return [(call.name, call.arguments) for call in calls]
