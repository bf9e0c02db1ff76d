"""Wikipedia, or any wiki that runs on MediaWiki, as a source: search, then the HTML of the best few pages.

A question costs a request for each text searched, one for the leads of all pages found, one for each page read, and
one for the licences of their pictures; the first question of a week one more, for the wiki's description of itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TypeVar
from urllib.parse import quote, urlsplit

from selectolax.lexbor import LexborHTMLParser

from showtell.errors import PictureError, SettingsError, WikiError
from showtell.ingest.inline import squeeze
from showtell.ingest.resources import Place
from showtell.sources.article import Article, article_of, linked_title, names_many
from showtell.sources.base import FoundPage
from showtell.sources.files import THUMBNAIL_WIDTHS, WikiPicture, picture
from showtell.sources.queries import MAX_SEARCHES, guessed_titles, in_turns, plain_query
from showtell.sources.ranking import ranked
from showtell.sources.replies import (
    FilePage,
    FilesReply,
    PageInfo,
    ParseReply,
    SearchReply,
    SiteQuery,
    SiteReply,
    Titles,
    TitlesReply,
)
from showtell.sources.wiki import AT_ONCE, LONGEST_ADDRESS, Budget, Parameters, Wiki
from showtell.types import Document

MAX_TITLES = 50  # of one request
HITS = 15  # of one search
EXTRACT = 600  # characters of a lead
EXTRACTS = 20  # the most of one request
AMBIGUOUS_READ = 1  # pages of meanings that are read for one question
MEANINGS = 30  # looked at on such a page

T = TypeVar("T")
U = TypeVar("U")


class Wikipedia:
    """One question's view of a wiki: a ``Source`` that counts what the question asks of it."""

    name = "wikipedia"

    def __init__(
        self, wiki: Wiki, *, requests: int = 10, seconds: float = 60.0, picture_width: int = 960, language: str = ""
    ) -> None:
        """Nothing is asked yet.

        Args:
            wiki: the wiki, shared by all questions.
            requests: that the question may cost.
            seconds: that it may take in all, from now on.
            picture_width: pixels of pictures, one of the widths that Wikimedia serves.
            language: code of the one that the wiki is written in, where it is known.

        Raises SettingsError: the width is none of these.
        """
        if picture_width not in THUMBNAIL_WIDTHS:
            raise SettingsError(f"pictures of a wiki are {', '.join(map(str, THUMBNAIL_WIDTHS))} px wide; choose one")
        self.language = language
        self._wiki = wiki
        self._budget = Budget(requests, seconds)
        self._width = picture_width
        self._warnings: list[str] = []

    @property
    def requests(self) -> int:
        """Requests that went out so far; replies from the cache cost none."""
        return self._budget.used

    @property
    def warnings(self) -> Sequence[str]:
        """What could not be had, one line each."""
        return tuple(dict.fromkeys(self._warnings))

    # ------------------------------------------------------------------------------------------------------- search
    def search(self, texts: Sequence[str], limit: int = 10) -> list[FoundPage]:
        """The pages that fit any of the texts, best first, each once; none if none fits.

        A text may hold several keywords; of a long one the first 300 characters are searched. A page that only lists
        what its title can mean is followed by the meanings that fit the texts best. Raises WikiError: nothing could
        be asked.
        """
        queries = list(dict.fromkeys(filter(None, map(plain_query, texts))))
        if not queries:
            return []
        searched = self._each(self._searched, queries[:MAX_SEARCHES])
        snippets = {title: around for found in reversed(searched) for title, around in found.items()}
        titles = self._titles([*guessed_titles(queries), *in_turns(map(list, searched))])
        pages = self._found(titles, snippets, searched)
        return ranked(self._with_meanings(pages, queries), queries)[:limit]

    def _searched(self, query: str) -> dict[str, str]:
        """The titles that a search finds, best first, with the words around what it found."""
        asked: Parameters = {"action": "query", "list": "search", "srsearch": query, "srwhat": "text", "srnamespace": 0}
        limits: Parameters = {"srlimit": HITS, "srprop": "snippet", "srinfo": ""}
        reply = self._wiki.ask(asked | limits, SearchReply, self._budget)
        return {hit.title: _plain(hit.snippet) for hit in reply.query.search}

    def _titles(self, titles: Sequence[str]) -> Titles:
        """Leads and properties of many titles at once; redirects are followed."""
        asked: Parameters = {
            "action": "query", "prop": "extracts|pageprops", "ppprop": "disambiguation", "redirects": 1,
            "converttitles": 1, "exintro": 1, "explaintext": 1, "exchars": EXTRACT, "exlimit": EXTRACTS,
        }  # fmt: skip
        joined = self._fitting(asked, "titles", list(dict.fromkeys(titles))[:MAX_TITLES])
        return self._wiki.ask(asked | {"titles": joined}, TitlesReply, self._budget).query

    def _fitting(self, asked: Parameters, name: str, values: Sequence[str]) -> str:
        """As many of the values, joined, as an address can hold."""
        kept: list[str] = []
        left = LONGEST_ADDRESS - len(self._wiki.address(asked | {name: ""}))
        for value in values:
            left -= len(quote(value, safe="")) + len("%7C")
            if left < 0:
                break
            kept.append(value)
        return "|".join(kept)

    def _found(
        self, titles: Titles, snippets: Mapping[str, str], searched: Sequence[Mapping[str, str]]
    ) -> list[FoundPage]:
        """The pages there are, scored by their places in the searches: each best place counts 1."""
        via = {renamed.to: renamed.source for renamed in titles.redirects}
        places = [{title: place for place, title in enumerate(found)} for found in searched]
        pages: list[FoundPage] = []
        for page in titles.pages:
            if page.exists:
                names = [name for name in (page.title, via.get(page.title, "")) if name]
                score = sum(max((1 / (1 + of[name]) for name in names if name in of), default=0.0) for of in places)
                lead = squeeze(page.extract or "") or next((snippets[name] for name in names if name in snippets), "")
                url = self._page_url(page.title)
                pages.append(FoundPage(page.title, url, lead, score, via.get(page.title, ""), _is_ambiguous(page)))
        return pages

    def _with_meanings(self, pages: list[FoundPage], queries: Sequence[str]) -> list[FoundPage]:
        """The pages, and what the best of the ambiguous ones can mean."""
        known = {page.title for page in pages}
        ambiguous = [page for page in ranked(pages, queries) if page.ambiguous]
        for page in ambiguous[:AMBIGUOUS_READ]:
            try:
                article = self._article(page.title)
            except WikiError as problem:
                self._warnings.append(f"what {page.title} can mean: {problem}")
                continue
            for title, around in list(article.meanings(linked_title))[:MEANINGS]:
                if title not in known:
                    known.add(title)
                    pages.append(FoundPage(title, self._page_url(title), around, 0.0, page.title))
        return pages

    # ---------------------------------------------------------------------------------------------------- documents
    def documents(self, pages: Sequence[FoundPage]) -> Iterator[Document]:
        """The pages as Documents, in order; ambiguous ones and those that cannot be had are left out.

        No more pages are read than the budget allows, one request being kept for their pictures; what is left out is
        told in :attr:`warnings`. Raises WikiError: there were pages, and none could be had.
        """
        wanted = list(dict.fromkeys(page.title for page in pages if not page.ambiguous))
        if not wanted:
            return
        language, self._budget.kept = self._site.general.lang, 1
        articles = {article.title: article for article in self._each(self._article, wanted)}
        self._budget.kept = 0
        for title in [title for title, article in articles.items() if article.ambiguous]:
            self._warnings.append(f"{title} only lists what its title can mean: left out")
            del articles[title]
        pictures = self._pictures([name for article in articles.values() for name in article.files])
        for article in articles.values():
            url = self._page_url(article.title)
            yield article.document(Place(url, url, url=url), language, self._licence, pictures)

    def _article(self, title: str) -> Article:
        asked: Parameters = {
            "action": "parse", "page": title, "prop": "text|revid|images|properties", "redirects": 1,
            "disableeditsection": 1, "disabletoc": 1, "disablelimitreport": 1,
        }  # fmt: skip
        parsed = self._wiki.ask(asked, ParseReply, self._budget).parse
        if parsed is None:
            raise WikiError(f"{self._wiki.host}: it gave no text of {title}; try again later")
        return article_of(parsed)

    def _pictures(self, names: Sequence[str]) -> dict[str, WikiPicture | str]:
        """What may be shown of the files, or why nothing may; one request tells it of most, of the first files."""
        asked: Parameters = {
            "action": "query", "prop": "imageinfo", "iiprop": "url|size|extmetadata", "iiurlwidth": self._width,
            "iiextmetadatafilter": "LicenseShortName|UsageTerms|License|NonFree|Attribution|Artist|Credit",
        }  # fmt: skip
        unique = [name for name in dict.fromkeys(names) if "|" not in name][:MAX_TITLES]
        if not unique:
            return {}
        joined = self._fitting(asked, "titles", [f"File:{name}" for name in unique])
        try:
            reply = self._wiki.ask(asked | {"titles": joined}, FilesReply, self._budget)
        except WikiError as problem:
            self._warnings.append(f"pictures: {problem}")
            return dict.fromkeys(unique, "its licence could not be asked for")
        found: dict[str, WikiPicture | str] = dict.fromkeys(unique, "more pictures than one request can ask for")
        return found | {_stored_name(file.title): self._picture(file) for file in reply.query.pages}

    def _picture(self, file: FilePage) -> WikiPicture | str:
        if not file.imageinfo:
            return "its file is not known to the wiki"
        try:
            return picture(file.imageinfo[0], self._wiki.origin, self._hosts, self._tells_licences)
        except PictureError as problem:
            return str(problem)

    # ----------------------------------------------------------------------------------------------------- the wiki
    @cached_property
    def _site(self) -> SiteQuery:
        asked: Parameters = {"action": "query", "meta": "siteinfo|filerepoinfo", "friprop": "rootUrl|thumbUrl|url"}
        reply = self._wiki.ask(asked | {"siprop": "general|rightsinfo|extensions"}, SiteReply, self._budget)
        if reply.query is None:
            raise WikiError(f"{self._wiki.host}: it does not describe itself; check that it is a MediaWiki")
        return reply.query

    @property
    def _hosts(self) -> frozenset[str]:
        """Where the wiki's files lie: with it, and where it says."""
        named = (address for repo in self._site.repos for address in (repo.rootUrl, repo.thumbUrl, repo.url))
        return frozenset([self._wiki.host, *filter(None, map(_host, named))])

    @property
    def _tells_licences(self) -> bool:
        """Whether the wiki knows the licences of its files: it is an extension that tells them."""
        return any(extension.name == "CommonsMetadata" for extension in self._site.extensions)

    @property
    def _licence(self) -> str | None:
        rights = self._site.rightsinfo
        return squeeze(rights.text) or rights.url.strip() or None

    def _page_url(self, title: str) -> str:
        """The address of a page on the wiki itself, wherever its reply may point to."""
        path = quote(title.replace(" ", "_"), safe="/:,()!*;@$~'")
        return self._wiki.origin + self._site.general.articlepath.replace("$1", path)

    def _each(self, ask: Callable[[T], U], values: Sequence[T]) -> list[U]:
        """Ask for each value, as many at once as the wiki may be asked; a warning tells of what cannot be had.

        Raises WikiError: nothing could be had.
        """

        def tried(value: T) -> U | WikiError:
            try:
                return ask(value)
            except WikiError as problem:
                return problem

        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = list(pool.map(tried, values))
        had = [answer for answer in answers if not isinstance(answer, WikiError)]
        problems = [answer for answer in answers if isinstance(answer, WikiError)]
        if problems and not had:
            raise problems[0]
        self._warnings += map(str, problems)
        return had


def _is_ambiguous(page: PageInfo) -> bool:
    return "disambiguation" in page.pageprops or names_many(page.title)


def _plain(markup: str) -> str:
    return squeeze(LexborHTMLParser(markup).text()) if markup else ""


def _stored_name(title: str) -> str:
    """A file's title, in whatever language its namespace is, as it stands in addresses."""
    return title.partition(":")[2].replace(" ", "_")


def _host(address: str) -> str:
    try:
        return urlsplit(address).netloc.lower()
    except ValueError:
        return ""
