"""What stands in the delta of each kind of chunk."""

from typing import Any

from tokenlap.api.chat.chunks import Kind
from tokenlap.engine.event import Text


def role_delta(kind: Kind) -> dict[str, Any]:
    """Return the delta that opens a choice."""
    content, refusal = ("" if kind == "content" else None), ("" if kind == "refusal" else None)
    return {"role": "assistant", "content": content, "refusal": refusal}


def no_scores(kind: Kind) -> dict[str, Any]:
    """Return the logprobs of a choice that opens: [] where scores will follow, null elsewhere."""
    refused = kind == "refusal"
    return {"content": None if refused else [], "refusal": [] if refused else None}


def text_delta(text: Text) -> dict[str, Any]:
    """Return the delta of a text; reasoning under both names that engines use."""
    if text.channel == "reasoning":
        return {"reasoning_content": text.text, "reasoning": text.text}
    return {text.channel: text.text}
