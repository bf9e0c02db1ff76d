"""What is installed and reachable, and what to do about what is not."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from showtell import __version__
from showtell.errors import LibraryError, ModelError
from showtell.settings import Settings


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing examined; ``advice`` says what to do where it is not fine."""

    subject: str
    fine: bool
    fact: str
    advice: str = ""
    optional: bool = False


def examine(settings: Settings) -> list[Finding]:
    """Examine everything that showtell needs or can use; nothing is fetched or changed."""
    return [
        Finding("showtell", True, f"{__version__} on Python {platform.python_version()}"),
        _full_text_search(),
        _encoder(settings),
        *_library(settings),
        _writable("cache", settings.cache),
    ]


def report(findings: list[Finding]) -> str:
    """The findings for the terminal, one a line, with advice below those that are not fine."""
    return "\n".join(line for finding in findings for line in _lines(finding))


def _lines(finding: Finding) -> Iterator[str]:
    mark = "ok" if finding.fine else "--" if finding.optional else "no"
    yield f"{mark}  {finding.subject}: {finding.fact}"
    if finding.advice and not finding.fine:
        yield f"    {finding.advice}"


def _full_text_search() -> Finding:
    with sqlite3.connect(":memory:") as db:
        has = db.execute("SELECT sqlite_compileoption_used('ENABLE_FTS5')").fetchone()[0]
    advice = "use a Python whose sqlite3 has FTS5; those of python.org, Debian and conda do"
    return Finding("full-text search", bool(has), f"SQLite {sqlite3.sqlite_version}", advice)


def _encoder(settings: Settings) -> Finding:
    from showtell.models.encoder import load_encoder

    try:
        encoder = load_encoder(settings.encoder, cache=settings.cache, threads=settings.encoder_threads)
    except ModelError as error:
        return Finding("encoder", False, "no weights, so search goes by words alone", str(error))
    return Finding("encoder", True, encoder.name)


def _library(settings: Settings) -> Iterator[Finding]:
    from showtell.index.store import Store

    try:
        store = Store(settings.library)
    except LibraryError as error:
        exists = (settings.library / "library.sqlite").exists()
        yield Finding("library", False, str(settings.library), str(error), optional=not exists)
        return
    documents, passages, media = store.counts()
    held = f"{documents} documents, {passages} passages, {media} media, encoder {store.meta('encoder')}"
    fact = f"{settings.library}: {held}"
    yield Finding("library", True, fact)
    if not store.writable:
        yield Finding("library", False, "read-only", "nothing can be added; change its permissions", optional=True)


def _writable(subject: str, folder: Path) -> Finding:
    existing = next(parent for parent in [folder, *folder.parents] if parent.exists())
    advice = f"allow writing to {existing}, or set {subject} elsewhere (environment: SHOWTELL_{subject.upper()})"
    return Finding(subject, os.access(existing, os.W_OK), str(folder), advice)
