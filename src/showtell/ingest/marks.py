"""Marks inside a line of Markdown that CommonMark does not know: Adobe's, Obsidian's, MyST's, Hugo's, Jekyll's, JSX.

:func:`rewrite` turns them into plain Markdown and HTML before the line is parsed; code spans are left alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from html import escape
from pathlib import Path

from showtell.ingest.components import (
    IMAGE_FILE,
    Component,
    embedded,
    frame,
    image,
    paragraph,
    read_arguments,
    role_text,
    video,
)
from showtell.ingest.page import Inclusions

ATTRIBUTE = r"(?:[#.][A-Za-z][\w:.-]*|[\w-]+\s?=\s?(?:\"[^\"\n]*\"|'[^'\n]*'))"
LOOSE_ATTRIBUTE = r"(?:[#.][\w:.-]+|[\w-]+(?:\s?=\s?(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s\"'{}]+))?)"
ATTRIBUTE_LIST = rf"\{{:?[ \t]*{ATTRIBUTE}(?:[ \t,]+{LOOSE_ATTRIBUTE})*[ \t]*\}}"
ATTRIBUTES_ALONE = re.compile(rf"[ \t]*(?:\{{:?[ \t]*{LOOSE_ATTRIBUTE}(?:[ \t,]+{LOOSE_ATTRIBUTE})*[ \t]*\}}[ \t]*)+$")
HEADING_ID = re.compile(r"[ \t]*\{(?:[^{}#]*[ \t:])?#([^\s{}]+)[^{}]*\}[ \t]*$")
MARK = re.compile(
    r"\[!(?P<name>[A-Za-z][\w-]*)(?:[ \t]+(?P<words>(?:[^\[\]]|\[[^\[\]!][^\[\]]*\](?:\([^()\s]*\))?)*))?\]"
    r"(?P<target>\((?P<address>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\))?(?P<attributes>\{[^{}\n]*\})?"
)
INCLUDED = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")
SHORTCODE = r"\{\{[<%]-?\s*(?P<hugo>(?:/\*|[^\s/>%])(?:[^\n]|\n(?!\n)){0,1500}?|/\s*[\w./-]+\s*)\s*/?-?[>%]\}\}"
LIQUID = r"\{%-?\s*(?P<liquid>(?:[^\n]|\n(?!\n)){1,1500}?)\s*-?%\}"

# One alternative for each mark; the first that begins at a place wins, so code comes first.
MARKS = re.compile(
    rf"""
      (?P<escaped>\\[!-/:-@\[-`{{-~])
    | (?P<code>(?P<ticks>`+)(?!`)[\s\S]{{1,2000}}?(?<!`)(?P=ticks)(?!`))
    | (?P<comment><!--[\s\S]*?-->)
    | (?P<mdx>\{{/\*[\s\S]*?\*/\}})
    | (?P<tag></?[A-Za-z][\w.]*(?:\s(?:[^<>{{}}"']|"[^"]*"|'[^']*'|\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}})*)?/?>)
    | (?P<include>\{{\{{\s*\$include\s+(?P<included>[^{{}}\n]+?)\s*\}}\}})
    | (?P<shortcode>{SHORTCODE}|{LIQUID})
    | (?P<expression>\{{\{{-?\s*(?:site|page|include|layout)\.[\w.\[\]'"| :-]*?-?\}}\}})
    | (?P<embed>!\[\[(?P<embedded>[^\[\]\n|\\]+)(?:\\?\|(?P<size>[^\[\]\n]*))?\]\])
    | (?P<wiki>\[\[(?P<note>[^\[\]\s|\\](?:[^\[\]\n|\\]*[^\[\]\s|\\])?)(?:\\?\|(?P<words2>[^\[\]\n]*))?\]\](?![(\[]))
    | (?P<target>\]\(\s*(?P<address2>(?:\{{[{{%][^{{}}\n]*[%}}]\}}|[^\s()<>"'{{}}])
          (?:\{{[{{%][^{{}}\n]*[%}}]\}}|[^()<>"\n{{}}]|\{{[^{{}}\n]*\}}|\([^()\n]*\))*?)
          (?P<title>\s+(?:"[^"\n]*"|'[^'\n]*'))?(?:\s+=\d*x\d*)?\s*\))
    | (?P<role>\{{(?P<role_name>[A-Za-z][\w:+.-]*)\}}(?P<role_ticks>`+)(?P<role_text>[^`\n]+)(?P=role_ticks))
    | (?P<attributes>{ATTRIBUTE_LIST}|(?<=[)\]`*_>])\{{:?[ \t]*{LOOSE_ATTRIBUTE}(?:[ \t,]+{LOOSE_ATTRIBUTE})*[ \t]*\}})
    | (?P<highlight>(?<![=\w])==(?=[^\s=])(?P<highlighted>[^=\n]+?)(?<=\S)==(?![=\w]))
    | (?P<aside>\^\[(?P<said>[^\[\]\n]+)\](?!\())
    | (?P<hidden>(?:(?<=\s)|^)%%[^%\n]+%%)
    """,
    re.X | re.M,
)
CARD_LINE = re.compile(r"^\{\s?(?P<key>[a-z_]+) = ?(?P<value>[^{}\n]*)\}[ \t]*$", re.M)
CARD_WORDS = ("title", "description", "caption")
BLOCK_ID = re.compile(r"[ \t]+\^[a-z0-9-]{4,}$", re.M)
SIZED_ALT = re.compile(r"!\[((?:[^\[\]\n|]|\[[^\[\]\n]*\])*?)\|?(?<!\w)\d{2,4}(?:x\d{1,4})?\](?=\()")
BROKEN_WINDOWS_PATH = re.compile(r"\\(?=[\w.])")


def rewrite(text: str, inclusions: Inclusions) -> str:
    """One paragraph, heading or cell with every foreign mark turned into Markdown or HTML, or gone."""
    if not WORTH_A_LOOK.search(text):
        return text
    text = CARD_LINE.sub(lambda card: card["value"] if card["key"] in CARD_WORDS else "", text)
    text = SIZED_ALT.sub(r"![\1]", text)
    text = _outside_code(text, lambda part: unmark(part, inclusions))
    text = MARKS.sub(lambda found: _rewritten(found, inclusions), text)
    return BLOCK_ID.sub("", text)


WORTH_A_LOOK = re.compile(r"[\[{<=%]|\^")
CODE_SPAN = re.compile(r"(?P<ticks>`+)(?!`)[\s\S]{1,2000}?(?<!`)(?P=ticks)(?!`)")


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    if "[!" not in text:
        return text
    parts, at = [], 0
    for span in CODE_SPAN.finditer(text):
        parts += [change(text[at : span.start()]), span[0]]
        at = span.end()
    return "".join([*parts, change(text[at:])])


def unmark(text: str, inclusions: Inclusions) -> str:
    """``[!UICONTROL Save]`` to ``Save``, ``[!VIDEO](address)`` to a video; marks may stand inside each other."""
    for _ in range(4):
        changed = MARK.sub(lambda mark: _unmarked(mark, inclusions), text)
        if changed == text:
            break
        text = changed
    return text


def _unmarked(mark: re.Match[str], inclusions: Inclusions) -> str:
    name, words = mark["name"].lower(), (mark["words"] or "").strip()
    if name == "video":
        address = mark["address"] or words.split(" ")[0]
        return video(address, "" if mark["address"] is None else words)
    if name == "include":
        found = INCLUDED.search(words)
        return _included(found[1] if found else words, inclusions)
    if name in ("div", "slide") or name.startswith("code"):
        return ""
    rest = mark["target"] or ""
    if (name != mark["name"] and name.upper() == mark["name"]) or words:
        return words if not words or not rest else f"[{words}]{rest}"
    return mark[0]


def _rewritten(found: re.Match[str], inclusions: Inclusions) -> str:
    kind = found.lastgroup if found.lastgroup in KINDS else next(kind for kind in KINDS if found[kind] is not None)
    return KINDS[kind](found, inclusions)


def _included(ref: str, inclusions: Inclusions) -> str:
    return (inclusions.read(ref) or "").strip()


def _tag(found: re.Match[str], _: Inclusions) -> str:
    return jsx(found[0])


def _embed(found: re.Match[str], inclusions: Inclusions) -> str:
    target, said = found["embedded"].strip(), (found["size"] or "").strip()
    name = target.split("#")[0]
    path = inclusions.find_by_name(name) if IMAGE_FILE.search(name) else None
    address = relative_to_document(path, inclusions) if path else target
    alt = "" if re.fullmatch(r"\d+(x\d+)?|left|right|center", said) else said
    return image(address, alt) if IMAGE_FILE.search(name) else embedded(address, alt) if "." in name else name


def relative_to_document(path: Path, inclusions: Inclusions) -> str:
    """The address of a file inside the folder, as the document would write it."""
    return Path(os.path.relpath(path, Path(inclusions.place.source).parent)).as_posix()


def _wiki(found: re.Match[str], _: Inclusions) -> str:
    if found["note"].strip("_").lower() == "toc":
        return ""
    return found["words2"] or found["note"].split("#")[0] or found["note"].lstrip("#^")


def _target(found: re.Match[str], _: Inclusions) -> str:
    """Addresses as they are meant: with spaces, with back slashes, with the template's prefix."""
    address, title = found["address2"], found["title"] or ""
    address = TEMPLATE_PREFIX.sub("", address)
    address = TEMPLATE_CALL.sub(lambda call: call["path"], address)
    if "://" not in address and BROKEN_WINDOWS_PATH.search(address):
        address = BROKEN_WINDOWS_PATH.sub("/", address)
    if " " in address and FILE_ENDING.search(address):
        return f"](<{address.strip()}>{title})"
    return f"]({address}{title})"


TEMPLATE_PREFIX = re.compile(r"\{\{-?\s*(?:site|page|include)\.[\w.]+\s*-?\}\}")
TEMPLATE_CALL = re.compile(
    r"\{(?:\{[<%]?|%)-?\s*(?:(?:rel)?ref|link|post_url|asset|static)?\s*[\"']?(?P<path>[^\s\"'{}|]+)[\"']?[^{}]*?-?[>%]?\}\}?"
)
FILE_ENDING = re.compile(r"\.\w{2,5}(?:[#?].*)?$")


MARKED_ROLES = ("code", "kbd", "file", "samp", "command")


def _role(found: re.Match[str], _: Inclusions) -> str:
    name = found["role_name"]
    shown = role_text(name, found["role_text"])
    mark = "**" if name in ("guilabel", "menuselection") else "`" if name in MARKED_ROLES else ""
    return f"{mark}{shown}{mark}" if shown else ""


def _shortcode(found: re.Match[str], inclusions: Inclusions) -> str:
    return shortcode(found["hugo"] or found["liquid"] or "", inclusions)


def shortcode(source: str, inclusions: Inclusions) -> str:
    """The inside of ``{{< ... >}}`` or ``{% ... %}`` as HTML: a component, the words it shows, or nothing."""
    if source.startswith("/*"):  # Hugo's way to show a shortcode instead of running it
        return escape("{{< " + source.strip("/* ") + " >}}")
    name, _, rest = source.strip().partition(" ")
    if name.startswith("/") or name.startswith("end"):
        return frame(Component(name.removeprefix("/").removeprefix("end").strip().lower()))[1]
    component = read_arguments(name, rest)
    if name in ("include", "include_relative", "include-markdown", "import", "readfile", "include_cached", "render"):
        return _included_component(component, inclusions)
    before, after = frame(component)
    if component.name in ("figure", "img", "image", "imgproc", "screenshot", "thumbnail"):
        return before + after
    if component.name in (
        "icon",
        "param",
        "ref",
        "relref",
        "link",
        "if",
        "else",
        "for",
        "assign",
        "unless",
        "raw",
        "elsif",
    ):
        return ""
    if before.startswith("<p><strong>") and component.name not in ("tab", "card", "step", "details"):
        spoken = component.option("text", "title", "label", "caption", "name", "content")
        return escape(spoken)
    return before


def _included_component(component: Component, inclusions: Inclusions) -> str:
    source = component.option("src", "url", "image", "image_path", "file")
    if source and IMAGE_FILE.search(source):
        return image(source, component.option("alt"), "", component.option("caption"))
    if (component.option("id") and "video" in component.argument) or component.argument.startswith("youtube"):
        return frame(Component("video", "", component.options))[0]
    ref = component.argument.split(" ")[0] or component.option("file")
    spoken = component.option("content", "text", "caption", "title")
    if spoken:
        return paragraph(spoken)
    return _included(ref, inclusions)


REQUIRED = re.compile(r"=\{\s*(?:(?:require|useBaseUrl|withBase|url)\(\s*)?(['\"`])(.*?)\1\s*\)?(?:\.default)?\s*\}")
COMPUTED = re.compile(r"\s?[\w-]+=\{(?:[^{}]|\{[^{}]*\})*\}|\{\.\.\.[^{}]*\}")
COMPONENT = re.compile(r"<(?P<end>/?)(?P<name>[A-Z][\w.]*)(?P<rest>[\s\S]*?)(?P<void>/?)>$")


def jsx(tag: str) -> str:
    """A tag of HTML as it is; one of JSX with its strings as attributes, or as the component that it names."""
    tag = COMPUTED.sub("", REQUIRED.sub(r'="\2"', tag)) if "{" in tag else tag
    found = COMPONENT.match(tag)
    if not found:
        return tag
    component = read_arguments(COMPONENT_NAMES.get(found["name"].lower(), found["name"]), found["rest"])
    kind = component.option("type").lower()
    if component.name in ("admonition", "callout", "alert", "aside") and kind:
        component = Component(kind, component.argument, component.options)
    before, after = frame(component)
    if found["end"]:
        return after
    return before + after if found["void"] or component.name in ("youtube", "vimeo", "video") else before


def jsx_tags(markup: str) -> str:
    """A block of HTML in which tags of JSX are turned into what they name."""
    return TAG.sub(lambda tag: jsx(tag[0]), markup) if JSX_HINT.search(markup) else markup


JSX_HINT = re.compile(r"=\{|</?[A-Z]\w*[a-z]")
TAG = re.compile(r"</?[A-Za-z][\w.]*(?:\s(?:[^<>{}\"']|\"[^\"]*\"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\})*)?/?>")
COMPONENT_NAMES = {
    "tabpanel": "tab-item",
    "youtubeembed": "youtube",
    "liteyoutubeembed": "youtube",
    "reactplayer": "video",
}


KINDS: dict[str, Callable[[re.Match[str], Inclusions], str]] = {
    "escaped": lambda found, _: found[0],
    "code": lambda found, _: found[0],
    "comment": lambda _, __: "",
    "mdx": lambda _, __: "",
    "tag": _tag,
    "include": lambda found, inclusions: _included(found["included"], inclusions),
    "shortcode": _shortcode,
    "expression": lambda _, __: "",
    "embed": _embed,
    "wiki": _wiki,
    "target": _target,
    "role": _role,
    "attributes": lambda _, __: "",
    "highlight": lambda found, _: found["highlighted"],
    "aside": lambda found, _: f" ({found['said']})",
    "hidden": lambda _, __: "",
}
