"""What the tests of chat share: a client that folds a stream by itself, answers without chance."""

from typing import Any

from tests.support import Json
from tokenlap.engine.predictor import Predictor

Models = dict[str, Predictor[Any]]


def fixed(models: Models) -> dict[str, Any]:
    """The parts of an application in which neither ids nor time tell two answers apart."""
    return {"models": models, "now": lambda: 1790000000.5, "new_id": lambda kind: kind + "0" * 30}


def refolded(chunks: list[Json]) -> Json:
    """The answer that a client puts together from the chunks of a stream."""
    *chunks, last = chunks
    assert last["choices"] == []
    assert all(chunk["usage"] is None and len(chunk["choices"]) == 1 for chunk in chunks)
    common = {key: value for key, value in last.items() if key not in ("choices", "usage")}
    assert all({**chunk, **common} == chunk for chunk in chunks)
    parts: dict[int, list[Json]] = {}
    for chunk in chunks:
        [part] = chunk["choices"]
        parts.setdefault(part["index"], []).append(part)
    assert list(parts) == sorted(parts)
    return {
        **common,
        "object": "chat.completion",
        "choices": [choice(index, parts[index]) for index in parts],
        "usage": last["usage"],
    }


def choice(index: int, parts: list[Json]) -> Json:
    """One choice: texts concatenated, scores, calls and laps appended."""
    *before, last = parts
    assert last["delta"] == {} and last["logprobs"] is None
    assert all(part["finish_reason"] is None for part in before)
    message: Json = {"annotations": []}
    for part in parts:
        for key, value in part["delta"].items():
            if key == "tool_calls":
                call(message.setdefault("tool_calls", []), *value)
            elif key == "function_call":
                whole = message.setdefault(key, {"name": value.get("name"), "arguments": ""})
                whole["arguments"] += value["arguments"]
            elif isinstance(value, str):
                message[key] = (message.get(key) or "") + value
            else:
                message.setdefault(key, value)
    scored = [part["logprobs"] for part in parts if part["logprobs"]]
    laps = [lap for part in parts for lap in part.get("tokenlap", {"laps": []})["laps"]]
    return {
        "index": index,
        "message": message,
        "logprobs": logprobs(scored) if scored else None,
        "finish_reason": last["finish_reason"],
        **({"tokenlap": {"laps": laps}} if laps else {}),
    }


def call(calls: list[Json], fragment: Json) -> None:
    """Add a fragment of a tool call to those so far."""
    index, function = fragment["index"], fragment["function"]
    if index == len(calls):
        opened = {key: value for key, value in fragment.items() if key != "index"}
        calls.append({**opened, "function": {**function}})
    else:
        assert list(fragment) == ["index", "function"]
        calls[index]["function"]["arguments"] += function["arguments"]


def logprobs(scored: list[Json]) -> Json:
    """Both lists, each null unless some chunk has one."""
    return {
        key: [entry for part in scored for entry in part[key] or ()]
        if any(part[key] is not None for part in scored)
        else None
        for key in ("content", "refusal")
    }
