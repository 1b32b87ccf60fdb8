"""The help: every setting once, with its default and its variable, in 80 columns."""

import re

import pytest

from tokenlap.cli.help import GROUPS, WIDTH, serve_help
from tokenlap.cli.main import USAGE, main
from tokenlap.settings import Settings


def test_every_setting_stands_in_one_group() -> None:
    grouped = [name for names in GROUPS.values() for name in names]

    assert sorted(grouped) == sorted(Settings.model_fields)


def test_groups_stand_in_the_order_of_interest() -> None:
    titles = [line for line in serve_help().splitlines() if line in GROUPS]

    assert titles == ["Server", "Model", "Timing", "Strictness", "Watching"]


@pytest.mark.parametrize("name", Settings.model_fields)
def test_option_shows_its_variable_and_what_it_does(name: str) -> None:
    flag = f"--{name.replace('_', '-')}"
    entry = re.search(
        rf"^  {flag}\b.*\[env: TOKENLAP_{name.upper()}\]\n      \S", serve_help(), re.M
    )

    assert entry, f"{flag} has no entry"


@pytest.mark.parametrize(
    ("flag", "default"),
    [("--port", "8000"), ("--grace", "3s"), ("--latency", "natural"), ("--log", "text")],
)
def test_option_shows_its_default(flag: str, default: str) -> None:
    assert re.search(rf"^  {flag} \S+  \[{default}\]", serve_help(), re.M)


@pytest.mark.parametrize(
    "text", [pytest.param(serve_help(), id="serve"), pytest.param(USAGE, id="all")]
)
def test_help_fits_80_columns(text: str) -> None:
    assert max(map(len, text.splitlines())) <= WIDTH == 80


@pytest.mark.parametrize(
    "arguments", [[], ["--help"], ["-h"], ["help"], ["serve", "--help"], ["serve", "--watch", "-h"]]
)
def test_help_is_no_error(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    assert "tokenlap serve" in capsys.readouterr().out
