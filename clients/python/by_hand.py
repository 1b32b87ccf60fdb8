"""Read a stream by hand: bytes, then events, then JSON. No SDK and no library for SSE."""

import json
import os
from collections.abc import Iterable, Iterator

import httpx


def events(pieces: Iterable[bytes]) -> Iterator[str]:
    """The data of each event; a piece may end anywhere, even in the middle of a character."""
    buffer = b""
    for piece in pieces:
        buffer += piece
        while b"\n\n" in buffer:  # an empty line ends an event
            event, _, buffer = buffer.partition(b"\n\n")
            lines = event.decode().split("\n")
            data = [line[5:].lstrip(" ") for line in lines if line.startswith("data:")]
            if data:
                yield "\n".join(data)


request = {
    "model": "tokenlap",
    "messages": [{"role": "user", "content": "What is a token?"}],
    "stream": True,
}
with httpx.stream(
    "POST",
    f"{os.environ['OPENAI_BASE_URL']}/chat/completions",
    headers={"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"},
    json=request,
    timeout=60,
) as response:
    response.raise_for_status()
    for data in events(response.iter_bytes()):
        if data == "[DONE]":
            break
        chunk = json.loads(data)
        print(chunk["choices"][0]["delta"].get("content", ""), end="", flush=True)
print()
