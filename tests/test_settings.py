"""Where settings come from, and which source wins."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tokenlap.settings import Settings, reachable_url, read_settings


@pytest.fixture
def config(tmp_path: Path) -> str:
    """A file that sets the port and the host."""
    file = tmp_path / "tokenlap.toml"
    file.write_text('port = 1\nhost = "file"\nmax-body-size = 99\n')
    return str(file)


@pytest.mark.parametrize(
    ("flags", "variable", "port"),
    [
        pytest.param((), None, 1, id="the file wins over the default"),
        pytest.param((), "2", 2, id="the variable wins over the file"),
        pytest.param(("--port", "3"), "2", 3, id="the flag wins over the variable"),
        pytest.param(("--port=3",), None, 3, id="the flag wins over the file"),
    ],
)
def test_precedence(
    flags: Sequence[str],
    variable: str | None,
    port: int,
    config: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if variable:
        monkeypatch.setenv("TOKENLAP_PORT", variable)

    settings = read_settings(["--config", config, *flags])

    assert (settings.port, settings.host, settings.grace) == (port, "file", 3.0)


def test_file_may_be_named_by_a_variable(config: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKENLAP_CONFIG", config)

    assert read_settings([]).max_body_size == 99


def test_file_holds_what_flags_hold(tmp_path: Path) -> None:
    file = tmp_path / "all.toml"
    file.write_text(
        'api-key = ["a", "b"]\nttft = "300ms"\nitl = "15ms/60ms"\ngrace = 1.5\nwatch = true\n'
        '[latency-for]\n"gpt-4o*" = "hosted-fast"\n'
    )

    settings = read_settings([f"--config={file}"])

    assert settings.api_key == ("a", "b")
    assert (settings.ttft, settings.itl, settings.grace) == ("300ms", "15ms/60ms", 1.5)
    assert settings.watch
    assert settings.latency_for == {"gpt-4o*": "hosted-fast"}


@pytest.mark.parametrize(
    ("flags", "watch"), [([], False), (["--watch"], True), (["--watch", "--no-watch"], False)]
)
def test_switch(flags: list[str], watch: bool) -> None:
    assert read_settings(flags).watch is watch


def test_keys_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKENLAP_API_KEY", "a,b,")

    assert read_settings([]).api_key == ("a", "b")
    assert read_settings(["--api-key", "c,d"]).api_key == ("c", "d")


def test_settings_do_not_change() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().port = 1  # type: ignore[misc]  # that it cannot be set is what is tried


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::", "http://[::1]:80"),
        ("localhost", "http://localhost:80"),
    ],
)
def test_url_under_which_this_machine_reaches_the_server(host: str, url: str) -> None:
    assert reachable_url(host, 80) == url
