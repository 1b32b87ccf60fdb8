import io
import json
from pathlib import Path

import pytest

from tokenlap.cli.main import main

BODY = {"messages": [{"role": "user", "content": "Hello 🦜"}]}
DOCUMENT = "<|start|>user<|message|>Hello 🦜<|end|><|start|>assistant<|message|>"


def test_a_chat_request_is_printed_as_the_document_it_becomes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "body.json"
    file.write_text(json.dumps(BODY), encoding="utf-8")

    assert main(["render", str(file)]) == 0
    assert capsys.readouterr().out == f"{DOCUMENT}\n"


def test_the_standard_input_is_read_and_ids_are_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Input:
        buffer = io.BytesIO(json.dumps({**BODY, "add_generation_prompt": False}).encode())

    monkeypatch.setattr("sys.stdin", Input())

    assert main(["render", "-", "--ids"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split(maxsplit=1) == ["200006", "'<|start|>'"]
    assert lines[-1].split(maxsplit=1) == ["200007", "'<|end|>'"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "could not parse the JSON body"),
        (b"{}", "messages"),
        (b'{"messages":[{"role":"king"}]}', "king"),
    ],
)
def test_what_is_wrong_with_the_body_is_said(
    content: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "body.json"
    file.write_bytes(content)

    assert main(["render", str(file)]) == 1
    assert said in capsys.readouterr().err


def test_a_missing_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", "no-such-file.json"]) == 1
    assert "no-such-file.json" in capsys.readouterr().err
