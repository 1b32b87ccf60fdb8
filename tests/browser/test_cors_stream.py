"""A page of another origin reads a stream, token by token, with nothing but fetch."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Page, async_playwright

from tests.conftest import Require
from tests.support import HeldTime, quiet, scripted, served

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PAGE = b"""<!doctype html><title>another origin</title><p id=reply></p><script>
async function ask(url) {
  const response = await fetch(url + "/v1/chat/completions", {
    method: "POST",
    headers: {"content-type": "application/json", authorization: "Bearer page"},
    body: JSON.stringify({
      model: "mock-1", stream: true, messages: [{role: "user", content: "hi"}]}),
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += read.value;
    const frames = text.split("\\n\\n");
    text = frames.pop();
    for (const frame of frames.filter((frame) => frame !== "data: [DONE]")) {
      const [choice] = JSON.parse(frame.slice(6)).choices;
      document.querySelector("#reply").textContent += choice.delta.content ?? "";
    }
  }
  return response.headers.get("x-request-id");
}
</script>"""


@asynccontextmanager
async def page_of_another_origin(chromium: str) -> AsyncIterator[Page]:
    """A page in a browser, served from a port of its own."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n"
        writer.write(head + PAGE)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1") as site, async_playwright() as p:
        browser = await p.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = await browser.new_page()
        await page.goto(f"http://127.0.0.1:{site.sockets[0].getsockname()[1]}/")
        yield page
        await browser.close()


async def test_page_of_another_origin_reads_tokens_as_they_arrive(require: Require) -> None:
    chromium = require("browser")
    time = HeldTime(until=1.5)

    async with (
        served(quiet(itl="1s"), models=scripted("one two three four"), clock=time.clock) as server,
        page_of_another_origin(chromium) as page,
    ):
        asked = asyncio.ensure_future(page.evaluate("url => ask(url)", server.url))
        # Two tokens are out, the third is held back: the page must show the two by now.
        await page.get_by_text("one two", exact=True).wait_for()
        time.release()
        request_id = await asked

        assert await page.inner_text("#reply") == "one two three four"
        assert request_id.startswith("req_")
