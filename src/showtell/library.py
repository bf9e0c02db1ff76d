"""The composition root: a library is opened, documents are added and removed, questions are asked.

::

    from showtell import Library

    library = Library.open("my-library")
    for result in library.add("docs/"):
        print(result.name, result.status)
    answer = library.ask("How do I descale the boiler?")
"""

from __future__ import annotations

import errno
import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from showtell.answer.evidence import ranked
from showtell.answer.pipeline import METHODS, Asked, Limits, Means, Step, run
from showtell.answer.query import read_intent
from showtell.errors import (
    EncoderMismatch,
    LibraryError,
    MissingExtra,
    ModelError,
    PictureError,
    SettingsError,
    ShowtellError,
    SourceError,
)
from showtell.index.likenesses import Likenesses
from showtell.index.looks import Looks
from showtell.index.search import Searcher
from showtell.index.store import DocumentRow, Known, Scope, Store, StoredDocument
from showtell.index.terms import question_language
from showtell.ingest.describe import Asking, describe_media
from showtell.ingest.gather import Found, Missed, gather_files, is_url
from showtell.ingest.rows import rows
from showtell.ingest.split import Pieces, split
from showtell.models.base import ChatModel, Encoder, Reranker
from showtell.settings import Settings, load_settings
from showtell.types import Answer, Dropped, Hit

if TYPE_CHECKING:
    from showtell.ingest.fetch import Fetcher
    from showtell.ingest.remote import RemoteMedia
    from showtell.ingest.shelf import Shelf
    from showtell.models.base import TextReader
    from showtell.pictures import QuestionPicture
    from showtell.sources.archive import Zim
    from showtell.sources.base import Source
    from showtell.sources.wiki import Wiki

log = logging.getLogger(__name__)

# Small documents are encoded together; what waits is not stored yet. At most so many passages, documents, bytes wait.
POOL_TEXTS, POOL_DOCUMENTS, POOL_BYTES = 64, 256, 50_000_000
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
MOST_GIVEN = 8  # pictures, and searches, of one question
PUBLISHED_REQUESTS = 41  # that a question may cost the wiki by the published vision-rag, as its own code does
READER = "2"  # counts up when the reader or the splitter reads the same bytes differently


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one source: ``error`` says what happened and what to do, where it failed or was skipped.

    Where a model describes media, these results come after those of storing, ``described`` being how many it was; what
    could not be described is told in the ``warnings`` of the last one.
    """

    source: str
    name: str
    status: Literal["added", "replaced", "unchanged", "removed", "skipped", "failed", "described"]
    passages: int = 0
    images: int = 0
    tables: int = 0
    videos: int = 0
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str = ""
    described: int = 0


class Library:
    """Documents, passages, media and vectors in one folder, and the answers from them."""

    def __init__(self, store: Store, settings: Settings) -> None:
        """Use :meth:`open`."""
        self.store = store
        self.settings = settings
        self._wikis: dict[str, Wiki] = {}
        self._zims: dict[str, Zim] = {}

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
        return Searcher(self.store, encoder, self._reranker, self._looks)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What makes answers worse than they could be, such as missing weights."""
        told = []
        if self.settings.rerank and self._reranker is None:
            told.append(f"searching without a reranker: {self._reranker_error}")
        if self._encoder is None:
            return (f"searching by words alone: {self._encoder_error}", *told)
        missing = self.store.counts()[1] - len(self.searcher.passage_vectors)
        if missing:
            advice = "they are found by words alone; mend with: showtell refresh --rebuild"
            told.append(f"{missing} passages were added without an encoder and {advice}")
        return tuple(told)

    @cached_property
    def _encoder(self) -> Encoder | None:
        from showtell.models.encoder import load_encoder

        chosen = self.settings
        try:
            return load_encoder(chosen.encoder, cache=chosen.cache, threads=chosen.encoder_threads)
        except ModelError as error:
            self._encoder_error = str(error)
            return None

    @cached_property
    def _reranker(self) -> Reranker | None:
        chosen = self.settings
        if not chosen.rerank:
            return None
        from showtell.models.reranker import load_reranker

        try:
            return load_reranker(chosen.rerank, cache=chosen.cache, threads=chosen.encoder_threads)
        except ModelError as error:
            self._reranker_error = str(error)
            return None

    @cached_property
    def _looks(self) -> Looks:
        chosen = self.settings
        if not chosen.image_encoder:
            return Looks(self.store)
        from showtell.models.clip import load_image_encoder

        name, cache, threads = chosen.image_encoder, chosen.cache, chosen.encoder_threads
        return Looks(self.store, lambda: load_image_encoder(name, cache=cache, threads=threads))

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
    def add(self, *sources: str | Path, within: Path | None = None) -> Iterator[Added]:
        """Add files, folders, pages and sitemaps: one result a document once it is stored; unchanged, it costs a hash.

        A source that cannot be read gives a result with status ``failed``, and the rest goes on. Nothing is stored
        of a document unless all of it is. Then the model of the setting ``caption``, if any, describes their media,
        those of unchanged documents as well where they were not described before. Files that lie ``within`` a folder
        belong to it and are named from there, as if it had been added.
        """
        self.store.require_writable()
        met: set[str] = set()
        for source in sources:
            for added in self._add_all(self._gather(str(source), within)):
                met.add(added.source)
                yield added
        yield from self._describe(met)
        yield from self._overlooked()
        self.store.sweep()

    def sources(self, *sources: str | Path) -> int | None:
        """How many documents :meth:`add` would look at; None where only fetching would tell."""
        if any(map(is_url, sources)):
            return None
        return sum(isinstance(each, Found) for source in sources for each in self._gather(str(source)))

    def remove(self, *names: str) -> int:
        """Remove documents by name or path, or all below a folder's; returns how many.

        Raises LibraryError when a name fits none, and then removes nothing.
        """
        known = self.store.known()
        gone: list[str] = []
        for wanted in names:
            path = str(Path(wanted).absolute())
            found = [each.name for each in known.values() if _is_or_is_below(each.name, wanted)]
            found = found or [each.name for source, each in known.items() if _is_or_is_below(source, path)]
            if not found:
                raise LibraryError(f"no document is called {wanted}, so nothing was removed; see: showtell list")
            gone += found
        count = self.store.remove(gone)
        self.store.sweep()
        return count

    def refresh(self, *, rebuild: bool = False) -> Iterator[Added]:
        """Read again what changed, add what is new in the added folders and sitemaps, remove what is gone.

        Where the whole folder is gone or empty, perhaps for want of a disk, its documents are kept, and told as
        ``skipped``. Then the model of the setting ``caption``, if any, describes the media that were not described
        before. With ``rebuild`` every document is read and encoded again, by the encoder in force, and what another
        model described is described again; raises ModelError when there is no encoder.
        """
        self.store.require_writable()
        if rebuild:
            if self._encoder is None:
                raise ModelError(self._encoder_error)
            self.store.drop_vectors(self._encoder.name)
            self._looks.forget()
            self.__dict__.pop("searcher", None)
        stored: dict[str, dict[str, str]] = {}
        for source, each in self.store.known().items():
            stored.setdefault(each.root, {})[source] = each.name
        for root, documents in stored.items():
            refreshed = self._refresh_site if is_url(root) else self._refresh_folder
            yield from refreshed(root, documents, rebuild)
        yield from self._describe(None, again=rebuild)
        yield from self._overlooked()
        self.store.sweep()

    def documents(self) -> list[StoredDocument]:
        """What is in the library, by name."""
        return self.store.documents()

    # -------------------------------------------------------------------------------------------------- questions
    def search(self, text: str, limit: int = 10, scope: Scope | None = None) -> list[Hit]:
        """The passages that fit a question best, best first; none where nothing speaks for any."""
        return ranked(self.searcher.query(text, scope), read_intent(text), self.searcher, limit)

    @cached_property
    def model(self) -> ChatModel | None:
        """The chat model that writes answers, None where none is set; any other may be put in its place.

        Raises ModelError: its name has no such form, its key is missing, or a recording cannot be used.
        """
        from showtell.models.recording import Recording

        chosen = self.settings
        if chosen.replay:
            return Recording(chosen.replay, None)
        model = self._chat(chosen.model)
        return Recording(chosen.record, model) if chosen.record and model else model

    def ask(
        self,
        question: str,
        *,
        images: Sequence[str | Path | bytes] = (),
        sources: Sequence[str] = (),
        searches: Sequence[str] = (),
        scope: Scope | None = None,
        method: str = "showtell",
        after: Sequence[Answer] = (),
    ) -> Answer:
        """Answer a question; the last of the steps that :meth:`asking` yields."""
        told = {"images": images, "sources": sources, "searches": searches, "scope": scope, "after": after}
        *_, last = self.asking(question, method=method, **told)  # type: ignore[arg-type]
        return last.value  # type: ignore[no-any-return]

    def asking(
        self,
        question: str,
        *,
        images: Sequence[str | Path | bytes] = (),
        sources: Sequence[str] = (),
        searches: Sequence[str] = (),
        scope: Scope | None = None,
        method: str = "showtell",
        after: Sequence[Answer] = (),
    ) -> Iterator[Step]:
        """The steps of an answer as they are done, and a model's text as it comes; the last value is the Answer.

        A model that fails is told in the answer's warnings, and the answer is then an extract.

        Args:
            question: in any language.
            images: pictures that it is about: files, addresses or bytes. Without any, a question that follows an
                answer is about the pictures of that one.
            sources: where to look: "library", "wikipedia", or the path of a ZIM file; nothing is the library.
            searches: what to search for in place of what showtell makes of the question.
            scope: the documents of the library that may be used.
            method: one of METHODS.
            after: the earlier answers of the conversation, the first one first.

        Raises ModelError where the model cannot be used as it is set, and for a method that is nothing without it;
        PictureError, SourceError and FetchError for an image; SettingsError, WikiError and SourceError for a source.
        """
        if method not in METHODS:
            raise ShowtellError(f"there is no method {method}; there are: {', '.join(METHODS)}")
        if method in ("vision-rag", "closed-book") and self.model is None:
            raise ModelError(f"{method} is written by a model; name one with --model NAME")
        if max(len(images), len(searches)) > MOST_GIVEN:
            raise ShowtellError(f"a question may come with {MOST_GIVEN} pictures and {MOST_GIVEN} searches; give fewer")
        for name in scope.documents if scope else ():
            if not self.store.passage_ids(Scope((name,))):
                raise LibraryError(f"no document is called {name}; see: showtell list")
        chosen = self.settings
        limits = Limits(
            citations=chosen.citations,
            words=chosen.answer_words,
            table_rows=chosen.table_rows,
            media_per_claim=chosen.media_per_claim,
            reply_tokens=chosen.model_reply,
            refine=chosen.refine,
            sees=chosen.model_sees,
            hyde=chosen.hyde,
            rounds=chosen.rounds,
            pages=chosen.pages,
            passage_words=chosen.passage_words,
        )
        pictures = self._pictures(images, after)
        asked = Asked(question, scope or Scope(), method, tuple(after), pictures, tuple(searches))
        names = dict.fromkeys(sources or (("wikipedia",) if method == "vision-rag" else ()))
        opened = tuple(self._source(name, asked) for name in names)
        if method != "vision-rag" and [source.name for source in opened] == ["library"]:
            opened = ()
        reader = self._reader if pictures else None
        means = Means(self.searcher, limits, self.model, opened, reader, self.shelf)
        yield from run(asked, means, [*self.warnings, *self._not_kept(pictures)])

    @cached_property
    def shelf(self) -> Shelf:
        """Pictures that are no document's: those asked with, and those shown from other sources.

        They lie in the library's folder, or in the cache where that may only be read.
        """
        from showtell.ingest.shelf import Shelf

        contact = self.settings.wikipedia_contact
        return Shelf(
            (self.store.folder if self.store.writable else self.settings.cache) / "shelf",
            lambda: self.fetcher.named(f"showtell ({contact})") if contact else self.fetcher,
        )

    def _pictures(self, images: Sequence[str | Path | bytes], after: Sequence[Answer]) -> tuple[QuestionPicture, ...]:
        if not (images or (after and after[-1].question.images)):
            return ()
        from showtell.pictures import kept_picture

        if images:
            return tuple({picture.sha256: picture for picture in map(self._picture, images)}.values())
        kept = [self.shelf.find(sha256) for sha256 in [*dict.fromkeys(after[-1].question.images)][:MOST_GIVEN]]
        if None in kept:
            raise SourceError("the picture of the earlier question is not kept any more; name it again with --image")
        return tuple(kept_picture(file.read_bytes()) for file in kept if file)

    def _picture(self, image: str | Path | bytes) -> QuestionPicture:
        from showtell.pictures import MAX_BYTES, question_picture

        if isinstance(image, bytes):
            return question_picture(image)
        try:
            if is_url(str(image)):
                return question_picture(self.fetcher.get(str(image), accept="image/*, */*;q=0.1").data)
            with Path(image).open("rb") as file:
                return question_picture(file.read(MAX_BYTES + 1))
        except PictureError as error:
            raise PictureError(f"{image}: {error}") from error
        except OSError as error:
            raise SourceError(f"{image}: cannot be read ({error.strerror}); name a picture file") from error

    def _not_kept(self, pictures: Iterable[QuestionPicture]) -> Iterator[str]:
        """Keep the pictures for what follows the answer; tell why one cannot be."""
        for picture in pictures:
            try:
                self.shelf.put(picture.name, picture.content)
            except LibraryError as error:
                yield f"the question's picture is neither on the answer's page nor in a question that follows: {error}"

    @cached_property
    def _reader(self) -> TextReader | None:
        from showtell.models.ocr import load_reader

        try:
            return load_reader(self.settings.encoder_threads)
        except (MissingExtra, ModelError) as error:
            log.info("%s", error)
            return None

    def _source(self, name: str, asked: Asked) -> Source:
        if name == "library":
            from showtell.sources.library import LibraryPages

            return LibraryPages(self.searcher, asked.scope)
        if name == "wikipedia":
            from showtell.sources.wikipedia import Wikipedia

            wiki, requests = self._wiki(question_language(asked.question) or "en"), self.settings.wikipedia_requests
            least = PUBLISHED_REQUESTS if asked.method == "vision-rag" else 0
            return Wikipedia(wiki, requests=max(requests, least), language=self.settings.wikipedia_language or "")
        if name.lower().endswith(".zim"):
            from showtell.sources.archive import Zim
            from showtell.sources.zim import ZimPages

            if name not in self._zims:
                self._zims[name] = Zim(Path(name))
            return ZimPages(self._zims[name])
        raise SettingsError(f"there is no source {name}; there are: library, wikipedia, and ZIM files by their path")

    def _wiki(self, language: str) -> Wiki:
        from showtell.sources.cache import Cache
        from showtell.sources.wiki import NO_CONTACT, Wiki, wikipedia_api

        chosen = self.settings
        api = chosen.wikipedia_api or wikipedia_api(chosen.wikipedia_language or language)
        if api not in self._wikis:
            if not chosen.wikipedia_contact:
                raise SettingsError(NO_CONTACT)
            cache = Cache(chosen.cache / "wikipedia")
            self._wikis[api] = Wiki(self.fetcher, api=api, contact=chosen.wikipedia_contact, cache=cache)
        return self._wikis[api]

    def asset(self, name: str) -> Path | None:
        """Where the bytes of an asset lie, or None if the library has none of that name."""
        path = self.store.assets / name
        return path if path.parent == self.store.assets and path.is_file() else self.shelf.find(name)

    # --------------------------------------------------------------------------------------------------- plumbing
    def _chat(self, name: str | None) -> ChatModel | None:
        if not name:
            return None
        from showtell.models.chat import load_chat

        chosen = self.settings
        key, tokens = chosen.key_for(name), chosen.model_context
        return load_chat(name, key=key, context_tokens=tokens, timeout=chosen.model_timeout)

    @cached_property
    def fetcher(self) -> Fetcher:
        """The guarded fetch for all that comes from the web, bound by the settings."""
        from showtell.ingest.fetch import Fetcher

        chosen = self.settings
        return Fetcher(
            chosen.allow_hosts,
            max_bytes=chosen.max_document_mb * 1_000_000,
            timeout=chosen.fetch_timeout,
            user_agent=chosen.user_agent,
        )

    @cached_property
    def captioner(self) -> ChatModel | None:
        """The chat model that describes media, None where none is set; any other may be put in its place.

        Raises ModelError: its name has no such form, or its key is missing.
        """
        return self._chat(self.settings.caption)

    @cached_property
    def _remote(self) -> RemoteMedia:
        from showtell.ingest.remote import RemoteMedia

        return RemoteMedia(self.fetcher)

    def _gather(self, source: str, within: Path | None = None) -> Iterator[Found | Missed]:
        if is_url(source):
            from showtell.ingest.site import Site

            return Site(self.fetcher, self._remote, self.settings.max_pages).gather(source)
        with_media = self._remote.stored_in if self.settings.fetch_media else None
        return gather_files(Path(source), self.store.known(), with_media, within)

    def _add_all(self, gathered: Iterable[Found | Missed], again: bool = False) -> Iterator[Added]:
        known = self.store.known()
        stale = set(known) if again else self.store.without_assets()
        hand: list[_Read | Added] = []
        for each in gathered:
            hand.append(self._look_at(each, known.get(each.source), each.source in stale))
            if _is_enough(hand):
                yield from self._store(hand)
                hand = []
        yield from self._store(hand)

    def _look_at(self, each: Found | Missed, known: Known | None, is_stale: bool) -> _Read | Added:
        if isinstance(each, Missed):
            status: Literal["skipped", "failed"] = "skipped" if each.kind == "skipped" else "failed"
            return Added(each.source, each.source, status, error=each.reason)
        try:
            digest = f"{READER}:{self.settings.passage_words}:{each.digest()}"
            # Media that were fetched once stay, so what follows the digest does not matter.
            if known and not is_stale and known.hash.startswith(digest) and known.root == each.origin:
                return Added(each.source, known.name, "unchanged")
            return _Read(each, digest, split(each.read(), self.settings.passage_words), known is not None)
        except SourceError as error:
            return Added(each.source, each.name, "failed", error=str(error))
        except OSError as error:
            if error.errno in NO_ROOM:
                raise LibraryError(
                    f"no room on the disk ({error.strerror}); make some; what was stored stays"
                ) from error
            reason = f"{each.source}: {error.strerror or error}; check the file and add it again"
            return Added(each.source, each.name, "failed", error=reason)

    def _store(self, hand: Sequence[_Read | Added]) -> Iterator[Added]:
        """Encode the documents in hand together, store them one by one, and tell what became of each.

        Then the stored pictures that nobody has looked at yet are looked at, those of earlier versions' libraries too.
        """
        read = [each for each in hand if isinstance(each, _Read)]
        encoder = self.searcher.encoder if read else None
        if encoder and self.store.meta("encoder") is None:
            self.store.set_meta("encoder", encoder.name)
        made = rows([(each.pieces, each.found.origin, each.digest) for each in read], encoder)
        for each in hand:
            yield each if isinstance(each, Added) else self._put(each, next(made))
        Likenesses(self.store).complete()
        self._looks.complete()

    def _put(self, read: _Read, row: DocumentRow) -> Added:
        try:
            self.store.put(row)
        except SourceError as error:
            return Added(read.found.source, read.found.name, "failed", error=str(error))
        return read.added()

    def _describe(self, documents: Collection[str] | None, again: bool = False) -> Iterator[Added]:
        """Have a model describe media of these documents, by source (None: of all), that nobody described."""
        asking, error = None, ""
        try:
            asking = Asking(self.captioner, documents, again) if self.captioner else None
        except ModelError as fault:
            error = f"no media were described: {fault}"
        for each in describe_media(self.store, asking, lambda: self.searcher.encoder):
            yield Added(each.source, each.name, "described", warnings=each.warnings, described=each.count)
        if error:
            yield Added(str(self.store.folder), "captions", "described", warnings=(error,))

    def _overlooked(self) -> Iterator[Added]:
        """Tell why pictures are not found by their looks, where they are to be."""
        if self._looks.warnings:
            yield Added(str(self.store.folder), "pictures", "described", warnings=self._looks.warnings)

    def _refresh_folder(self, root: str, stored: Mapping[str, str], again: bool) -> Iterator[Added]:
        """Add what a folder or file holds now; of the documents ``stored`` from it, by source, remove what is gone."""
        folder = Path(root).parent if root in stored else Path(root)
        if not _holds_anything(folder):
            reason = f"{folder}: gone, empty or not readable, so what was added from it ({len(stored)}) is kept"
            yield Added(
                root, root, "skipped", error=f"{reason}; bring it back, or forget it with: showtell remove {root}"
            )
            return
        gone = [source for source in stored if _is_gone(Path(source))]
        self.store.remove([stored[source] for source in gone])
        yield from (Added(source, stored[source], "removed") for source in gone)
        met = set(gone)
        if not _is_gone(Path(root)):
            for added in self._add_all(self._gather(root), again):
                met.add(added.source)
                yield added
        for source in stored:  # what a walk does not meet, such as a picture that was added by itself
            if source not in met:
                yield from self._add_all(self._gather(source), again)

    def _refresh_site(self, url: str, stored: Mapping[str, str], again: bool) -> Iterator[Added]:
        """Add what an address gives now; of the documents ``stored`` from it, name by source, remove what is gone."""
        met: dict[str, str] = {}

        def noted() -> Iterator[Found | Missed]:
            for each in self._gather(url):
                met[each.source] = each.kind if isinstance(each, Missed) else "found"
                yield each

        for added in self._add_all(noted(), again):
            if not (met[added.source] == "gone" and added.source in stored):
                yield added
        gone = _gone(url, stored, met)
        self.store.remove([stored[source] for source in gone])
        yield from (Added(source, stored[source], "removed") for source in gone)


@dataclass(frozen=True, slots=True)
class _Read:
    """A document that was read and is to be stored."""

    found: Found
    digest: str
    pieces: Pieces
    is_known: bool

    def added(self) -> Added:
        """What is told once it is stored."""
        kinds = [media.block.type for media in self.pieces.media]
        images, tables, videos = (kinds.count(kind) for kind in ("image", "table", "video"))
        told, passages = self.pieces.document, len(self.pieces.passages)
        status: Literal["replaced", "added"] = "replaced" if self.is_known else "added"
        return Added(
            self.found.source, self.found.name, status, passages, images, tables, videos, told.dropped, told.warnings
        )


def _is_enough(hand: Sequence[_Read | Added]) -> bool:
    """Whether it is time to store: there is enough to encode, or to keep in memory, or nothing to wait for."""
    texts = sum(map(_texts, hand))
    return not 0 < texts < POOL_TEXTS or len(hand) >= POOL_DOCUMENTS or sum(map(_size, hand)) >= POOL_BYTES


def _texts(each: _Read | Added) -> int:
    """How many texts of it are to be encoded."""
    return max(1, len(each.pieces.passages)) if isinstance(each, _Read) else 0


def _size(each: _Read | Added) -> int:
    """Bytes of its pictures in memory."""
    files = each.pieces.document.files.values() if isinstance(each, _Read) else ()
    return sum(len(content) for content in files if isinstance(content, bytes))


def _gone(url: str, stored: Iterable[str], met: Mapping[str, str]) -> list[str]:
    """The stored pages of a site that it has no more.

    A page that only failed is kept, and so are all that were not met if anything failed, for a redirect may hide which.
    """
    whole = met.get(url) != "gone" and "failed" not in met.values()
    kept = ("found", "failed")
    return [source for source in stored if met.get(source, "gone" if whole else "failed") not in kept]


def _holds_anything(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except OSError:
        return False


def _is_gone(path: Path) -> bool:
    """Whether there is no such file; one that cannot be looked at is not gone."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _is_or_is_below(name: str, wanted: str) -> bool:
    return name == wanted or name.startswith(wanted.rstrip("/") + "/")
