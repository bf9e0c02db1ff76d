"""Reads the content of an element as a person does: headings, texts and media in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from selectolax.lexbor import LexborNode

from showtell.ingest.boilerplate import Visible, is_note
from showtell.ingest.findings import Findings
from showtell.ingest.headings import Heading, anchor, is_permalink, level
from showtell.ingest.images import Images, is_emoji, preferred, video_file
from showtell.ingest.inline import BREAK, PLAIN, Run, Style, render, squeeze
from showtell.ingest.lists import Scope, item_scope, list_scope
from showtell.ingest.tables import is_layout, read_table, rows_of
from showtell.ingest.tree import walk
from showtell.ingest.videos import Videos
from showtell.types import Block, Image, MediaBlock, Table, Text, TextKind, Video

MAX_NESTING = 8  # tables, figures and headings within each other; what lies deeper is read as plain content

_BOX_NAMES = """
    address article aside body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup p section summary table tbody td tfoot
    th thead tr ul
"""
_BOXES = frozenset(_BOX_NAMES.split())
_STYLES = {
    **dict.fromkeys(("b", "strong"), Style(bold=True)),
    **dict.fromkeys(("i", "em", "cite", "dfn", "var"), Style(italic=True)),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), Style(code=True)),
}
_CONTROLS = frozenset({"guilabel", "menuselection", "guibutton", "guimenu", "guimenuitem", "uicontrol", "menucascade"})
"""Classes by which Sphinx, DocBook and DITA mark what is written on a screen; their style sheets show it in bold."""
_FIGURE = frozenset({"figure", "wp-caption", "thumbinner", "imageblock", "videoblock", "figure-wrapper"})
_CAPTION = frozenset({"caption", "wp-caption-text", "thumbcaption", "figcaption", "figure-caption", "title"})
_SENTENCE_ENDS = tuple(".!?:;。！？：；")
_LOOSE_MARKS = frozenset(".,;:)!?")
_SUPERSCRIPTS = str.maketrans("0123456789+-()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾")


Item = Heading | Block
_Leave = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Reading:
    """What all flows of one page share.

    How an element is seen, where findings go, the names of tab panels, and media met only in noscript.
    """

    visible: Visible
    findings: Findings
    images: Images
    videos: Videos
    tabs: Mapping[int, str]
    twins: list[MediaBlock]


class Flow:
    """Reads one element. Tables, figures and headings inside are read by flows of their own."""

    def __init__(self, reading: Reading, scopes: list[Scope] | None = None, depth: int = 0) -> None:
        self.items: list[Item] = []
        self.alternatives: list[str] = []  # alt texts of all pictures, the dropped ones too
        self._reading = reading
        self._scopes = scopes if scopes is not None else []
        self._depth = depth
        self._captions: list[tuple[int, list[Text]]] | None = None  # in a figure: where each stood, and its words
        self._runs: list[Run] = []
        self._styles: list[Style] = [PLAIN]
        self._leaves: list[_Leave] = []
        self._later: list[Block] = []  # media that a link in the text leads to

    # -------------------------------------------------------------------------------------------------- the walk
    def read(self, root: LexborNode) -> list[Item]:
        """Everything below ``root`` in reading order."""
        for node, entering in walk(root, self._enter):
            if node.is_text_node:
                self._runs.append(Run(node.text_content or "", self._styles[-1]))
            elif not entering:
                self._leaves.pop()()
        self._flush()
        return self.items

    def _enter(self, node: LexborNode) -> bool:
        leave = self._begin(node) if self._reading.visible(node) else None
        if leave is None:
            return False
        self._leaves.append(leave)
        return True

    def _begin(self, node: LexborNode) -> _Leave | None:
        """Take note of an element's start. Returns what to do at its end, or None if its children are not walked."""
        tag = node.tag or ""
        handler = _HANDLERS.get(tag)
        if handler is not None:
            return handler(self, node)
        if tag in _STYLES:
            return self._styled(self._styles[-1].plus(_STYLES[tag]))
        return self._element(node)

    def _element(self, node: LexborNode) -> _Leave | None:
        """A box or an unknown element: its role and classes may say what it is."""
        attributes, tag = node.attributes, node.tag or ""
        role, names = attributes.get("role"), attributes.get("class") or ""
        if role == "heading":
            return self.heading(node)
        if role == "img" and "style" in attributes:
            self._add(self._reading.images.of_background(node))
            return None
        if "-" in tag or "wistia_async_" in names:
            video = self._reading.videos.of_element(node)
            if video is not None:
                self._add(video)
                return None
        if tag == "span" and not _CONTROLS.isdisjoint(names.split()):
            return self._styled(self._styles[-1].plus(Style(bold=True)))
        if node.mem_id in self._reading.tabs:
            self._tab(node)
        if self._is_caption(node, names):
            return self._caption(node)
        if not _FIGURE.isdisjoint(names.split()):
            return self._figure(node)
        if role == "note" or (tag in ("div", "aside", "section", "blockquote") and names and is_note(names)):
            return self._scoped(Scope("note"))
        if tag == "blockquote":
            return self._scoped(Scope("quote"))
        return self._box(node) if tag in _BOXES else _nothing

    # -------------------------------------------------------------------------------------------------- text
    def _flush(self) -> None:
        """End the paragraph in hand."""
        if self._runs:
            text, markdown = render(self._runs)
            self._runs.clear()
            after_media = bool(self.items) and isinstance(self.items[-1], Image | Video)
            if text and not (after_media and _LOOSE_MARKS.issuperset(text)):
                self._write(text, self._kind(), markdown)
        self.items += self._later
        self._later.clear()

    def _write(self, text: str, kind: TextKind, markdown: str = "") -> None:
        item = next((scope for scope in reversed(self._scopes) if scope.label), None)
        label = ""
        if item is not None:
            label, item.label = item.label, ""
        depth = sum(scope.is_list for scope in self._scopes)
        self.items.append(Text(text, kind, label, depth, markdown))

    def _kind(self) -> TextKind:
        return next((scope.kind for scope in reversed(self._scopes) if scope.kind), "paragraph")

    def _box(self, _: LexborNode) -> _Leave:
        self._flush()
        return self._flush

    def _styled(self, style: Style) -> _Leave:
        self._styles.append(style)
        return self._end_style

    def _end_style(self) -> None:
        self._styles.pop()

    def _scoped(self, scope: Scope) -> _Leave:
        self._flush()
        self._scopes.append(scope)
        return self._end_scope

    def _end_scope(self) -> None:
        self._flush()
        self._scopes.pop()

    def _break(self, _: LexborNode) -> None:
        blank = next((run.text for run in reversed(self._runs) if run.text.strip() or BREAK in run.text), "")
        if blank == BREAK:  # two in a row part paragraphs
            self._flush()
        else:
            self._runs.append(Run(BREAK, self._styles[-1]))

    def _quotation(self, _: LexborNode) -> _Leave:
        style = self._styles[-1]
        self._runs.append(Run("“", style))
        return lambda: self._runs.append(Run("”", style))

    def _superscript(self, node: LexborNode) -> _Leave | None:
        """Digits become superscripts, so that 10² never reads 102."""
        raised = squeeze(node.text()).translate(_SUPERSCRIPTS)
        if raised.isascii() or node.css_first("img, svg") is not None:
            return _nothing
        self._runs.append(Run(raised, self._styles[-1]))
        return None

    def _formula(self, node: LexborNode) -> None:
        source = node.css_first("annotation")
        text = node.attributes.get("alttext") or (source.text() if source is not None else node.text(separator=" "))
        self._runs.append(Run(squeeze(text), self._styles[-1]))

    def _code(self, node: LexborNode) -> None:
        self._flush()
        pieces: list[str] = []
        for inner, entering in walk(node, self._reading.visible):
            if inner.is_text_node:
                pieces.append(inner.text_content or "")
            elif (entering and inner.tag == "br") or (not entering and inner.tag in ("div", "li", "p", "tr")):
                pieces.append("\n")
        lines = [line.rstrip() for line in "".join(pieces).replace("\r\n", "\n").split("\n")]
        text = "\n".join(lines).strip("\n")
        if text.strip():
            self._write(text, "code")

    def _tab(self, node: LexborNode) -> None:
        """A tab's panel begins with the words on its tab."""
        self._flush()
        label = self._reading.tabs.get(node.mem_id, "")
        if label:
            self._write(label, self._kind())

    # -------------------------------------------------------------------------------------------------- structure
    def heading(self, node: LexborNode) -> _Leave | None:
        """Take an element for a heading; pictures in it follow it."""
        if self._depth >= MAX_NESTING:
            return self._box(node)
        self._flush()
        inner = self._inner([])
        items = inner.read(node)
        media = [item for item in items if isinstance(item, Image | Table | Video)]
        text = squeeze(" ".join(item.text for item in items if isinstance(item, Text | Heading)))
        if not text and media:
            text = squeeze(" ".join(image.alt for image in media if isinstance(image, Image)))
        if text:
            self.items.append(Heading(level(node), text, anchor(node)))
        self.items += media
        return None

    def _list(self, node: LexborNode) -> _Leave:
        return self._scoped(list_scope(node))

    def _item(self, node: LexborNode) -> _Leave:
        self._flush()
        return self._scoped(item_scope(node, next((scope for scope in reversed(self._scopes) if scope.is_list), None)))

    def _figure(self, node: LexborNode) -> _Leave | None:
        """The caption goes to the media that have none; where there are none it stays text."""
        if self._depth >= MAX_NESTING:
            return self._box(node)
        self._flush()
        inner = self._inner(self._scopes)
        inner._captions = []
        items = inner.read(node)
        words = squeeze(" ".join(text.text for _, texts in inner._captions for text in texts))
        if any(isinstance(item, Image | Table | Video) for item in items):
            items = [_captioned(item, words) for item in items]
        else:
            for place, texts in reversed(inner._captions):
                items[place:place] = texts
        self.items += items
        self.alternatives += inner.alternatives
        return None

    def _is_caption(self, node: LexborNode, names: str) -> bool:
        if self._captions is None or self._depth >= MAX_NESTING:
            return False
        return node.tag == "figcaption" or not _CAPTION.isdisjoint(names.split())

    def _caption(self, node: LexborNode) -> _Leave | None:
        self._flush()
        items = self._inner([]).read(node)
        if self._captions is not None:
            self._captions.append((len(self.items), [item for item in items if isinstance(item, Text)]))
        self.items += [item for item in items if not isinstance(item, Text)]
        return None

    def _table(self, node: LexborNode) -> _Leave | None:
        rows = rows_of(node, self._reading.visible)
        if self._depth >= MAX_NESTING or is_layout(node, rows):
            return self._box(node)
        self._flush()
        aside: list[Item] = []
        title = node.css_first("caption")
        caption = self._cell(title, aside) if title is not None and _same(title.parent, node) else ""
        table, cut = read_table(rows, caption, lambda cell: self._cell(cell, aside))
        if cut:
            self._reading.findings.warn(f"a table is too large: its last {cut} rows were left out; split it")
        if table.header or table.rows:
            self.items.append(table)
        self.items += aside
        return None

    def _cell(self, node: LexborNode, aside: list[Item]) -> str:
        """The words of a cell, or the alt texts of its pictures; media in it go to ``aside``."""
        only = node.first_child
        if only is None:
            return ""
        if only.is_text_node and only.next is None:
            return squeeze(only.text_content or "")
        inner = self._inner([])
        items = inner.read(node)
        aside += [item for item in items if isinstance(item, Image | Table | Video)]
        words = squeeze(" ".join(item.text for item in items if isinstance(item, Text | Heading)))
        return words or squeeze(" ".join(inner.alternatives))

    def _inner(self, scopes: list[Scope]) -> Flow:
        return Flow(self._reading, scopes, self._depth + 1)

    # -------------------------------------------------------------------------------------------------- media
    def _add(self, block: Block | None) -> None:
        if block is not None:
            self._flush()
            self.items.append(block)

    def _image(self, node: LexborNode) -> None:
        attributes = node.attributes
        alt = squeeze(attributes.get("alt") or "")
        if is_emoji(node):
            self._runs.append(Run(alt, self._styles[-1]))
            return
        reference = preferred(node)
        if reference and video_file(reference):
            self._add(self._reading.videos.at(reference, alt))
            return
        self.alternatives.append(alt)
        image = self._reading.images.of_img(node)
        if image is not None:
            self._add(image)
        elif alt and self._amid_words(node):  # an icon named in a sentence: "Click the [gear] to go on"
            self._runs.append(Run(alt, self._styles[-1]))

    def _amid_words(self, node: LexborNode) -> bool:
        """Whether an element stands within a sentence: words before it that do not end one, and words behind it."""
        before = next((run.text.strip() for run in reversed(self._runs) if run.text.strip()), "")
        after = node.next.text().strip() if node.next is not None else ""
        return before[-1:] not in ("", *_SENTENCE_ENDS) and after[:1].isalnum()

    def _picture(self, node: LexborNode) -> _Leave | None:
        if node.css_first("img") is not None:
            return _nothing
        self._add(self._reading.images.of_picture(node))
        return None

    def _drawing(self, node: LexborNode) -> None:
        title = node.css_first("title")
        label = node.attributes.get("aria-label") or (title.text() if title is not None else "")
        self.alternatives.append(squeeze(label))
        self._add(self._reading.images.of_svg(node))

    def _video(self, node: LexborNode) -> None:
        self._add(self._reading.videos.of_video(node))

    def _frame(self, node: LexborNode) -> None:
        if (node.attributes.get("type") or "").startswith("image/"):
            self._image(node)
        else:
            self._add(self._reading.videos.of_frame(node))

    def _audio(self, node: LexborNode) -> None:
        source = node.attributes.get("src")
        first = node.css_first("source[src]")
        if not source and first is not None:
            source = first.attributes.get("src")
        self._reading.findings.drop("audio", source or "", "audio is not read")

    def _noscript(self, node: LexborNode) -> None:
        """Only media, and only those that the page does not show with scripts as well."""
        if self._depth >= MAX_NESTING:
            return
        media = [item for item in self._inner([]).read(node) if isinstance(item, Image | Video)]
        before = next((item for item in reversed(self.items) if not isinstance(item, Text)), None)
        for block in media:
            twin = isinstance(before, Image) and isinstance(block, Image) and before.alt == block.alt != ""
            if not twin:
                self._add(block)
                self._reading.twins.append(block)

    def _link(self, node: LexborNode) -> _Leave | None:
        attributes = node.attributes
        reference = (attributes.get("href") or "").strip()
        if not reference:
            return _nothing
        words = node.text()
        if reference[0] == "#" and is_permalink(words, attributes) and node.css_first("img, picture") is None:
            return None
        if video_file(reference) and self._linked_video(node, reference, squeeze(words)):
            return None
        url = self._reading.findings.link(reference)
        address = url.replace("(", "%28").replace(")", "%29")
        return self._styled(self._styles[-1]._replace(link=address))

    def _linked_video(self, node: LexborNode, reference: str, words: str) -> bool:
        """A picture that leads to a video is that video; words that lead to a video file are followed by it."""
        picture = node.css_first("img")
        if picture is not None and not words:
            poster = self._reading.findings.resolve(preferred(picture))
            title = squeeze(picture.attributes.get("alt") or "")
            video = self._reading.videos.at(reference, title, None if poster.refusal else poster.address)
            self._add(video)
            return video is not None
        if picture is None and not self._reading.findings.link(reference):
            video = self._reading.videos.at(reference, words)
            self._later += [video] if video is not None else []
        return False


def _nothing() -> None:
    """What to do at the end of an element that leaves no trace."""


def _skip(_: Flow, __: LexborNode) -> None:
    """An element that is not read."""


def _captioned(item: Item, words: str) -> Item:
    return replace(item, caption=words) if isinstance(item, Image | Table | Video) and not item.caption else item


def _same(one: LexborNode | None, other: LexborNode) -> bool:
    return one is not None and one.mem_id == other.mem_id


_HANDLERS: dict[str, Callable[[Flow, LexborNode], _Leave | None]] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), Flow.heading),
    **dict.fromkeys(("ul", "ol", "menu", "dir", "dl"), Flow._list),
    **dict.fromkeys(("img", "amp-img"), Flow._image),
    **dict.fromkeys(("iframe", "embed", "object"), Flow._frame),
    **dict.fromkeys(("pre", "listing", "xmp"), Flow._code),
    "li": Flow._item,
    "dt": lambda flow, _: flow._scoped(Scope("term")),
    "dd": lambda flow, _: flow._scoped(Scope("definition")),
    "figure": Flow._figure,
    "table": Flow._table,
    "picture": Flow._picture,
    "svg": Flow._drawing,
    "video": Flow._video,
    "audio": Flow._audio,
    "noscript": Flow._noscript,
    "a": Flow._link,
    "br": Flow._break,
    "q": Flow._quotation,
    "sup": Flow._superscript,
    "math": Flow._formula,
    "rt": _skip,
}
