"""Sitemaps (sitemaps.org, protocol 0.9): the pages that a site lists of itself."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from xml.parsers import expat

from showtell.errors import SourceError

MAX_ENTRIES = 50_000  # of one sitemap, by the protocol
_HEAD = 8192  # bytes in which the first element begins


@dataclass(slots=True)
class Sitemap:
    """Addresses as written, in their order: of pages, and of further sitemaps."""

    pages: list[str] = field(default_factory=list)
    sitemaps: list[str] = field(default_factory=list)


def is_sitemap(data: bytes) -> bool:
    """Whether the bytes begin as a sitemap or an index of sitemaps does."""
    elements: list[str] = []
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = lambda name, _: elements.append(name.rpartition(" ")[2])
    with suppress(
        expat.ExpatError, ValueError, LookupError
    ):  # most pages are no XML, and few are whole in so few bytes
        parser.Parse(data[:_HEAD], False)
    return elements[:1] in (["urlset"], ["sitemapindex"])


def read_sitemap(data: bytes) -> Sitemap:
    """The addresses in a sitemap; no more than 50,000. Raises SourceError with the reason if it is not well-formed."""
    found = Sitemap()
    open_elements: list[str] = []
    text: list[str] = []

    def start(name: str, _: object) -> None:
        open_elements.append(name.rpartition(" ")[2])
        text.clear()

    def end(_: str) -> None:
        element, above = open_elements.pop(), open_elements[-1] if open_elements else ""
        kept = {"url": found.pages, "sitemap": found.sitemaps}.get(above) if element == "loc" else None
        if kept is not None and len(kept) < MAX_ENTRIES and (address := "".join(text).strip()):
            kept.append(address)

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text.append
    parser.EntityDeclHandler = _refuse_entity
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise SourceError(f"the sitemap is not well-formed ({error}); tell its site") from None
    return found


def _refuse_entity(*_: object) -> None:
    raise SourceError("the sitemap declares entities, which are not expanded; add its pages by their own addresses")
