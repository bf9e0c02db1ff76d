"""Every setting of showtell, its default and its bounds. Nothing else reads configuration files or the environment.

What wins, strongest first: an argument, the environment (``SHOWTELL_CITATIONS=5``), ``showtell.toml`` in the library's
folder, ``showtell.toml`` in the user's configuration folder, the default.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path, user_config_path, user_data_path
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from showtell.errors import SettingsError

FILE_NAME = "showtell.toml"
PREFIX = "SHOWTELL_"
# A library may come from someone else: its own file must not say where questions and keys are sent, or what is written.
# Nor may it say who is let in.
NOT_FOR_A_LIBRARY = (
    "library", "model", "model_key", "openai_api_key", "caption", "record", "replay", "wikipedia_api", "host", "port",
    "hosts", "api_key",
)  # fmt: skip
SHORTEST_KEY = 16  # characters
_HASHED = re.compile(r"sha256:[0-9a-f]{64}")
_HOST = re.compile(r"(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")


class Settings(BaseModel):
    """The settings in force; values that are wrong or unknown are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, hide_input_in_errors=True)

    library: Path = Field(default_factory=lambda: user_data_path("showtell", appauthor=False))
    """Folder of the library."""

    cache: Path = Field(default_factory=lambda: user_cache_path("showtell", appauthor=False))
    """Folder for what can be made again, such as the encoder's graph."""

    encoder: str = Field("all-MiniLM-L6-v2", min_length=1)
    """Sentence encoder: a name, or a folder with its weights and tokenizer."""

    encoder_threads: int | None = Field(None, ge=1, le=256)
    """Processor threads of the encoder; unset, one for each core."""

    rerank: str | None = Field(None, max_length=500)
    """Cross-encoder that ranks the best passages again: a name, or a folder with its files; or ``none``."""

    image_encoder: str | None = Field(None, max_length=500)
    """CLIP by which pictures are found by their looks: a name, or a folder with its files; or ``none``."""

    passage_words: int = Field(180, ge=40, le=400)
    """Words of a passage, about; a section is cut where it is longer."""

    max_document_mb: int = Field(50, ge=1, le=1000)
    """Largest page or picture that is fetched, and most that is uploaded at once, in megabytes."""

    fetch_media: bool = False
    """Whether remote pictures and transcripts of local documents are fetched and stored; otherwise they stay links."""

    fetch_timeout: float = Field(30.0, ge=1, le=600)
    """Seconds for fetching one page or picture, with its redirects."""

    max_pages: int = Field(2000, ge=1, le=50_000)
    """Pages that are added of one sitemap, at most."""

    user_agent: str = Field("showtell", min_length=1, max_length=200, pattern=r"^[\x21-\x7e][\x20-\x7e]*$")
    """How showtell names itself to web sites; add how to reach you, such as "showtell (you@example.org)"."""

    allow_hosts: tuple[str, ...] = ()
    """Hosts at private or loopback addresses that may be fetched from, as ``host`` or ``host:port``."""

    citations: int = Field(3, ge=1, le=10)
    """Sections that an answer draws on, at most."""

    answer_words: int = Field(150, ge=30, le=600)
    """Words of an answer, about; steps may run longer."""

    table_rows: int = Field(12, ge=1, le=200)
    """Rows of a table that an answer shows, at most."""

    media_per_claim: int = Field(3, ge=0, le=10)
    """Images, tables and videos placed after one sentence or step, at most."""

    model: str | None = Field(None, max_length=500)
    """Chat model that writes answers: ``ollama/NAME``, ``openai/NAME``, ``http://HOST:PORT/v1#NAME``; or ``none``."""

    model_key: SecretStr | None = None
    """Key for the server of ``model`` (of ``caption`` where there is no model); sent to no other."""

    openai_api_key: SecretStr | None = None
    """Key for ``openai/…`` models, also read from OPENAI_API_KEY; sent to OpenAI alone."""

    model_context: int = Field(4096, ge=1024, le=2_000_000)
    """Tokens that prompt and reply may have together; the default is what Ollama gives a model that is told nothing."""

    model_reply: int = Field(800, ge=50, le=100_000)
    """Tokens of a model's reply, at most."""

    model_timeout: float = Field(60.0, ge=1, le=3600)
    """Seconds until a model's first word, and between its words; ten times that for the whole reply."""

    model_sees: bool = False
    """Whether the model is shown the pictures among the figures when it fits the text to them."""

    refine: bool = True
    """Whether the model revises the text around the figures."""

    hyde: bool = False
    """Whether a question is also searched for by a passage that the model supposes to be its answer."""

    caption: str | None = Field(None, max_length=500)
    """Chat model that describes pictures, tables and transcripts that are added, named like ``model``; or ``none``."""

    wikipedia_contact: str | None = Field(None, max_length=200)
    """How Wikipedia can reach you, an e-mail address or web page; it blocks programs that do not tell theirs."""

    wikipedia_language: str | None = Field(None, pattern=r"^[a-z]{2,12}(-[a-z]{2,12}){0,3}$")
    """Language of the Wikipedia to ask, such as ``de``; unset, the question's."""

    wikipedia_api: str | None = Field(None, max_length=500)
    """Address of the ``api.php`` of another wiki to ask in Wikipedia's place."""

    wikipedia_requests: int = Field(20, ge=3, le=200)
    """Requests to Wikipedia that a question may cost, at most; most cost ten or fewer."""

    pages: int = Field(3, ge=1, le=10)
    """Pages of another source that are read at once."""

    rounds: int = Field(2, ge=0, le=2)
    """Further rounds of searching where what was found does not answer, at most; only with a model."""

    record: Path | None = None
    """File to which a model's replies are recorded."""

    replay: Path | None = None
    """File from which recorded replies are given in place of the model's."""

    host: str = Field("127.0.0.1", min_length=1, max_length=253)
    """Address at which ``serve`` listens; any but this computer's own needs an ``api_key``."""

    port: int = Field(8484, ge=0, le=65_535)
    """Port at which ``serve`` listens; 0 for one that is free."""

    hosts: tuple[str, ...] = ()
    """Names under which the server is reached, such as ``help.example.org``, beside this computer's own."""

    api_key: SecretStr | None = None
    """Key that whoever asks the server must have: 16 characters or more, or ``sha256:`` and the key's SHA-256."""

    workers: int = Field(1, ge=1, le=64)
    """Processes that serve."""

    questions_at_once: int = Field(4, ge=1, le=256)
    """Questions that a server's process answers at once; four times as many wait, and more are sent away."""

    requests_per_minute: int = Field(120, ge=0, le=1_000_000)
    """Questions, pictures and documents that a server's process takes of one client a minute; 0 for any number."""

    @field_validator("model", "caption", "rerank", "image_encoder", mode="before")
    @classmethod
    def _named(cls, name: Any) -> Any:
        if not isinstance(name, str):
            return name
        return None if name.strip().lower() in ("", "none") else name.strip()

    @field_validator("allow_hosts", "hosts", mode="before")
    @classmethod
    def _listed(cls, hosts: Any) -> Any:
        return [host.strip() for host in hosts.split(",") if host.strip()] if isinstance(hosts, str) else hosts

    @field_validator("allow_hosts", "hosts")
    @classmethod
    def _hosts(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        for host in hosts:
            if not _HOST.fullmatch(host):
                raise ValueError(f"{host!r} is no host or host:port (an IPv6 address stands in brackets)")
        return hosts

    @field_validator("api_key")
    @classmethod
    def _hard_to_guess(cls, key: SecretStr | None) -> SecretStr | None:
        if key and not (_HASHED.fullmatch(key.get_secret_value()) or len(key.get_secret_value()) >= SHORTEST_KEY):
            raise ValueError(f"a key has {SHORTEST_KEY} characters or more, or is sha256: and 64 hexadecimal digits")
        return key

    @field_validator("library", "cache", "record", "replay")
    @classmethod
    def _absolute(cls, path: Path | None) -> Path | None:
        try:
            return path and path.expanduser().absolute()
        except RuntimeError as error:
            raise ValueError(f"no home folder for {path}") from error

    def key_for(self, name: str) -> str | None:
        """The key that may be sent to the chat model of that name, None if there is none for its server."""
        chosen = self.model or self.caption
        if self.model_key and chosen and _server(name) == _server(chosen):
            return self.model_key.get_secret_value()
        if self.openai_api_key and _server(name) == "openai":
            return self.openai_api_key.get_secret_value()
        return None


def _server(name: str) -> str:
    """The part of a chat model's name that says where it is: an address, or a provider's short name."""
    return name.partition("#")[0].rstrip("/") if "://" in name else name.partition("/")[0]


def load_settings(**arguments: Any) -> Settings:
    """The settings in force, from the arguments, the environment, both files and the defaults.

    An argument of None counts as not given. The library's own file cannot say where the library is, nor name a model.
    Raises SettingsError, which names the setting and where it was set.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    layers = [
        _from_file(user_config_path("showtell", appauthor=False) / FILE_NAME),
        _from_environment(os.environ),
        {name: (value, f"argument {name}") for name, value in given.items()},
    ]
    library = _validated(layers).library
    own = _from_file(library / FILE_NAME)
    for name in NOT_FOR_A_LIBRARY:
        if name in own:
            raise SettingsError(f"{own[name][1]}: a library's own file cannot set {name}; remove that line")
    layers.insert(1, own)
    return _validated(layers)


# Settings by name, each with the place that set it.
_Layer = Mapping[str, tuple[Any, str]]


def _from_file(path: Path) -> _Layer:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror}); allow reading it or move it away") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not a TOML file ({error}); correct or remove it") from error
    return {name: (value, f"{path}, {name}") for name, value in content.items()}


def _from_environment(environment: Mapping[str, str]) -> _Layer:
    """Variables that begin with the prefix, and OpenAI's own for its key; an empty one counts as not set."""
    own = {variable.removeprefix(PREFIX).lower(): variable for variable in environment if variable.startswith(PREFIX)}
    variables = {"openai_api_key": "OPENAI_API_KEY"} | own
    return {
        name: (environment[variable], f"environment variable {variable}")
        for name, variable in variables.items()
        if environment.get(variable)
    }


def _validated(layers: list[_Layer]) -> Settings:
    """Settings from layers of which a later one wins; the first fault found is told."""
    merged = {name: entry for layer in layers for name, entry in layer.items()}
    try:
        return Settings(**{name: value for name, (value, _) in merged.items()})
    except ValidationError as error:
        fault = error.errors()[0]
        name = str(fault["loc"][0])
        raise SettingsError(f"{merged[name][1]}: {_complaint(name, fault['type'], fault['msg'])}") from error


def _complaint(name: str, kind: str, message: str) -> str:
    if kind != "extra_forbidden":
        return f"{message[0].lower()}{message[1:]}; correct or remove it"
    close = get_close_matches(name, Settings.model_fields, n=1)
    advice = f"did you mean {close[0]}?" if close else f"there are: {', '.join(Settings.model_fields)}"
    return f"there is no setting {name}; {advice}"
