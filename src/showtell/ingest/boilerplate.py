"""Which parts of a page a person does not read: hidden ones, and what surrounds the content on every page of a site."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from showtell.ingest.tree import walk

# Never shown as text. Media inside noscript are read apart, tab panels are content although they start hidden.
SILENT = frozenset(
    {"head", "script", "style", "template", "title", "meta", "link", "param", "colgroup", "col", "datalist", "select"}
    | {"button", "input", "textarea", "option", "progress", "meter", "canvas", "noframes", "rp", "area", "map", "slot"}
)
_MARKED = "[class],[id],[style],[hidden],[role],[aria-hidden],nav,footer,aside,header,dialog"
_INVISIBLE_STYLE = re.compile(r"(display\s*:\s*none|visibility\s*:\s*hidden)", re.I)
_INVISIBLE_CLASS = frozenset(
    {"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "d-none", "sr_only"}
)
_ROLES = frozenset(
    {"navigation", "contentinfo", "search", "menu", "menubar", "toolbar", "tablist", "dialog", "alertdialog"}
)


_SUFFIXES = (
    "banner|bar|notice|consent|popup|message|overlay|wrapper|wrap|container|inner|box|list|items?|links?|nav|block|area"
)
_SUFFIXES += (
    "|buttons?|btns?|icons?|media|tools|widget|content|menu|left|right|top|bottom|main|primary|secondary|info|law"
)


def _names(words: str) -> re.Pattern[str]:
    """Matches a class or id of one of the words, with what sites put before and behind: ``md-share__buttons``."""
    return re.compile(rf"(?P<before>(?:[a-z0-9]+[-_]+){{0,3}}?)(?:{words})(?:[-_]+(?:{_SUFFIXES}))*", re.I)


# The first are furniture wherever they stand, the bylines where they are short and dated; the next are so outside of
# the main content; the last are lists of links into the page itself.
_FURNITURE = _names(
    r"cookies?|gdpr|breadcrumbs?|skip-?(?:link|nav|to-content|to-main)s?|pagination|prev-next|share|sharing|social|addtoany|"
    r"edit-?(?:page|this-page|link|on-github)|editsection|copy-?(?:button|btn|code)|copybtn|noprint|linenos?|linenodiv|"
    r"gutter|(?:was-this-)?(?:page-|article-)?helpful|feedback|page-?rating|newsletter|headerlink|"
    r"tabbed-labels"
)
_BYLINE = _names(
    r"byline|meta|last-?(?:updated?|modified|edited|reviewed)|read(?:ing)?-?time|publish(?:ed)?-?(?:date|on)|source-?file"
)
_AROUND = _names(
    r"sidebar|side-bar|sidenav|site-?header|site-?footer|page-?footer|navbar|nav|navigation|topbar|menu|comments|disqus|"
    r"related|related-(?:posts|articles)|advert(?:isement)?|ads?|promo|sponsors?|subscribe|popup|modal"
)
_CONTENTS = _names(r"toc|table-of-contents|contents|on-this-page|page-?toc")
_NOTE = re.compile(
    r"(?:^|[-_:\s])(?:admonition|note|tip|hint|warning|caution|danger|important|attention|callout|alert|aside)(?:$|[-_:\s])",
    re.I,
)
_CONTENT = frozenset({"main", "article"})
_QUOTING = frozenset({"blockquote", "figure", "td"})
FARTHEST = 100  # elements looked at above a node
MOST = 0.5  # of a page's text; nothing that holds more is taken for furniture
BYLINE = 160  # characters; a longer text is no mere byline


class Visible:
    """Tells for each element whether it is read. ``careful`` reads everything that is not plainly hidden."""

    def __init__(self, page: LexborHTMLParser, careful: bool = False) -> None:
        self._skipped: set[int] = set()
        self._lengths: dict[int, int] = {}
        body = page.body or page.root
        if body is None:
            return
        found = [node for node in page.css(_MARKED) if node.tag not in ("html", "body")]
        marked = {node.mem_id: (node, node.attributes) for node in found}
        holders = _holders(page)
        for node, attributes in marked.values():
            if _hidden(node, attributes) or (node.mem_id not in holders and _hidden_from_readers(attributes)):
                self._skipped.add(node.mem_id)
        self._measure(body)
        if careful:
            return
        limit = MOST * self.length(body)
        for number, length in list(self._lengths.items()):  # in reading order, so that the outer come before the inner
            if length > limit or number not in marked or number in holders:
                continue
            node, attributes = marked[number]
            if _furniture(node, attributes) or (length <= BYLINE and _byline(node, attributes)):
                self._skip(node)

    def __call__(self, node: LexborNode) -> bool:
        """Whether the element is read."""
        return node.tag not in SILENT and node.mem_id not in self._skipped

    def length(self, node: LexborNode) -> int:
        """How many characters of text are read under an element."""
        return self._lengths.get(node.mem_id, 0)

    def _measure(self, body: LexborNode) -> None:
        """The length of each element, in one pass."""
        total = 0
        before: list[int] = []

        def enters(node: LexborNode) -> bool:
            read = self(node) and node.tag != "noscript"
            if read:
                self._lengths[node.mem_id] = 0
                before.append(total)
            return read

        for node, entering in walk(body, enters):
            if node.is_text_node:
                total += len((node.text_content or "").strip())
            elif not entering:
                self._lengths[node.mem_id] = total - before.pop()
        self._lengths[body.mem_id] = total

    def _skip(self, node: LexborNode) -> None:
        """Leave out an element, and take its length from what is around it."""
        self._skipped.add(node.mem_id)
        above, around = node.parent, []
        while above is not None and above.mem_id in self._lengths:
            if above.mem_id in self._skipped:
                return  # its length was taken away with that of the outer one
            around.append(above.mem_id)
            above = above.parent
        for number in around:
            self._lengths[number] -= self.length(node)


def is_note(names: str) -> bool:
    """Whether class names mark a box of the text (note, tip, warning), as generators of documentation write them."""
    return _NOTE.search(names) is not None


def content_root(page: LexborHTMLParser, visible: Visible) -> LexborNode | None:
    """The element that holds the content: the only main or article if it holds most of what is read, else the body."""
    body = page.body or page.root
    if body is None:
        return None
    total = visible.length(body)
    for selector, tag in (("main, [role=main]", "main"), ("article", "article")):
        found = [node for node in _once(page.css(selector)) if visible(node) and not _inside(node, frozenset({tag}))]
        if len(found) == 1 and visible.length(found[0]) >= MOST * total:
            return found[0]
    return body


def _inside(node: LexborNode, tags: frozenset[str]) -> bool:
    """Whether an element of one of the names stands above the node; "main" stands for its role as well."""
    above = node.parent
    for _ in range(FARTHEST):
        if above is None or not above.is_element_node:
            return False
        if above.tag in tags or ("main" in tags and above.attributes.get("role") == "main"):
            return True
        above = above.parent
    return False


def _once(nodes: list[LexborNode]) -> list[LexborNode]:
    """Each node once: the parser repeats those that several selectors match."""
    return list({node.mem_id: node for node in nodes}.values())


def _holders(page: LexborHTMLParser) -> set[int]:
    """The ids of the elements that are, or hold, a page's main heading or content."""
    holders: set[int] = set()
    for node in page.css("main, article, [role=main], h1"):
        step: LexborNode | None = node
        while step is not None and step.mem_id not in holders:
            holders.add(step.mem_id)
            step = step.parent
    return holders


def _hidden(node: LexborNode, attributes: dict[str, str | None]) -> bool:
    if attributes.get("role") == "tabpanel":
        return False
    if "hidden" in attributes:
        return attributes["hidden"] != "until-found"
    if node.tag == "dialog" and "open" not in attributes:
        return True
    if _INVISIBLE_STYLE.search(attributes.get("style") or ""):
        return True
    return not _INVISIBLE_CLASS.isdisjoint((attributes.get("class") or "").lower().split())


def _hidden_from_readers(attributes: dict[str, str | None]) -> bool:
    """Left to scripts or to the eye; a whole page can be marked so while a dialog is open over it."""
    return attributes.get("aria-hidden") == "true" and attributes.get("role") != "tabpanel"


def _furniture(node: LexborNode, attributes: dict[str, str | None]) -> bool:
    tag = node.tag
    if attributes.get("role") in _ROLES or tag == "nav":
        return True
    if tag == "footer":
        return "footnote" not in (attributes.get("class") or "") and not _inside(node, _QUOTING)
    if tag == "header":
        return _page_header(node, attributes)
    if tag == "aside":
        note = is_note(f"{attributes.get('class') or ''} {attributes.get('role') or ''}")
        return not note and not _inside(node, _CONTENT)
    return _named_as_furniture(node, attributes)


def _named_as_furniture(node: LexborNode, attributes: dict[str, str | None]) -> bool:
    def named(words: re.Pattern[str]) -> bool:
        return any(words.fullmatch(name) for name in classes) or _is_id(words, node, attributes.get("id") or "")

    classes = (attributes.get("class") or "").split()
    if named(_FURNITURE):
        return node.tag not in ("h2", "h3", "h4", "h5", "h6", "p", "code", "pre")
    if named(_CONTENTS):
        return _leads_into_the_page(node)
    return node.tag in ("div", "section", "ul", "ol") and named(_AROUND) and not _inside(node, _CONTENT)


def _byline(node: LexborNode, attributes: dict[str, str | None]) -> bool:
    """Whether an element tells when the page was written, by whom, or how long it takes to read."""
    named = any(_BYLINE.fullmatch(name) for name in (attributes.get("class") or "").split())
    dated = named and any(letter.isdigit() for letter in node.text())
    return dated and node.css_first("h1, h2, h3, h4, h5, h6, img, picture, table, video, iframe, pre, code") is None


def _is_id(words: re.Pattern[str], node: LexborNode, name: str) -> bool:
    """Whether an id is such a name and not made from the title of the section that it marks."""
    found = words.fullmatch(name) if name else None
    return found is not None and not found["before"] and node.css_first("h2, h3, h4, h5, h6") is None


def _page_header(node: LexborNode, attributes: dict[str, str | None]) -> bool:
    """A header of the site: it holds navigation and stands outside the content."""
    site = attributes.get("role") == "banner" or node.css_first("nav, form, [role=navigation]") is not None
    return site and not _inside(node, _CONTENT)


def _leads_into_the_page(node: LexborNode) -> bool:
    links = node.css("a[href]")
    return len(links) > 1 and all((link.attributes.get("href") or "").startswith("#") for link in links)
