"""The items of an input, as clients send them: messages, calls and their outputs, reasoning,
references.

Source: API reference, Create a model response, `input`; wire checklist 194; the complaints about
parts and roles are recorded ones. Differences from OpenAI: items of hosted tools are accepted and
kept, but the model does not see them; audio, images and files are counted roughly.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    BeforeValidator,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from tokenlap.api.body import Lenient
from tokenlap.api.complaints import complaint, wrong_kind, wrong_part
from tokenlap.api.responses.chunks import Json
from tokenlap.api.wording import absent, unsupported, wrong_type

PartType = Literal[
    "input_text",
    "input_image",
    "input_audio",
    "output_text",
    "refusal",
    "input_file",
    "computer_screenshot",
    "summary_text",
    "encrypted_content",
]
_TEXTS = ("input_text", "output_text", "summary_text")
_SAID = ("output_text", "refusal")
"""The parts that an assistant's message may have."""


class Part(Lenient):
    """One part of a content array; what a type brings along is kept as it is."""

    opaque: ClassVar[bool] = True

    type: PartType
    text: str | None = None
    refusal: str | None = None

    @model_validator(mode="after")
    def _worded(self) -> "Part":
        if self.type in _TEXTS and self.text is None:
            raise wrong_part(absent("text"))
        return self


def _parts(value: Any, info: ValidationInfo) -> Any:
    """Read a text as an array of one part, of the type that its role speaks."""
    if isinstance(value, str):
        said = info.data.get("role") == "assistant"
        return [{"type": "output_text" if said else "input_text", "text": value}]
    if not isinstance(value, list):
        raise wrong_kind("one of a string or array of objects")
    return value


MOST_ITEMS, MOST_PARTS = 4096, 2048
"""The items of an input, the parts of an item: the event loop reads 4096 in 0.1 s."""
Content = Annotated[
    list[Part], Field(max_length=MOST_PARTS, fail_fast=True), BeforeValidator(_parts)
]


class Item(Lenient):
    """What every item has. id: of the stored item it was, where the client knows it."""

    type: str
    id: str | None = None
    status: str | None = None


class MessageItem(Item):
    """A message; `type` may be left out."""

    role: Literal["assistant", "system", "developer", "user"]
    content: Content
    phase: str | None = None

    @model_validator(mode="after")
    def _said(self) -> "MessageItem":
        for i, part in enumerate(self.content if self.role == "assistant" else ()):
            if part.type not in _SAID:
                raise wrong_part(unsupported(f"content[{i}]", part.type, _SAID))
        return self


class CallItem(Item):
    """A call that the model made; arguments is JSON text."""

    call_id: str
    name: str
    arguments: str
    namespace: str | None = None


class CustomCallItem(Item):
    """A call of a custom tool, whose input is free text."""

    call_id: str
    name: str
    input: str


class CallOutputItem(Item):
    """What a call came to."""

    call_id: Annotated[str, Field(min_length=1, max_length=64)]
    output: Content


class ReasoningItem(Item):
    """The thinking before an answer, as a summary, as text or as what we called encrypted."""

    opaque: ClassVar[bool] = True

    summary: Annotated[list[dict[str, Any]], Field(fail_fast=True)]
    content: Annotated[list[dict[str, Any]], Field(fail_fast=True)] | None = None
    encrypted_content: str | None = None


class ReferenceItem(Item):
    """A stored item, by its id."""

    id: str


class HostedItem(Item):
    """An item of a tool that the platform hosts; kept as it is."""

    opaque: ClassVar[bool] = True


_HOSTED = (
    "additional_tools apply_patch_call apply_patch_call_output code_interpreter_call compaction "
    "compaction_trigger computer_call computer_call_output file_search_call image_generation_call "
    "local_shell_call local_shell_call_output mcp_approval_request mcp_approval_response mcp_call "
    "mcp_list_tools program program_output shell_call shell_call_output tool_search_call "
    "tool_search_output web_search_call"
)
_ITEMS: dict[str, type[Item]] = {
    "message": MessageItem,
    "function_call": CallItem,
    "function_call_output": CallOutputItem,
    "custom_tool_call": CustomCallItem,
    "custom_tool_call_output": CallOutputItem,
    "reasoning": ReasoningItem,
    "item_reference": ReferenceItem,
    **dict.fromkeys(_HOSTED.split(), HostedItem),
}


def _item(value: Any) -> Item:
    """Read an item as what its type says; a complaint is about its place in the input."""
    if not isinstance(value, dict):
        raise wrong_kind("an object")
    kind = value.get("type") or ("message" if "role" in value or "id" not in value else _REFERENCE)
    if not isinstance(kind, str):
        raise wrong_part(wrong_type("type", "a string", kind))
    if kind not in _ITEMS:
        raise wrong_part(unsupported("type", kind, sorted(_ITEMS)))
    try:
        return _ITEMS[kind].model_validate({**value, "type": kind})
    except ValidationError as invalid:
        raise wrong_part(complaint(invalid)) from None


_REFERENCE = "item_reference"


def _items(value: Any) -> Any:
    """Read a text as an array of one message of the user."""
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    if not isinstance(value, list):
        raise wrong_kind("one of a string or array of input items")
    return value


Input = Annotated[
    list[Annotated[Item, PlainValidator(_item, json_schema_input_type=dict[str, Any])]],
    Field(max_length=MOST_ITEMS, fail_fast=True),
    BeforeValidator(_items, json_schema_input_type=str | list[dict[str, Any]]),
]


def resource(item: Item, id: str) -> Json:
    """Return an item as it is stored and listed: with an id, a status, and its content as parts."""
    sent = item.model_dump(exclude_none=True)
    match item:
        case MessageItem():
            return {
                "id": id,
                "type": "message",
                "status": "completed",
                "role": item.role,
                "content": [_stored(part) for part in sent["content"]],
            }
        case CallOutputItem():
            parts = [_stored(part) for part in sent["output"]]
            plain = len(parts) == 1 and parts[0]["type"] == "input_text"
            output = parts[0]["text"] if plain else parts
            return {**sent, "id": id, "status": "completed", "output": output}
        case CallItem() | CustomCallItem():
            return {"status": "completed", **sent, "id": id}
        case _:
            return {**sent, "id": id}


def _stored(part: Json) -> Json:
    """Return a part with all that the document demands of its type."""
    match part["type"]:
        case "output_text":
            return {"annotations": [], "logprobs": [], **part}
        case "input_image":
            return {"detail": "auto", **part}
        case _:
            return part
