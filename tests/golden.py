"""Streams as files, reviewed like code: tests/data/golden/*.sse.

TOKENLAP_WRITE_GOLDEN=1 writes them anew; the difference is then read before it is committed.
"""

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path

GOLDEN = Path(__file__).parent / "data/golden"
CREATED = 1790000000.0


def numbered() -> Callable[[str], str]:
    """Ids that are told apart by a number, and that every run gives alike."""
    numbers = count(1)
    return lambda prefix: f"{prefix}{next(numbers):024d}"


def check(name: str, stream: bytes) -> None:
    """Fail unless stream is what the file of this name holds."""
    path = GOLDEN / f"{name}.sse"
    if os.environ.get("TOKENLAP_WRITE_GOLDEN") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(stream)
    assert stream.decode() == path.read_bytes().decode()
