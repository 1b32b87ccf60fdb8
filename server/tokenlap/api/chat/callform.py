"""How tool calls are spelled on the wire: as tool_calls, or as the one function_call of old.

Source: wire checklist 43, 70-82. Differences from OpenAI: none known; where a reply is known to
make one call, it opens together with the role (70), else by itself (71).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tokenlap.api.chat.chunks import OpenedCall


@dataclass(frozen=True, slots=True)
class CallForm:
    """The form of a request's calls.

    older: the request offered `functions`; custom: the names of tools whose input is free text;
    alone: the reply makes one call.
    """

    older: bool = False
    custom: frozenset[str] = frozenset()
    alone: bool = False

    def opened(self, call: OpenedCall) -> dict[str, Any]:
        """Return the delta that opens a call: the only one with id, type and name."""
        function = {"name": call.name, "arguments": ""}
        if self.older:
            return {"function_call": function}
        head = {"index": call.index, "id": call.id, "type": "function", "function": function}
        return {"tool_calls": [head]}

    def arguments(self, index: int, text: str) -> dict[str, Any]:
        """Return the delta of a piece of arguments."""
        if self.older:
            return {"function_call": {"arguments": text}}
        return {"tool_calls": [{"index": index, "function": {"arguments": text}}]}

    def message(
        self, calls: Sequence[OpenedCall], arguments: Mapping[int, list[str]]
    ) -> dict[str, Any]:
        """Return what a message says of its calls, nothing where it makes none."""
        said = [(call, "".join(arguments.get(call.index, ()))) for call in calls]
        if not said:
            return {}
        if self.older:
            call, text = said[0]
            return {"function_call": {"name": call.name, "arguments": text}}
        return {"tool_calls": [self._whole(call, text) for call, text in said]}

    def reason(self, reason: str) -> str:
        """Return the finish_reason of a reply that ends for reason."""
        return "function_call" if self.older and reason == "tool_calls" else reason

    def _whole(self, call: OpenedCall, text: str) -> dict[str, Any]:
        if call.name in self.custom:
            custom = {"name": call.name, "input": text}
            return {"id": call.id, "type": "custom", "custom": custom}
        function = {"name": call.name, "arguments": text}
        return {"id": call.id, "type": "function", "function": function}


PLAIN = CallForm()
