"""Every code block of the README does what it says.

`text` blocks are pictures. `sh` blocks run to their end, or until a server has answered; `console`
blocks print what stands below their `$` line; a Python block prints its last comment.
"""

import asyncio
import os
import re
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.conftest import REPOSITORY, Require
from tests.support import served
from tokenlap.delivery.load import Load
from tokenlap.delivery.profiles import profile
from tokenlap.engine.tokenizer import o200k
from tokenlap.predictors.table import TablePredictor, read_table
from tokenlap.settings import read_settings

PAGE = (REPOSITORY / "README.md").read_text(encoding="utf-8")
URL = "http://127.0.0.1:8000"
PATIENCE = 300.0
EXHAUSTIVE = os.environ.get("TOKENLAP_EXHAUSTIVE") == "1"


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language and its text."""

    language: str
    text: str


BLOCKS = [Block(*found) for found in re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.M | re.S)]


def blocks(*languages: str) -> pytest.MarkDecorator:
    """Run a test for each block in one of these languages."""
    chosen = [
        pytest.param(block, id=block.text.splitlines()[0][:40])
        for block in BLOCKS
        if block.language in languages
    ]
    assert chosen, f"no block in {languages}"
    return pytest.mark.parametrize("block", chosen)


def test_every_block_is_run() -> None:
    languages = {"sh", "console", "python", "js", "toml", "yaml", "text"}

    assert {block.language for block in BLOCKS} == languages


def test_page_is_short() -> None:
    assert len(PAGE.splitlines()) <= 250


@pytest.mark.parametrize("target", sorted({*re.findall(r"\]\((?!http)([^)#]+)\)", PAGE)}))
def test_link_leads_somewhere(target: str) -> None:
    assert (REPOSITORY / target).exists()


async def start(*command: str, env: Mapping[str, str], cwd: Path = REPOSITORY) -> Process:
    """A program under way, in a process group of its own, with what a user has set."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return await asyncio.create_subprocess_exec(
        *command,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
        cwd=cwd,
        env={**os.environ, "PATH": path, **env},
        start_new_session=True,
    )


def client_of(url: str) -> Mapping[str, str]:
    """The two variables that the README has its reader set."""
    return {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "anything"}


@blocks("console")
async def test_console_prints_what_the_page_shows(block: Block) -> None:
    command, _, shown = block.text.removeprefix("$ ").partition("\n")

    async with asyncio.timeout(PATIENCE), served() as server:
        shell = command.replace(URL, server.url).replace("curl ", "curl -sS ")
        process = await start("sh", "-c", shell, env={})
        printed, _ = await process.communicate()

    assert process.returncode == 0
    assert same_every_time(printed.decode()) == same_every_time(shown)


def same_every_time(text: str) -> str:
    """Text without what each request has of its own."""
    text = re.sub(r'"id":"(\w+-)\w+"', r'"id":"\1"', text)
    return re.sub(r'"created":\d+', '"created":0', text).strip()


@blocks("python")
async def test_python_runs(block: Block) -> None:
    async with asyncio.timeout(PATIENCE), served() as server:
        process = await start(sys.executable, "-c", block.text, env=client_of(server.url))
        printed, _ = await process.communicate()

    assert process.returncode == 0, printed.decode()
    promised = re.findall(r"^# prints: (.*)$", block.text, re.M)
    assert printed.decode().strip() == promised[0] if promised else printed.strip()


@blocks("js")
async def test_javascript_runs(block: Block, require: Require) -> None:
    node = require("node")

    async with asyncio.timeout(PATIENCE), served() as server:
        process = await start(
            *(node, "--input-type=module", "--eval", block.text),
            cwd=REPOSITORY / "clients/node",
            env=client_of(server.url),
        )
        printed, _ = await process.communicate()

    assert process.returncode == 0, printed.decode()
    assert printed.strip()


@blocks("toml")
def test_config_file_is_read(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "tokenlap.toml"
    file.write_text(block.text)

    settings = read_settings(["--config", str(file)])

    assert settings.max_body_size == 1_000_000


@blocks("yaml")
def test_yaml_is_a_profile_or_a_table_that_works(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "file.yaml"
    file.write_text(block.text)

    if block.text.startswith("ttft"):
        assert profile(str(file)).load == Load(max_num_seqs=32, slowdown=2)
        return
    tokenizer = o200k()
    table = TablePredictor(read_table(file), tokenizer)
    likely = table.next(table.start(tokenizer.encode("The capital of France is")))
    assert likely.logprob(tokenizer.encode(" Paris")[0]) == max(map(likely.logprob, likely.tokens))


@blocks("sh")
async def test_command_runs_or_serves(block: Block, tmp_path: Path, require: Require) -> None:
    # An empty MAKEFLAGS: what the make around this suite was told is not for this one.
    env = {"TOKENLAP_PORT": "0", "VENV": sys.prefix, "ARGS": "", "MAKEFLAGS": ""}
    if "docker" in block.text:
        require("docker")
        del env["TOKENLAP_PORT"]
    if "pip install" in block.text and not EXHAUSTIVE:
        pytest.skip("installs packages: runs with TOKENLAP_EXHAUSTIVE=1")
    if "make" in block.text and not (Path(sys.prefix) / ".installed-dev").exists():
        pytest.skip("make would install into this environment, which is not its own")
    if "make test" in block.text:  # this very suite: let it be found, not run again
        env["ARGS"] = "--collect-only -q tests/test_readme.py"

    async with asyncio.timeout(PATIENCE):
        text = block.text.replace("my-venv", str(tmp_path / "my-venv"))
        process = await start("sh", "-euc", text, env=env)
        try:
            printed, url = await until_it_serves(process)
            if url is None:
                assert await process.wait() == 0, printed
            else:
                async with httpx.AsyncClient(base_url=url) as client:
                    assert (await client.get("/health")).status_code == 200
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                await process.wait()


async def until_it_serves(process: Process) -> tuple[str, str | None]:
    """What a process prints until it ends, or until it tells the address of a server."""
    assert process.stdout
    printed = ""
    while line := (await process.stdout.readline()).decode():
        printed += line
        if found := re.fullmatch(r"  API   (http://[\d.:]+)/v1\n", line):
            return printed, found[1]
    return printed, None
