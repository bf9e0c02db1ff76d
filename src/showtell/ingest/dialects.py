"""Blocks of Markdown that CommonMark does not know, as one rule of the parser.

Containers (``:::``), directives (``{note}`` in a fence), indented notes (``!!!``), collapsible parts (``+++``), tabs
(``===``), lines that include a file, shortcodes, MDX. Each is a head line, a stretch of lines that is its body, and the
HTML around that body, which is parsed as Markdown again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from showtell.ingest.components import (
    CODE,
    SILENT,
    VIDEO_FILE,
    Component,
    frame,
    image,
    known,
    names,
    paragraph,
    read_arguments,
    video,
)
from showtell.ingest.marks import jsx, shortcode
from showtell.ingest.page import Inclusions

MAX_DEPTH = 12  # of blocks inside each other
FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
INTERRUPTS: Any = {"alt": ["paragraph", "reference", "blockquote", "list"]}


class Block:
    """Lines ``[start, end)`` of the parser's state, of which the head line was recognised."""

    def __init__(self, state: StateBlock, start: int, end: int) -> None:
        self.state, self.start, self.end = state, start, end
        self.inclusions: Inclusions = state.env["inclusions"]

    def line(self, number: int) -> str:
        """A line without its indent."""
        return self.state.src[self.state.bMarks[number] + self.state.tShift[number] : self.state.eMarks[number]]

    def lines(self, first: int, last: int, indent: int) -> str:
        """Lines with at most ``indent`` columns of their indent cut off."""
        return self.state.getLines(first, last, indent, True)

    def until(self, closes: re.Pattern[str], opens: re.Pattern[str] | None = None) -> tuple[str, int]:
        """The body up to the closing line (or the end of what is around it), and the line after that."""
        depth, fence = 0, ""
        base = self.state.sCount[self.start]
        for number in range(self.start + 1, self.end):
            text = self.line(number)
            if text and self.state.sCount[number] < self.state.blkIndent:
                return self.lines(self.start + 1, number, base), number
            marker = FENCE.match(text)
            if fence:
                fence = "" if marker and marker[1].startswith(fence) and not text.strip("`~ ") else fence
            elif depth == 0 and closes.match(text):
                return self.lines(self.start + 1, number, base), number + 1
            elif closes.match(text):
                depth -= 1
            elif opens and opens.match(text):
                depth += 1
            elif marker and not closes.match(marker[1]):
                fence = marker[1]
        return self.lines(self.start + 1, self.end, base), self.end

    def indented(self) -> tuple[str, int]:
        """The body that is indented by four more columns than the head, and the line after it."""
        base = self.state.sCount[self.start] + 4
        after = self.start + 1
        for number in range(self.start + 1, self.end):
            if not self.line(number):
                continue
            if self.state.sCount[number] < min(base, self.state.sCount[self.start] + 2):
                break
            after = number + 1
        return self.lines(self.start + 1, after, base), after

    def write(self, before: str, body: str = "", after: str = "", next_line: int | None = None) -> None:
        """Puts HTML around a body of Markdown and goes on at ``next_line`` (the next one if None)."""
        self._html(before)
        if body.strip():
            self.parse(body)
        self._html(after)
        self.state.line = self.start + 1 if next_line is None else next_line

    def parse(self, body: str) -> None:
        """Parses Markdown into the place of this block."""
        env = self.state.env
        if env["depth"] >= MAX_DEPTH:
            self.inclusions.warn("blocks inside blocks were cut off: they stand too deeply in each other")
            return
        env["depth"] += 1
        self.state.md.block.parse(body, self.state.md, env, self.state.tokens)
        env["depth"] -= 1

    def include(self, ref: str) -> None:
        """Parses an included file into the place of this block."""
        text = self.inclusions.read(ref)
        path = self.inclusions.find(ref)
        if text is None or path is None:
            return
        self.inclusions.open_files.append(path)
        self.parse(FRONT.sub("", text.replace("\r\n", "\n"), count=1))
        self.inclusions.open_files.pop()

    def _html(self, markup: str) -> None:
        if markup:
            token = self.state.push("html_block", "", 0)
            token.content = markup + "\n"


FRONT = re.compile(r"\A---[ \t]*\n[\s\S]*?\n---[ \t]*(?:\n|\Z)")
OPTION = re.compile(r"[ \t]*:([\w-]+):[ \t]*(.*)$")


def directive(block: Block, name: str, argument: str, body: str, next_line: int) -> None:
    """A directive of MyST: options first, then its content."""
    options, content = _options(body)
    component = Component(name.lower().rsplit(":", 1)[-1], argument.strip(), options)
    if component.name == "include":
        block.include(argument)
        block.write("", next_line=next_line)
    elif component.name == "literalinclude":
        code = block.inclusions.read(argument) or ""
        block.write(f"<pre><code>{escape(code)}</code></pre>" if code else "", next_line=next_line)
    elif component.name in SILENT:
        block.write("", next_line=next_line)
    elif component.name in CODE or component.name == "raw":
        code = content if component.name == "raw" else f"<pre><code>{escape(content)}</code></pre>"
        block.write(paragraph(options.get("caption", "")) + code, next_line=next_line)
    elif component.name in ("list-table", "csv-table", "table", "eval-rst"):
        block.write(_as_rst(component, content, block.inclusions), next_line=next_line)
    elif component.name in ("figure", "image"):
        _figure(block, component, content, next_line)
    else:
        if not known(component) and component.name not in TRANSPARENT:
            block.inclusions.warn(f"directive {name!r} is unknown; its content was kept")
        before, after = frame(component)
        block.write(before, content, after, next_line)


TRANSPARENT = names(
    """
    div grid tab-set tabs tab-list cards card-carousel container section row column margin only ifconfig block
    columns compound epigraph pull-quote glossary hlist steps cardgroup codegroup frames tablist image-end
    """
)


def _options(body: str) -> tuple[dict[str, str], str]:
    lines = body.split("\n")
    options: dict[str, str] = {}
    while lines and (found := OPTION.match(lines[0])):
        options[found[1].lower()] = found[2].strip()
        lines.pop(0)
    return options, "\n".join(lines)


def _as_rst(component: Component, content: str, inclusions: Inclusions) -> str:
    """Tables whose shape MyST took over from reStructuredText; cells are parsed as such."""
    from showtell.ingest.rst import rst_fragment

    if component.name == "eval-rst":
        return rst_fragment(content, inclusions)
    options = "".join(f"   :{key}: {value}\n" for key, value in component.options.items())
    body = "\n".join("   " + line for line in content.split("\n"))
    return rst_fragment(f".. {component.name}:: {component.argument}\n{options}\n{body}\n", inclusions)


def _figure(block: Block, component: Component, content: str, next_line: int) -> None:
    before, after = frame(component)
    address = component.argument.split(" ")[0]
    if VIDEO_FILE.search(address):
        before = f"<figure>{video(address, component.option('alt'))}"
    if component.name == "image" or not content.strip():
        block.write(
            image(address, component.option("alt")) if component.name == "image" else before + after,
            next_line=next_line,
        )
        return
    block.write(f"{before}<figcaption>", content, f"</figcaption>{after}", next_line)


# ------------------------------------------------------------------------------------------------ the kinds of blocks
def _fenced_directive(block: Block, head: re.Match[str]) -> None:
    closes = re.compile(re.escape(head["fence"]) + re.escape(head["fence"][0]) + r"*[ \t]*$")
    body, next_line = block.until(closes)
    directive(block, head["name"], head["argument"], body, next_line)


def _container(block: Block, head: re.Match[str]) -> None:
    colons = head["colons"]
    if head["closed"] is not None:  # :::image source="a.png" alt-text="b"::: stands on one line
        component = read_arguments(head["name"], head["argument"].replace(":::", ""))
        before, after = frame(component)
        block.write(before + after if known(component) else "")
        return
    closes = re.compile(rf"{re.escape(colons[0])}{{{len(colons)},}}[ \t]*$")
    opens = re.compile(rf"{re.escape(colons)}[ \t]*[^:/\s](?!.*:::[ \t]*$)")
    body, next_line = block.until(closes, opens)
    argument = head["argument"].strip().strip("|").strip()
    if head["braced"]:
        directive(block, head["braced"], argument, body, next_line)
        return
    name = (head["name"] or CLASS_NAME.sub(r"\1", head["classes"] or "")).removeprefix("callout-").lower()
    title = BRACKETED.match(argument)
    named = read_arguments(name, argument.strip("{}[]"))
    said = title[1] if title else named.option("title") or ("" if "=" in argument else argument.strip("{}"))
    component = Component(name, said.lstrip("#- ") if name in ("details", "expand") else said, named.options)
    if name == "caption":
        block.write("", body or said, "", next_line)
        return
    before, after = frame(component) if known(component) else ("", "")
    block.write(before, body, after, next_line)


CLASS_NAME = re.compile(r"\{?\s*\.?([\w-]+).*")
BRACKETED = re.compile(r"\[([^\]]*)\]")


def _indented_note(block: Block, head: re.Match[str]) -> None:
    body, next_line = block.indented()
    if head["mark"] == "===":
        block.write(paragraph(head["title"] or ""), body, "", next_line)
        return
    name = (head["names"] or "note").split()[0].lower()
    before, after = frame(Component(name if known(Component(name)) else "note", head["title"] or ""))
    block.write(before, body, after, next_line)


COLLAPSIBLE_CLOSES = re.compile(r"\+\+\+[ \t]*$")
COLLAPSIBLE_OPENS = re.compile(r"\+\+\+[ \t]*[^\s+{]")


def _collapsible(block: Block, head: re.Match[str]) -> None:
    title = head["title"].strip()
    if not title or title.startswith("{"):  # a closing line on its own, or a cell break of MyST
        block.write("")
        return
    body, next_line = block.until(COLLAPSIBLE_CLOSES, COLLAPSIBLE_OPENS)
    block.state.env["inclusions"] = block.inclusions
    before, after = frame(Component("details"))
    opening, _, closing = before.partition("</summary>")
    inline = block.state.md.renderInline(title, block.state.env)
    block.write(f"{opening}{inline}</summary>{closing}", body, after, next_line)


def _include(block: Block, head: re.Match[str]) -> None:
    block.include(head["path"])
    block.write("")


def _snippet(block: Block, head: re.Match[str]) -> None:
    """Adobe's ``{{name}}``: the section with that id in ``_includes/snippets.md``."""
    path = block.inclusions.find("_includes/snippets.md")
    text = block.inclusions.read("_includes/snippets.md") if path else ""
    section = re.search(
        rf"^(#+)[^\n]*\{{#{re.escape(head['name'])}\}}[ \t]*\n([\s\S]*?)(?=^#{{1,6}}[ \t]|\Z)", text or "", re.M
    )
    if section:
        block.parse(section[2])
    else:
        block.inclusions.warn(f"snippet {head['name']!r} was left out: it is not in _includes/snippets.md")
    block.write("")


def _shortcodes(block: Block, head: re.Match[str]) -> None:
    source = head["source"]
    name = source.split()[0].lstrip("-") if source.split() else ""
    if name in ("comment", "highlight", "code") and not source.startswith("/"):
        closes = re.compile(rf"\{{[{{%][<%]?-?\s*(?:/\s*{name}|end{name})\b")
        body, next_line = block.until(closes)
        block.write("" if name == "comment" else f"<pre><code>{escape(body)}</code></pre>", next_line=next_line)
        return
    if name in ("include", "include_relative", "include-markdown", "readfile", "include_cached") and "=" not in source:
        ref = re.sub(r"^\S+\s+|[\"']", "", source).split(" ")[0]
        block.include(ref)
        block.write("")
        return
    block.write(shortcode(source, block.inclusions))


def _tag_line(block: Block, head: re.Match[str]) -> None:
    block.write(jsx(head[0].strip()))


def _nothing(block: Block, _: re.Match[str]) -> None:
    block.write("")


def _module(block: Block, _: re.Match[str]) -> None:
    """``import`` and ``export`` of MDX: up to the next blank line."""
    number = block.start + 1
    while number < block.end and block.line(number).strip():
        number += 1
    block.write("", next_line=number)


def _tab_heading(block: Block, head: re.Match[str]) -> None:
    block.write(paragraph(head["title"]))


NAME = r"[A-Za-z][\w:.+-]*"
HEADS: tuple[tuple[re.Pattern[str], Callable[[Block, re.Match[str]], None]], ...] = (
    (
        re.compile(rf"(?P<fence>`{{3,}}|~{{3,}})[ \t]*\{{(?P<name>{NAME})\}}[ \t]*(?P<argument>[^`]*)$"),
        _fenced_directive,
    ),
    (
        re.compile(
            rf"(?P<colons>:{{3,}}|/{{3,}})[ \t]*"
            rf"(?:\{{(?P<braced>{NAME})\}}|(?P<name>{NAME})|(?P<classes>\{{\s*\.[^}}]*\}}))"
            r"(?P<argument>(?:(?!:::[ \t]*$).)*)(?P<closed>:::[ \t]*)?$"
        ),
        _container,
    ),
    (re.compile(r":{3,}[ \t]*$"), _nothing),
    (
        re.compile(
            r"(?P<mark>!!!|\?\?\?\+?|===[!+]?)[ \t]+(?P<names>[A-Za-z][\w-]*(?:[ \t]+[\w-]+)*)?[ \t]*"
            r"(?:\"(?P<title>.*)\")?[ \t]*$"
        ),
        _indented_note,
    ),
    (re.compile(r"\+\+\+(?P<title>(?:[^+].*)?)$"), _collapsible),
    (re.compile(r"\{\{\s*\$include\s+(?P<path>[^{}]+?)\s*\}\}[ \t]*$"), _include),
    (re.compile(r"-{1,2}8<-{1,2}[ \t]+[\"'](?P<path>[^\"':]+)[^\"']*[\"'][ \t]*$"), _include),
    (re.compile(r"<!--[ \t]*@include:[ \t]*(?P<path>[^\s{#]+)[^>]*-->[ \t]*$"), _include),
    (re.compile(r"(?:>[ \t]*)?\[!INCLUDE[ \t]*\[[^\]]*\]\((?P<path>[^()]+)\)\][ \t]*$", re.I), _include),
    (re.compile(r"\{\{(?P<name>[a-z0-9][a-z0-9_-]+)\}\}[ \t]*$"), _snippet),
    (re.compile(r"\{\{[<%]-?\s*(?P<source>(?!/\*)(?:(?![>%]\}\}).)+?)\s*/?-?[>%]\}\}[ \t]*$"), _shortcodes),
    (re.compile(r"\{%-?\s*(?P<source>(?:(?!%\}).)+?)\s*-?%\}[ \t]*$"), _shortcodes),
    (
        re.compile(r"</?[A-Z][\w.]*(?:\s(?:[^<>{}\"']|\"[^\"]*\"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\})*)?/?>[ \t]*$"),
        _tag_line,
    ),
    (
        re.compile(
            r"</?(?:div|section|figure|figcaption|details|article)(?=[\s>])[^<>]*\bmarkdown(?:=[^<>]*)?>[ \t]*$"
        ),
        _tag_line,
    ),
    (re.compile(r"\[(?:comment|//|_)\]:[ \t]*(?:#|<>)", re.I), _nothing),
    (re.compile(r"\[?\[(?:_?toc_?)\]\]?[ \t]*$|\{:toc\}[ \t]*$", re.I), _nothing),
    (re.compile(r"#{1,6}[ \t]+\[(?P<title>[^\]]+)\]\(#tab/[^)]*\)[ \t]*$"), _tab_heading),
    (re.compile(r"\([\w:.-]+\)=[ \t]*$"), _nothing),
    (re.compile(r"\{/\*.*\*/\}[ \t]*$"), _nothing),
    (re.compile(r"%%[^%]*%%[ \t]*$"), _nothing),
)
MODULE = re.compile(
    r"import\s+(?:[\w*{][^'\"]*\s+from\s+)?['\"][^'\"]+['\"];?[ \t]*$"
    r"|export\s+(?:const|default|function|let|var|async)\b"
)
FIRST = frozenset("`~:/!?=+{->[<#(%")


def _rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start) or state.bMarks[start] + state.tShift[start] >= state.eMarks[start]:
        return False
    text = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
    if text[0] not in FIRST:
        return False
    for pattern, take in HEADS:
        head = pattern.match(text)
        if head:
            if not silent:
                take(Block(state, start, end), head)
            return True
    return False


def _module_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    text = state.src[state.bMarks[start] : state.eMarks[start]]
    if not text.startswith(("import", "export")) or not MODULE.match(text):
        return False
    if not silent:
        _module(Block(state, start, end), MODULE.match(text))  # type: ignore[arg-type]
    return True


def dialects(parser: MarkdownIt) -> None:
    """Teaches a parser these blocks; its environment holds ``inclusions`` and ``depth``."""
    parser.block.ruler.before("fence", "dialects", _rule, INTERRUPTS)
    parser.block.ruler.before("fence", "module", _module_rule)
