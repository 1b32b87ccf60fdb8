"""The architecture is law: imports look down only, and each library has its room (DESIGN.md,
section 3).
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tokenlap

ROOT = Path(tokenlap.__file__).parent

FLOORS = (
    ("engine", "errors"),
    ("delivery", "predictors"),
    ("scenario", "store", "settings"),
    ("api", "web"),
    ("app",),
    ("cli", "pytest_plugin"),
    ("__main__",),
)
"""From the ground up; a room may look into itself and at the floors below."""

EDGE = ("settings", "scenario", "store", "api", "app", "cli", "pytest_plugin")
OUTSIDE = ("delivery", *EDGE)
ROOMS_OF = {
    "asyncio": OUTSIDE,
    "fastapi": ("api", "app"),
    "llguidance": ("predictors",),
    "pydantic": EDGE,
    "pydantic_core": EDGE,
    "pydantic_settings": ("settings", "cli"),
    "random": (),  # the engine's dice are the only ones: a reply is a function of its seed
    "sse_starlette": ("delivery/sse",),
    "starlette": ("delivery/sse", "api", "app", "cli"),
    "tiktoken": ("engine/tokenizer",),
    "time": OUTSIDE,
    "uvicorn": ("cli", "pytest_plugin"),
}
"""Where a library may be imported; any other one anywhere but in the engine."""
ENVIRONMENT = ("settings",)
"""Who may read the environment."""


def imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every import, wherever it stands: (line, module)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            if module == "tokenlap":
                yield from ((node.lineno, f"tokenlap.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, module


def environment(tree: ast.Module) -> Iterator[int]:
    """The lines that read the environment."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="os"), attr="environ" | "environb" | "getenv"):
                yield node.lineno
            case ast.ImportFrom(module="os", names=names):
                if {alias.name for alias in names} & {"environ", "environb", "getenv"}:
                    yield node.lineno


def floor(room: str) -> int:
    """On which floor a room is; raises where the law does not know it."""
    return next(number for number, rooms in enumerate(FLOORS) if room in rooms)


def inside(place: str, rooms: tuple[str, ...]) -> bool:
    """Whether a place such as `api/chat/route` lies in one of rooms."""
    return any(place == room or place.startswith(f"{room}/") for room in rooms)


def broken(place: str, source: str) -> list[tuple[int, str]]:
    """What a file does against the law: (line, complaint)."""
    tree, room = ast.parse(source), place.split("/")[0]
    complaints = [
        (line, "reads the environment, which only settings may")
        for line in environment(tree)
        if not inside(place, ENVIRONMENT)
    ]
    for line, module in imports(tree):
        top, _, rest = module.partition(".")
        if not top:
            complaints.append((line, f"imports {module}: imports are absolute"))
        elif top == "tokenlap":
            looked_at = rest.split(".")[0]
            if looked_at and looked_at != room and floor(looked_at) >= floor(room):
                complaints.append((line, f"{room} looks up or aside at {looked_at}"))
        elif top in ROOMS_OF and not inside(place, ROOMS_OF[top]):
            complaints.append((line, f"imports {top}, which is not for {room}"))
        elif top not in ROOMS_OF and top not in sys.stdlib_module_names and room in FLOORS[0]:
            complaints.append((line, f"imports {top}: {room} stands on the standard library"))
    return complaints


def places() -> list[tuple[str, Path]]:
    """Every module of the package by its place, `engine/loop` for engine/loop.py."""
    found = sorted(ROOT.rglob("*.py"))
    paths = [path for path in found if path != ROOT / "__init__.py"]
    return [(path.relative_to(ROOT).with_suffix("").as_posix(), path) for path in paths]


def test_imports_look_down_only() -> None:
    complaints = [
        f"{path.relative_to(ROOT.parent.parent)}:{line}: {complaint}"
        for place, path in places()
        for line, complaint in broken(place, path.read_text(encoding="utf-8"))
    ]

    assert not complaints, "\n".join(["", *complaints])


@pytest.mark.parametrize("place", [place for place, _ in places()])
def test_every_room_is_on_the_plan(place: str) -> None:
    assert any(place.split("/")[0] in rooms for rooms in FLOORS), f"add {place} to FLOORS"


@pytest.mark.parametrize(
    ("place", "source", "complaint"),
    [
        ("engine/loop", "from tokenlap.delivery import pace", "engine looks up or aside"),
        ("engine/loop", "from tokenlap import errors", "engine looks up or aside at errors"),
        ("delivery/pace", "import tokenlap.predictors.table", "delivery looks up or aside"),
        ("settings", "from tokenlap.api.body import Body", "settings looks up or aside at api"),
        ("api/chat/route", "def f():\n    import tokenlap.app", "api looks up or aside at app"),
        ("engine/loop", "import asyncio", "imports asyncio"),
        ("engine/loop", "import time", "imports time"),
        ("engine/loop", "import numpy", "imports numpy"),
        ("engine/loop", "from tiktoken import Encoding", "imports tiktoken"),
        ("predictors/table", "import pydantic", "imports pydantic"),
        ("delivery/pace", "from fastapi import FastAPI", "imports fastapi"),
        ("api/chat/route", "import sse_starlette.sse", "imports sse_starlette"),
        ("api/chat/route", "import llguidance", "imports llguidance"),
        ("api/chat/route", "import os\nkey = os.environ['KEY']", "reads the environment"),
        ("api/chat/route", "from os import getenv", "reads the environment"),
        ("cli/serve", "import os\nos.getenv('KEY')", "reads the environment"),
        ("engine/loop", "from . import sampler", "imports are absolute"),
    ],
)
def test_the_law_finds_what_breaks_it(place: str, source: str, complaint: str) -> None:
    [(line, found)] = broken(place, source)

    assert complaint in found
    assert line == len(source.splitlines())


@pytest.mark.parametrize(
    ("place", "source"),
    [
        ("engine/tokenizer", "import tiktoken\nfrom tokenlap.engine.loop import Step"),
        ("predictors/grammar/mask", "import llguidance\nfrom tokenlap.errors import ApiError"),
        ("delivery/sse", "import sse_starlette\nimport asyncio"),
        ("settings", "import os\nos.environ\nfrom tokenlap.delivery import latency"),
        ("cli/serve", "import uvicorn\nfrom tokenlap.app import create_app"),
        ("api/files", "import os\nos.urandom(3)"),
    ],
)
def test_the_law_allows_what_it_should(place: str, source: str) -> None:
    assert broken(place, source) == []


LATE = ("fastapi", "llguidance", "yaml", "tokenlap.predictors.grammar", "tokenlap.api.stored")
"""What no chat needs: everybody would wait for it at the start."""


def test_a_server_that_starts_has_loaded_nothing_that_a_chat_does_not_need() -> None:
    asked = "import sys, tokenlap.cli.serve as s; s.create_app(); print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", asked], check=True, capture_output=True, text=True
    ).stdout.split()

    assert "tokenlap.api.chat.route" in loaded
    assert not {*LATE} & {*loaded}
