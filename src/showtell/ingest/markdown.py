"""Markdown, in the dialects that documentation is written in, to HTML for the reader."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import yaml
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, emphasis
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from showtell.ingest.components import NOTES, Component, frame, names
from showtell.ingest.dialects import dialects
from showtell.ingest.marks import ATTRIBUTES_ALONE, HEADING_ID, jsx_tags, rewrite, unmark
from showtell.ingest.page import Converted, Inclusions, page
from showtell.ingest.resources import Place

MAX_FRONT_MATTER = 100_000  # characters
YAML_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def markdown_to_html(text: str, place: Place) -> Converted:
    """A whole page: front matter becomes its head, everything else its body.

    Files that the text includes are read if they lie inside the place's root; a warning names the others.
    """
    inclusions = Inclusions(place)
    about, body = front_matter(text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff"), inclusions)
    env: dict[str, Any] = {"inclusions": inclusions, "depth": 0}
    markup = _parser().render(body, env)
    shown = page(
        markup,
        title=unmark(_word(about, "title"), inclusions),
        description=unmark(_word(about, "description", "summary", "abstract"), inclusions),
        language=_word(about, "lang", "language", "locale"),
    )
    return Converted(shown, tuple(inclusions.warnings))


# ------------------------------------------------------------------------------------------------------ front matter
YAML_MATTER = re.compile(r"---[ \t]*\n(?P<inside>(?:[\s\S]*?\n)??)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
TOML_MATTER = re.compile(r"\+\+\+[ \t]*\n(?P<inside>(?:[\s\S]*?\n)??)\+\+\+[ \t]*(?:\n|\Z)")
KEY_LINE = re.compile(r"\s*(?:#.*\n\s*)*[\w-]+[ \t]*[:=]")
PLAIN_KEY = re.compile(r"^(title|description|lang|language)[ \t]*[:=][ \t]*(.+?)[ \t]*$", re.M)


def front_matter(text: str, inclusions: Inclusions) -> tuple[Mapping[str, Any], str]:
    """The fields before a document's text, and the text; broken ones are left out with a warning."""
    found = YAML_MATTER.match(text) or TOML_MATTER.match(text)
    if not found or len(found["inside"]) > MAX_FRONT_MATTER:
        return {}, text
    inside, rest = found["inside"], text[found.end() :]
    try:
        fields = tomllib.loads(inside) if text.startswith("+") else yaml.load(inside, YAML_LOADER)  # noqa: S506 (strings only)
    except (yaml.YAMLError, tomllib.TOMLDecodeError, RecursionError) as problem:
        if not KEY_LINE.match(inside):
            return {}, text
        reason = " ".join(str(getattr(problem, "problem", "") or problem).split())[:100]
        inclusions.warn(f"the front matter is broken ({reason}); only its title was read")
        return {key: value.strip("\"'") for key, value in PLAIN_KEY.findall(inside)}, rest
    if isinstance(fields, dict):
        return fields, rest
    return ({}, rest) if not inside.strip() else ({}, text)


def _word(fields: Mapping[str, Any], *names: str) -> str:
    values = (fields.get(name) for name in names)
    return next((" ".join(value.split()) for value in values if isinstance(value, str) and value.strip()), "")


# ------------------------------------------------------------------------------------------------------- the parser
@cache
def _parser() -> MarkdownIt:
    """CommonMark with tables, strikethrough, footnotes, definition lists, task lists and the dialects."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin, inline=False, move_to_end=False).use(deflist_plugin).use(tasklists_plugin).use(dialects)
    parser.normalizeLink = str  # type: ignore[method-assign,assignment]  # addresses stay as written
    parser.validateLink = bool  # type: ignore[method-assign,assignment]  # the reader judges addresses
    parser.inline.ruler.at("emphasis", _emphasis)
    parser.core.ruler.after("block", "dialect_tokens", _dialect_tokens)
    parser.add_render_rule("footnote_ref", lambda *_: "")
    parser.add_render_rule("footnote_reference_open", lambda *_: '<div class="footnote">')
    parser.add_render_rule("footnote_reference_close", lambda *_: "</div>\n")
    return parser


CJK = re.compile("[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


def _emphasis(state: StateInline, silent: bool) -> bool:
    """CommonMark's emphasis, but Chinese, Japanese and Korean letters part words as spaces do in other languages."""
    start, known = state.pos, len(state.delimiters)
    found = emphasis.tokenize(state, silent)
    before, after = state.src[start - 1 : start], state.src[state.pos : state.pos + 1]
    for run in state.delimiters[known:]:
        run.open = run.open or bool(CJK.match(before) and after.strip())
        run.close = run.close or bool(CJK.match(after) and before.strip())
    return found


def _dialect_tokens(state: StateCore) -> None:
    inclusions: Inclusions = state.env["inclusions"]
    state.tokens = _without_attribute_rows(list(_quotes(state.tokens)))
    heading: Token | None = None
    for token in state.tokens:
        if token.type == "heading_open":
            heading = token
        elif token.type == "inline":
            if heading is not None:
                token.content = _with_id(heading, token.content)
            if ATTRIBUTES_ALONE.fullmatch(token.content):
                token.content = ""
            token.content = rewrite(token.content, inclusions)
            heading = None
        elif token.type == "html_block":
            token.content = _html(token.content, inclusions)


def _with_id(heading: Token, content: str) -> str:
    found = HEADING_ID.search(content)
    if not found:
        return content
    heading.attrSet("id", found[1])
    return content[: found.start()]


def _html(markup: str, inclusions: Inclusions) -> str:
    if re.match(r"\s*<(?:pre|script|style|iframe|video)\b", markup):
        return markup
    return jsx_tags(unmark(markup, inclusions) if "[!" in markup else markup)


# ------------------------------------------------------------------------------------- notes that look like quotations
MARK_HEAD = re.compile(
    r"\[!(?P<name>[\w-]+)(?:[ \t]+(?P<words>[^\]\n]*))?\](?P<fold>[+-]?)(?!\()[ \t]*(?P<rest>[^\n]*)\n?"
)
LAYOUT = names("beginshadebox endshadebox begintabs endtabs tab slide div video include")
HELP = "contextualhelp"  # words of a tool tip, which say again what the page says


def _quotes(tokens: Sequence[Token]) -> Iterator[Token]:
    """Block quotations that begin with ``[!MARK]`` become the note, tab or video that they are."""
    waiting: list[str] = []  # what closes each open quotation; "" for a plain one
    at = 0
    while at < len(tokens):
        token = tokens[at]
        head = _mark_head(tokens, at)
        if head and head["name"].lower() == HELP:
            at = _closing(tokens, at)
        elif head:
            opening, closing = _quote_frame(head)
            waiting.append(closing)
            yield _markup(opening)
            tokens[at + 2].content = tokens[at + 2].content[head.end() :]
            if head["rest"] and not _is_title(head):
                tokens[at + 2].content = f"{head['rest']}\n{tokens[at + 2].content}".rstrip()
        elif token.type == "blockquote_open":
            waiting.append("" if not _is_video(tokens, at) else " ")
            if waiting[-1] == "":
                yield token
        elif token.type == "blockquote_close":
            closing = waiting.pop()
            if closing.strip():
                yield _markup(closing)
            elif not closing:
                yield token
        else:
            yield token
        at += 1


def _mark_head(tokens: Sequence[Token], at: int) -> re.Match[str] | None:
    if tokens[at].type != "blockquote_open" or tokens[at + 1].type != "paragraph_open":
        return None
    return MARK_HEAD.match(tokens[at + 2].content)


def _is_video(tokens: Sequence[Token], at: int) -> bool:
    return tokens[at + 1].type == "paragraph_open" and tokens[at + 2].content.upper().startswith("[!VIDEO](")


def _is_title(head: re.Match[str]) -> bool:
    """Obsidian writes a title behind the mark (in small letters); others begin the text there."""
    return head["name"].lower() == head["name"] or bool(head["fold"])


def _quote_frame(head: re.Match[str]) -> tuple[str, str]:
    name, words = head["name"].lower(), (head["words"] or "").strip().strip('"')
    if name == "video":
        return frame(Component("video", words))[0], " "
    if name in LAYOUT:
        return frame(Component("tab", words))[0] if name not in ("div", "slide") else "", " "
    title = words or (head["rest"].strip() if _is_title(head) else "")
    return frame(Component(name if name in NOTES else "note", title))


def _closing(tokens: Sequence[Token], at: int) -> int:
    depth = 0
    for number in range(at, len(tokens)):
        depth += tokens[number].nesting if tokens[number].type.startswith("blockquote") else 0
        if depth == 0:
            return number
    return len(tokens) - 1


def _markup(content: str) -> Token:
    return Token("html_block", "", 0, content=content + "\n" if content.strip() else "", block=True)


def _without_attribute_rows(tokens: list[Token]) -> list[Token]:
    """Without the rows of tables that are only an attribute list under the table, e.g. ``{style="..."}``."""
    kept: list[Token] = []
    row = 0
    for token in tokens:
        kept.append(token)
        if token.type == "tr_open":
            row = len(kept) - 1
        elif token.type == "tr_close":
            cells = [cell.content for cell in kept[row:] if cell.type == "inline"]
            if ATTRIBUTES_ALONE.fullmatch(cells[0]) and not any(cells[1:]):
                del kept[row:]
    return kept
