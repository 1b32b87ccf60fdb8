"""The usage object of a chat completion, counts in tokens (wire checklist 45, 46)."""

from typing import Any


def usage(
    prompt: int,
    completion: int,
    reasoning: int = 0,
    cached: int = 0,
    predicted: tuple[int, int] = (0, 0),
) -> dict[str, Any]:
    """Return the usage object, counts in tokens; predicted: how many were accepted, rejected."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": predicted[0],
            "rejected_prediction_tokens": predicted[1],
        },
    }
