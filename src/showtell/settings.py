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
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from showtell.errors import SettingsError

FILE_NAME = "showtell.toml"
PREFIX = "SHOWTELL_"
_HOST = re.compile(r"(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")


class Settings(BaseModel):
    """The settings in force; values that are wrong or unknown are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    library: Path = Field(default_factory=lambda: user_data_path("showtell", appauthor=False))
    """Folder of the library."""

    cache: Path = Field(default_factory=lambda: user_cache_path("showtell", appauthor=False))
    """Folder for what can be made again, such as the encoder's graph."""

    encoder: str = Field("all-MiniLM-L6-v2", min_length=1)
    """Sentence encoder: a name, or a folder with its weights and tokenizer."""

    encoder_threads: int | None = Field(None, ge=1, le=256)
    """Processor threads of the encoder; unset, one for each core."""

    passage_words: int = Field(180, ge=40, le=400)
    """Words of a passage, about; a section is cut where it is longer."""

    max_document_mb: int = Field(50, ge=1, le=1000)
    """Largest document that is read, in megabytes."""

    max_picture_megapixels: int = Field(100, ge=1, le=1000)
    """Largest picture that is decoded, in millions of pixels."""

    max_video_mb: int = Field(200, ge=1, le=10_000)
    """Largest video that is stored in the library, in megabytes."""

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

    @field_validator("allow_hosts", mode="before")
    @classmethod
    def _listed(cls, hosts: Any) -> Any:
        return [host.strip() for host in hosts.split(",") if host.strip()] if isinstance(hosts, str) else hosts

    @field_validator("allow_hosts")
    @classmethod
    def _hosts(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        for host in hosts:
            if not _HOST.fullmatch(host):
                raise ValueError(f"{host!r} is no host or host:port (an IPv6 address stands in brackets)")
        return hosts

    @field_validator("library", "cache")
    @classmethod
    def _absolute(cls, path: Path) -> Path:
        try:
            return path.expanduser().absolute()
        except RuntimeError as error:
            raise ValueError(f"no home folder for {path}") from error


def load_settings(**arguments: Any) -> Settings:
    """The settings in force, from the arguments, the environment, both files and the defaults.

    An argument of None counts as not given. The library's own file cannot say where the library is. Raises
    SettingsError, which names the setting and where it was set.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    layers = [
        _from_file(user_config_path("showtell", appauthor=False) / FILE_NAME),
        _from_environment(os.environ),
        {name: (value, f"argument {name}") for name, value in given.items()},
    ]
    library = _validated(layers).library
    own = _from_file(library / FILE_NAME)
    if "library" in own:
        raise SettingsError(f"{own['library'][1]}: a library's own file cannot set library; remove that line")
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
    """Variables that begin with the prefix; an empty one counts as not set."""
    set_here = {variable: value for variable, value in environment.items() if variable.startswith(PREFIX) and value}
    return {
        variable.removeprefix(PREFIX).lower(): (value, f"environment variable {variable}")
        for variable, value in set_here.items()
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
