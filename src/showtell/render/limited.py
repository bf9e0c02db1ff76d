"""Limited Markdown, parsed once for every rendering: blocks of runs in which nothing of a document is active."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from showtell.render.labels import clean, web_address

_START, _END = "\ue000", "\ue001"  # private characters, which clean() takes out of every document
_EDGES = re.compile(f"([{_START}{_END}])")
_CITED = re.compile(r"\[(\d{1,4})\]")


@dataclass(frozen=True, slots=True)
class Run:
    """Words of one style; ``link`` is a safe http(s) address, ``citation`` the number of a source."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    marked: bool = False
    link: str | None = None
    citation: int | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, quote or code block. ``label`` is what a list shows before it, ``depth`` the lists around it."""

    kind: Literal["paragraph", "quote", "code"]
    runs: tuple[Run, ...]
    label: str = ""
    depth: int = 0


def parse(text: str, citations: Collection[int] = (), marks: Sequence[tuple[int, int]] = ()) -> tuple[Block, ...]:
    """The blocks of a text part; ``[n]`` is a citation where n is one of ``citations``.

    ``marks`` are spans of ``text``, overlapping or not, whose runs come back marked. HTML stays literal text, a picture
    leaves its alt text, a link to anything but http(s) leaves its words.
    """
    edges = sorted([(start, _START) for start, _ in marks] + [(end, _END) for _, end in marks])
    pieces, done = [], 0
    for offset, edge in edges:
        pieces += [clean(text[done:offset]), edge]
        done = offset
    marked = "".join([*pieces, clean(text[done:])])
    indent = len(marked) - len(marked.lstrip(" "))
    return tuple(_blocks(_parser().parse(marked, {"citations": frozenset(citations)}), outer=(indent + 1) // 3))


def signed(runs: Sequence[Run]) -> Iterator[Run]:
    """The runs with ``(?)`` behind each marked stretch, for renderings that cannot show a mark otherwise."""
    for number, run in enumerate(runs, start=1):
        yield run
        if run.marked and not any(after.marked for after in runs[number : number + 1]):
            yield Run(" (?)")


def _blocks(tokens: Sequence[Token], outer: int) -> Iterator[Block]:
    """``outer`` counts the lists around the text's own, which its indentation tells."""
    lists, quotes, label = 0, 0, ""
    for token in tokens:
        depth = lists + outer if lists else 0
        if token.type.startswith(("ordered_list", "bullet_list")):
            lists += token.nesting
        elif token.type.startswith("blockquote"):
            quotes += token.nesting
        elif token.type == "list_item_open":
            label = f"{token.info}{token.markup}" if token.info else "•"
        elif token.type == "inline":
            yield Block("quote" if quotes else "paragraph", tuple(_runs(token.children or ())), label, depth)
            label = ""
        elif token.type == "fence":
            yield Block("code", (Run(_EDGES.sub("", token.content).rstrip("\n")),), label, depth)
            label = ""
        elif token.type == "list_item_close" and label:  # a number alone, which Markdown takes for an empty item
            yield Block("paragraph", (), label, depth)
            label = ""


def _runs(tokens: Sequence[Token]) -> Iterator[Run]:
    open_styles: Counter[str] = Counter()
    link: str | None = None
    open_marks = 0
    for token in tokens:
        if token.type == "link_open":
            link = web_address(str(token.attrGet("href") or ""))
        elif token.type == "link_close":
            link = None
        elif token.nesting:
            open_styles[token.tag] += token.nesting
        elif token.type == "citation":
            yield Run(f"[{token.content}]", marked=open_marks > 0, citation=int(token.content))
        else:
            style = Run(
                "", bold=open_styles["strong"] > 0, italic=open_styles["em"] > 0, code=token.tag == "code", link=link
            )
            for words in _EDGES.split(_words(token)):
                if words in (_START, _END):
                    open_marks += 1 if words == _START else -1
                elif words:
                    yield replace(style, text=words, marked=open_marks > 0)


def _words(token: Token) -> str:
    return {"softbreak": " ", "hardbreak": "\n"}.get(token.type, token.content)


class _Limited(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 (the library's names)
        """Take every address for a link, so that an unsafe one can be dropped and only its words stay."""
        return True


@cache
def _parser() -> MarkdownIt:
    # Indented code, headings, rules and reference definitions would swallow or distort sentences quoted from a document
    # ("[1]: …", "# of rows", "---"); 100 is deep enough for any list and bounds the recursion.
    parser = _Limited("commonmark", {"html": False, "maxNesting": 100})
    parser.disable(["code", "heading", "lheading", "hr", "reference", "html_block", "html_inline"])
    parser.inline.ruler.before("link", "citation", _citation)
    return parser


def _citation(state: StateInline, silent: bool) -> bool:
    match = _CITED.match(state.src, state.pos)
    if match is None or int(match[1]) not in state.env["citations"]:
        return False
    if not silent:
        state.push("citation", "", 0).content = match[1]
    state.pos = match.end()
    return True
