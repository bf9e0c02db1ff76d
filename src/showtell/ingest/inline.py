"""Runs of styled words to plain text and to limited Markdown, white space as a browser shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

BREAK = "\u2028"  # stands for <br> in a run
_LINE = "\u2029"  # white space with a BREAK in it, once collapsed; greater than " "
_SPACES = re.compile(r"\s+")
_INVISIBLE = re.compile("[\u200b\u00ad\ufeff\u2060]")  # zero-width space, soft hyphen, byte-order mark, word joiner
# What a Markdown reader would take for a mark although it is none: a star or underscore at the edge of a word, ...
_MARKS = re.compile(
    r"\\(?=[!-/:-@\[-`{-~])|`|\*(?=\S)|(?<=\S)\*|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)|\[(?=[^\]]*\]\()|&(?=#?\w+;)"
)
_FENCE = re.compile(r"`+")


class Style(NamedTuple):
    """How a run is set; ``link`` is an http(s) address or ""."""

    bold: bool = False
    italic: bool = False
    code: bool = False
    link: str = ""

    def plus(self, other: Style) -> Style:
        """Both styles at once; the other's link where it has one."""
        return Style(
            self.bold or other.bold, self.italic or other.italic, self.code or other.code, other.link or self.link
        )


class Run(NamedTuple):
    """Words of one style, with the white space of the source."""

    text: str
    style: Style


PLAIN = Style()


def squeeze(text: str) -> str:
    """One line without doubled, leading or trailing white space and invisible characters."""
    return _SPACES.sub(" ", _INVISIBLE.sub("", text)).strip()


def render(runs: Iterable[Run]) -> tuple[str, str]:
    """The plain text of the runs, and their limited Markdown or "" where that would be the same."""
    tidy = list(_squeezed(runs))
    plain = "".join(run.text for run in tidy)
    if all(run.style == PLAIN for run in tidy):
        marked = _escaped(plain)
        return plain, "" if marked == plain else marked
    marked = "".join(_linked(link, list(group)) for link, group in groupby(tidy, key=lambda run: run.style.link))
    return plain, "" if marked == plain else marked


def _squeezed(runs: Iterable[Run]) -> Iterator[Run]:
    """Collapse white space over the borders of runs; it becomes a line break where a BREAK was among it."""
    before: Style | None = None
    space = ""  # white space met but not yet written: it belongs in front of the next words
    for text, style in runs:
        line = _INVISIBLE.sub("", text)
        line = _SPACES.sub(_space, line) if BREAK in line else _SPACES.sub(" ", line)
        words = line.strip()
        if line[:1].isspace():
            space = max(space, line[0])
        if not words:
            continue
        if space and before is not None:
            shared = style if style == before else Style(link=style.link if style.link == before.link else "")
            yield Run(space.replace(_LINE, "\n"), shared)
        yield Run(words.replace(_LINE, "\n"), style)
        space, before = (line[-1] if line[-1].isspace() else ""), style


def _space(white: re.Match[str]) -> str:
    return _LINE if BREAK in white[0] else " "


def _linked(link: str, runs: list[Run]) -> str:
    groups = [(style, "".join(run.text for run in group)) for style, group in groupby(runs, key=_look)]
    words = ""
    for number, (style, text) in enumerate(groups):
        after = groups[number + 1][1][0] if number + 1 < len(groups) else " "
        words += _styled(style, text, words[-1:] or " ", after)
    return f"[{words}]({link})" if link else words


def _look(run: Run) -> Style:
    style = run.style
    return Style(*style[:3]) if style.link else style


def _styled(style: Style, text: str, before: str, after: str) -> str:
    words = _code(text) if style.code else _escaped(text)
    mark = "*" * (2 * style.bold + style.italic)
    if not mark or not (_can_meet(before, words[0]) and _can_meet(after, words[-1])):
        return words
    return f"{mark}{words}{mark}"


def _escaped(text: str) -> str:
    return _MARKS.sub(lambda mark: "\\" + mark[0], text)


def _can_meet(outside: str, inside: str) -> bool:
    """Whether a mark between the two opens or closes emphasis (the flanking rule of CommonMark 0.31, section 6.2)."""
    return inside.isalnum() or not outside.isalnum()


def _code(text: str) -> str:
    """A code span, fenced by more backticks than stand in it (CommonMark 0.31, section 6.1)."""
    inside = max((len(fence) for fence in _FENCE.findall(text)), default=0)
    fence = "`" * (inside + 1)
    pad = " " if inside else ""
    return f"{fence}{pad}{text}{pad}{fence}"
