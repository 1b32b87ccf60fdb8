"""Public bug reports of such servers, each reduced to a tiny input and the right behaviour, and how
their abstract `setup` is made here.

A test is named by its case: `test_B001_...`. What needs scripted faults, tenants or the control API
waits, each with its reason; a case of which only a part waits is tested as far as it goes.
"""

import base64
import json
import re
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from tests.support import Json, application, bytewise, chunks_of, marked, quiet, scripted
from tokenlap.engine.predictor import Predictor
from tokenlap.engine.tokenizer import o200k
from tokenlap.predictors.echo import EchoPredictor
from tokenlap.settings import Settings

DATA = Path(__file__).parent.parent / "data/cases.jsonl"

_FAULT = "needs a scripted fault"
WAITING: dict[str, str] = {
    "B010": "needs keep-alive comments, which a script will switch on",
    "B088": _FAULT,
    "B091": _FAULT,
    "B093": f"{_FAULT} with a budget, and the journal",
    "B094": _FAULT,
    "B096": _FAULT,
    "B112": "needs scripted sequences per tenant",
}
"""Cases that wait whole, each with its reason."""
PARTLY: dict[str, str] = {
    "B006": "CRLF on demand",
    "B009": "id:, retry: and event: lines on demand",
    "B012": "one giant chunk on demand",
    "B024": "coalesced finish chunks on demand",
    "B043": "an empty preamble on demand",
    "B046": "usage in every chunk on demand",
    "B061": "doubled fragments on demand",
    "B095": "other cuts between writes on demand",
    "B115": "a role chunk that comes at once on demand",
}
"""Cases whose default is tested; what waits is a fault or a profile that a script will ask for."""


@cache
def cases() -> dict[str, Json]:
    """All cases by id."""
    lines = DATA.read_text(encoding="utf-8").splitlines()
    return {case["id"]: case for case in map(json.loads, lines)}


def models_of(setup: Json) -> dict[str, Predictor[Any]]:
    """The model `mock-1` that a setup describes; where it describes none, the default one."""
    if setup.get("reply_mode") == "echo last user text":
        return {"mock-1": EchoPredictor(o200k())}
    if "tool_call" in setup:
        call = setup["tool_call"]
        script = f"<|start|>assistant to={call['name']}<|message|>{call['arguments']}<|call|>"
        return marked(script)
    if "reply" not in setup:
        return {}
    if "chunking" in setup:
        return bytewise(setup["reply"])
    return scripted(setup.get("pieces") or spelled(setup["reply"]))


def spelled(reply: str) -> str | list[str]:
    """A reply as it is written; `w*1000` is a thousand tokens of one letter and a blank."""
    if match := re.match(r"(\w)\*(\d+)", reply):
        letter, times = match[1], int(match[2])
        return letter * times if "no spaces" in reply else [f" {letter}"] * times
    return reply


def settings_of(setup: Json, **options: Any) -> Settings:
    """The settings that a setup describes."""
    if "itl_s" in setup or "ttft_s" in setup:
        options |= {"latency": "natural", "ttft": str(setup.get("ttft_s", 0))}
        options["itl"] = str(setup.get("itl_s", 0))
    if "api_key" in setup:
        options["api_key"] = setup["api_key"]
    return quiet(**options)


def request_of(case: Json) -> Json:
    """The request of a case, as httpx takes it; that of an action is the one it repeats."""
    request = case["request"]
    request = request.get("request", request)
    if "body_b64" in request:
        content = base64.b64decode(request["body_b64"])
    elif "body_gen" in request:
        made = request["body_gen"]
        content = (made["prefix"] + made["unit"] * made["times"] + made["suffix"]).encode()
    else:
        content = json.dumps(request["body"]).encode() if "body" in request else b""
    url = f"http://localhost{request['path']}"
    return {
        "method": request["method"],
        "url": url,
        "content": content,
        "headers": request["headers"],
    }


def body_of(case: Json, **options: Any) -> Json:
    """The body of a case's request, with other options."""
    request = case["request"]
    return {**deepcopy(request.get("request", request)["body"]), **options}


async def run(id: str, body: Any = None, settings: Json | None = None) -> httpx.Response:
    """The answer to a case as it stands, or with another body: an object, or bytes."""
    case = cases()[id]
    request = request_of(case)
    if body is not None:
        request["content"] = body if isinstance(body, bytes) else json.dumps(body).encode()
    made = settings_of(case["setup"], **(settings or {}))
    async with application(made, models=models_of(case["setup"])) as client:
        return await client.request(**request)


async def streamed(id: str, body: Any = None) -> list[Json]:
    """The chunks with which a case is answered."""
    answer = await run(id, body)
    assert answer.status_code == 200, answer.text
    assert answer.text.endswith("data: [DONE]\n\n")
    return chunks_of(answer.text)


async def both(id: str, **options: Any) -> tuple[str, str, str]:
    """Text and finish reason of a case, which must be the same streamed and blocking, and all that
    was ever shown of it.
    """
    found = await streamed(id, body_of(cases()[id], **options, stream=True))
    answer = await run(id, body_of(cases()[id], **options, stream=False))
    (choice,) = answer.json()["choices"]
    pieces = [each for chunk in found for each in chunk["choices"]]
    texts = [each["delta"]["content"] or "" for each in pieces if "content" in each["delta"]]
    assert "".join(texts) == choice["message"]["content"]
    assert pieces[-1]["finish_reason"] == choice["finish_reason"]
    return "".join(texts), choice["finish_reason"], "|".join(texts)
