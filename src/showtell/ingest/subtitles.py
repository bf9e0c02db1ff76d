"""Subtitle files (WebVTT, SubRip) to cues, as forgiving as players are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import unescape
from itertools import pairwise

from showtell.errors import SourceError
from showtell.ingest.decode import decode
from showtell.types import Cue

STAMP = r"(?:(?P<{0}h>\d+):)?(?P<{0}m>\d{{1,3}}):(?P<{0}s>\d{{1,2}})(?:[.,:](?P<{0}f>\d{{1,9}}))?"
TIMING = re.compile(rf"\s*{STAMP.format('a')}\s*--?>\s*{STAMP.format('b')}(?:\s|$)", re.ASCII)
INLINE_TIME = re.compile(r"<\d+:[\d:.]+>")
TAG = re.compile(r"</?[A-Za-z][^<>\n]*>|<\d+:[\d:.]+>|</>|\{\\[^{}\n]*\}|\{/?[biuBIU]\}")
TOUCHING = 0.1  # seconds between cues that follow each other without a pause


@dataclass(frozen=True, slots=True)
class _Lines:
    start: float
    end: float
    lines: tuple[str, ...]


def read_cues(data: bytes) -> tuple[Cue, ...]:
    """The cues of a WebVTT or SRT file in order of their start; times in seconds, text without markup.

    Rolling captions, in which each cue repeats the line before, come out with every line once.

    Raises:
        SourceError: there is not a single timed line.
    """
    text, _ = decode(data)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    raw = list(_timed(lines, vtt=text.lstrip("\ufeff \n").startswith("WEBVTT")))
    if not raw:
        raise SourceError("no timed line was found; a subtitle file has lines like 00:00:01.000 --> 00:00:03.000")
    found = sorted((cue for cue in raw if cue.lines), key=lambda cue: cue.start)
    if _is_rolling(found, inline_times=bool(INLINE_TIME.search(text))):
        found = _unrolled(found)
    return tuple(Cue(cue.start, cue.end, " ".join(cue.lines)) for cue in found)


def _timed(lines: list[str], vtt: bool) -> Iterator[_Lines]:
    """Every timing line with the lines of text under it."""
    timings = [(number, found) for number, line in enumerate(lines) if "-" in line and (found := TIMING.match(line))]
    ends = [*(number for number, _ in timings[1:]), len(lines)]
    for (number, found), following in zip(timings, ends, strict=False):
        block = lines[number + 1 : following]
        if following < len(lines) and block and block[-1].strip().isdecimal():
            block.pop()  # the number of the next cue
        if vtt and "" in block:
            block = block[: block.index("")]  # what follows is a name, a note or a style
        words = tuple(clean for line in block if (clean := _clean(line)))
        start = _seconds(found, "a")
        yield _Lines(start, max(start, _seconds(found, "b")), words)


def _seconds(found: re.Match[str], side: str) -> float:
    hours, minutes, seconds = (int(found[side + unit] or 0) for unit in "hms")
    fraction = float("0." + (found[side + "f"] or "0"))
    return round(hours * 3600 + minutes * 60 + seconds + fraction, 3)


def _clean(line: str) -> str:
    return " ".join(unescape(TAG.sub("", line)).replace("\\N", " ").split())


def _continues(before: _Lines, cue: _Lines) -> bool:
    return cue.start - before.end <= TOUCHING and cue.lines[0] == before.lines[-1]


def _is_rolling(cues: list[_Lines], inline_times: bool) -> bool:
    repeats = sum(_continues(before, cue) and len(cue.lines) > 1 for before, cue in pairwise(cues))
    return repeats > (0 if inline_times else 1)


def _unrolled(cues: list[_Lines]) -> list[_Lines]:
    kept: list[_Lines] = []
    before: _Lines | None = None
    for cue in cues:
        new = cue.lines[_repeated(before, cue) :] if before else cue.lines
        if new:
            kept.append(replace(cue, lines=new))
        elif kept:
            kept[-1] = replace(kept[-1], end=max(kept[-1].end, cue.end))
        before = cue
    return kept


def _repeated(before: _Lines, cue: _Lines) -> int:
    """How many first lines of a cue are the last lines of the one before."""
    if cue.start - before.end > TOUCHING:
        return 0
    most = min(len(before.lines), len(cue.lines))
    return next((count for count in range(most, 0, -1) if before.lines[-count:] == cue.lines[:count]), 0)
