"""The ids of items: each names the response it came with, so a reference finds it without an index.

Differences from OpenAI: there an item's id does not tell its response.
"""

RESPONSE = "resp_"
_PREFIXES = {
    "message": "msg_",
    "reasoning": "rs_",
    "function_call": "fc_",
    "function_call_output": "fco_",
    "custom_tool_call": "ctc_",
    "custom_tool_call_output": "ctco_",
}


def item_id(type: str, response_id: str, place: int) -> str:
    """Return the id of an item of a response; place counts its items from 0, input before output.

    Example: a message at place 1 of resp_5f0c -> msg_5f0c0001
    """
    return f"{_PREFIXES.get(type, 'item_')}{response_id.removeprefix(RESPONSE)}{place:04x}"


def response_of(item: str) -> str:
    """Return the id of the response that an item's id names, which need not exist."""
    return RESPONSE + item.partition("_")[2][:-4]
