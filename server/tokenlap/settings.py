"""One frozen Settings: flags, TOKENLAP_* environment variables, a TOML file, in this order of
precedence.

The environment is read nowhere else.
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from tokenlap.delivery.latency import PROFILES, Latency, seconds


def _duration(value: object) -> object:
    return seconds(value) if isinstance(value, str) else value


def _list(value: object) -> object:
    return tuple(part for part in value.split(",") if part) if isinstance(value, str) else value


Seconds = Annotated[float, BeforeValidator(_duration), Field(ge=0)]


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
    context_window: int = Field(128_000, ge=1, description="tokens of prompt and reply together")
    default_max_tokens: int = Field(
        1024, ge=1, description="length wall of the default model, in tokens"
    )
    random: bool = Field(False, description="a new seed for each request that gives none")
    latency: str = Field("natural", description="named latency: natural (200ms, 20ms) or none")
    ttft: Seconds | None = Field(
        None, description="time to first token, such as 300ms; overrides --latency"
    )
    itl: Seconds | None = Field(
        None, description="time between tokens, such as 15ms; overrides --latency"
    )
    strict: bool = Field(
        False, description="behave as the platform: unknown model 404, parameter 400, no key 401"
    )
    api_key: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_list)] = Field(
        (), description="accept these keys only; comma separated"
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
    grace: Seconds = Field(3.0, description="how long open streams may run on after SIGTERM")
    keep_alive: Seconds = Field(75.0, description="how long an idle connection stays open")
    log: Literal["text", "json", "off"] = Field(
        "text", description="one line a request, when it ends"
    )
    watch: bool = Field(False, description="print the text of every request as its loop turns")

    @property
    def law(self) -> Latency:
        """The latency that --latency, --ttft and --itl ask for."""
        base = PROFILES[self.latency]
        return Latency(
            base.ttft if self.ttft is None else self.ttft,
            base.itl if self.itl is None else self.itl,
        )

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
        named = {**env_settings(), **init_settings()}.get("config")
        toml = TomlConfigSettingsSource(settings_cls, Path(str(named))) if named else None
        return (init_settings, env_settings, *([toml] if toml else []))


def read_settings(arguments: list[str]) -> Settings:
    """Return the settings that flags, environment and file give; exits with 2 and a usage line for
    unknown flags.
    """
    pairs = zip(arguments, [*arguments[1:], ""], strict=True)
    named = [value for flag, value in pairs if flag == "--config"]
    named += [flag.removeprefix("--config=") for flag in arguments if flag.startswith("--config=")]
    config = Path(named[-1]) if named else None
    return Settings(_cli_parse_args=arguments, _cli_prog_name="tokenlap serve", config=config)
