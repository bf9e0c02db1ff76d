"""The casebook beside the checkout: small inputs from public bug reports, each with what must come out."""

from __future__ import annotations

import importlib.util
import json
import re
import socket
from pathlib import Path
from typing import Any

import pytest

from showtell.errors import SourceError
from showtell.ingest.convert import read_file
from showtell.ingest.inspection import inspection
from showtell.types import Document, Video

BOOK = Path(__file__).resolve().parents[3] / "shared" / "cases"
FOLDERS = ("md", "rst", "txt", "enc", "captions", "lang", "html")
PICTURES = (".jpg", ".png", ".gif", ".webp", ".svg")


def _cases() -> list[Any]:
    if not BOOK.is_dir():
        return [pytest.param({}, marks=pytest.mark.skip(reason="no casebook beside the checkout"))]
    cases = json.loads((BOOK / "expected.json").read_text(encoding="utf-8"))["cases"]
    return [pytest.param(case, id=case["file"]) for case in cases if _is_ours(case["file"])]


def _is_ours(file: str) -> bool:
    return file.split("/")[0] in FOLDERS or (file.startswith("bin/") and file.endswith(PICTURES))


def _check(expect: dict[str, Any], document: Document) -> list[str]:
    spec = importlib.util.spec_from_file_location("casebook_check", BOOK / "casebook_check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    cues = [
        (cue.start, cue.end, cue.text)
        for section in document.sections
        for block in section.blocks
        if isinstance(block, Video)
        for cue in block.cues
    ]
    problems, _ = module.check(expect, inspection(document), cues or None)
    return list(problems)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("reading a document must not reach for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize("case", _cases())
def test_case(case: dict[str, Any]) -> None:
    expect = case["expect"]
    outcome = _outcome(BOOK / case["file"])
    if isinstance(outcome, SourceError):
        assert re.search(expect.get("error", {"regex": "no error is expected"})["regex"], str(outcome), re.I), outcome
        return
    assert "error" not in expect or expect["error"].get("or_document"), case["why"]
    assert not _check(expect, outcome), case["why"]


def _outcome(path: Path) -> Document | SourceError:
    try:
        return read_file(path, BOOK)
    except SourceError as problem:
        return problem
