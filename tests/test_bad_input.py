"""Bad input is one clear warning, the rest goes on; a library that cannot be used says so and is not harmed."""

from __future__ import annotations

import json
import os
import sqlite3
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PIL import Image

from showtell.cli import main
from showtell.library import Library

GOOD = "# Good\n\nThe good page says that the pump runs.\n"


class Shell:
    """The command in this process: exit status, lines of stdout and stderr."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.library = folder / "library"
        self._common = ["--library", str(self.library), "--encoder", str(folder / "no-encoder"), "--quiet"]
        self._capsys = capsys

    def __call__(self, command: str, *arguments: str | Path) -> tuple[int, str, list[str]]:
        self._capsys.readouterr()
        try:
            status = main([command, *self._common, *map(str, arguments)])
        except SystemExit as end:  # wrong usage
            status = int(end.code or 0)
        out, err = self._capsys.readouterr()
        assert "Traceback" not in err
        return status, out, err.splitlines()


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(tmp_path, capsys)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "good.md").write_text(GOOD)
    return folder


# ------------------------------------------------------------------------------------------------------- bad documents
def huge(folder: Path) -> None:
    with (folder / "huge.html").open("wb") as file:
        file.write(b"<p>text</p>")
        file.truncate(200_000_000)


def bomb(folder: Path) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(bytes(1000)))
    (folder / "bomb.png").write_bytes(b"\x89PNG\r\n\x1a\n" + header + pixels + chunk(b"IEND", b""))
    (folder / "bomb.md").write_text("# Bomb\n\nThis page shows a picture.\n\n![Bomb](bomb.png)\n")


def escape(folder: Path) -> None:
    Image.new("RGB", (90, 60)).save(folder.parent / "outside.png")
    (folder / "escape.md").write_text("# Escape\n\nThis page reaches out.\n\n![Out](../outside.png)\n")


def missing_asset(folder: Path) -> None:
    (folder / "bare.md").write_text("# Bare\n\nThis page lacks a picture.\n\n![None](none.png)\n")


def link(folder: Path) -> None:
    (folder.parent / "secret.md").write_text("# Secret\n\nThe secret zebra.\n")
    (folder / "link.md").symlink_to(folder.parent / "secret.md")


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe.md")


def not_utf8(folder: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.md")).write_text(GOOD)
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (lambda f: (f / "empty.md").write_text(""), "empty.md: the file is empty"),
    "binary": (lambda f: (f / "noise.txt").write_bytes(bytes(range(256)) * 20), "noise.txt: the content is binary"),
    "wrong ending": (lambda f: (f / "page.html").write_bytes(b"%PDF-1.4 ..."), "page.html: PDF is not supported"),
    "200 MB": (huge, "huge.html: the file is too large"),
    "picture too large": (bomb, "bomb.png left out: the picture is too large"),
    "..": (escape, "../outside.png left out: the path leaves the added folder"),
    "missing picture": (missing_asset, "none.png left out: the file is missing"),
    "link out": (link, "link.md: skipped, the link leads out"),
    "pipe": (pipe, "pipe.md: skipped, it is no file but a pipe"),
    "line end in name": (lambda f: (f / "new\nline.md").write_text(GOOD), r"new\nline.md: its name holds a control"),
    "escape in name": (lambda f: (f / "e\x1b[31m.md").write_text(GOOD), r"e\x1b[31m.md: its name holds a control"),
    "not UTF-8": (not_utf8, r"caf\xe9.md: its name holds a control character or is not UTF-8; rename it"),
}


@pytest.mark.parametrize("kind", BAD)
def test_each_is_one_warning_and_the_rest_goes_on(shell: Shell, docs: Path, kind: str) -> None:
    spoil, expected = BAD[kind]
    spoil(docs)
    status, out, err = shell("add", docs)
    assert status == 0
    assert "1 added" in out or "2 added" in out
    (warning,) = (line for line in err if "almost no text" not in line)
    assert expected in warning
    assert ";" in warning, "it says what to do"
    assert "Secret" not in shell("list")[1]


def test_a_folder_inside_itself_is_met_once(shell: Shell, docs: Path) -> None:
    (docs / "again").symlink_to(docs)
    assert shell("add", docs)[1].startswith("1 added")


def test_a_deep_path_is_walked(shell: Shell, docs: Path) -> None:
    inner = docs.joinpath(*["d"] * 300)
    os.makedirs(inner)  # noqa: PTH103 (pathlib's own recurses for each part)
    (inner / "deep.md").write_text(GOOD)
    assert shell("add", docs)[1].startswith("2 added")


@pytest.mark.parametrize("markup", ["<div>", "<ul><li>", "<table><tr><td>", "<b>", "<blockquote>"])
def test_ten_thousand_nested_tags(shell: Shell, docs: Path, markup: str) -> None:
    (docs / "nested.html").write_text(f"<h1>Deep</h1><p>The zebra.</p>{markup * 10_000}at the bottom")
    began = time.monotonic()
    assert shell("add", docs)[1].startswith("2 added")
    assert time.monotonic() - began < 30


def test_a_table_of_ten_thousand_rows_is_asked_quickly_and_shown_in_part(shell: Shell, docs: Path) -> None:
    rows = "".join(f"<tr><td>part {n}</td><td>{n * 7 % 1000} kg</td></tr>" for n in range(10_000))
    (docs / "big.html").write_text(f"<h1>Parts</h1><table><tr><th>Part</th><th>Weight</th></tr>{rows}</table>")
    assert shell("add", docs)[0] == 0
    began = time.monotonic()
    status, out, _ = shell("ask", "--json", "Which weight has part 7531? Show the table.")
    assert time.monotonic() - began < 5
    assert status == 0
    tables = [part for part in json.loads(out)["parts"] if part["type"] == "table"]
    assert all(len(part["media"]["rows"]) <= 12 and part["rows_total"] == 10_000 for part in tables)


def test_a_file_that_vanishes_after_the_walk(tmp_path: Path, docs: Path) -> None:
    for name in ("a.md", "b.md"):
        (docs / name).write_text(GOOD)
    with Library.open(tmp_path / "library", encoder=str(tmp_path / "no-encoder")) as library:
        gathered = list(library._gather(str(docs)))
        (docs / "b.md").unlink()
        results = {result.name: result for result in library._add_all(gathered)}
    assert {name: result.status for name, result in results.items()} == {
        "a.md": "added",
        "b.md": "failed",
        "good.md": "added",
    }
    assert "add it again" in results["b.md"].error


@pytest.mark.parametrize(
    ("source", "told"),
    [("none", "no such file or folder"), ("/dev/null", "neither file nor folder"), ("x" * 300, "cannot be read")],
)
def test_nothing_could_be_added(shell: Shell, source: str, told: str) -> None:
    status, out, err = shell("add", source)
    assert status == 1
    assert "1 failed" in out
    assert told in err[0]


def test_an_empty_folder_is_told(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    status, _, err = shell("add", tmp_path / "empty")
    assert status == 1
    assert "holds no file of a kind that showtell reads" in err[0]


def test_one_missing_source_among_good_ones_is_no_failure(shell: Shell, docs: Path) -> None:
    status, out, err = shell("add", "none", docs)
    assert (status, len(err)) == (0, 1)
    assert out.startswith("1 added, 1 failed")


# ------------------------------------------------------------------------------------------------------- bad libraries
def truncate(library: Path) -> None:
    with (library / "library.sqlite").open("r+b") as file:
        file.truncate(20_000)


def newer(library: Path) -> None:
    with closing(sqlite3.connect(library / "library.sqlite")) as db:
        db.execute("PRAGMA user_version = 99")


HARMED: dict[str, tuple[Callable[[Path], object], str]] = {
    "rubbish": (lambda f: (f / "library.sqlite").write_bytes(b"no database " * 999), "is damaged"),
    "truncated": (truncate, "is damaged"),
    "emptied": (lambda f: (f / "library.sqlite").write_bytes(b""), "is damaged: its database is empty"),
    "newer": (newer, "written by a later showtell"),
}


@pytest.mark.parametrize("harm", HARMED)
@pytest.mark.parametrize("command", ["list", "ask", "add", "refresh", "remove"])
def test_a_library_that_cannot_be_used_says_so_and_stays_as_it_is(
    shell: Shell, docs: Path, harm: str, command: str
) -> None:
    Image.new("RGB", (90, 60)).save(docs / "a.png")
    (docs / "a.md").write_text(GOOD + "\n![A](a.png)\n" * 3 + GOOD * 400)
    shell("add", docs)
    spoil, told = HARMED[harm]
    spoil(shell.library)
    before = (shell.library / "library.sqlite").read_bytes()
    arguments = {"ask": ["Does the pump run?"], "add": [docs], "remove": ["good.md"]}.get(command, [])
    status, out, err = shell(command, *arguments)
    assert (status, out, len(err)) == (1, "", 1)
    assert told in err[0]
    assert (shell.library / "library.sqlite").read_bytes() == before


def test_the_library_folder_is_a_file(shell: Shell, docs: Path) -> None:
    shell.library.write_text("a file")
    for command, *arguments in [("add", str(docs)), ("list",), ("ask", "What?")]:
        status, out, err = shell(command, *arguments)
        assert (status, out, len(err)) == (1, "", 1)
    assert shell.library.read_text() == "a file"


def test_a_locked_library_says_so(shell: Shell, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("showtell.index.store.WRITE_WAIT", 0.2)
    shell("add", docs)
    (docs / "more.md").write_text(GOOD)
    with closing(sqlite3.connect(shell.library / "library.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert shell("list")[0] == 0, "reading goes on"
        status, _, err = shell("add", docs)
        assert status == 1
        assert "another process is writing" in err[0]
    assert shell("add", docs)[0] == 0


def test_missing_assets_do_not_keep_anyone_from_asking(shell: Shell, docs: Path, tmp_path: Path) -> None:
    Image.new("RGB", (90, 60)).save(docs / "a.png")
    (docs / "a.md").write_text("# Zebra\n\nThe zebra runs.\n\n![A zebra](a.png)\n")
    shell("add", docs)
    for asset in (shell.library / "assets").iterdir():
        asset.unlink()
    (shell.library / "assets").rmdir()
    assert shell("ask", "Does the zebra run?", "--html", tmp_path / "page.html")[0] == 0
    assert "1 replaced" in shell("add", docs)[1]


# ------------------------------------------------------------------------------------------------------------ the shell
def test_wrong_usage_is_status_2(shell: Shell) -> None:
    for command, *arguments in [("ask",), ("ask", ""), ("ask", "--method", "magic", "What?"), ("add",), ("nonsense",)]:
        status, out, err = shell(command, *arguments)
        assert (status, out) == (2, "")
        assert err[-1].startswith("showtell")


def test_json_is_one_value_and_nothing_else(shell: Shell, docs: Path) -> None:
    (docs / "empty.md").write_text("")
    for command, *arguments in [("add", docs), ("add", docs), ("list",), ("ask", "Does the pump run?"), ("refresh",)]:
        status, out, _ = shell(command, "--json", *arguments)
        assert status == 0
        json.loads(out)
    status, out, _ = shell("add", "--json", "none")
    assert status == 1
    assert json.loads(out)[0]["status"] == "failed"


def test_a_terminal_that_speaks_ascii(docs: Path, tmp_path: Path) -> None:
    (docs / "lamp.md").write_text("# Lämpchen ☀\n\nDas Lämpchen – 灯 – leuchtet grün.\n", encoding="utf-8")
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "SHOWTELL_LIBRARY": str(tmp_path / "library")}
    environment["SHOWTELL_ENCODER"] = str(tmp_path / "no-encoder")

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "showtell.cli", *arguments]
        done = subprocess.run(command, capture_output=True, env=environment, check=False)
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr
        return done.stdout.decode("ascii")

    run("add", str(docs))
    assert "Lampchen" in run("list").replace("?", "a")
    assert "Lämpchen ☀" in [each["title"] for each in json.loads(run("list", "--json"))]


def test_a_fault_of_ours_is_one_line_too(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("showtell.library.Library.open", broken)
    status, out, err = shell("list")
    assert (status, out, len(err)) == (1, "", 1)
    assert "--debug" in err[0]
