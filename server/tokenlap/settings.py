"""One frozen Settings: flags, TOKENLAP_* environment variables, a TOML file, in this order of
precedence.

The environment is read nowhere else.
"""

import os
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from tokenlap.delivery.deployment import Bounds
from tokenlap.delivery.latency import law, seconds
from tokenlap.delivery.load import Load
from tokenlap.delivery.profiles import Profile, profile


def _duration(value: object) -> object:
    return seconds(value) if isinstance(value, str) else value


def _law(value: object) -> object:
    """Keep a law as it is written, once it has been read without a complaint."""
    text = str(value) if isinstance(value, int | float) else value
    if isinstance(text, str):
        law(text)
    return text


def _named_profile(value: object) -> object:
    if isinstance(value, str):
        profile(value)
    return value


def _list(value: object) -> object:
    return tuple(part for part in value.split(",") if part) if isinstance(value, str) else value


Seconds = Annotated[float, BeforeValidator(_duration), Field(ge=0)]
LawText = Annotated[str, BeforeValidator(_law)]
ProfileName = Annotated[str, BeforeValidator(_named_profile)]


class Settings(BaseSettings):
    """How a server runs; every field is a flag (`--max-body-size`) and a variable
    (`TOKENLAP_MAX_BODY_SIZE`).
    """

    model_config = SettingsConfigDict(
        env_prefix="TOKENLAP_",
        frozen=True,
        extra="forbid",
        cli_kebab_case=True,
        cli_implicit_flags=True,
    )

    config: Path | None = Field(None, description="a TOML file with any of these settings")
    host: str = Field("127.0.0.1", description="address to listen on; 0.0.0.0 for every interface")
    port: int = Field(8000, ge=0, le=65535, description="0 picks a free port and prints it")
    model: str = Field(
        "tokenlap",
        description="who answers: tokenlap, table, echo, ngram:FILE, table:FILE.yaml, script:FILE",
    )
    model_names: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_list)] = Field(
        (), description="further model ids to list, answered by --model; comma separated"
    )
    context_window: int = Field(128_000, ge=1, description="tokens of prompt and reply together")
    default_max_tokens: int = Field(
        1024, ge=1, description="length wall of the default model, in tokens"
    )
    random: bool = Field(False, description="a new seed for each request that gives none")
    latency: ProfileName = Field(
        "natural",
        description="natural (200ms, 20ms), none, edge-3b, 8b-h100, 70b-h100x8, 405b-h100x8, "
        "hosted-fast, hosted-reasoning, or a FILE.yaml",
    )
    latency_for: dict[str, ProfileName] = Field(
        {}, description="a latency for some model names, such as 'gpt-4o*=hosted-fast'"
    )
    ttft: LawText | None = Field(
        None, description="time to first token: 300ms, or median/p99 as 300ms/900ms"
    )
    itl: LawText | None = Field(
        None, description="time between tokens: 15ms, or median/p99 as 15ms/60ms"
    )
    prefill: LawText | None = Field(
        None, description="time for each prompt token that is not cached: 50us"
    )
    max_num_seqs: int | None = Field(
        None, ge=1, description="sequences that run at once; the latency's own number if not given"
    )
    slowdown: float | None = Field(
        None, ge=1, le=1000, description="how much slower a token is when all of them run"
    )
    max_queued: int = Field(1024, ge=0, description="requests that may wait for a slot")
    queue_full: Literal["429", "503"] = Field("429", description="status of one request more")
    prefix_cache: int = Field(
        262_144, ge=0, description="tokens of prompts that need no second prefill; 0 for no cache"
    )
    send_timeout: Seconds = Field(
        60.0, description="how long a client may stop reading before it is cut off; 0 for ever"
    )
    strict: bool = Field(
        False, description="behave as the platform: unknown model 404, parameter 400, no key 401"
    )
    api_key: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_list)] = Field(
        (), description="accept these keys only; comma separated"
    )
    workers: int = Field(
        1, ge=1, le=64, description="processes that answer; each has a queue and a store of its own"
    )
    max_body_size: int = Field(
        64 * 2**20, ge=1, description="bytes of a request body; more is a 413"
    )
    max_stored: int = Field(
        10_000, ge=0, description="stored responses and completions; then the oldest go"
    )
    max_stored_size: int = Field(
        256 * 2**20, ge=1, description="bytes of what is stored; then the oldest go"
    )
    max_background: int = Field(
        256, ge=0, description="background responses under way; one more is a 429"
    )
    grace: Seconds = Field(3.0, description="how long open streams may run on after SIGTERM")
    keep_alive: Seconds = Field(120.0, description="how long an idle connection stays open")
    log: Literal["text", "json", "off"] = Field(
        "text", description="one line a request, when it ends"
    )
    watch: bool = Field(False, description="print the text of every request as its loop turns")

    @property
    def profile(self) -> Profile:
        """The profile that --latency names, with what the single flags give in its place."""
        return self._altered(profile(self.latency))

    @property
    def profiles_by_model(self) -> dict[str, Profile]:
        """The profiles of --latency-for, by pattern of model name; the single flags act on none of
        them.
        """
        return {pattern: profile(name) for pattern, name in self.latency_for.items()}

    @property
    def bounds(self) -> Bounds:
        """What bounds each deployment beside its profile."""
        return Bounds(self.max_queued, 429 if self.queue_full == "429" else 503, self.prefix_cache)

    def _altered(self, named: Profile) -> Profile:
        given = {"ttft": self.ttft, "itl": self.itl, "prefill": self.prefill}
        latency = named.latency.altered(**{name: law(text) for name, text in given.items() if text})
        load = Load(
            named.load.max_num_seqs if self.max_num_seqs is None else self.max_num_seqs,
            named.load.slowdown if self.slowdown is None else self.slowdown,
            named.load.chunk_tokens,
        )
        return Profile(latency, load)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Add the TOML file that `config` names, below flags and environment."""
        return (init_settings, env_settings, ConfigFile(settings_cls, {}))


class ConfigFile(InitSettingsSource):
    """The TOML file that `config` names in a source above this one."""

    def __call__(self) -> dict[str, Any]:
        """Return what the file holds, nothing where none is named."""
        named = self.current_state.get("config")
        return read_toml(Path(named)) if named else {}


def read_toml(path: Path) -> dict[str, Any]:
    """Return the settings of a file, whose names may be spelled as flags (`max-body-size`) too.

    Raises OSError where it cannot be read, ValueError that says where it is no TOML.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not valid TOML: {error}") from None
    return {name.replace("-", "_"): value for name, value in table.items()}


def read_settings(arguments: list[str]) -> Settings:
    """Return the settings that flags, environment and file give.

    Raises SettingsError for unknown flags, ValidationError for wrong values (both are ValueErrors),
    and what read_toml raises.
    """
    return Settings(_cli_parse_args=arguments, _cli_exit_on_error=False)


def reachable_url(host: str, port: int) -> str:
    """Return the URL under which this machine reaches a server that listens on host and port."""
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{f'[{reached}]' if ':' in reached else reached}:{port}"


_HANDED_DOWN = "TOKENLAP__HANDED_DOWN"


def hand_down(settings: Settings) -> None:
    """Leave settings where the worker processes find them: they inherit the environment."""
    os.environ[_HANDED_DOWN] = settings.model_dump_json()


def handed_down() -> Settings:
    """Return the settings that the parent process has left."""
    return Settings.model_validate_json(os.environ[_HANDED_DOWN])
