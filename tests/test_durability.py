"""Killed, interrupted, out of room, or two at once: what was stored stays, whole, and nothing else."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from benchmarks.durability import snapshot, unsound, write_documents

from showtell.errors import LibraryError
from showtell.index.store import Store

ROOT = Path(__file__).resolve().parents[1]
PAGES = 80


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    write_documents(folder, 0, PAGES)
    return folder


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Path:
    """A library to which nothing happened."""
    library = tmp_path_factory.mktemp("reference") / "library"
    assert ended(start(library, docs))[0] == 0
    return library


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return tmp_path / "library"


def start(library: Path, *sources: Path, limit: int | None = None) -> subprocess.Popen[str]:
    """``showtell add``, by words alone, so that nothing but storing takes time; ``limit`` is a file's largest size."""

    def prepare() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background job ignores it
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-m", "showtell.cli", "add", "--quiet", "--library", library, *sources]
    environment = os.environ | {"SHOWTELL_ENCODER": str(library.parent / "no-encoder")}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment, preexec_fn=prepare)


def ended(process: subprocess.Popen[str]) -> tuple[int, str, list[str]]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err.splitlines()


def whole_documents(library: Path, reference: Path) -> int:
    """How many documents there are; each must be equal to that of the reference."""
    found, expected = snapshot(library), snapshot(reference)
    assert unsound(library) == []
    assert found.items() <= expected.items()
    return len(found)


def test_a_killed_add_leaves_whole_documents_only() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.durability", "2"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 of 2 kills left every acknowledged document whole" in done.stdout


def anything_stored(library: Path) -> bool:
    try:
        return Store(library).counts()[0] > 0
    except LibraryError:  # it is just being made
        return False


def test_an_interrupted_add_keeps_what_was_stored(docs: Path, library: Path, reference: Path) -> None:
    process = start(library, docs)
    deadline = time.monotonic() + 60
    while not anything_stored(library):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert ended(process) == (1, "", ["showtell: stopped; what was stored before stays"])
    assert 0 < whole_documents(library, reference) < PAGES
    assert ended(start(library, docs))[0] == 0
    assert whole_documents(library, reference) == PAGES


def test_two_add_the_same_folder_at_once(docs: Path, library: Path, reference: Path) -> None:
    assert [ended(process)[0] for process in [start(library, docs), start(library, docs)]] == [0, 0]
    assert whole_documents(library, reference) == PAGES


def test_two_add_different_folders_at_once(docs: Path, library: Path, tmp_path: Path) -> None:
    write_documents(tmp_path / "more/other", 1, 30)
    assert [ended(process)[0] for process in [start(library, docs), start(library, tmp_path / "more")]] == [0, 0]
    assert unsound(library) == []
    store = Store(library)
    assert store.counts()[0] == PAGES + 30
    assert store.without_assets() == set()


@pytest.mark.parametrize("limit", [3_000, 400_000])
def test_a_full_disk_keeps_what_was_stored(docs: Path, library: Path, reference: Path, limit: int) -> None:
    status, out, errors = ended(start(library, docs, limit=limit))
    assert (status, out, len(errors)) == (1, "", 1)
    assert "disk" in errors[0] or "make room" in errors[0]
    assert whole_documents(library, reference) < PAGES
    assert ended(start(library, docs))[0] == 0
    assert whole_documents(library, reference) == PAGES
