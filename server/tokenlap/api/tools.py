"""Tools as clients offer them; the functions among them stand in the document that the model
continues.
"""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from tokenlap.api.body import Lenient
from tokenlap.api.complaints import wrong_part
from tokenlap.api.shapes import NAME
from tokenlap.api.wording import absent
from tokenlap.engine.template import Turn

Name = Annotated[str, Field(min_length=1, max_length=64, pattern=NAME)]


class Function(Lenient):
    """A function that a model may call; parameters is a JSON schema."""

    name: Name
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class CustomTool(Lenient):
    """A tool whose input is free text."""

    name: Name
    description: str | None = None
    format: dict[str, Any] | None = None


class Tool(Lenient):
    """A tool of a chat request: a function, or a custom one."""

    type: Literal["function", "custom"]
    function: Function | None = None
    custom: CustomTool | None = None

    @model_validator(mode="after")
    def _described(self) -> "Tool":
        if getattr(self, self.type) is None:
            raise wrong_part(absent(self.type))
        return self


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
