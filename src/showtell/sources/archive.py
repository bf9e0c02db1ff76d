"""A ZIM file: its entries, its index, what it tells of itself. Nothing it holds is trusted, nor that it is whole."""

from __future__ import annotations

import importlib.util
import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import unquote, urlsplit

from showtell.errors import MissingExtra, SourceError
from showtell.ingest.inline import squeeze

MAX_PAGE_BYTES = 20_000_000
VERIFIED_BYTES = 100_000_000  # 0.3 s, at 350 MB a second on one core of 2026
MAX_REDIRECTS = 10  # followed from one entry to the next
_LONGEST = 500  # characters of what it tells of itself
_FAULTS = (RuntimeError, ValueError, LookupError, OSError)  # what libzim raises of files that are damaged
_HTML = ("text/html", "application/xhtml+xml")
# ISO 639-3, as archives name their language, and the two letters of ISO 639-1: of the largest Wikipedias.
_CODES = """
    afr:af ara:ar bel:be ben:bn bul:bg cat:ca ces:cs cym:cy dan:da deu:de ell:el eng:en epo:eo est:et eus:eu fas:fa
    fin:fi fra:fr gle:ga glg:gl heb:he hin:hi hrv:hr hun:hu hye:hy ind:id isl:is ita:it jpn:ja kat:ka kaz:kk kor:ko
    lat:la lav:lv lit:lt mar:mr mkd:mk msa:ms nld:nl nob:nb nno:nn nor:no pol:pl por:pt ron:ro rus:ru slk:sk slv:sl
    spa:es sqi:sq srp:sr swa:sw swe:sv tam:ta tel:te tha:th tur:tr ukr:uk urd:ur uzb:uz vie:vi zho:zh
"""
_LANGUAGES = dict(pair.split(":") for pair in _CODES.split())


@dataclass(frozen=True, slots=True)
class Entry:
    """A page or file: ``path`` is its key in the archive; ``via`` the title of the redirect that led to it, or ""."""

    path: str
    title: str
    media_type: str
    size: int
    via: str = ""

    @property
    def is_page(self) -> bool:
        """Whether it is HTML of a size that can be read."""
        return self.media_type.startswith(_HTML) and self.size <= MAX_PAGE_BYTES


class Zim:
    """A ZIM file, opened once for all questions and threads."""

    def __init__(self, path: str | Path, verified_bytes: int = VERIFIED_BYTES) -> None:
        """Open it.

        A file of at most ``verified_bytes`` is compared with its checksum, since libzim ends the process on some
        damaged indexes; of a larger one only the head is read.

        Raises MissingExtra when libzim is not installed; SourceError where there is no such file, it is no ZIM file, it
        is damaged, or it holds no pages.
        """
        require_libzim()
        self.path = Path(path).absolute()
        self._lock = Lock()  # the index answers one search at a time
        self._archive = _opened(self.path)
        with self._reading():
            small = self._archive.filesize <= verified_bytes
            if small and self._archive.has_checksum and not self._archive.check():
                raise SourceError(f"{self.path.name}: the file is damaged (its checksum differs); download it again")
            if not self._archive.entry_count:
                raise SourceError(f"{self.path.name}: it holds no pages; choose another ZIM file")

    @property
    def name(self) -> str:
        """How its pages are named: before the path of each."""
        return f"zim:{self.path.name}"

    # ------------------------------------------------------------------------------------------ what it tells of itself
    @cached_property
    def full_text(self) -> bool:
        """Whether its texts can be searched, not only its titles."""
        with self._reading():
            return bool(self._archive.has_fulltext_index)

    @cached_property
    def language(self) -> str:
        """Two letters where there are such, "" where it holds several languages or tells none."""
        told = self._told("Language")
        return "" if "," in told else _LANGUAGES.get(told, told)

    @cached_property
    def licence(self) -> str | None:
        """Of its texts, if it tells one."""
        return self._told("License") or None

    @cached_property
    def date(self) -> str | None:
        """When it was made, as ``2026-01-31``."""
        return self._told("Date") or None

    @cached_property
    def host(self) -> str:
        """The host of the site that it is a copy of, or ""."""
        told = self._told("Source")
        try:
            return urlsplit(told if "//" in told else f"//{told}").hostname or ""
        except ValueError:
            return ""

    def _told(self, name: str) -> str:
        with self._reading():
            if name not in self._archive.metadata_keys:
                return ""
            return squeeze(self._archive.get_metadata(name).decode("utf-8", "replace"))[:_LONGEST]

    # -------------------------------------------------------------------------------------------------- what it holds
    def search(self, words: str, limit: int) -> list[str]:
        """Paths of the entries that hold all these words, best first: in their texts, else in their titles.

        Raises SourceError where the index is damaged.
        """
        full_text = self.full_text
        with self._reading(), self._lock:
            if full_text:
                from libzim.search import Query, Searcher

                return list(Searcher(self._archive).search(Query().set_query(words)).getResults(0, limit))
            from libzim.suggestion import SuggestionSearcher

            return list(SuggestionSearcher(self._archive).suggest(words).getResults(0, limit))

    def entry(self, path: str) -> Entry | None:
        """What stands under a path, or where that redirects to; None if nothing does. Raises SourceError."""
        with self._reading():
            if not path or "\0" in path or not self._archive.has_entry_by_path(path):
                return None
            return self._followed(self._archive.get_entry_by_path(path))

    def titled(self, title: str) -> Entry | None:
        """What has a title, or what that redirects to; None if nothing has. Raises SourceError."""
        with self._reading():
            if self._archive.has_entry_by_title(title):
                return self._followed(self._archive.get_entry_by_title(title))
        return self.entry(title.replace(" ", "_"))

    def content(self, entry: Entry) -> bytes:
        """The bytes of an entry. Raises SourceError where they are damaged."""
        with self._reading():
            return bytes(self._archive.get_entry_by_path(entry.path).get_item().content)

    def _followed(self, entry: Any) -> Entry | None:
        first = entry
        for _ in range(MAX_REDIRECTS):
            if not entry.is_redirect:
                item = entry.get_item()
                via = (first.title or first.path) if first.path != entry.path else ""
                return Entry(entry.path, entry.title or entry.path, item.mimetype, item.size, via)
            entry = entry.get_redirect_entry()
        return None

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except _FAULTS as fault:
            raise SourceError(
                f"{self.path.name}: the file is damaged ({_first_line(fault)}); download it again"
            ) from None


def require_libzim() -> None:
    """Raises MissingExtra when libzim is not installed."""
    if importlib.util.find_spec("libzim") is None:
        raise MissingExtra("reading ZIM files needs libzim; install it with: pip install 'showtell[zim]'")


def target(page: str, reference: str) -> str:
    """The path that a reference within the entry ``page`` means, "" where it leads out of the archive."""
    try:
        parts = urlsplit(reference.strip())
    except ValueError:
        return ""
    if parts.scheme or parts.netloc or not parts.path:
        return ""
    joined = posixpath.normpath(posixpath.join("/", posixpath.dirname(page), unquote(parts.path)))
    return joined.lstrip("/")


def _opened(path: Path) -> Any:
    """libzim's archive. A file in parts is named without the two letters behind each."""
    if not path.is_file() and not path.with_name(path.name + "aa").is_file():
        raise SourceError(f"{path}: there is no such file; check the path of the ZIM file")
    from libzim.reader import Archive

    try:
        return Archive(path)
    except _FAULTS as fault:
        raise SourceError(
            f"{path.name}: it is no ZIM file, or it is incomplete ({_first_line(fault)}); download it again"
        ) from None


def _first_line(fault: BaseException) -> str:
    return squeeze(str(fault))[:100].rstrip(".")
