"""Fold the events of one choice into the choice of a blocking answer: what a client gets that adds
up the deltas.
"""

from collections.abc import Iterable
from typing import Any

from tokenlap.api.chat.chunks import OpenedCall, Said
from tokenlap.api.logprobs import entries, trace
from tokenlap.engine.event import Arguments, Finish, LapTrace, Score, Text
from tokenlap.engine.tokenizer import Tokenizer


def folded(
    choice: int, events: Iterable[Said], tokenizer: Tokenizer, scored: bool
) -> dict[str, Any]:
    """Return the choice that events add up to. scored: logprobs were asked for."""
    texts: dict[str, list[str]] = {}
    scores: dict[str, list[Score]] = {"content": [], "refusal": []}
    calls: list[OpenedCall] = []
    arguments: dict[int, list[str]] = {}
    laps: list[LapTrace] = []
    reason: str = ""
    for event in events:
        laps += event.laps
        match event:
            case Text():
                texts.setdefault(event.channel, []).append(event.text)
                scores.setdefault(event.channel, []).extend(event.scores)
            case OpenedCall():
                calls.append(event)
            case Arguments():
                arguments.setdefault(event.index, []).append(event.text)
            case Finish():
                reason = event.reason
    message = _message(
        {channel: "".join(parts) for channel, parts in texts.items()}, calls, arguments
    )
    logprobs = _logprobs(tokenizer, scores, "refusal" in texts) if scored else None
    body = {"index": choice, "message": message, "logprobs": logprobs, "finish_reason": reason}
    return {**body, "tokenlap": trace(tokenizer, laps)} if laps else body


def _message(
    texts: dict[str, str], calls: list[OpenedCall], arguments: dict[int, list[str]]
) -> dict[str, Any]:
    """Return the assistant's message: content is null beside a refusal or tool calls without
    text.
    """
    content = texts.get("content", None if calls or "refusal" in texts else "")
    message: dict[str, Any] = {
        "role": "assistant",
        "content": content,
        "refusal": texts.get("refusal"),
        "annotations": [],
    }
    if "reasoning" in texts:
        message |= {"reasoning_content": texts["reasoning"], "reasoning": texts["reasoning"]}
    if calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": "".join(arguments.get(call.index, ())),
                },
            }
            for call in calls
        ]
    return message


def _logprobs(
    tokenizer: Tokenizer, scores: dict[str, list[Score]], refused: bool
) -> dict[str, Any]:
    if refused:
        return {"content": None, "refusal": entries(tokenizer, scores["refusal"])}
    return {"content": entries(tokenizer, scores["content"]), "refusal": None}
