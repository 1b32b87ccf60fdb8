"""What a model of the platform cannot do, by its name; asked about with --strict only.

Source: wire checklist 105, 107, 138, 140 (recorded answers of the o-series and of GPT-5).
"""

import re

from tokenlap.api.chat.request import ChatRequest
from tokenlap.errors import BadRequest

REASONING = re.compile(r"(ft:)?(o[134](-|$)|gpt-5(?!-chat))")
"""The names of models that reason before they answer."""
_NEVER = ("max_tokens", "stop", "logit_bias", "prediction")
_NOT_WHILE_REASONING = ("frequency_penalty", "presence_penalty", "logprobs", "top_logprobs")


def check_capability(chat: ChatRequest) -> None:
    """Raise BadRequest for the first parameter that a model of this name does not support."""
    if chat.web_search_options is not None and "search" not in chat.model:
        message = "Web search options not supported with this model."
        raise BadRequest(message, "web_search_options")
    if REASONING.match(chat.model) is None:
        return
    refused = _NEVER if chat.reasoning_effort == "none" else _NEVER + _NOT_WHILE_REASONING
    for name in refused:
        if getattr(chat, name) not in (None, False, 0):
            raise _parameter(name)
    if chat.reasoning_effort != "none":
        for name in ("temperature", "top_p"):
            value = getattr(chat, name)
            if value not in (None, 1):
                raise _value(name, value)


def _parameter(name: str) -> BadRequest:
    message = f"Unsupported parameter: '{name}' is not supported with this model."
    if name == "max_tokens":
        message += " Use 'max_completion_tokens' instead."
    return BadRequest(message, name, "unsupported_parameter")


def _value(name: str, value: float) -> BadRequest:
    message = (
        f"Unsupported value: '{name}' does not support {value:g} with this model. "
        "Only the default (1) value is supported."
    )
    return BadRequest(message, name, "unsupported_value")
