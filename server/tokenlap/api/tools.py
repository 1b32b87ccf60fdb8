"""Tools as clients offer them; the functions among them stand in the document that the model
continues.
"""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from tokenlap.api.messages import Lenient
from tokenlap.engine.template import Turn


class Function(Lenient):
    """A function that a model may call; parameters is a JSON schema."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class CustomTool(Lenient):
    """A tool whose input is free text."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    description: str | None = None
    format: dict[str, Any] | None = None


class Tool(Lenient):
    """A tool of a chat request: a function, or a custom one."""

    type: Literal["function", "custom"]
    function: Function | None = None
    custom: CustomTool | None = None


def tool_turns(functions: Sequence[Function]) -> list[Turn]:
    """Return the turn that tells the model its tools, none where there are none."""
    if not functions:
        return []
    lines = [
        json.dumps(
            {"name": f.name, "description": f.description or "", "parameters": f.parameters or {}},
            ensure_ascii=False,
        )
        for f in functions
    ]
    return [Turn("tools", "\n".join(lines))]
