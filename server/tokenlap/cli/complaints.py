"""What is wrong with the settings, as `error:` and `tip:`.

The exit code is 2 where what was asked for is wrong, 1 where the machine refuses it (a file that is
not there).
"""

import re
from difflib import get_close_matches

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import SettingsError

from tokenlap.cli.usage import UsageError
from tokenlap.settings import Settings, read_settings

LIST = "tokenlap serve --help lists all settings"


def checked_settings(arguments: list[str]) -> Settings:
    """Return the settings of flags, environment and file; raises UsageError."""
    try:
        return read_settings(arguments)
    except (ValueError, OSError) as error:
        raise complaint(error) from None


def complaint(error: ValueError | OSError, about: str = "") -> UsageError:
    """Return what the caller can put right. about: the setting that is wrong, where error does not
    tell.
    """
    match error:
        case ValidationError():
            return _wrong_value(error.errors(include_url=False)[0])
        case SettingsError():
            return _wrong_flag(str(error).removeprefix("error parsing CLI: "))
        case OSError():
            return UsageError(f"cannot read {error.filename}: {error.strerror}", LIST)
        case _:
            return UsageError(f"{about}: {error}" if about else str(error), LIST, 2)


def _wrong_flag(message: str) -> UsageError:
    unknown = re.fullmatch(r"unrecognized arguments: (\S+).*", message)
    if unknown is None:
        return UsageError(message, LIST, 2)
    flag, _, _ = unknown[1].partition("=")
    if not flag.startswith("-"):
        return UsageError(f"unexpected argument {flag}", LIST, 2)
    flags = [f"--{name.replace('_', '-')}" for name in Settings.model_fields]
    return UsageError(f"unknown option {flag}", _nearest(flag, flags), 2)


def _wrong_value(error: ErrorDetails) -> UsageError:
    name = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":  # flags and variables were matched: it is the file's
        return UsageError(f"unknown setting {name}", _nearest(name, list(Settings.model_fields)), 2)
    message = error["msg"].removeprefix("Value error, ")
    got = f", got {error['input']!r}" if isinstance(error["input"], str | int | float) else ""
    if error["type"] == "value_error" or name.startswith("api_key"):
        got = ""  # the message shows it already, or it is a secret
    flag, variable = name.split(".")[0].replace("_", "-"), name.split(".")[0].upper()
    tip = f"it comes from --{flag}, TOKENLAP_{variable} or the config file"
    return UsageError(f"{name.replace('_', '-')}: {message}{got}", tip, 2)


def _nearest(wrong: str, known: list[str]) -> str:
    near = get_close_matches(wrong, known, n=1)
    return f"did you mean {near[0]}?" if near else LIST
