"""The one reader: turns HTML into a Document. Whatever is not HTML is converted to it first."""

from __future__ import annotations

import re
from pathlib import PurePath

from selectolax.lexbor import LexborHTMLParser, LexborNode

from showtell.ingest.boilerplate import Visible, content_root
from showtell.ingest.findings import Findings
from showtell.ingest.flow import Flow, Item, Reading
from showtell.ingest.headings import Heading
from showtell.ingest.images import Images
from showtell.ingest.inline import squeeze
from showtell.ingest.language import detect
from showtell.ingest.resources import Place
from showtell.ingest.tabs import tab_names
from showtell.ingest.videos import Videos
from showtell.types import Block, Document, HeadingPath, Image, Section, Table, Text, Video

LITTLE = 30  # bytes of UTF-8: less text than this is hardly a page
FEW = 3  # headings and paragraphs
LITTLE_WITH_SCRIPT = 200  # a page that scripts fill shows a line or two without them
_SITE = re.compile(r"\s+[|–—·•:«»-]+\s+|\s+::\s+")


def read_html(markup: str, place: Place) -> Document:
    """Read a whole page or a fragment as a person would; nothing is fetched.

    Media that are left out stand in ``dropped`` with the reason; what could not be read well in ``warnings``.
    """
    page = LexborHTMLParser(markup)
    findings = Findings(place, _base(page), _declared_language(page))
    items = _items(page, Visible(page), findings)
    if not items:  # taken for furniture altogether: rather too much than nothing
        items = _items(page, Visible(page, careful=True), findings)
    sections = outline(items)
    _warn_of_little(page, items, findings)
    used = _assets(sections)
    return Document(
        source=place.source,
        name=place.name,
        title=_title(page, items, place),
        language=findings.language or detect(" ".join(item.text for item in items if isinstance(item, Text | Heading))),
        sections=sections,
        description=_meta(page, "description") or _meta(page, "og:description"),
        url=place.url or (place.source if place.remote else None),
        dropped=tuple(findings.dropped),
        warnings=tuple(findings.warnings),
        files={name: origin for name, origin in findings.files.items() if name in used},
    )


def outline(items: list[Item]) -> tuple[Section, ...]:
    """Items to sections; a heading stands under the last one of a higher rank.

    A heading with nothing of its own is left to the paths of the headings below it, unless there are none.
    """
    sections: list[Section] = []
    above: list[Heading] = []
    blocks: list[Block] = []

    def close(next_level: int) -> None:
        path: HeadingPath = tuple(heading.text for heading in above)
        leaf = bool(above) and next_level <= above[-1].level
        if blocks or leaf:
            sections.append(Section(path, tuple(blocks), above[-1].anchor if above else ""))
        blocks.clear()

    for item in items:
        if isinstance(item, Heading):
            close(item.level)
            while above and above[-1].level >= item.level:
                above.pop()
            above.append(item)
        else:
            blocks.append(item)
    close(0)
    return tuple(sections)


def _items(page: LexborHTMLParser, visible: Visible, findings: Findings) -> list[Item]:
    root = content_root(page, visible)
    if root is None:
        return []
    reading = Reading(visible, findings, Images(findings), Videos(findings), tab_names(page), [])
    title = _heading_outside(page, root, visible)
    flow = Flow(reading)
    if title is not None:
        flow.heading(title)
    return _without_twins(flow.read(root), reading.twins)


def _without_twins(items: list[Item], twins: list[Image | Table | Video]) -> list[Item]:
    """Leave out what noscript repeats of the media that the page shows anyway."""
    spare = {id(twin) for twin in twins}
    shown = {item.source for item in items if isinstance(item, Image | Video) and id(item) not in spare}
    return [item for item in items if not (id(item) in spare and getattr(item, "source", "") in shown)]


def _heading_outside(page: LexborHTMLParser, root: LexborNode, visible: Visible) -> LexborNode | None:
    """The page's only h1 where it stands before the content that lacks one, and not among the site's navigation."""
    headings = page.css("h1")
    if len(headings) != 1 or root.tag == "body" or root.css_first("h1") is not None:
        return None
    above: LexborNode | None = headings[0].parent
    while above is not None and above.tag != "body":
        if not visible(above) or above.attributes.get("role") == "banner" or above.css_first("nav") is not None:
            return None
        above = above.parent
    return headings[0]


def _base(page: LexborHTMLParser) -> str:
    node = page.css_first("base[href]")
    return (node.attributes.get("href") or "").strip() if node is not None else ""


def _declared_language(page: LexborHTMLParser) -> str:
    for node in page.css("html[lang], html[xml\\:lang], body[lang], main[lang]"):
        declared = node.attributes.get("lang") or node.attributes.get("xml:lang") or ""
        if re.fullmatch(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]+)*", declared.strip()):
            return declared.strip().replace("_", "-")
    return ""


def _meta(page: LexborHTMLParser, name: str) -> str:
    node = page.css_first(f'meta[name="{name}" i], meta[property="{name}" i]')
    return squeeze(node.attributes.get("content") or "") if node is not None else ""


def _title(page: LexborHTMLParser, items: list[Item], place: Place) -> str:
    """The declared title without the site's name, else the first heading, else the file's name."""
    node = page.css_first("head > title") or page.css_first("title")
    declared = squeeze(node.text()) if node is not None and not _in_svg(node) else ""
    declared = declared or _meta(page, "og:title")
    heading = next((item.text for item in items if isinstance(item, Heading)), "")
    if heading and heading in _SITE.split(declared):
        return heading
    return declared or heading or PurePath(place.name).stem


def _in_svg(node: LexborNode) -> bool:
    return node.parent is not None and node.parent.tag not in ("head", "body", "html")


def _warn_of_little(page: LexborHTMLParser, items: list[Item], findings: Findings) -> None:
    if any(isinstance(item, Image | Table | Video) for item in items):
        return
    amount = sum(len(item.text.encode()) for item in items if isinstance(item, Text | Heading))
    bare = not any(isinstance(item, Heading) for item in items) and page.css_first("script[src]") is not None
    if (amount < LITTLE and len(items) < FEW) or (bare and amount < LITTLE_WITH_SCRIPT):
        findings.warn("almost no text: the page may be filled by JavaScript; save it from a browser and add that file")


def _assets(sections: tuple[Section, ...]) -> set[str]:
    blocks = (block for section in sections for block in section.blocks)
    return {block.asset for block in blocks if isinstance(block, Image | Video) and block.asset}
