"""The composition root: a library is opened, documents are added and removed, questions are asked.

::

    from showtell import Library

    library = Library.open("my-library")
    for result in library.add("docs/"):
        print(result.name, result.status)
    answer = library.ask("How do I descale the boiler?")
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from showtell.answer.pipeline import METHODS, Limits, Step, run
from showtell.errors import EncoderMismatch, LibraryError, ModelError, ShowtellError, SourceError
from showtell.index.search import Searcher
from showtell.index.store import DocumentRow, MediaRow, PassageRow, Scope, Store, StoredDocument
from showtell.index.terms import terms
from showtell.ingest.convert import read_file, walk
from showtell.ingest.split import Pieces, heading, split
from showtell.models.base import Encoder
from showtell.settings import Settings, load_settings
from showtell.types import Answer, Dropped, Hit

log = logging.getLogger(__name__)

READER = "1"  # counts up when the reader or the splitter reads the same bytes differently


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one source: ``error`` says what happened and what to do, where it failed."""

    source: str
    name: str
    status: Literal["added", "replaced", "unchanged", "removed", "failed"]
    passages: int = 0
    images: int = 0
    tables: int = 0
    videos: int = 0
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str = ""


class Library:
    """Documents, passages, media and vectors in one folder, and the answers from them."""

    def __init__(self, store: Store, settings: Settings) -> None:
        """Use :meth:`open`."""
        self.store = store
        self.settings = settings

    @classmethod
    def open(cls, folder: str | Path | None = None, *, create: bool = True, **settings: Any) -> Library:
        """Open the library in ``folder`` (unset: the settings' one); other keywords are settings.

        The encoder is loaded when it is first needed. Raises LibraryError and its kinds, SettingsError.
        """
        chosen = load_settings(library=folder, **settings)
        return cls(Store(chosen.library, create=create), chosen)

    @cached_property
    def searcher(self) -> Searcher:
        """Search over the store with the encoder in force; by words alone where no encoder's weights can be had.

        Raises EncoderMismatch when the store's vectors were made by another encoder.
        """
        encoder, made_with = self._encoder, self.store.meta("encoder")
        if encoder and made_with and made_with.rpartition("@")[2] != encoder.name.rpartition("@")[2]:
            raise EncoderMismatch(
                f"the vectors in {self.store.folder} were made by {made_with}, not by {encoder.name}; use"
                f" --encoder {made_with.split('@')[0]}, or make them anew with: showtell refresh --rebuild"
            )
        return Searcher(self.store, encoder)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What makes answers worse than they could be, such as missing weights."""
        if self._encoder is None:
            return (f"searching by words alone: {self._encoder_error}",)
        missing = self.store.without_vector()
        advice = "they are found by words alone; mend with: showtell refresh --rebuild"
        return (f"{missing} passages were added without an encoder and {advice}",) if missing else ()

    @cached_property
    def _encoder(self) -> Encoder | None:
        from showtell.models.encoder import load_encoder

        chosen = self.settings
        try:
            return load_encoder(chosen.encoder, cache=chosen.cache, threads=chosen.encoder_threads)
        except ModelError as error:
            self._encoder_error = str(error)
            return None

    def close(self) -> None:
        """Keep the vector index for the next process and close the store."""
        if "searcher" in self.__dict__:
            self.searcher.save()
        self.store.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -------------------------------------------------------------------------------------------------- documents
    def add(self, *sources: str | Path) -> Iterator[Added]:
        """Add files and folders, one result a document as it is stored; what is unchanged costs a hash.

        A source that cannot be read gives a result with status ``failed``, and the rest goes on. Nothing is stored
        of a document unless all of it is.
        """
        for source in sources:
            yield from self._add_source(Path(source))
        self.store.sweep()

    def sources(self, *sources: str | Path) -> int:
        """How many documents :meth:`add` would look at."""
        return sum(len(_files(Path(source))[0]) for source in sources)

    def remove(self, *names: str) -> int:
        """Remove documents by name, or all below a folder's name; returns how many. Raises LibraryError if none."""
        known = [document.name for document in self.store.documents()]
        gone = [name for name in known if any(_is_or_is_below(name, wanted) for wanted in names)]
        if not gone:
            raise LibraryError(f"no document is called {' or '.join(names)}; see: showtell list")
        count = self.store.remove(gone)
        self.store.sweep()
        return count

    def refresh(self, *, rebuild: bool = False) -> Iterator[Added]:
        """Read again what changed, add what is new in the added folders, remove what is gone.

        With ``rebuild`` every document is read and encoded again, by the encoder in force.
        """
        if rebuild and self._encoder:
            self.store.drop_vectors(self._encoder.name)
            self.__dict__.pop("searcher", None)
        documents = self.store.documents()
        gone = [document for document in documents if not Path(document.source).exists()]
        self.store.remove([document.name for document in gone])
        yield from (Added(document.source, document.name, "removed") for document in gone)
        for root in dict.fromkeys(document.root for document in documents if Path(document.root).exists()):
            yield from self._add_source(Path(root), again=rebuild)
        self.store.sweep()

    def documents(self) -> list[StoredDocument]:
        """What is in the library, by name."""
        return self.store.documents()

    # -------------------------------------------------------------------------------------------------- questions
    def search(self, text: str, limit: int = 10, scope: Scope | None = None) -> list[Hit]:
        """The passages that fit a text best, best first; none where nothing speaks for any."""
        return self.searcher.passages(self.searcher.query(text, scope), limit)

    def ask(self, question: str, *, scope: Scope | None = None, method: str = "showtell") -> Answer:
        """Answer a question from the documents in scope."""
        *_, last = self.asking(question, scope=scope, method=method)
        return last.value  # type: ignore[no-any-return]

    def asking(self, question: str, *, scope: Scope | None = None, method: str = "showtell") -> Iterator[Step]:
        """The steps of :meth:`ask` as they are done; the last one's value is the Answer."""
        if method not in METHODS:
            raise ShowtellError(f"there is no method {method}; there are: {', '.join(METHODS)}")
        limits = Limits(
            citations=self.settings.citations,
            words=self.settings.answer_words,
            table_rows=self.settings.table_rows,
            media_per_claim=self.settings.media_per_claim,
        )
        yield from run(question, self.searcher, limits, scope=scope or Scope(), method=method, warnings=self.warnings)

    def asset(self, name: str) -> Path | None:
        """Where the bytes of an asset lie, or None if the library has none of that name."""
        path = self.store.assets / name
        return path if path.parent == self.store.assets and path.is_file() else None

    # --------------------------------------------------------------------------------------------------- plumbing
    def _add_source(self, source: Path, again: bool = False) -> Iterator[Added]:
        files, problems = _files(source)
        yield from problems
        hashes, origins = self.store.hashes(), self.store.roots()
        for path in files:
            place = _place(path, source, origins.get(str(path.absolute())))
            before = hashes.get(place.source)
            if before and not again and before == self._hash(path):
                yield Added(place.source, place.name, "unchanged")
            else:
                yield self._add_file(place, is_known=before is not None)

    def _add_file(self, place: _FilePlace, is_known: bool) -> Added:
        path = Path(place.source)
        try:
            document = read_file(path, place.folder, place.name)
            pieces = split(document, self.settings.passage_words)
            self.store.put(self._row(pieces, place.origin, self._hash(path)))
        except SourceError as error:
            return Added(place.source, place.name, "failed", error=str(error))
        except OSError as error:
            reason = f"{path}: {error.strerror or error}; check the file and add it again"
            return Added(place.source, place.name, "failed", error=reason)
        kinds = [media.block.type for media in pieces.media]
        images, tables, videos = (kinds.count(kind) for kind in ("image", "table", "video"))
        status: Literal["replaced", "added"] = "replaced" if is_known else "added"
        told = pieces.document
        return Added(place.source, place.name, status, len(pieces.passages), images, tables, videos, told.dropped, told.warnings)

    def _hash(self, path: Path) -> str:
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        return f"{READER}:{self.settings.passage_words}:{content}"

    def _row(self, pieces: Pieces, origin: str, digest: str) -> DocumentRow:
        document = pieces.document
        paths = [section.path for section in document.sections]
        headings = [heading(document.title, path) for path in paths]
        texts = [f"{headings[passage.section]}\n{passage.text}" for passage in pieces.passages]
        contexts = [
            " ".join(filter(None, [headings[m.section], m.description, m.before, m.after])) for m in pieces.media
        ]
        vectors = self._encoded([*texts, *contexts])
        language = document.language or "en"

        def spelled(text: str) -> str:
            return " ".join(terms(text, language))

        passages = tuple(
            PassageRow(
                p.section, p.first, p.last, p.text, p.start, p.end,
                (spelled(document.title), spelled(" ".join(paths[p.section])), spelled(p.text)),
                vector,
            )
            for p, vector in zip(pieces.passages, vectors, strict=False)
        )  # fmt: skip
        media = tuple(
            MediaRow(
                m.id, m.section, m.position, m.before, m.after,
                (spelled(m.description), spelled(f"{headings[m.section]} {m.before} {m.after}")),
                vector,
            )
            for m, vector in zip(pieces.media, vectors[len(passages) :], strict=True)
        )  # fmt: skip
        return DocumentRow(
            document.source, document.name, origin, digest, document.title, document.description, document.language,
            document.url, document.licence, document.revision, len(document.dropped), document.sections,
            passages, media, document.files,
        )  # fmt: skip

    def _encoded(self, texts: list[str]) -> list[bytes | None]:
        encoder = self.searcher.encoder
        if encoder is None:
            return [None] * len(texts)
        if self.store.meta("encoder") is None:
            self.store.set_meta("encoder", encoder.name)
        return [vector.tobytes() for vector in encoder.encode(texts)]


@dataclass(frozen=True, slots=True)
class _FilePlace:
    """Where a local document stands: its path, its name, the folder its media must lie in, what the user added."""

    source: str
    name: str
    folder: Path
    origin: str


def _place(path: Path, added: Path, known_origin: str | None) -> _FilePlace:
    """A file's place; one that came with a folder keeps its name and folder when it is added again by itself."""
    absolute = path.absolute()
    origin = added.absolute() if added.is_dir() or known_origin is None else Path(known_origin)
    if origin.is_dir():
        return _FilePlace(str(absolute), absolute.relative_to(origin).as_posix(), origin, str(origin))
    return _FilePlace(str(absolute), path.as_posix(), absolute.parent, str(absolute))


def _files(source: Path) -> tuple[list[Path], list[Added]]:
    if source.is_file():
        return [source], []
    if source.is_dir():
        return list(walk(source)), []
    error = f"{source}: no such file or folder; check the path"
    return [], [Added(str(source), str(source), "failed", error=error)]


def _is_or_is_below(name: str, wanted: str) -> bool:
    return name == wanted or name.startswith(wanted.rstrip("/") + "/")
