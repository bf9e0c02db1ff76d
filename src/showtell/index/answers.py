"""Answers that were given, kept beside the library so that a link to one, a rating and a question after it find them.

They lie in a file of their own: whoever asks writes here, and stays a reader of the library.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from showtell.errors import LibraryError
from showtell.types import Answer, Cue, FigurePart, Image, Media, MediaBlock, Part, Table, TextPart, Video, as_json

ID_BYTES = 16  # of chance in an answer's id; 22 letters of URL-safe base 64
MOST = 5_000  # answers that are kept; one takes about 20 kB
WAIT = 10.0  # seconds for another writer
_BLOCKS: Mapping[str, Any] = {kind.type: kind for kind in (Image, Table, Video)}
_TABLE = """CREATE TABLE IF NOT EXISTS answers (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, given TEXT NOT NULL DEFAULT (datetime('now')),
    answer TEXT NOT NULL, cues TEXT NOT NULL, rating TEXT)"""


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer that was given, and how somebody rated it, if anybody did."""

    id: str
    answer: Answer
    rating: Mapping[str, Any] | None = None


class Answers:
    """The answers in one folder, the newest ones; may be used from several threads and processes."""

    def __init__(self, folder: Path, most: int = MOST) -> None:
        """Keep at most so many. Raises LibraryError where the folder cannot be written."""
        self._file = folder / "answers.sqlite"
        self._most = most
        self._local = threading.local()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LibraryError(f"cannot keep answers in {folder}: {error.strerror}; allow writing there") from error
        with self._translated():
            self._db.execute(_TABLE)

    def put(self, answer: Answer) -> str:
        """Keep an answer; returns the id under which it is found, which nobody can guess."""
        id_ = secrets.token_urlsafe(ID_BYTES)
        cues = {
            number: as_json(part.media.block.cues)
            for number, part in enumerate(answer.parts)
            if isinstance(part, FigurePart) and isinstance(part.media.block, Video)
        }
        with self._translated():
            self._db.execute(
                "INSERT INTO answers (id, answer, cues) VALUES (?, ?, ?)",
                (id_, json.dumps(as_json(answer)), json.dumps(cues)),
            )
            self._db.execute("DELETE FROM answers WHERE number <= (SELECT max(number) FROM answers) - ?", (self._most,))
        return id_

    def get(self, id_: str) -> StoredAnswer | None:
        """The answer of an id, None where it is not kept, or not any more."""
        with self._translated():
            row = self._db.execute("SELECT answer, cues, rating FROM answers WHERE id = ?", (id_,)).fetchone()
        if row is None:
            return None
        told, cues, rating = row
        answer = read_answer(json.loads(told), json.loads(cues))
        return StoredAnswer(id_, answer, json.loads(rating) if rating else None)

    def rate(self, id_: str, rating: Mapping[str, Any]) -> bool:
        """Keep a rating in place of the one before; returns whether there is such an answer."""
        with self._translated():
            changed = self._db.execute("UPDATE answers SET rating = ? WHERE id = ?", (json.dumps(rating), id_))
        return changed.rowcount > 0

    def close(self) -> None:
        """Close this thread's connection."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None

    @property
    def _db(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(self._file, timeout=WAIT, isolation_level=None)
            self._local.connection = connection
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        return connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            advice = "make room or allow writing, or move that file away; the library itself is not touched"
            raise LibraryError(f"{self._file} cannot be used: {error}; {advice}") from error


def read_answer(told: Mapping[str, Any], cues: Mapping[str, Any] | None = None) -> Answer:
    """The Answer that :func:`showtell.types.as_json` told; ``cues`` are the transcripts of its videos, by part number.

    Raises pydantic's ValidationError where it is none. What the JSON does not tell, such as the text around a figure,
    is empty.
    """
    answer: Answer = _adapter(Answer).validate_python({**told, "parts": ()})
    parts = (_part(part, (cues or {}).get(str(number), ())) for number, part in enumerate(told["parts"]))
    return replace(answer, parts=tuple(parts))


def _part(told: Mapping[str, Any], cues: Any) -> Part:
    if told["type"] == "text":
        text: TextPart = _adapter(TextPart).validate_python(told)
        return text
    media, kind = told["media"], _BLOCKS[told["type"]]
    own = {field.name: media[field.name] for field in fields(kind) if field.name in media}
    if kind is Video:
        own["cues"] = [Cue(**cue) for cue in cues]
    block: MediaBlock = _adapter(kind).validate_python(own)
    known = {field.name: media[field.name] for field in fields(Media) if field.name in media}
    whole = known | {"block": block, "title": media["document_title"], "section_id": 0}
    figure: FigurePart = _adapter(FigurePart).validate_python({**told, "media": whole})
    return figure


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
