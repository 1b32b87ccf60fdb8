"""`tokenlap serve --help`: every setting with its default and its variable, in groups, in 80
columns.
"""

import textwrap
from collections.abc import Mapping
from typing import Any

from tokenlap.settings import Settings

WIDTH = 80
HEAD = """Serve OpenAI's API from a real autoregressive loop.

  tokenlap serve                                    on http://127.0.0.1:8000
  tokenlap serve --watch --ttft 1s --itl 100ms      slowly, seen in the terminal
  tokenlap serve --strict --api-key sk-one,sk-two   as the platform behaves
  TOKENLAP_PORT=9000 tokenlap serve --config tokenlap.toml

A flag wins over its variable, a variable over the file; --no-NAME is off.
"""
GROUPS: Mapping[str, Mapping[str, str]] = {
    "Server": {
        "config": "FILE",
        "host": "ADDRESS",
        "port": "PORT",
        "workers": "N",
        "max_body_size": "BYTES",
        "max_stored": "N",
        "max_stored_size": "BYTES",
        "max_background": "N",
        "send_timeout": "TIME",
        "keep_alive": "TIME",
        "grace": "TIME",
    },
    "Model": {
        "model": "MODEL",
        "model_names": "NAMES",
        "context_window": "TOKENS",
        "default_max_tokens": "TOKENS",
        "random": "",
    },
    "Timing": {
        "latency": "NAME",
        "latency_for": "PATTERN=NAME",
        "ttft": "TIME",
        "itl": "TIME",
        "prefill": "TIME",
        "max_num_seqs": "N",
        "slowdown": "FACTOR",
        "max_queued": "N",
        "queue_full": "429|503",
        "prefix_cache": "TOKENS",
    },
    "Strictness": {"strict": "", "api_key": "KEYS"},
    "Watching": {"log": "text|json|off", "watch": ""},
}
"""The settings by what they are about; what a flag takes, "" for a switch. A test holds that none
is missing.
"""


def serve_help() -> str:
    """Return the help of `tokenlap serve`."""
    parts = [HEAD]
    for title, names in GROUPS.items():
        parts += [title, *(option(name, takes) for name, takes in names.items()), ""]
    return "\n".join(parts)


def option(name: str, takes: str) -> str:
    """Return the lines of one setting. takes: what stands for its value."""
    field = Settings.model_fields[name]
    default = shown(field.default, takes)
    head = [f"  --{name.replace('_', '-')} {takes}".rstrip()]
    head += [f"[{default}]"] if default else []
    head += [f"[env: TOKENLAP_{name.upper()}]"]
    indent = " " * 6
    text = textwrap.fill(
        field.description or "", WIDTH, initial_indent=indent, subsequent_indent=indent
    )
    return f"{'  '.join(head)}\n{text}"


def shown(default: Any, takes: str) -> str:
    """Return a default as one would write it, "" where there is none."""
    if default is False or default in (None, (), {}):
        return ""
    return f"{default:g}s" if takes == "TIME" else str(default)
