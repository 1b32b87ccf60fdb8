"""What all tests stand on: programs that a machine may lack, and no settings of its user."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import settings

from tests.properties import EXHAUSTIVE
from tokenlap.settings import Settings

# No property is judged by the clock, whoever forgets to say so.
settings.register_profile("tokenlap", deadline=None, derandomize=not EXHAUSTIVE)
settings.load_profile("tokenlap")

REPOSITORY = Path(__file__).parent.parent
Require = Callable[[str], str]
"""Takes a name of PROGRAMS and returns the path of the program, or skips the test (or fails it)."""


def _node() -> str:
    """Return Node's path; raises LookupError where it or its openai client is missing."""
    node = shutil.which("node")
    if node is None:
        raise LookupError("no node on the PATH")
    if not (REPOSITORY / "clients/node/node_modules/openai").is_dir():
        raise LookupError("no openai client for Node: run npm ci in clients/node")
    return node


def _zod() -> str:
    """Return Node's path; raises LookupError where it or the modules of tests/node are missing."""
    node = shutil.which("node")
    if node is None:
        raise LookupError("no node on the PATH")
    if not (REPOSITORY / "tests/node/node_modules/zod").is_dir():
        raise LookupError("no zod for Node: run npm ci in tests/node")
    return node


def _browser() -> str:
    """Return Chromium's path; raises LookupError where it is missing."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        raise LookupError("no chromium on the PATH")
    return browser


def _docker() -> str:
    """Return docker's path; raises LookupError where it or its daemon is missing."""
    docker = shutil.which("docker")
    if docker is None or subprocess.run([docker, "info"], capture_output=True).returncode:
        raise LookupError("no docker, or its daemon does not answer")
    return docker


PROGRAMS: Mapping[str, Callable[[], str]] = {
    "node": _node,
    "zod": _zod,
    "browser": _browser,
    "docker": _docker,
}


@pytest.fixture(scope="session")
def require() -> Require:
    """Ask for a program: `require("node")`.

    Where it is missing the test is skipped, with the reason; it fails where TOKENLAP_REQUIRE names
    the program.
    """
    demanded = os.environ.get("TOKENLAP_REQUIRE", "").split(",")

    def path_of(name: str) -> str:
        try:
            return PROGRAMS[name]()
        except LookupError as missing:
            if name in demanded:
                pytest.fail(f"TOKENLAP_REQUIRE demands {name}: {missing}")
            pytest.skip(f"{name}: {missing}")

    return path_of


@pytest.fixture(scope="session", autouse=True)
def no_settings_of_the_user() -> Iterator[None]:
    """Keep the TOKENLAP_* settings of whoever runs the tests out of them."""
    with pytest.MonkeyPatch.context() as patch:
        for name in Settings.model_fields:
            patch.delenv(f"TOKENLAP_{name.upper()}", raising=False)
        yield
