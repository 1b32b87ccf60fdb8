"""Blocking is a lie: send one request twice at once, streamed and blocking, and draw both times.

The streamed line shows when each token arrived. The blocking one shows what its client never sees,
from the Server-Timing header: when the loop wrote, while nothing was sent.
"""

import asyncio
import re
import sys
import time
from dataclasses import dataclass

from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionUserMessageParam

WIDTH = 60
PROMPT = sys.argv[1] if len(sys.argv) > 1 else "Why does a stream feel faster?"
MESSAGES: list[ChatCompletionUserMessageParam] = [{"role": "user", "content": PROMPT}]


@dataclass(frozen=True)
class Answer:
    """A reply and its times, in seconds from the start. tokens: as the server counts them."""

    text: str
    tokens: int
    arrivals: list[float]
    written: tuple[float, float] | None = None  # first and last lap, as the server tells


async def streamed(client: AsyncOpenAI, start: float) -> Answer:
    """Ask for a stream, and note when each piece of text arrives."""
    text, arrivals, tokens = "", [], 0
    stream = await client.chat.completions.create(
        model="tokenlap", messages=MESSAGES, stream=True, stream_options={"include_usage": True}
    )
    async for chunk in stream:
        if chunk.choices and chunk.choices[0].delta.content:
            arrivals.append(time.monotonic() - start)
            text += chunk.choices[0].delta.content
            print(chunk.choices[0].delta.content, end="", flush=True)
        if chunk.usage:
            tokens = chunk.usage.completion_tokens
    print()
    return Answer(text, tokens, arrivals)


async def blocking(client: AsyncOpenAI, start: float) -> Answer:
    """Ask without a stream, and take from Server-Timing what happened in the meantime."""
    raw = await client.chat.completions.with_raw_response.create(
        model="tokenlap", messages=MESSAGES
    )
    arrived = time.monotonic() - start
    timing = raw.headers["server-timing"]
    spans = {name: float(ms) / 1000 for name, ms in re.findall(r"(\w+);dur=([\d.]+)", timing)}
    first = spans["ttft"]
    reply = raw.parse()
    assert reply.usage
    text = reply.choices[0].message.content or ""
    return Answer(text, reply.usage.completion_tokens, [arrived], (first, first + spans["decode"]))


def lane(answer: Answer, end: float) -> str:
    """Draw the time line of an answer, WIDTH columns for end seconds."""

    def column(moment: float) -> int:
        return min(WIDTH - 1, int(moment / end * WIDTH))

    cells = ["·"] * WIDTH
    if answer.written:
        first, last = map(column, answer.written)
        cells[first : last + 1] = ["▫"] * (last + 1 - first)
    for moment in answer.arrivals:
        cells[column(moment)] = "█" if answer.written else "▪"
    return "".join(cells)


async def main() -> None:
    """Send both, wait for both, draw both."""
    client = AsyncOpenAI()
    await client.models.list()  # connects, so that the times are those of the loop
    start = time.monotonic()
    stream, block = await asyncio.gather(streamed(client, start), blocking(client, start))
    end = max(stream.arrivals[-1], block.arrivals[-1])
    print()
    for name, answer in (("streamed", stream), ("blocking", block)):
        first, last = answer.arrivals[0], answer.arrivals[-1]
        times = f"first text {first:.2f} s, all {last:.2f} s"
        print(f"{name}  {lane(answer, end)}  {times}")
    print(
        "\n  ▪ a token arrives   ▫ the loop writes, nothing is sent   █ everything arrives at once"
    )
    same = "same tokens" if stream.text == block.text else "DIFFERENT tokens"
    print(f"  {same}: {stream.tokens} and {block.tokens}; silence: ", end="")
    print(f"{stream.arrivals[0]:.2f} s and {block.arrivals[0]:.2f} s")


asyncio.run(main())
