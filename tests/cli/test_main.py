"""The commands beside serve: version, train, health."""

from importlib.metadata import version
from pathlib import Path

import pytest

from tests.cli.support import started
from tokenlap.cli.main import main


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_version(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([flag]) == 0
    assert capsys.readouterr().out == f"tokenlap {version('tokenlap')}\n"


def test_trained_file_is_told_and_can_be_served(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, model = tmp_path / "corpus.txt", tmp_path / "my.ngram"
    corpus.write_text("=== What is a lap?\nA lap is one turn of the loop.\n")

    assert main(["train", str(corpus), "-o", str(model)]) == 0
    told = capsys.readouterr().out
    assert f"{model}: {model.stat().st_size} bytes" in told
    assert f"--model ngram:{model}" in told


async def test_health_is_0_for_a_server_that_answers(capsys: pytest.CaptureFixture[str]) -> None:
    async with started() as server:
        assert main(["health", "--url", server.url]) == 0
        assert '"status":"ok"' in capsys.readouterr().out


async def test_health_asks_where_the_settings_say(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started() as server:
        monkeypatch.setenv("TOKENLAP_HOST", "0.0.0.0")
        monkeypatch.setenv("TOKENLAP_PORT", server.url.rpartition(":")[2])
        assert main(["health"]) == 0


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "nonsense"])
def test_health_is_1_where_nobody_answers(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["health", "--url", url]) == 1
    assert f"error: {url} is not healthy" in capsys.readouterr().err


async def test_health_is_1_for_a_server_that_answers_an_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with started() as server:
        assert main(["health", "--url", f"{server.url}/elsewhere"]) == 1
        assert "404" in capsys.readouterr().err
