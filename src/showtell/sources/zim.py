"""An offline copy of Wikipedia, or any other ZIM file, as a source: searched and read from disk, nothing goes out.

Its full-text index finds pages that hold all words searched, so a search that finds few is repeated with fewer words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, islice
from pathlib import PurePath
from urllib.parse import quote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from showtell import pictures
from showtell.errors import SourceError
from showtell.index.terms import stop_words, words
from showtell.ingest.inline import squeeze
from showtell.ingest.resources import Place
from showtell.sources.archive import MAX_PAGE_BYTES, Entry, Zim, target
from showtell.sources.article import Article
from showtell.sources.base import FoundPage
from showtell.sources.files import WikiPicture, leads_to
from showtell.sources.queries import MAX_SEARCHES, guessed_titles, in_turns, plain_query
from showtell.sources.ranking import ranked
from showtell.types import Document

HITS = 15  # of one search
FEW = 5  # hits; with fewer, words are left out
MAX_WORDS = 8  # of one search
LEADS = 15  # pages of which the lead is read
LEAD = 600  # characters
LEAD_WITHIN = 150_000  # bytes of a page; a long infobox stands before the lead
AMBIGUOUS_READ = 1  # pages whose meanings are looked up for one question
MEANINGS = 30  # looked at on such a page
MAX_PICTURES = 50  # of one page
MAX_PICTURE_BYTES = 10_000_000
MAX_PICTURES_BYTES = 30_000_000  # of one page, in all
UNKNOWN_LICENCE = "licence not told by the archive"
# Of mwoffliner, which makes Wikimedia's archives: where its pages hold the article, and its notice below, old and new.
_CONTENT = ("#mw-content-text", ".mw-parser-output")
_FOOTER = '.zim-footer, div[style*="linear-gradient(180deg, #E8E8E8"]'
_LICENCE = 'a[href*="creativecommons.org/licenses"]'
_PROJECTS = "wikipedia wiktionary wikivoyage wikibooks wikisource wikiversity wikiquote wikinews"
_WIKIMEDIA = tuple(f".{project}.org" for project in _PROJECTS.split())


class ZimPages:
    """One question's view of a ZIM file: a ``Source``."""

    def __init__(self, zim: Zim) -> None:
        """Nothing is read yet; the file is shared by all questions."""
        self.name = zim.name
        self.language = zim.language
        self._zim = zim
        self._warnings: list[str] = []

    @property
    def requests(self) -> int:
        """None ever goes out."""
        return 0

    @property
    def warnings(self) -> Sequence[str]:
        """What could not be had, one line each."""
        return tuple(dict.fromkeys(self._warnings))

    # ------------------------------------------------------------------------------------------------------- search
    def search(self, texts: Sequence[str], limit: int = 10) -> list[FoundPage]:
        """The pages that fit any of the texts, best first, each once; none if none fits.

        A page that only lists what its title can mean is followed by the meanings that fit the texts best. Raises
        SourceError: the file is so damaged that nothing can be looked up.
        """
        queries = list(dict.fromkeys(filter(None, map(plain_query, texts))))
        if not queries:
            return []
        if not self._zim.full_text:
            self._warnings.append(f"{self.name} has no full-text index: only titles were searched")
        found = self._found(queries)
        best = [found[page.url] for page in ranked(found.values(), queries)[:LEADS]]
        read = [page for page in map(self._with_lead, best) if page is not None]
        return ranked(self._with_meanings(read, queries), queries)[:limit]

    def _found(self, queries: Sequence[str]) -> dict[str, FoundPage]:
        """The pages there are by their address, scored by their places in the searches: each best place counts 1."""
        found: dict[str, FoundPage] = {}
        places = [(path, score) for query in queries[:MAX_SEARCHES] for path, score in self._searched(query).items()]
        entries = [(self._zim.entry(path), score) for path, score in places]
        entries += [(self._zim.titled(title), 0.0) for title in guessed_titles(queries)]
        for entry, score in entries:
            if entry is not None and entry.is_page:
                page = found.get(self._url(entry), FoundPage(entry.title, self._url(entry)))
                found[page.url] = replace(page, score=page.score + score, via=page.via or entry.via)
        return found

    def _searched(self, query: str) -> dict[str, float]:
        """Paths and what their places count: less where words had to be left out."""
        every = words(query)
        content = ([word for word in every if word.casefold() not in stop_words()] or every)[:MAX_WORDS]
        found: dict[str, float] = {}
        for size in dict.fromkeys((len(content), len(content) - 1, 1)):
            if size < 1 or len(found) >= FEW:
                break
            try:
                hits = in_turns([self._zim.search(" ".join(part), HITS) for part in combinations(content, size)])
            except SourceError as problem:
                self._warnings.append(f"only titles were looked up: {problem}")
                break
            for path in hits[:HITS]:
                found.setdefault(path, size / len(content) / (1 + len(found)))
        return found

    def _url(self, entry: Entry) -> str:
        return f"{self.name}/{entry.path}"

    def _with_lead(self, page: FoundPage) -> FoundPage | None:
        """The page with its first paragraphs; None, and a warning, where it cannot be read."""
        try:
            article = self._page(page.url, LEAD_WITHIN).article
        except SourceError as problem:
            self._warnings.append(f"{page.title}: {problem}")
            return None
        return replace(page, lead=article.lead(LEAD), ambiguous=article.ambiguous)

    def _with_meanings(self, pages: list[FoundPage], queries: Sequence[str]) -> list[FoundPage]:
        """The pages, and what the best of the ambiguous ones can mean."""
        known = {page.url for page in pages}
        ambiguous = [page for page in ranked(pages, queries) if page.ambiguous]
        for page in ambiguous[:AMBIGUOUS_READ]:
            path = self._path(page.url)
            for meant, around in islice(self._page(page.url).article.meanings(partial(_linked, path)), MEANINGS):
                entry = self._zim.entry(meant)
                if entry is not None and entry.is_page and self._url(entry) not in known:
                    known.add(self._url(entry))
                    pages.append(FoundPage(entry.title, self._url(entry), around, 0.0, page.title))
        return pages

    # ---------------------------------------------------------------------------------------------------- documents
    def documents(self, pages: Sequence[FoundPage]) -> Iterator[Document]:
        """The pages as Documents, in order, their pictures' bytes with them.

        Ambiguous ones and those that cannot be had are left out; a warning tells of these. Raises SourceError: there
        were pages, and none could be had.
        """
        problems: list[SourceError] = []
        wanted = list(dict.fromkeys(page.url for page in pages if not page.ambiguous))
        for url in wanted:
            try:
                page = self._page(url)
            except SourceError as problem:
                self._warnings.append(str(problem))
                problems.append(problem)
                continue
            if page.article.ambiguous:
                self._warnings.append(f"{page.article.title} only lists what its title can mean: left out")
            else:
                yield self._document(url, page)
        if problems and len(problems) == len(wanted):
            raise problems[0]

    def _document(self, url: str, page: _Page) -> Document:
        file = self._zim.path  # no path below a file leads anywhere on this machine
        place = Place(f"{file}/{self._path(url)}", url, file, page.url)
        found = self._pictures(page.article.files)
        return page.article.document(place, self._zim.language, page.licence, found)

    def _path(self, url: str) -> str:
        return url.removeprefix(f"{self.name}/")

    def _page(self, url: str, most: int = MAX_PAGE_BYTES) -> _Page:
        """The page at an address within the file, or so many bytes of it. Raises SourceError."""
        entry = self._zim.entry(self._path(url))
        if entry is None or not entry.is_page:
            raise SourceError(f"{url}: there is no such page; search for it")
        return _read(entry, self._zim, most)

    def _pictures(self, names: Sequence[str]) -> dict[str, WikiPicture | str]:
        """What may be shown of the files, or why nothing may."""
        found: dict[str, WikiPicture | str] = dict.fromkeys(names, "more pictures than are taken of one page")
        left = MAX_PICTURES_BYTES
        for name in names[:MAX_PICTURES]:
            picture = self._picture(name, min(left, MAX_PICTURE_BYTES))
            found[name] = picture
            left -= len(picture.content or b"") if isinstance(picture, WikiPicture) else 0
        return found

    def _picture(self, path: str, most: int) -> WikiPicture | str:
        try:
            entry = self._zim.entry(path)
            if entry is None:
                return "its file is not in the archive"
            if entry.size > most:
                return "larger than what is taken of one page"
            kept = pictures.stored(self._zim.content(entry))
        except SourceError as problem:
            return str(problem)
        address = f"asset:{PurePath(kept.name).stem}"
        return WikiPicture(address, kept.width, kept.height, None, UNKNOWN_LICENCE, kept.data)


@dataclass(frozen=True, slots=True)
class _Page:
    """An article, where it stands on the site that the archive is a copy of, and the licence of its text."""

    article: Article
    url: str | None
    licence: str | None


def _read(entry: Entry, zim: Zim, most: int) -> _Page:
    """A page of the archive; one that is no wiki's is taken whole, the reader finds its content. Raises SourceError."""
    html = LexborHTMLParser(zim.content(entry)[:most].decode("utf-8", "replace"))
    root = next(filter(None, map(html.css_first, _CONTENT)), html.body)
    if root is None:
        raise SourceError(f"{zim.name}/{entry.path}: the page is empty; choose another")
    footers = html.css(_FOOTER)
    links = [*html.css('link[rel="canonical"]'), *(link for footer in footers for link in footer.css("a"))]
    licences = [squeeze(link.text()) for footer in footers for link in footer.css(_LICENCE)]
    for footer in footers:
        footer.attrs["hidden"] = ""
    article = Article(entry.title, root, partial(_file, entry.path), revision=zim.date)
    return _Page(article, _original(links, zim.host, entry.title), zim.licence or next(iter(licences), None))


def _original(links: Iterable[LexborNode], host: str, title: str) -> str | None:
    """The address of a page on its site: as a link of the page tells that leads there, else as Wikimedia's are."""
    for link in links:
        address = link.attributes.get("href") or ""
        if host and leads_to(address, [host]):
            return address
    if host.endswith(_WIKIMEDIA):
        return f"https://{host}/wiki/{quote(title.replace(' ', '_'), safe='/:,()!*;@$~')}"
    return None


def _file(page: str, node: LexborNode) -> str:
    """The path of the file that an image shows, or ""."""
    return target(page, node.attributes.get("src") or node.attributes.get("data-src") or "")


def _linked(page: str, link: LexborNode) -> str:
    """The path that a link leads to, or ""."""
    return target(page, link.attributes.get("href") or "")
