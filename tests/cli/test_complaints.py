"""What the command line says when something is wrong: what, what to do, and the exit code."""

from pathlib import Path

import pytest

from tokenlap.cli.main import main

CASES = [
    pytest.param(["serve", "--prot", "3"], 2, "unknown option --prot", "--port", id="option"),
    pytest.param(["serve", "--prot=3"], 2, "unknown option --prot", "--port", id="option="),
    pytest.param(["serve", "--qqqq"], 2, "unknown option --qqqq", "--help", id="nothing near"),
    pytest.param(["serve", "9000"], 2, "unexpected argument 9000", "--help", id="no option"),
    pytest.param(["serve", "--port"], 2, "--port: expected one argument", "--help", id="no value"),
    pytest.param(["serve", "--port", "x"], 2, "integer, got 'x'", "TOKENLAP_PORT", id="number"),
    pytest.param(["serve", "--port", "65536"], 2, "65535", "TOKENLAP_PORT", id="bound"),
    pytest.param(["serve", "--latency", "foo"], 2, "none, edge-3b", "--latency", id="latency"),
    pytest.param(["serve", "--ttft", "soon"], 2, "'soon' is not a", "--ttft", id="duration"),
    pytest.param(["serve", "--log", "xml"], 2, "'text', 'json' or 'off'", "--log", id="choice"),
    pytest.param(["serve", "--model", "gpt"], 2, "expected tokenlap, table", "--help", id="model"),
    pytest.param(["serve", "--model", "ngram:{no}"], 1, "cannot read {no}", "--help", id="ngram"),
    pytest.param(["serve", "--model", "table:{no}"], 1, "cannot read {no}", "--help", id="table"),
    pytest.param(["serve", "--model", "ngram:{bad}"], 2, "{bad}: not an n-gram", "", id="no ngram"),
    pytest.param(["serve", "--model", "table:{bad}"], 2, "{bad}", "", id="no table"),
    pytest.param(["serve", "--config", "{no}"], 1, "cannot read {no}", "--help", id="no file"),
    pytest.param(["serve", "--config", "{bad}"], 2, "{bad} is not valid TOML", "", id="no TOML"),
    pytest.param(["serve", "--config", "{odd}"], 2, "unknown setting prot", "port", id="in TOML"),
    pytest.param(["serve", "--host", "256.0.0.1"], 1, "cannot listen on 256.0.0.1", "", id="host"),
    pytest.param(["srve"], 2, "unknown command srve", "serve", id="command"),
    pytest.param(["qqqq"], 2, "unknown command qqqq", "train", id="no command near"),
    pytest.param(["train", "{no}", "-o", "m"], 1, "{no}: No such file", "", id="corpus"),
    pytest.param(["train", "{bad}"], 2, "required: -o/--output", "train --help", id="output"),
    pytest.param(["health", "--ulr", "x"], 2, "--ulr", "health --help", id="health"),
]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """A file that is not there, one that is nothing, one with a misspelled setting."""
    bad, odd = tmp_path / "bad", tmp_path / "odd.toml"
    bad.write_text("[: nothing\n")
    odd.write_text("prot = 3\n")
    return {"no": str(tmp_path / "missing"), "bad": str(bad), "odd": str(odd)}


@pytest.mark.parametrize(("arguments", "code", "error", "tip"), CASES)
def test_complaint(
    arguments: list[str],
    code: int,
    error: str,
    tip: str,
    files: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TOKENLAP_PORT", "0")

    assert main([argument.format(**files) for argument in arguments]) == code

    said = capsys.readouterr()
    first, *rest = said.err.splitlines()
    assert first.startswith("error: ") and error.format(**files) in first
    assert any(line.startswith("tip: ") and tip in line for line in rest) or not tip
    assert said.out == ""


def test_wrong_variable_is_told_by_its_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKENLAP_GRACE", "long")

    assert main(["serve"]) == 2
    assert "TOKENLAP_GRACE" in capsys.readouterr().err


def test_wrong_key_is_not_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    file.write_text('api_key = {secret = "sk-1234567890"}\n')

    assert main(["serve", "--config", str(file)]) == 2
    assert "sk-1234567890" not in capsys.readouterr().err
