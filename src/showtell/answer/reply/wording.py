"""A reply's sentences: runs of words, citations and media, and the limited Markdown that they are written in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from showtell.answer.reply.phrases import phrase
from showtell.index.terms import is_cjk
from showtell.ingest.split import sentences

_FINISHED = re.compile(r"[.!?…。！？:：;；][\"'”’»)\]」』）]*$")
_STOP = re.compile(r"[.!?…。！？:：]+$")
_QUOTED_STOP = re.compile(r"\.(?=[\"”’»」*_]+$)")
_ACTIVE = re.compile(r"\\(?=[!-/:-@\[-`{-~])|[`*\[\]]|<(?=[a-zA-Z/!?])|(?<!\w)_|_(?!\w)|&(?=#?\w+;)")
_IN_BRACKETS = re.compile(
    r"[(（]\s*(?P<before>[^()（）\[\]]{0,20}?)[:：]?\s*(?P<marks>\[\d+\](?:[ ,;]*\[\d+\])*)\s*[)）]"
)


@dataclass(frozen=True, slots=True)
class Run:
    """Words of one style, or the mark of a citation or a medium (then without words)."""

    text: str = ""
    bold: bool = False
    italic: bool = False
    code: bool = False
    citation: int = 0
    marker: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence's runs; the media that it names follow it."""

    runs: tuple[Run, ...]

    @property
    def plain(self) -> str:
        """Its words on one line."""
        return " ".join("".join(run.text for run in self.runs).split())

    @property
    def citations(self) -> tuple[int, ...]:
        """The passages that it cites, each once."""
        return tuple(dict.fromkeys(run.citation for run in self.runs if run.citation))

    @property
    def markers(self) -> tuple[str, ...]:
        """The media that follow it."""
        return tuple(run.marker for run in self.runs if run.marker)

    @property
    def is_finished(self) -> bool:
        """Whether it ends as sentences do, or with a citation."""
        worded = [run for run in self.runs if run.citation or run.text.strip()]
        return not worded or bool(worded[-1].citation or _FINISHED.search(self.plain))


def by_sentence(runs: Sequence[Run]) -> list[Sentence]:
    """Runs by sentence; a citation or marker belongs to the sentence before it, at the beginning to the first."""
    plain = "".join("x" * len(run.text) if run.code else run.text for run in runs)
    starts, at = [], 0
    for each in sentences(plain):
        at = plain.index(each, at)
        starts.append(at)
        at += len(each)
    groups: list[list[Run]] = [[]]
    upcoming = iter([*starts[1:], len(plain) + 1])
    border, at = next(upcoming), 0
    for run in runs:
        rest = run
        while at + len(rest.text) > border:
            groups[-1].append(replace(rest, text=rest.text[: border - at]))
            rest = replace(rest, text=rest.text[border - at :])
            groups.append([])
            at, border = border, next(upcoming)
        groups[-1].append(rest)
        at += len(rest.text)
    return [Sentence(tuple(group)) for group in _led(groups) if any(r.text or r.citation or r.marker for r in group)]


def _led(groups: list[list[Run]]) -> list[list[Run]]:
    """The groups with media that open the block apart, and citations moved on where each stands before its sentence."""
    first, last = ([run for run in group if run.text.strip() or run.citation] for group in (groups[0], groups[-1]))
    if len(groups) > 1 and first[:1] and first[0].citation and last and not last[-1].citation:
        for before, after in reversed(list(pairwise(groups))):
            behind: list[Run] = []
            while before and not before[-1].text.strip() and len(before) > 1:
                behind.insert(0, before.pop())
            after[:0] = behind
    opening = [run for run in groups[0][: _first_words(groups[0])] if run.marker]
    return [opening, [run for run in groups[0] if run not in opening], *groups[1:]] if opening else groups


def written(sentence: Sentence, bold: bool) -> str:
    """A sentence in limited Markdown; citations at either end of it stand before its full stop."""
    runs, ends = _parted([run for run in sentence.runs if run.text or run.citation])
    text = ""
    for (is_bold, is_italic, is_code, number), group in groupby(
        runs, lambda run: (run.bold and bold, run.italic, run.code, run.citation)
    ):
        mark = "**" * is_bold + "*" * is_italic
        text = _cited(text, [number]) if number else text + _styled(list(group), mark, is_code)
    text = re.sub(r"\s+", " ", _IN_BRACKETS.sub(_unbracketed, text)).strip()
    text = re.sub(r"\s+([.,;])(?=\s|$)", r"\1", text)
    text = re.sub(r"^[,;:]\s*(.)", lambda found: found[1].upper(), text)
    return re.sub(r"(\[\d+\])(?: ?\1)+", r"\1", _stopped(text, ends))


def _parted(runs: list[Run]) -> tuple[list[Run], list[int]]:
    """What a sentence says, and the citations at its ends; one that leads into it, as "[1] says", is part of it."""
    first = _first_words(runs)
    if runs and runs[first].text.lstrip(" :")[:1].islower():
        first = 0
    last = len(runs)
    while last > first and not runs[last - 1].text.strip():
        last -= 1
    return runs[first:last], [run.citation for run in (*runs[:first], *runs[last:]) if run.citation]


def _first_words(runs: Sequence[Run]) -> int:
    return next((n for n, run in enumerate(runs) if run.text.strip(" :")), 0)


def _styled(runs: Sequence[Run], mark: str, is_code: bool) -> str:
    words = "".join(run.text for run in runs)
    if is_code:
        ticks = "`" * (1 + max(map(len, re.findall("`+", words)), default=0))
        edge = " " if words[:1] == "`" or words[-1:] == "`" else ""
        words = f"{ticks}{edge}{words}{edge}{ticks}"
    else:
        words = _ACTIVE.sub(r"\\\g<0>", words)
    inner = words.strip()
    return words.replace(inner, f"{mark}{inner}{mark}", 1) if inner and mark else words


def _cited(text: str, numbers: Iterable[int]) -> str:
    for number in dict.fromkeys(numbers):
        text = text.rstrip()
        text += ("" if not text or text[-1] in "(（" or is_cjk(text[-1]) else " ") + f"[{number}]"
    return text


def _unbracketed(found: re.Match[str]) -> str:
    """Citations out of their brackets, and of "see" or "source" before them."""
    leads = rf"(?:{phrase('pointer').pattern}|{phrase('passage').pattern})\s*"
    is_led = not found["before"].strip() or re.fullmatch(leads, found["before"].strip(), re.IGNORECASE)
    return found["marks"] if is_led else found[0]


def _stopped(text: str, behind: Sequence[int]) -> str:
    """The text with the citations behind it set before its full stop, outside its quotation marks."""
    stop, quoted = _STOP.search(text), _QUOTED_STOP.search(text)
    if not behind:
        return text
    if stop:
        return _cited(text[: stop.start()], behind) + stop[0]
    if quoted:
        return _cited(text[: quoted.start()] + text[quoted.end() :], behind) + "."
    return _cited(text, behind)
