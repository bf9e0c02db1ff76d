"""A wiki's page as HTML to a Document: without what surrounds an article, its pictures only as they may be shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from html import escape
from pathlib import Path
from re import compile as pattern
from urllib.parse import unquote, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from showtell.ingest.boilerplate import SILENT
from showtell.ingest.html import read_html
from showtell.ingest.images import declared, small
from showtell.ingest.inline import squeeze
from showtell.ingest.page import page
from showtell.ingest.resources import Place
from showtell.ingest.tree import walk
from showtell.sources.files import WikiPicture
from showtell.sources.replies import Parsed
from showtell.types import Block, Document, Dropped, Image, Section, Table, Text

# Class names and ids of MediaWiki, of its Cite extension, and of the templates of the large Wikipedias.
_SURROUNDINGS = """
    .mw-editsection .mw-jump-link .printfooter .catlinks .mw-indicators .mw-empty-elt #toc .toc .mw-toc
    .navigation-not-searchable .hatnote .dablink .rellink .homonymie .noprint
    sup.reference .mw-ref ol.references .mw-references-wrap .references .reflist .listaref .refbegin .mw-cite-backlink
    .Inline-Template .inline-template .need_ref_tag .cite_crochet
    .navbox .navbox-styles .navbox-container .vertical-navbox .sidebar .navbar .NavFrame .BoxenVerschmelzen
    .ambox .cmbox .fmbox .imbox .ombox .tmbox .metadata .mbox-small .bandeau-container .bandeau-article .bandeau-section
    .sistersitebox .side-box .portalbox .portal-bar .portalborder .bandeau-portail .authority-control #normdaten
    .mw-authority-control .stub .asbox
    #coordinates #coordinates-title .geo-nondefault .geo-multi-punct .shortdescription
    .magnify .mw-kartographer-container .mwe-math-fallback-image-inline .mwe-math-fallback-image-display
    video audio .mediaContainer .mw-tmh-player
"""
_SELECTOR = ", ".join(_SURROUNDINGS.split())
_AMBIGUOUS = "#disambigbox, .dmbox-disambig"  # where the software itself does not tell
_INFOBOX = "table.infobox, table.infobox_v2, table.taxobox, table.biota, table.infobox_v3"
_FRAMES = frozenset({"gallerybox", "thumbinner", "tsingle"})
_STORED_AS = pattern(r"/([0-9a-f])/\1[0-9a-f]/([^/]+)")
_AMBIGUOUS_TITLE = pattern(r"(?i)\((?:disambiguation|begriffsklärung|homonymie|desambiguación|消歧义|消歧義)\)$")


class Article:
    """A page under way from HTML to a Document."""

    def __init__(
        self,
        title: str,
        root: LexborNode,
        file_of: Callable[[LexborNode], str],
        *,
        ambiguous: bool = False,
        revision: str | None = None,
    ) -> None:
        """Look at it; nothing is read yet.

        Args:
            title: the page's.
            root: the element that holds the article, the body where none is known to; it is changed.
            file_of: gives the name of the file that an ``img`` shows, or "".
            ambiguous: whether the wiki says that the page only lists what its title can mean.
            revision: of the page.
        """
        self.title = title
        self.revision = revision
        self._root = root
        self.ambiguous = ambiguous or root.css_first(_AMBIGUOUS) is not None or names_many(title)
        for node in root.css(_SELECTOR):
            _hide(node)
        self._shown = [(node, file_of(node)) for node in root.css("img") if not small(*declared(node))]

    @property
    def files(self) -> list[str]:
        """Names of the files that it shows as pictures, in reading order, each once; without icons."""
        return list(dict.fromkeys(name for _, name in self._shown if name))

    def lead(self, length: int) -> str:
        """About so many characters of plain text: the paragraphs before the first heading, as far as they go."""
        words = ""
        for node in self._root.css("p, h2, h3"):
            if len(words) >= length or (words and node.tag != "p"):
                break
            if node.tag == "p" and _is_read(node):
                words = squeeze(f"{words} {_words(node)}")
        return words if len(words) <= length else words[:length].rpartition(" ")[0] + " …"

    def meanings(self, leads_to: Callable[[LexborNode], str]) -> Iterator[tuple[str, str]]:
        """Of an ambiguous page, the pages that it leads to, each with the words around it.

        ``leads_to`` names the page that a link leads to, "" where it leads to none.
        """
        for item in self._root.css("li"):
            page = next(filter(None, map(leads_to, item.css("a[href]"))), "")
            if page:
                yield page, squeeze(item.text())

    def document(
        self, place: Place, language: str, licence: str | None, pictures: Mapping[str, WikiPicture | str]
    ) -> Document:
        """Read it, as what stands at that place.

        ``pictures`` gives for each of :attr:`files` what may be shown, or the reason why nothing may; a file that it
        does not name is left out.
        """
        dropped = list(self._place(pictures))
        self._shape()
        inner = self._root.inner_html or ""
        body = inner if self._root.tag == "body" else f"<article>{inner}</article>"
        read = read_html(page(body, title=self.title, language=language), place)
        own = {each.url: (name, each) for name, each in pictures.items() if isinstance(each, WikiPicture)}
        sections = (
            replace(section, blocks=tuple(_own(block, own) for block in section.blocks))
            for section in read.sections
            if section.blocks and not _is_back_matter(section)
        )
        return replace(
            read,
            title=self.title,
            sections=tuple(sections),
            licence=licence,
            revision=self.revision,
            dropped=tuple(dict.fromkeys([*read.dropped, *dropped])),
        )

    def _place(self, pictures: Mapping[str, WikiPicture | str]) -> Iterator[Dropped]:
        """Give each picture its address; hide those which may not be shown."""
        for node, name in self._shown:
            found = pictures.get(name, "its file is not known to the wiki")
            written = node.attributes.get("src") or ""
            _forget_addresses(node)
            if isinstance(found, WikiPicture):
                sizes = {"src": found.address, "width": found.width, "height": found.height}
                for attribute, value in sizes.items():
                    if value is not None:
                        node.attrs[attribute] = str(value)
            else:
                yield Dropped("image", name or written[:200], found)
                _hide(_framed(node))

    def _shape(self) -> None:
        """Bring what wikis mark up in ways of their own into the forms that the reader knows."""
        for node in self._root.css(".mwe-math-mathml-a11y"):
            del node.attrs["style"]  # formulas for screen readers, hidden from the eye
        for node in self._root.css(".tsingle"):
            node.attrs["class"] = "figure"
        for node in self._root.css("li.gallerybox:not([hidden])"):
            for words in node.css(".gallerytext"):
                words.attrs["class"] = "figcaption"
            node.replace_with(_element(f"<figure>{node.inner_html}</figure>", "figure"))
        for table in self._root.css(_INFOBOX):
            _shape_infobox(table, self.title)


def article_of(parsed: Parsed) -> Article:
    """A page that the API gave."""
    page = LexborHTMLParser(f"<article>{parsed.text}</article>")
    root = page.css_first("article")
    if root is None:
        raise ValueError(f"no article in {parsed.text[:80]!r}")
    names = frozenset(parsed.images)
    ambiguous = "disambiguation" in parsed.properties
    revision = str(parsed.revid) if parsed.revid else None
    return Article(parsed.title, root, lambda node: _file_name(node, names), ambiguous=ambiguous, revision=revision)


def linked_title(link: LexborNode) -> str:
    """The title of the article that a link leads to, as the wiki tells; "" where there is none or it is elsewhere."""
    names = (link.attributes.get("class") or "").split()
    return (
        "" if {"new", "external", "extiw", "image"}.intersection(names) else squeeze(link.attributes.get("title") or "")
    )


def names_many(title: str) -> bool:
    """Whether a title says of its page that it only lists what a name can mean."""
    return _AMBIGUOUS_TITLE.search(title) is not None


def _shape_infobox(table: LexborNode, title: str) -> None:
    """An infobox as a table with a caption; the pictures at its head stand before it."""
    rows = [row for row in table.css("tr") if _same(_table_above(row), table)]
    caption = table.css_first("caption")
    named = caption is not None and _same(_table_above(caption), table)
    for row in rows:
        cells = row.css("th, td")
        if len(cells) != 1 or "hidden" in row.attributes:
            continue
        cell = cells[0]
        if cell.css_first("img") is not None and cell.css_first("table") is None:
            pictures = "".join(node.html or "" for node in cell.css("img"))
            words = f"<figcaption>{escape(_words(cell))}</figcaption>"
            table.insert_before(_element(f"<figure>{pictures}{words}</figure>", "figure"))
            _hide(row)
        elif not named and row.mem_id == rows[0].mem_id:
            title = _words(cell) or title
            _hide(row)
    if not named and table.first_child is not None:
        table.first_child.insert_before(_element(f"<table><caption>{escape(title)}</caption></table>", "caption"))


def _own(block: Block, pictures: Mapping[str, tuple[str, WikiPicture]]) -> Block:
    """A picture with its credit and licence; a table whose header only spans it with that as its first row."""
    if isinstance(block, Image) and block.source in pictures:
        name, found = pictures[block.source]
        ref = block.ref if found.content is None else name
        return replace(block, ref=ref, credit=found.credit, licence=found.licence)
    if isinstance(block, Table) and len(block.header) > 1 and len(set(block.header)) == 1 and block.header[0]:
        return replace(block, header=(), rows=(block.header, *block.rows))
    return block


def _is_back_matter(section: Section) -> bool:
    """Whether a section only leads elsewhere, by its heading or one above it."""
    certain, likely = _back_matter()
    headings = {heading.strip(" :：").casefold() for heading in section.path}
    if not certain.isdisjoint(headings):
        return True
    listed = all(isinstance(block, Text) and block.kind == "item" for block in section.blocks)
    return listed and not likely.isdisjoint(headings)


@lru_cache(maxsize=1)
def _back_matter() -> tuple[frozenset[str], frozenset[str]]:
    """Headings of such sections: the certain ones, and those which articles also give to content."""
    certain: set[str] = set()
    likely: set[str] = set()
    for line in (Path(__file__).parent / "back_matter.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            sure, _, unsure = line.partition(": ")[2].partition("?")
            certain.update(heading.strip().casefold() for heading in sure.split("|") if heading.strip())
            likely.update(heading.strip().casefold() for heading in unsure.split("|") if heading.strip())
    return frozenset(certain), frozenset(likely)


def _file_name(node: LexborNode, names: frozenset[str]) -> str:
    """The name of the file that an image shows, by its address, or ""."""
    try:
        path = unquote(urlsplit(node.attributes.get("src") or "").path)
    except ValueError:
        return ""
    stored = _STORED_AS.search(path)
    if stored:
        return stored[2]
    return next((part for part in path.split("/") if part in names), "")


def _framed(node: LexborNode) -> LexborNode:
    """What holds a picture and its caption, and no other picture; the picture itself where nothing does."""
    above = node.parent
    while above is not None and above.tag not in ("article", "body", "td"):
        if above.tag == "figure" or not _FRAMES.isdisjoint((above.attributes.get("class") or "").split()):
            return above if len(above.css("img")) == 1 else node
        above = above.parent
    return node


def _is_read(node: LexborNode) -> bool:
    """Whether a paragraph is part of the running text."""
    above: LexborNode | None = node
    while above is not None and above.tag != "body":
        if "hidden" in above.attributes or above.tag in ("table", "figure"):
            return False
        above = above.parent
    return True


def _forget_addresses(node: LexborNode) -> None:
    """Take away every address by which a picture could be shown, those of what it stands in as well."""
    above = node.parent
    around = [above] if above is not None and above.tag == "a" else []
    if above is not None and above.tag == "picture":
        around += [*above.css("source"), *([above.parent] if above.parent is not None else [])]
    for element in (node, *around):
        for name in element.attributes:
            if name in ("src", "srcset", "href", "resource") or name.startswith("data-"):
                del element.attrs[name]


def _words(node: LexborNode) -> str:
    """The text of an element without what is hidden in it."""
    inside = walk(node, lambda inner: "hidden" not in inner.attributes and inner.tag not in SILENT)
    return squeeze("".join(inner.text_content or "" if inner.is_text_node else " " for inner, _ in inside))


def _hide(node: LexborNode) -> None:
    """Have the reader skip an element; removing it would leave dangling nodes where such elements are nested."""
    node.attrs["hidden"] = ""


def _element(markup: str, name: str) -> LexborNode:
    node = LexborHTMLParser(markup).css_first(name)
    if node is None:
        raise ValueError(f"no {name} in {markup[:80]!r}")
    return node


def _table_above(node: LexborNode) -> LexborNode | None:
    above = node.parent
    while above is not None and above.tag != "table":
        above = above.parent
    return above


def _same(one: LexborNode | None, other: LexborNode) -> bool:
    return one is not None and one.mem_id == other.mem_id
