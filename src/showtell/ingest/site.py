"""Pages from the web: one that the user named, or all that a sitemap lists, one request after the other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urldefrag, urljoin, urlsplit
from urllib.robotparser import RobotFileParser

from showtell.errors import FetchError, SourceError
from showtell.ingest.convert import read_page
from showtell.ingest.fetch import Fetched, Fetcher, gunzip, without_credentials
from showtell.ingest.gather import Found, Missed, is_url
from showtell.ingest.remote import RemoteMedia
from showtell.ingest.sitemap import is_sitemap, read_sitemap
from showtell.types import Document

ACCEPT = "text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, application/xml;q=0.9, */*;q=0.5"
MAX_SITEMAP_BYTES = 50_000_000  # decompressed, by the protocol
MAX_SITEMAPS = 200  # fetched for one index
MAX_ROBOTS_BYTES = 500_000  # RFC 9309, section 2.5
_GONE = (404, 410)


@dataclass(frozen=True, slots=True)
class Site:
    """Finds pages with a fetcher; their pictures and transcripts come with them. At most ``max_pages`` of a sitemap."""

    fetcher: Fetcher
    media: RemoteMedia
    max_pages: int

    def gather(self, url: str) -> Iterator[Found | Missed]:
        """The page at an address; if a sitemap is there, the pages it lists on its own host that robots may read."""
        origin = urldefrag(url)[0]
        try:
            first = self._get(origin)
        except FetchError as error:
            yield _missed(origin, error)
            return
        if is_sitemap(first.data):
            yield from self._crawl(origin, first)
        else:
            yield self._page(origin, first)

    def _get(self, url: str) -> Fetched:
        """A page or sitemap; the latter may lie there compressed."""
        fetched = self.fetcher.get(url, accept=ACCEPT)
        if not fetched.data.startswith(b"\x1f\x8b"):
            return fetched
        try:
            return Fetched(fetched.url, fetched.content_type, gunzip(fetched.data, MAX_SITEMAP_BYTES))
        except FetchError as error:
            raise FetchError(f"{url}: {error}") from None

    def _page(self, origin: str, fetched: Fetched) -> Found | Missed:
        try:
            document = read_page(fetched.data, fetched.content_type, fetched.url)
        except SourceError as error:
            return Missed(fetched.url, str(error))
        return Found(
            document.source,
            document.name,
            origin,
            lambda: _digest(document),
            lambda: self.media.stored_in(document),
        )

    # ---------------------------------------------------------------------------------------------------- a sitemap
    def _crawl(self, origin: str, first: Fetched) -> Iterator[Found | Missed]:
        pages, problems = self._listed(first)
        yield from problems
        if not pages and not problems:
            yield Missed(first.url, f"{first.url}: the sitemap lists no pages; check the address")
            return
        own = [page for page in pages if _host(page) == _host(first.url)]
        if len(own) < len(pages):
            yield _skipped(first.url, len(pages) - len(own), "lie on other hosts; add them by their own addresses")
        try:
            allowed = self._allowed(first.url, own)
        except FetchError as error:
            yield Missed(first.url, str(error))
            return
        if len(allowed) < len(own):
            yield _skipped(first.url, len(own) - len(allowed), "are not for programs, by the site's robots.txt")
        if len(allowed) > self.max_pages:
            yield _skipped(first.url, len(allowed) - self.max_pages, "are beyond max_pages; raise that setting")
        seen: set[str] = set()
        for page in allowed[: self.max_pages]:
            found = self._of_crawl(origin, page)
            if found.source not in seen:
                seen.add(found.source)
                yield found

    def _of_crawl(self, origin: str, url: str) -> Found | Missed:
        try:
            fetched = self._get(url)
        except FetchError as error:
            return _missed(url, error)
        if _host(fetched.url) != _host(url):
            return Missed(url, f"{url}: it redirects to {fetched.url}; add that by itself if you want it", "skipped")
        return self._page(origin, fetched)

    def _listed(self, first: Fetched) -> tuple[list[str], list[Missed]]:
        """The pages of a sitemap and of those it lists in turn, each once, and the sitemaps that could not be read."""
        pages: dict[str, None] = {}
        problems: list[Missed] = []
        waiting, met = [first.url], {first.url}
        while waiting:
            url = waiting.pop(0)
            try:
                fetched = first if url == first.url else self._get(url)
                sitemap = read_sitemap(fetched.data)
            except FetchError as error:
                problems.append(Missed(url, str(error)))
                continue
            except SourceError as error:
                problems.append(Missed(url, f"{url}: {error}"))
                continue
            pages |= dict.fromkeys(_absolute(url, sitemap.pages))
            for further in _absolute(url, sitemap.sitemaps):
                if further not in met and _host(further) == _host(first.url) and len(met) < MAX_SITEMAPS:
                    met.add(further)
                    waiting.append(further)
        return list(pages), problems

    def _allowed(self, url: str, pages: list[str]) -> list[str]:
        """The pages that the site's robots.txt lets this program read; all if it has none.

        Raises FetchError if the file cannot be had: then nothing may be read (RFC 9309, section 2.3.1.4).
        """
        try:
            fetched = self.fetcher.get(urljoin(url, "/robots.txt"), accept="text/plain", max_bytes=MAX_ROBOTS_BYTES)
        except FetchError as error:
            if error.status and 400 <= error.status < 500:
                return pages
            raise
        rules = RobotFileParser()
        rules.parse(fetched.data.decode("utf-8", "replace").splitlines())
        return [page for page in pages if rules.can_fetch(self.fetcher.user_agent, page)]


def _digest(document: Document) -> str:
    """Of what the reader saw: the bytes of many pages differ each time, by a token or the hour."""
    seen = (document.title, document.description, document.language, document.sections)
    return hashlib.sha256(repr(seen).encode()).hexdigest()


def _host(url: str) -> str:
    """Host and port of an address, the port only where it is not the usual one."""
    parts = urlsplit(url)
    return parts.netloc.lower().removesuffix(":443" if parts.scheme == "https" else ":80")


def _absolute(base: str, addresses: list[str]) -> Iterator[str]:
    """Addresses made absolute, without fragments; those that are malformed are left out."""
    for address in addresses:
        with suppress(ValueError):
            absolute = urldefrag(urljoin(base, address))[0]
            if is_url(absolute) and _host(absolute):
                yield absolute


def _missed(url: str, error: FetchError) -> Missed:
    return Missed(without_credentials(url), str(error), "gone" if error.status in _GONE else "failed")


def _skipped(url: str, count: int, why: str) -> Missed:
    return Missed(url, f"{url}: {count} of the pages {why}", "skipped")
