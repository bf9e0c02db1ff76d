"""One folder that holds a library: SQLite for text, places and vectors, and the assets beside it.

Writing is one transaction a document: either all of it stands in the store or nothing. Writers wait for each other;
readers never wait. An asset is written before the document that needs it is committed, and removed after the last one
that needed it is gone, both while no other process can write.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from showtell.errors import LibraryDamaged, LibraryError, LibraryLocked, LibraryTooNew, SourceError
from showtell.index.schema import MIGRATIONS
from showtell.models.base import Vectors
from showtell.types import Block, Cue, Image, Media, Moment, Passage, Section, Table, Text, Video, as_json

WRITE_WAIT = 60.0  # seconds to wait for another writer
FIELD_WEIGHTS = (1.0, 3.0, 1.0)  # BM25 of title, heading, text
MEDIA_WEIGHTS = (2.0, 1.0)  # BM25 of a media item's own words, and of the text around it
_BLOCKS: Mapping[str, type[Block]] = {kind.type: kind for kind in (Text, Image, Table, Video)}


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as ``list`` shows it; ``hash`` is that of its bytes and of the reader that read them."""

    id: int
    source: str
    name: str
    root: str
    hash: str
    title: str
    language: str
    passages: int
    images: int
    tables: int
    videos: int
    added: str


@dataclass(frozen=True, slots=True)
class Known:
    """A document as ``add`` meets it again: its name, the folder, file or address it came with, and its hash."""

    name: str
    root: str
    hash: str


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A passage to be stored: its section's ordinal, its block range, its index terms by field, its vector if any."""

    section: int
    first: int
    last: int
    text: str
    start: float | None
    end: float | None
    terms: tuple[str, str, str]
    vector: bytes | None


@dataclass(frozen=True, slots=True)
class MediaRow:
    """A media item to be stored, at block ``position`` of its section number ``section``.

    ``content`` names what a model would be asked about: "" is nothing, None is not known yet.
    """

    key: str
    section: int
    position: int
    before: str
    after: str
    terms: tuple[str, str]
    vector: bytes | None
    content: str | None = None
    generated: str = ""
    generated_by: str = ""


@dataclass(frozen=True, slots=True)
class MomentRow:
    """A moment of a transcript to be stored, of the video at block ``position`` of its section."""

    section: int
    position: int
    start: float
    end: float
    text: str
    vector: bytes | None


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document to be stored, with everything that belongs to it."""

    source: str
    name: str
    root: str
    hash: str
    title: str
    description: str
    language: str
    url: str | None
    licence: str | None
    revision: str | None
    dropped: int
    sections: tuple[Section, ...]
    passages: tuple[PassageRow, ...]
    media: tuple[MediaRow, ...]
    assets: Mapping[str, str | bytes]
    moments: tuple[MomentRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """Which documents a search may use: names that equal or lie under one of ``documents``; one ``language``."""

    documents: tuple[str, ...] = ()
    language: str | None = None

    def __bool__(self) -> bool:
        return bool(self.documents or self.language)


class Store:
    """A library's folder. Open it once a process; it may be used from several threads."""

    def __init__(self, folder: Path, *, create: bool = False) -> None:
        """Open the library in ``folder``; with ``create`` make it where there is none.

        Raises LibraryError (no library there, or not a folder), LibraryDamaged, LibraryTooNew, LibraryLocked.
        """
        self.folder = folder
        self._local = threading.local()
        self._file = folder / "library.sqlite"
        if not self._holds_data():
            if not create:
                raise LibraryError(f"there is no library in {folder}; make one with: showtell add FOLDER")
            self._make_folder()
        self.writable = os.access(folder, os.W_OK) and (not self._file.exists() or os.access(self._file, os.W_OK))
        self._migrate()

    @property
    def assets(self) -> Path:
        """Where asset files lie, by name."""
        return self.folder / "assets"

    @property
    def generation(self) -> int:
        """Grows with every change of the library."""
        return int(self.meta("generation") or 0)

    def close(self) -> None:
        """Close this thread's connection."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None

    # ------------------------------------------------------------------------------------------------- writing
    def put(self, row: DocumentRow) -> None:
        """Store a document in place of the one with the same source, in one transaction.

        Raises SourceError when the file of one of its assets is gone, LibraryError when the store cannot be written.
        """
        with self.writing() as db:
            for name, content in row.assets.items():
                if not (self.assets / name).exists():
                    self._write_asset(name, content)
            db.execute("DELETE FROM documents WHERE source = ?", (row.source,))
            name = row.name if self._name_is_free(db, row.name) else row.source
            document = _insert(
                db,
                "documents",
                source=row.source, name=name, root=row.root, hash=row.hash, title=row.title,
                description=row.description, language=row.language, url=row.url, licence=row.licence,
                revision=row.revision, dropped=row.dropped,
            )  # fmt: skip
            sections = [_insert_section(db, document, number, each) for number, each in enumerate(row.sections)]
            for passage in row.passages:
                _insert_passage(db, sections[passage.section], passage)
            for media in row.media:
                _insert_media(db, sections[media.section], media)
            for moment in row.moments:
                values = {"start": moment.start, "end": moment.end, "text": moment.text, "vector": moment.vector}
                _insert(db, "moments", section_id=sections[moment.section], position=moment.position, **values)
            db.executemany("INSERT INTO assets VALUES (?, ?)", [(document, asset) for asset in row.assets])

    def put_passage_vectors(self, vectors: Mapping[int, Vectors]) -> None:
        """Store vectors of passages that have none, by the passages' ids."""
        with self.writing() as db:
            stored = [(id_, vector.astype(np.float32).tobytes()) for id_, vector in vectors.items()]
            db.executemany("INSERT INTO passage_vectors (id, vector) VALUES (?, ?)", stored)

    def replace_media(self, rows: Mapping[int, MediaRow]) -> None:
        """Store these media in place of those with the row numbers, each in its section, in one transaction.

        They get row numbers of their own, for a vector index takes a number's vector to be as it was. One that is
        gone meanwhile stays gone.
        """
        with self.writing() as db:
            for old, row in rows.items():
                found = db.execute("SELECT section_id FROM media WHERE id = ?", (old,)).fetchone()
                if found is not None:
                    db.execute("DELETE FROM media WHERE id = ?", (old,))
                    _insert_media(db, found[0], row)

    def remove(self, names: Sequence[str]) -> int:
        """Remove the documents of these names with their text, vectors and media; returns how many there were."""
        with self.writing() as db:
            gone = [db.execute("DELETE FROM documents WHERE name = ?", (name,)).rowcount for name in names]
        return sum(gone)

    def sweep(self) -> int:
        """Delete what no document needs: replies of a model, looks, asset files; returns how many of these."""
        if self.select(f"SELECT 1 WHERE EXISTS ({_UNNEEDED_REPLIES})"):
            with self.writing() as db:
                db.execute(f"DELETE FROM replies WHERE content IN ({_UNNEEDED_REPLIES})")  # noqa: S608
        if not self.assets.is_dir():
            return 0
        with self.writing() as db:
            db.execute("DELETE FROM likenesses WHERE asset NOT IN (SELECT name FROM assets)")
            db.execute("DELETE FROM looks WHERE asset NOT IN (SELECT name FROM assets)")
            needed = {name for (name,) in db.execute("SELECT DISTINCT name FROM assets")}
            unneeded = [path for path in self.assets.iterdir() if path.name not in needed]
            for path in unneeded:
                path.unlink(missing_ok=True)
        return len(unneeded)

    def require_writable(self) -> None:
        """Raises LibraryError when the library may only be read."""
        if not self.writable:
            raise LibraryError(f"the library in {self.folder} is read-only; change its permissions or use --library")

    def set_meta(self, key: str, value: str) -> None:
        """Remember a fact about the library."""
        with self.writing() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def drop_vectors(self, encoder: str) -> None:
        """Forget all vectors; those to come are made by ``encoder``."""
        with self.writing() as db:
            db.execute("DELETE FROM passage_vectors")
            db.execute("DELETE FROM media_vectors")
            db.execute("UPDATE moments SET vector = NULL")
            db.execute("INSERT OR REPLACE INTO meta VALUES ('encoder', ?)", (encoder,))

    # ------------------------------------------------------------------------------------------------- reading
    def meta(self, key: str) -> str | None:
        """A fact about the library, or None."""
        row = self._one("SELECT value FROM meta WHERE key = ?", key)
        return None if row is None else str(row[0])

    def documents(self) -> list[StoredDocument]:
        """All documents, by name."""
        media: dict[int, dict[str, int]] = {}
        for document, kind, count in self.select(_BLOCK_COUNTS):
            media.setdefault(document, {})[kind] = count
        found = []
        for *fields, added in self.select(_DOCUMENTS):
            counts = media.get(fields[0], {})
            of_kinds = [counts.get(kind, 0) for kind in ("image", "table", "video")]
            row: tuple[Any, ...] = (*fields, *of_kinds, added)
            found.append(StoredDocument(*row))
        return found

    def known(self) -> dict[str, Known]:
        """What is known of each source that was added."""
        rows = self.select("SELECT source, name, root, hash FROM documents")
        return {source: Known(name, root, digest) for source, name, root, digest in rows}

    def without_assets(self) -> set[str]:
        """The sources of documents that need an asset whose file is gone."""
        present = {path.name for path in self.assets.iterdir()} if self.assets.is_dir() else set()
        rows = self.select("SELECT d.source, a.name FROM assets a JOIN documents d ON d.id = a.document_id")
        return {source for source, name in rows if name not in present}

    def languages(self) -> dict[str, float]:
        """The languages of the documents with their share, the commonest first."""
        sql = "SELECT language, count(*) FROM documents GROUP BY language ORDER BY count(*) DESC, language"
        rows = self.select(sql)
        total = sum(count for _, count in rows)
        return {language: count / total for language, count in rows if language}

    def counts(self) -> tuple[int, int, int]:
        """Documents, passages, media."""
        row = self._one("SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM passages), count(*) FROM media")
        return (row[0], row[1], row[2]) if row else (0, 0, 0)

    def passages(self, ids: Sequence[int]) -> dict[int, Passage]:
        """Passages by id."""
        return {row[0]: _passage(row) for row in self._in(_PASSAGE + " WHERE p.id IN ({})", ids)}

    def first_passages(self, count: int) -> list[int]:
        """The ids of the first passages of each document, in reading order."""
        return [
            id_
            for (id_,) in self.select(
                """SELECT id FROM (
                    SELECT p.id, row_number() OVER (PARTITION BY s.document_id ORDER BY p.id) AS place
                    FROM passages p JOIN sections s ON s.id = p.section_id
                ) WHERE place <= ? ORDER BY id""",
                count,
            )
        ]

    def section_passages(self, sections: Sequence[int]) -> list[Passage]:
        """All passages of these sections, in reading order within each."""
        return [_passage(row) for row in self._in(_PASSAGE + " WHERE p.section_id IN ({}) ORDER BY p.id", sections)]

    def sections(self, ids: Sequence[int]) -> dict[int, Section]:
        """Sections by id, with their blocks."""
        rows = self._in("SELECT id, path, anchor, blocks FROM sections WHERE id IN ({})", ids)
        return {id_: Section(tuple(json.loads(path)), _blocks(blocks), anchor) for id_, path, anchor, blocks in rows}

    def sections_at(self, document: str, path: Sequence[str]) -> list[int]:
        """The sections of a document that stand under this heading path, in reading order; most often one."""
        found = self.select(
            """SELECT s.id FROM sections s JOIN documents d ON d.id = s.document_id
            WHERE d.name = ? AND s.path = ? ORDER BY s.ordinal""",
            document, json.dumps(list(path), ensure_ascii=False),
        )  # fmt: skip
        return [id_ for (id_,) in found]

    def child_sections(self, section: int) -> list[int]:
        """The sections below a section in its document, in reading order; none below a page's first heading."""
        rows = self.select(
            """SELECT s.id, s.path, p.path FROM sections p JOIN sections s
            ON s.document_id = p.document_id AND s.ordinal > p.ordinal WHERE p.id = ? ORDER BY s.ordinal""",
            section,
        )
        paths = [(id_, json.loads(path), json.loads(parent)) for id_, path, parent in rows]
        below = takewhile(lambda each: len(each[1]) > len(each[2]) > 1 and each[1][: len(each[2])] == each[2], paths)
        return [id_ for id_, _, _ in below]

    def media(self, ids: Sequence[int]) -> dict[int, Media]:
        """Media by row number."""
        return {row[0]: _media(row) for row in self._in(_MEDIA + " WHERE m.id IN ({})", ids)}

    def section_media(self, sections: Sequence[int]) -> dict[int, Media]:
        """All media of these sections, by row number, in reading order."""
        rows = self._in(_MEDIA + " WHERE m.section_id IN ({}) ORDER BY m.section_id, m.position", sections)
        return {row[0]: _media(row) for row in rows}

    def media_of_asset(self, asset: str) -> dict[int, Media]:
        """The media that show an asset, by row number, in reading order, those of the first document first."""
        shown = "json_extract(s.blocks, '$[' || m.position || '].asset') = a.name"
        sql = f"{_MEDIA} JOIN assets a ON a.document_id = d.id WHERE a.name = ? AND {shown}"
        return {row[0]: _media(row) for row in self.select(f"{sql} ORDER BY d.name, s.ordinal, m.position", asset)}

    def moments(self, section: int, position: int) -> tuple[list[Moment], Vectors]:
        """The moments of a video's transcript in order, and their vectors, ``(n, dimension)``; ``(n, 0)`` if none."""
        sql = 'SELECT start, "end", text, vector FROM moments WHERE section_id = ? AND position = ? ORDER BY id'
        rows = self.select(sql, section, position)
        stacked = np.frombuffer(b"".join(row[3] or b"" for row in rows), dtype=np.float32)
        return [Moment(*row[:3]) for row in rows], stacked.reshape(len(rows), -1) if rows else stacked.reshape(0, 0)

    def asset_spread(self, names: Sequence[str]) -> dict[str, int]:
        """In how many documents each asset is used."""
        return dict(self._in("SELECT name, count(*) FROM assets WHERE name IN ({}) GROUP BY name", names))

    # ----------------------------------------------------------------------------------------- search, by word
    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many passages each term stands; absent terms are absent."""
        return dict(self._in("SELECT term, doc FROM passage_vocabulary WHERE term IN ({})", terms))

    def match_passages(self, terms: Sequence[str], limit: int, scope: Scope | None = None) -> dict[int, float]:
        """The best passages that hold any of the terms: id to BM25, higher is better."""
        return self._match("passage_terms", FIELD_WEIGHTS, "passages", terms, limit, scope)

    def match_media(self, terms: Sequence[str], limit: int, scope: Scope | None = None) -> dict[int, float]:
        """The best media whose own or surrounding words hold any of the terms: row number to BM25."""
        return self._match("media_terms", MEDIA_WEIGHTS, "media", terms, limit, scope)

    def passage_ids(self, scope: Scope) -> list[int]:
        """The passages of the documents in scope."""
        return self._ids_in_scope("passages", scope)

    def media_ids(self, scope: Scope) -> list[int]:
        """The media of the documents in scope."""
        return self._ids_in_scope("media", scope)

    # --------------------------------------------------------------------------------------- search, by vector
    def vector_ids(self, table: str) -> list[int]:
        """The ids that have a vector in ``passage_vectors`` or ``media_vectors``."""
        return [id_ for (id_,) in self.select(f"SELECT id FROM {table}")]  # noqa: S608

    def vectors(self, table: str, ids: Sequence[int]) -> tuple[list[int], Vectors]:
        """Ids found and their vectors, float32 of shape ``(n, dimension)``."""
        rows = list(self._in(f"SELECT id, vector FROM {table} WHERE id IN ({{}})", ids))  # noqa: S608
        stacked = np.frombuffer(b"".join(blob for _, blob in rows), dtype=np.float32)
        return [id_ for id_, _ in rows], stacked.reshape(len(rows), -1) if rows else stacked.reshape(0, 0)

    # ------------------------------------------------------------------------------------------------ plumbing
    @property
    def _db(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            mode = "rwc" if self.writable else "ro" if self._has_journal() else "ro&immutable=1"
            uri = f"file:{quote(str(self._file))}?mode={mode}"
            connection = sqlite3.connect(uri, uri=True, timeout=WRITE_WAIT, isolation_level=None)
            self._local.connection = connection
            if self.writable:
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA recursive_triggers = ON")
        return connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction; whatever is raised inside undoes it. Raises LibraryError and its kinds."""
        self.require_writable()
        with self._translated():
            db = self._db
            if self._is_reading:
                db.execute("COMMIT")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
            finally:
                if self._is_reading:
                    db.execute("BEGIN")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """What this thread reads inside is of one generation, whatever others write meanwhile.

        What it writes itself begins the next one. Raises LibraryError and its kinds.
        """
        if self._is_reading:
            yield
            return
        with self._translated():
            self._db.execute("BEGIN")
        self._local.is_reading = True
        try:
            yield
        finally:
            self._local.is_reading = False
            if self._db.in_transaction:
                self._db.execute("COMMIT")

    @property
    def _is_reading(self) -> bool:
        return bool(getattr(self._local, "is_reading", False))

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise self._told(error) from error

    def _told(self, error: sqlite3.DatabaseError) -> LibraryError:
        """The error as a user needs it."""
        text, place = str(error), f"the library in {self.folder}"
        if "locked" in text or "busy" in text:
            return LibraryLocked(f"another process is writing to {self.folder}; try again when it is done")
        if "full" in text:
            return LibraryError(f"the disk is full; make room and try again; {place} keeps what was stored before")
        if "readonly" in text or "unable to open" in text or "I/O error" in text:
            advice = "see whether the disk is full and the folder may be written; it keeps what was stored before"
            return LibraryError(f"{place} cannot be used: {text}; {advice}")
        return LibraryDamaged(f"{place} is damaged: {text}; {_REBUILD}")

    def _migrate(self) -> None:
        with self._translated():
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            if version > len(MIGRATIONS):
                raise LibraryTooNew(
                    f"the library in {self.folder} was written by a later showtell (format {version}, this one knows"
                    f" {len(MIGRATIONS)}); upgrade showtell or use another --library"
                )
            if version == len(MIGRATIONS):
                return
            if not self.writable:
                advice = "to be upgraded it must be written once: allow that, and use it again"
                raise LibraryError(f"the library in {self.folder} is read-only and of an earlier format; {advice}")
            self._db.execute("BEGIN IMMEDIATE")
            try:
                version = self._db.execute("PRAGMA user_version").fetchone()[0]
                for statement in (each for migration in MIGRATIONS[version:] for each in migration):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LibraryError(f"cannot make a library in {self.folder}: {error.strerror}; use --library") from error

    def _write_asset(self, name: str, content: str | bytes) -> None:
        try:
            data = content if isinstance(content, bytes) else Path(content).read_bytes()
        except OSError as error:
            raise SourceError(
                f"{error.filename}: cannot be read any more ({error.strerror}); add its document again"
            ) from error
        part = self.assets / f".{name}.{os.getpid()}"
        try:
            self.assets.mkdir(exist_ok=True)
            part.write_bytes(data)
            part.replace(self.assets / name)
        except OSError as error:
            part.unlink(missing_ok=True)
            advice = "make room or allow writing; what was stored before stays"
            raise LibraryError(f"cannot write to {self.assets}: {error.strerror}; {advice}") from error

    def _holds_data(self) -> bool:
        """Whether a database is there. An empty file is what a first start leaves that was killed at once.

        Raises LibraryDamaged when the file is empty although there are assets.
        """
        try:
            size = self._file.stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise LibraryError(f"cannot look into {self.folder}: {error.strerror}; use --library") from error
        if not size and not self._has_journal() and self.assets.is_dir():
            raise LibraryDamaged(f"the library in {self.folder} is damaged: its database is empty; {_REBUILD}")
        return size > 0 or self._has_journal()

    def _has_journal(self) -> bool:
        journal = self._file.with_name(self._file.name + "-wal")
        return journal.is_file() and journal.stat().st_size > 0

    def _name_is_free(self, db: sqlite3.Connection, name: str) -> bool:
        return db.execute("SELECT 1 FROM documents WHERE name = ?", (name,)).fetchone() is None

    def _match(
        self, table: str, weights: Iterable[float], of: str, terms: Sequence[str], limit: int, scope: Scope | None
    ) -> dict[int, float]:
        if not terms:
            return {}
        inside, names = _scope_clause(of, scope)
        query = " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
        rank = f"-bm25({table}, {', '.join(map(str, weights))})"
        rows = self.select(
            f"SELECT rowid, {rank} AS score FROM {table} WHERE {table} MATCH ? {inside} ORDER BY score DESC LIMIT ?",  # noqa: S608
            query, *names, limit,
        )  # fmt: skip
        return {id_: score for id_, score in rows if score > 0}

    def _ids_in_scope(self, table: str, scope: Scope) -> list[int]:
        inside, names = _scope_clause(table, scope)
        return [id_ for (id_,) in self.select(f"SELECT id AS rowid FROM {table} WHERE 1 {inside}", *names)]  # noqa: S608

    def select(self, sql: str, *values: Any) -> list[Any]:
        """The rows of a query. Raises LibraryError and its kinds."""
        with self._translated():
            return self._db.execute(sql, values).fetchall()

    def _one(self, sql: str, *values: Any) -> Any:
        with self._translated():
            return self._db.execute(sql, values).fetchone()

    def _in(self, sql: str, values: Sequence[Any]) -> Iterator[Any]:
        for at in range(0, len(values), 500):
            some = values[at : at + 500]
            yield from self.select(sql.format(",".join("?" * len(some))), *some)


_REBUILD = "move the folder away and add the documents again"
# Of media that nobody has looked at yet it is not known which replies they need.
_UNNEEDED_REPLIES = """SELECT content FROM replies r WHERE NOT EXISTS (SELECT 1 FROM media WHERE content = r.content)
    AND NOT EXISTS (SELECT 1 FROM media WHERE content IS NULL)"""
_DOCUMENTS = """SELECT d.id, d.source, d.name, d.root, d.hash, d.title, d.language, count(p.id), d.added
    FROM documents d LEFT JOIN sections s ON s.document_id = d.id LEFT JOIN passages p ON p.section_id = s.id
    GROUP BY d.id ORDER BY d.name"""
_BLOCK_COUNTS = """SELECT s.document_id, json_extract(b.value, '$.type'), count(*)
    FROM sections s, json_each(s.blocks) b GROUP BY 1, 2"""
_PASSAGE = """SELECT p.id, p.section_id, d.name, d.title, s.path, p.text, p.first, p.last, d.language, p.start, p."end",
    d.url, s.anchor, d.licence, d.revision
    FROM passages p JOIN sections s ON s.id = p.section_id JOIN documents d ON d.id = s.document_id"""
_MEDIA = """SELECT m.id, m.key, m.section_id, d.name, d.title, s.path, m.position,
    json_extract(s.blocks, '$[' || m.position || ']'), m.before, m.after, d.licence,
    m.generated, m.generated_by
    FROM media m JOIN sections s ON s.id = m.section_id JOIN documents d ON d.id = s.document_id"""


def _insert(db: sqlite3.Connection, table: str, **values: Any) -> int:
    names, marks = ", ".join(f'"{name}"' for name in values), ", ".join("?" * len(values))
    cursor = db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values()))  # noqa: S608
    return int(cursor.lastrowid or 0)


def _insert_section(db: sqlite3.Connection, document: int, ordinal: int, section: Section) -> int:
    blocks = json.dumps([{"type": block.type} | as_json(block) for block in section.blocks], ensure_ascii=False)
    path = json.dumps(section.path, ensure_ascii=False)
    return _insert(
        db, "sections", document_id=document, ordinal=ordinal, path=path, anchor=section.anchor, blocks=blocks
    )


def _insert_passage(db: sqlite3.Connection, section: int, row: PassageRow) -> None:
    values = {"first": row.first, "last": row.last, "start": row.start, "end": row.end, "text": row.text}
    id_ = _insert(db, "passages", section_id=section, **values)
    db.execute("INSERT INTO passage_terms (rowid, title, heading, text) VALUES (?, ?, ?, ?)", (id_, *row.terms))
    if row.vector is not None:
        _insert(db, "passage_vectors", id=id_, vector=row.vector)


def _insert_media(db: sqlite3.Connection, section: int, row: MediaRow) -> None:
    id_ = _insert(
        db, "media", section_id=section, key=row.key, position=row.position, before=row.before, after=row.after,
        content=row.content, generated=row.generated, generated_by=row.generated_by,
    )  # fmt: skip
    db.execute("INSERT INTO media_terms (rowid, description, context) VALUES (?, ?, ?)", (id_, *row.terms))
    if row.vector is not None:
        _insert(db, "media_vectors", id=id_, vector=row.vector)


def _scope_clause(table: str, scope: Scope | None) -> tuple[str, list[str]]:
    if not scope:
        return "", []
    conditions, values = [], []
    for name in scope.documents:
        conditions.append("d.name = ? OR substr(d.name, 1, ?) = ?")
        folder = name.rstrip("/") + "/"
        values += [name, str(len(folder)), folder]
    named = " OR ".join(conditions)
    wanted = [f"({named})"] if named else []
    if scope.language:
        wanted.append("d.language = ?")
        values.append(scope.language)
    inside = "SELECT x.id FROM {} x JOIN sections s ON s.id = x.section_id JOIN documents d ON d.id = s.document_id"
    return f"AND rowid IN ({inside.format(table)} WHERE {' AND '.join(wanted)})", values


def _passage(row: Any) -> Passage:
    id_, section, name, title, path, text, first, last, language, start, end, url, anchor, licence, revision = row
    deep = f"{url}#{quote(anchor)}" if url and anchor else url
    heading = tuple(json.loads(path))
    return Passage(id_, section, name, title, heading, text, first, last, language, start, end, deep, licence, revision)


def _media(row: Any) -> Media:
    _, key, section, name, title, path, position, fields, before, after, licence, generated, model = row
    block = _block(json.loads(fields))
    own = block if isinstance(block, Image) else None
    return Media(
        key, section, name, title, tuple(json.loads(path)), position, block, before, after,
        own.credit if own else None, (own.licence if own else None) or licence, generated, model,
    )  # fmt: skip


def _blocks(text: str) -> tuple[Block, ...]:
    return tuple(map(_block, json.loads(text)))


def _block(fields: dict[str, Any]) -> Any:
    kind = _BLOCKS[fields.pop("type")]
    if kind is Table:
        fields["header"] = tuple(fields["header"])
        fields["rows"] = tuple(map(tuple, fields["rows"]))
    if kind is Video:
        fields["cues"] = tuple(Cue(**cue) for cue in fields["cues"])
    return kind(**fields)
