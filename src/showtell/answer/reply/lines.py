"""Lines of a reply before they are parsed: without tables and footnotes, with lists as Markdown knows them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from showtell.answer.reply.told import Told

_FRAME = "|+├└┌╞═─━│┃║╔╚╠"
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)+\|?\s*$|\s*(?:\+[-=+]{3}|[├└┌╞═─━│┃║╔╚╠])")
_QUOTED_CODE = re.compile(r"`[^`]*`|\\\|")
_FENCE = re.compile(r"\s*(?:[-*+>]\s+|\d+[.)]\s+)?(```+|~~~+)")
_BULLET = re.compile(r"(\s*)[•‣◦▪●·–]\s+")
_COUNTED = re.compile(r"(\s*)(\d{1,3})[、．]\s*")
_NEXT_STEP = re.compile(r"\s*\d{1,3}[.)]\s")
# What a line may be that stands apart from its like though Markdown would join them.
_FORMS = {
    "label": re.compile(  # "Weight: 3 kg", "**Weight**: 3 kg"
        r"(?:(?:\*\*|__)[^*_]{1,60}(?:[:：](?:\*\*|__)|(?:\*\*|__) ?[:：])"
        r"|[^\W\da-z_][^:：.!?。！？]{0,40}[:：])(?:\s|(?<=：))\s*\S"
    ),
    "item": re.compile(r"(?:\([a-zA-Z\d]{1,4}|[a-zA-Z]|[ivx]{2,4})\)\s+\S"),  # "a) Rinse it", "(1) Rinse it"
    "row": re.compile(r".*?\S(?: {3,}| ?\| ?)\S"),  # of a table without a frame
}
_CITED_END = re.compile(r"\[\^?\d{1,4}\]\s*$")
_STARTS = re.compile(r"\s*[*_]{0,2}[^\W\d_a-zß-öø-ÿ]")
_ENDS = re.compile(r"[.!?:;)\]}>。！？：；][*_`]*\s*$")
_FOOTNOTE = re.compile(r"\s*\[\^\w{1,20}\]:|\s*\[\w{1,20}\]:\s*<?(?:https?:|www\.)")


def markdown_lines(text: str, told: Told, known: Collection[str] = ()) -> str:
    """The text without tables and footnotes, with the bullets and numbers that Markdown knows.

    ``known`` are the addresses of the sources, which no warning is for.
    """
    return "\n".join(_kept(_from_html(text, told).split("\n"), told, known))


def is_drawn(code: str) -> bool:
    """Whether a code block holds nothing but a table."""
    lines = [line.strip() for line in code.split("\n") if line.strip()]
    return bool(lines) and all(line[0] in _FRAME and _is_row(line) for line in lines)


def _kept(lines: Sequence[str], told: Told, known: Collection[str]) -> Iterator[str]:
    fence = before = ""
    rows: list[str] = []
    for line, after in zip([*lines, ""], [*lines[1:], "", ""], strict=True):
        opening = _FENCE.match(line)
        if opening and not (fence and not opening[1].startswith(fence)):
            fence = "" if fence else opening[1]
        elif not fence and _is_row(line):
            rows.append(line)
            continue
        if _is_table(rows):
            told.note("table")
            rows = [""]
        yield from rows if len(rows) == 1 else _parted(rows)
        rows = []
        if fence:
            yield line
        elif _FOOTNOTE.match(line):
            _tell_addresses(line, told, known)
        else:
            listed = _COUNTED.sub(r"\1\2. ", _BULLET.sub(r"\1- ", line, count=1), count=1)
            if _stands_apart(line, before, after) or (_NEXT_STEP.match(listed) and _ENDS.search(before)):
                yield ""  # Markdown takes a number behind a line of text for a step only where it is 1
            yield listed if listed.strip() else ""
        before = line


def _parted(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield from ("", line)


def _stands_apart(line: str, before: str, after: str) -> bool:
    """Whether a line is evidently none with that before it: it is one of several alike, or begins behind one's end."""
    own, above = _forms(line), _forms(before)
    begins = _STARTS.match(line) and (above or _CITED_END.search(before))
    return bool(begins or own & (above | _forms(after)))


def _forms(line: str) -> set[str]:
    bare = _QUOTED_CODE.sub("", line).strip()
    return {name for name, form in _FORMS.items() if form.match(bare)}


def _tell_addresses(footnote: str, told: Told, known: Collection[str]) -> None:
    for address in re.findall(r"(?:https?://|www\.)[^\s<>]+", footnote):
        if address not in known:
            told.note("address", address)


def _from_html(text: str, told: Told) -> str:
    """HTML paragraphs and lists as Markdown ones, where the reply holds no code that could show them."""
    if "`" in text or not re.search(r"<(?:p|li|h[1-6])\b|(?:<br\s*/?>\s*){2}", text):
        return text
    told.note("markup", "<p>" if "<br" not in text else "<br>")
    text = re.sub(r"\s*<li\b[^<>]{0,200}>\s*", "\n- ", text)
    return re.sub(r"</?(?:p|div|ul|ol|li|h[1-6]|br|section|article)\b[^<>]{0,200}>", "\n\n", text)


def _is_row(line: str) -> bool:
    bare = _QUOTED_CODE.sub("", line).strip()
    return bool("|" in bare or "\t" in bare or _TABLE_RULE.match(bare))


def _is_table(rows: Sequence[str]) -> bool:
    """Whether neighbouring lines with pipes, tabs or box characters are rows of a table."""
    bare = [_QUOTED_CODE.sub("", row).strip() for row in rows]
    framed = any(row.lstrip("> ").startswith("|") and row.count("|") > 1 for row in bare)
    ruled = any(_TABLE_RULE.match(row) for row in bare) and len(rows) > 1
    many = len(rows) > 1 and all(row.count("|") > 1 or "\t" in row for row in bare)
    return framed or ruled or many
