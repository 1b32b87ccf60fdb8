"""Fold the events of one choice into the choice of a blocking answer: what a client gets that adds
up the deltas.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from tokenlap.api.chat.callform import PLAIN, CallForm
from tokenlap.api.chat.chunks import ChatEvent, Kind, OpenedCall, Opening
from tokenlap.api.logprobs import entries, trace
from tokenlap.engine.event import Arguments, Finish, LapTrace, Score, Text
from tokenlap.engine.tokenizer import Tokenizer


def folded(
    choice: int,
    events: Iterable[ChatEvent],
    tokenizer: Tokenizer,
    scored: bool,
    form: CallForm = PLAIN,
) -> dict[str, Any]:
    """Return the choice that events add up to. scored: logprobs were asked for."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    scores: dict[str, list[Score]] = {"content": [], "refusal": []}
    calls: list[OpenedCall] = []
    arguments: dict[int, list[str]] = {}
    laps: list[LapTrace] = []
    kind: Kind = "content"
    reason: str = ""
    for event in events:
        match event:
            case tuple():
                texts["content"] += [plain.text for plain in event]
                continue
            case Opening():
                kind = event.kind
                if event.call is None:
                    continue
                event = event.call
                calls.append(event)
            case Finish():
                reason = form.reason(event.reason)
            case Text():
                texts[event.channel].append(event.text)
                scores.setdefault(event.channel, []).extend(event.scores)
            case OpenedCall():
                calls.append(event)
            case Arguments():
                arguments.setdefault(event.index, []).append(event.text)
        laps += event.laps
    joined = {channel: "".join(parts) for channel, parts in texts.items()}
    message = _message(joined, kind) | form.message(calls, arguments)
    logprobs = _logprobs(tokenizer, scores, kind, texts.keys()) if scored else None
    body = {"index": choice, "message": message, "logprobs": logprobs, "finish_reason": reason}
    return {**body, "tokenlap": trace(tokenizer, laps)} if laps else body


def _message(texts: dict[str, str], kind: Kind) -> dict[str, Any]:
    """Return the assistant's message without its calls; a reply that opened with neither text nor
    refusal and has said none has null for both, as the deltas of its stream add up to.
    """
    content = texts.get("content", "" if kind == "content" else None)
    message: dict[str, Any] = {
        "role": "assistant",
        "content": content,
        "refusal": texts.get("refusal"),
        "annotations": [],
    }
    if "reasoning" in texts:
        message |= {"reasoning_content": texts["reasoning"], "reasoning": texts["reasoning"]}
    return message


def _logprobs(
    tokenizer: Tokenizer, scores: dict[str, list[Score]], kind: Kind, said: Collection[str]
) -> dict[str, Any]:
    """Return both lists, null for a refusal without one and for the content of a mere refusal."""
    refused, answered = "refusal" in said, "content" in said or kind != "refusal"
    return {
        "content": entries(tokenizer, scores["content"]) if answered else None,
        "refusal": entries(tokenizer, scores["refusal"]) if refused else None,
    }
