"""What most people would write: a FastAPI route with a model, which answers with prepared bytes."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel

EVENTS = [
    event + b"\n\n"
    for event in Path(os.environ["BENCH_STREAM"]).read_bytes().split(b"\n\n")
    if event
]
WHOLE = Path(os.environ["BENCH_WHOLE"]).read_bytes()


class Message(BaseModel):
    role: str
    content: str


class Chat(BaseModel):
    model: str
    messages: list[Message]
    stream: bool = False


app = FastAPI()


@app.post("/v1/chat/completions")
async def chat(asked: Chat) -> Response:
    if not asked.stream:
        return Response(WHOLE, media_type="application/json")
    return StreamingResponse(events(), media_type="text/event-stream")


async def events() -> AsyncIterator[bytes]:
    for event in EVENTS:
        yield event


@app.get("/health")
async def health() -> dict[str, str]:
    return {"status": "ok"}
