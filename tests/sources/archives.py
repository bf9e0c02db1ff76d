"""ZIM files for tests, written with libzim: the pages of the test wiki as archives of Wikipedia hold them."""

from __future__ import annotations

import importlib.util
import json
import re
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlencode

import pytest

from tests.sources.fillers import fillers
from tests.sources.mediawiki import MediaWiki, our_redirects, our_titles, searches

METADATA = {"Title": "Test wiki", "Language": "eng", "Date": "2026-01-31", "Source": "wiki.example.org"}
METADATA |= {"License": "CC BY-SA 4.0"}


@dataclass(frozen=True)
class Contents:
    """What an archive holds: HTML pages by title, redirects (title and where it leads), other files by path."""

    pages: Mapping[str, str] = field(default_factory=dict)
    redirects: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)


def write(
    file: Path, contents: Contents, *, index: bool = True, metadata: Mapping[str, str] = METADATA, front: bool = True
) -> Path:
    """A ZIM file. Without ``index`` only titles can be searched; without ``front`` nothing says what is an article."""
    from libzim.writer import Creator, Hint, Item, StringProvider

    class Stored(Item):  # type: ignore[misc]
        def __init__(self, path: str, title: str, content: str | bytes, media_type: str) -> None:
            super().__init__()
            self.path, self.title, self.content, self.media_type = path, title, content, media_type

        def get_path(self) -> str:
            return self.path

        def get_title(self) -> str:
            return self.title

        def get_mimetype(self) -> str:
            return self.media_type

        def get_contentprovider(self) -> Any:
            return StringProvider(self.content)

        def get_hints(self) -> dict[Any, int]:
            return {Hint.FRONT_ARTICLE: int(front and self.media_type == "text/html")}

    with Creator(file).config_indexing(index, "eng") as creator:
        for title, markup in contents.pages.items():
            creator.add_item(Stored(path(title), title, markup, "text/html"))
        for title, to in contents.redirects.items():
            creator.add_redirection(path(title), title, path(to), {Hint.FRONT_ARTICLE: int(front)})
        for name, content in contents.files.items():
            creator.add_item(Stored(name, "", content, "image/png"))
        for name, value in metadata.items():
            creator.add_metadata(name, value)
    return file


def path(title: str) -> str:
    return title.replace(" ", "_")


def page(title: str, content: str) -> str:
    """A page as mwoffliner writes it: its address in the head, its notice at the end of the content."""
    address = f"https://wiki.example.org/wiki/{quote(path(title))}"
    licence = '<a href="https://creativecommons.org/licenses/by-sa/4.0/">Creative Commons</a>'
    notice = f'This article is issued from <a href="{address}?oldid=5">Wiki</a>. The text is licensed under {licence}.'
    return (
        f'<!doctype html><html lang="en"><head><title>{escape(title)}</title><link rel="canonical" href="{address}">'
        f'</head><body><main id="content"><h1 id="firstHeading">{escape(title)}</h1><div id="mw-content-text">{content}'
        f'<div class="zim-footer">{notice}</div></div></main></body></html>'
    )


def contents_of(wiki: MediaWiki) -> Contents:
    """Our pages as the wiki itself makes HTML of them, with their redirects and pictures, among the fillers."""
    redirects = our_redirects()
    pages, files = {}, {}
    for title in sorted(title for title in our_titles() if ":" not in title and title not in redirects):
        parsed = _ask(wiki, action="parse", page=title, prop="text|properties", disableeditsection=1)["parse"]
        markup, shown = _offline(parsed["text"], wiki)
        box = '<div id="disambigbox"></div>' if "disambiguation" in parsed["properties"] else ""
        pages[title] = page(title, markup + box)
        files |= shown
    for title, text in fillers(frozenset(title for _, title in searches()), our_titles()).items():
        pages[title] = page(title, f"<p>{escape(text)}</p>")
    return Contents(pages, redirects, files)


def _offline(markup: str, wiki: MediaWiki) -> tuple[str, dict[str, bytes]]:
    """Links and pictures turned to what is in the archive; what nobody has written is no link any more."""
    files: dict[str, bytes] = {}

    def stored(found: re.Match[str]) -> str:
        name = f"_assets_/{unquote(found[1].rpartition('/')[2])}"
        files[name] = (wiki.folder / "site" / unquote(found[1]).lstrip("/")).read_bytes()
        return f'src="./{quote(name)}"'

    markup = re.sub(r'<a href="[^"]*" class="new"[^>]*>(.*?)</a>', r"\1", markup)
    markup = re.sub(r'href="/index.php/([^"]*)"', r'href="./\1"', markup)
    return re.sub(r'src="(/images/[^"]*)"', stored, markup), files


def _ask(wiki: MediaWiki, **asked: Any) -> Any:
    address = f"{wiki.api}?{urlencode(asked | {'format': 'json', 'formatversion': 2})}"
    with urllib.request.urlopen(address, timeout=60) as answer:
        return json.load(answer)


def need_libzim() -> None:
    """Skip where libzim is not installed."""
    if importlib.util.find_spec("libzim") is None:
        pytest.skip("no libzim on this machine: make test, or pip install 'showtell[zim]'")


@pytest.fixture(scope="session")
def archive(mediawiki: MediaWiki, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The test wiki as a ZIM file."""
    need_libzim()
    return write(tmp_path_factory.mktemp("zim") / "wiki.zim", contents_of(mediawiki))
