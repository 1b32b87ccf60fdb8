"""From the items of a conversation to the document that the model continues: the turns of the same
chat.
"""

from base64 import b64decode
from collections.abc import Iterable, Sequence

from tokenlap.api.messages import PART_TOKENS, FunctionCall, Message, Part, PastToolCall, turns
from tokenlap.api.responses.chunks import Json
from tokenlap.engine.template import Turn, render
from tokenlap.engine.tokenizer import Tokenizer
from tokenlap.errors import BadRequest

_CHAT_PARTS = {
    "input_text": "text",
    "output_text": "text",
    "summary_text": "text",
    "input_image": "image_url",
    "computer_screenshot": "image_url",
    "input_file": "file",
}
"""What the parts of an item are called in a chat message."""


def item_turns(items: Iterable[Json]) -> list[Turn]:
    """Return the turns that items stand for; those of hosted tools are none."""
    written: list[Turn] = []
    for item in items:
        if item["type"] == "reasoning":
            thought = _thought(item)
            written += [Turn("assistant reasoning", thought)] if thought else []
        else:
            written += turns(messages([item]))
    return written


def other_tokens(items: Iterable[Json]) -> int:
    """Return the rough count of the parts that are no text, as in a chat."""
    contents = (item.get("content") or item.get("output") for item in items)
    lists = (content for content in contents if isinstance(content, list))
    return sum(PART_TOKENS.get(part.get("type", ""), 0) for content in lists for part in content)


def messages(items: Iterable[Json]) -> list[Message]:
    """Return the chat messages that items stand for, reasoning left out."""
    return [message for item in items for message in _messages(item)]


def _messages(item: Json) -> Sequence[Message]:
    # Built without validation: an item has passed its own, and stored ones passed it long ago.
    new = Message.model_construct
    match item["type"]:
        case "message":
            return [new(role=item["role"], content=_content(item["content"]))]
        case "function_call":
            return [new(role="assistant", tool_calls=[_call(item, item["arguments"])])]
        case "custom_tool_call":
            return [new(role="assistant", tool_calls=[_call(item, item["input"])])]
        case "function_call_output" | "custom_tool_call_output":
            output = item["output"]
            parts = [{"type": "input_text", "text": output}] if isinstance(output, str) else output
            return [new(role="tool", content=_content(parts), tool_call_id=item["call_id"])]
        case _:
            return []


def _content(parts: Iterable[Json]) -> list[Part]:
    return [
        Part.model_construct(**{**part, "type": _CHAT_PARTS.get(part["type"], part["type"])})
        for part in parts
    ]


def _call(item: Json, arguments: str) -> PastToolCall:
    function = FunctionCall.model_construct(name=item["name"], arguments=arguments)
    return PastToolCall.model_construct(id=item["call_id"], function=function)


def _thought(item: Json) -> str:
    """Return the text of a reasoning item: what it says, else what we encoded for the client."""
    parts = [*(item.get("content") or ()), *item["summary"]]
    text = "".join(str(part.get("text", "")) for part in parts)
    if text or not item.get("encrypted_content"):
        return text
    try:
        return b64decode(item["encrypted_content"], validate=True).decode()
    except ValueError:
        return ""  # another server's


def fitting(
    front: Sequence[Turn], turns: Sequence[Turn], tokenizer: Tokenizer, room: int
) -> list[Turn]:
    """Return the last turns that fit beside those in front, at least one. room: in tokens."""
    left = room - len(render(front, tokenizer))
    kept: list[Turn] = []
    for turn in reversed(turns):
        left -= len(render([turn], tokenizer, None))
        if left < 0 and kept:
            break
        kept.append(turn)
    return kept[::-1]


def check_json(format: Json | None, items: Iterable[Json]) -> None:
    """Raise BadRequest for a json_object that the input does not speak of; instructions do not
    count.
    """
    if format is None or format["type"] != "json_object":
        return
    if not any("json" in message.text.lower() for message in messages(items)):
        raise BadRequest(
            "Response input messages must contain the word 'json' in some form to use "
            "'text.format' of type 'json_object'.",
            "input",
        )


def check_calls(items: Iterable[Json]) -> None:
    """Raise BadRequest for an output without its call, and for a call without its output.

    The texts are the platform's, recorded; param is `input`.
    """
    waiting: dict[str, str] = {}
    called: set[str] = set()
    for item in items:
        kind, _, output = item["type"].partition("_call")
        if kind not in ("function", "custom_tool"):
            continue
        name = kind.replace("_", " ")
        call_id = item["call_id"]
        if not output:
            called.add(call_id)
            waiting[call_id] = name
        elif call_id not in called:
            text = f"No tool call found for {name} call output with call_id {call_id}."
            raise BadRequest(text, "input")
        else:
            waiting.pop(call_id, None)
    for call_id, name in waiting.items():
        raise BadRequest(f"No tool output found for {name} call {call_id}.", "input")
