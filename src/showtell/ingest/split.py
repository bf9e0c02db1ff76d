"""A Document into what is searched: passages of about 180 words, and media with the text around them.

A passage never crosses a section. Long paragraphs are cut between sentences, tables between rows; a cut table's header
is repeated.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from showtell.index.terms import is_cjk, words
from showtell.types import Cue, Document, HeadingPath, Image, MediaBlock, Section, Table, Text, Video

CONTEXT_BEFORE, CONTEXT_AFTER = 260, 140  # characters; about 400 in all carried most of the signal, 800 lost precision
CUE_WINDOW = 45.0  # seconds of transcript in one passage
LONGEST_MOMENT = 20.0  # seconds of one moment of a transcript
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)\]」』]*$")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|fig|figs|st|dr|mr|mrs|ms|prof|inc|ltd|jr|sr|al|min|max|z\.\s?b|d\.\s?h|bzw|ca|nr"
    r"|u\.\s?a|usw|evtl|inkl|abs|art|p|pp|vol|ed|eq|sec)|\b[A-Za-z])\.$",
    re.IGNORECASE,
)
_MONTH = (
    r"(?:jan|feb|mär|apr|aug|sept?|o[ck]t|nov|de[cz]|janv|févr|avr|juil|déc|ene|abr|ago|dic)\.?"
    r"|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember"
)
_DATE = re.compile(
    rf"(?:\b(?:{_MONTH})(?<=\.)\s+(?=\d)|(?<![\d.,])\d{{1,2}}\.\s+(?=(?:{_MONTH})(?!\w)))", re.IGNORECASE
)
_BREAK = re.compile(r"(?<=[.!?…])[\"'”’)\]*_]*\s+(?=[\"'“‘(\[]?[^\sa-zà-öø-ÿ])|(?<=[。！？])[”’」』）]*|\n+")


@dataclass(frozen=True, slots=True)
class PassageText:
    """A passage before it is stored: blocks ``[first, last)`` of section number ``section``."""

    section: int
    first: int
    last: int
    text: str
    start: float | None = None
    end: float | None = None


@dataclass(frozen=True, slots=True)
class MediaPlace:
    """A media item before it is stored: block number ``position`` of section number ``section``."""

    id: str
    section: int
    position: int
    block: MediaBlock
    before: str
    after: str
    description: str


@dataclass(frozen=True, slots=True)
class MomentText:
    """A sentence or so of the transcript of the video at block ``position``; ``around`` is it and its neighbours."""

    section: int
    position: int
    start: float
    end: float
    text: str
    around: str


@dataclass(frozen=True, slots=True)
class Pieces:
    """All that is searched of one document."""

    document: Document
    passages: tuple[PassageText, ...]
    media: tuple[MediaPlace, ...]
    moments: tuple[MomentText, ...] = ()


def split(document: Document, passage_words: int = 180) -> Pieces:
    """Passages and media of a document, in reading order; its tables get their ``ref`` ``<document>#table:N``."""
    document = _number_tables(document)
    passages: list[PassageText] = []
    media: list[MediaPlace] = []
    moments: list[MomentText] = []
    for number, section in enumerate(document.sections):
        passages += _section_passages(number, section, passage_words)
        media += _section_media(document, number, section)
        moments += _section_moments(number, section)
    return Pieces(document, tuple(passages), tuple(media), tuple(moments))


def heading(title: str, path: HeadingPath) -> str:
    """The title and heading path that stand in front of a passage when it is encoded."""
    parts = [title, *path] if title and (not path or path[0].casefold() != title.casefold()) else list(path)
    return " > ".join(parts)


def sentences(text: str) -> list[str]:
    """A text's sentences, in every script; abbreviations, initials and the dots of a date end none."""
    found: list[str] = []
    start = 0
    dates = {date.end() for date in _DATE.finditer(text)}
    for gap in _BREAK.finditer(text):
        head = text[start : gap.end()].strip()
        if not head or ((gap.end() in dates or _ABBREVIATION.search(head)) and "\n" not in gap.group()):
            continue
        found.append(head)
        start = gap.end()
    tail = text[start:].strip()
    return [*found, tail] if tail else found


def word_count(text: str) -> int:
    """Words of a text; two CJK characters count as one."""
    found = words(text)
    return len(found) if text.isascii() else sum((len(word) + 1) // 2 if is_cjk(word) else 1 for word in found)


def row_text(row: Iterable[str]) -> str:
    """A table row as it stands in a passage."""
    return " | ".join(row)


def block_text(block: Text) -> str:
    """A text block as it stands in a passage, its list label in front."""
    return f"{block.label} {block.text}" if block.label else block.text


# -------------------------------------------------------------------------------------------------------- passages
@dataclass(frozen=True, slots=True)
class _Unit:
    """What is never cut: a paragraph or one of its sentences, a list item, a table row."""

    block: int
    text: str
    header: str = ""  # repeated when a passage begins inside the table
    leads: bool = False  # to the next unit, from which it is not cut: a term, or what ends with a colon


def _section_passages(number: int, section: Section, limit: int) -> Iterator[PassageText]:
    units = [unit for position in range(len(section.blocks)) for unit in _units(section, position, limit)]
    for packed in _pack(units, limit):
        lines = [packed[0].header] if packed[0].header else []
        text = "\n".join([*lines, *(unit.text for unit in packed)])
        yield PassageText(number, packed[0].block, packed[-1].block + 1, text)
    if not units and section.blocks:
        text = ". ".join([*section.path[-1:], *filter(None, map(_label, section.blocks))])
        yield PassageText(number, 0, len(section.blocks), text)
    for position, block in enumerate(section.blocks):
        if isinstance(block, Video):
            for cues in _windows(block.cues):
                text = " ".join(cue.text for cue in cues)
                yield PassageText(number, position, position + 1, text, cues[0].start, cues[-1].end)


def _units(section: Section, position: int, limit: int) -> Iterator[_Unit]:
    block = section.blocks[position]
    if isinstance(block, Text):
        whole = block_text(block)
        pieces = [whole] if block.kind == "code" or word_count(whole) <= limit else sentences(whole)
        yield from (_Unit(position, p, leads=block.kind == "term" or p.endswith((":", "："))) for p in pieces)
    elif isinstance(block, Table):
        header = row_text(block.header) if any(block.header) else ""
        lines = [line for line in (block.caption, header) if line]
        repeated = "\n".join(lines)
        for index, row in enumerate(block.rows):
            text = row_text(row)
            yield _Unit(position, f"{repeated}\n{text}" if index == 0 and repeated else text, repeated if index else "")


def _pack(units: list[_Unit], limit: int) -> list[list[_Unit]]:
    packs: list[list[_Unit]] = []
    size = 0
    for unit in units:
        count = word_count(unit.text)
        if packs and (size + count <= limit or (packs[-1][-1].leads and size <= limit)):
            packs[-1].append(unit)
            size += count
        else:
            packs.append([unit])
            size = count
    if len(packs) > 1 and size < limit // 5:  # a short rest says little alone
        rest = packs.pop()
        packs[-1].extend(rest)
    return packs


def _windows(cues: tuple[Cue, ...]) -> list[tuple[Cue, ...]]:
    found: list[list[Cue]] = []
    for cue in cues:
        if found and cue.end - found[-1][0].start <= CUE_WINDOW:
            found[-1].append(cue)
        else:
            found.append([cue])
    return [tuple(window) for window in found]


def _section_moments(number: int, section: Section) -> Iterator[MomentText]:
    for position, block in enumerate(section.blocks):
        spoken = _spoken(block.cues) if isinstance(block, Video) else []
        for at, cue in enumerate(spoken):
            around = " ".join(near.text for near in spoken[max(0, at - 1) : at + 2])
            yield MomentText(number, position, cue.start, cue.end, cue.text, around)


def _spoken(cues: Iterable[Cue]) -> list[Cue]:
    """Cues joined until a sentence ends, or until they are long enough where the transcript has no full stops."""
    joined: list[Cue] = []
    for cue in cues:
        last = joined[-1] if joined else None
        if last and not _SENTENCE_END.search(last.text) and cue.end - last.start <= LONGEST_MOMENT:
            joined[-1] = Cue(last.start, cue.end, f"{last.text} {cue.text}")
        else:
            joined.append(cue)
    return joined


# ----------------------------------------------------------------------------------------------------------- media
def _number_tables(document: Document) -> Document:
    number = 0
    sections = []
    for section in document.sections:
        blocks = []
        for block in section.blocks:
            if isinstance(block, Table):
                number += 1
                block = replace(block, ref=f"{document.name}#table:{number}")
            blocks.append(block)
        sections.append(replace(section, blocks=tuple(blocks)))
    return replace(document, sections=tuple(sections))


def _section_media(document: Document, number: int, section: Section) -> Iterator[MediaPlace]:
    for position, block in enumerate(section.blocks):
        if isinstance(block, Text):
            continue
        before = _row_of(section, position) or _clip_start(_texts(section, range(position)), CONTEXT_BEFORE)
        after = _clip_end(_texts(section, range(position + 1, len(section.blocks))), CONTEXT_AFTER)
        place = f"{document.name}|{number}|{position}|{block.type}|{block.ref}"
        key = hashlib.sha256(place.encode()).hexdigest()[:16]
        yield MediaPlace(key, number, position, block, before, after, describe(block))


def _row_of(section: Section, position: int) -> str:
    """The table row that a picture stands in, told by its alternative text in a cell; "" for any other medium."""
    block = section.blocks[position]
    tables = [each for each in section.blocks[:position][::-1] if not isinstance(each, Image)][:1]
    if not isinstance(block, Image) or not block.alt or not tables or not isinstance(tables[0], Table):
        return ""
    return next((row_text(row) for row in tables[0].rows if any(block.alt in cell for cell in row)), "")


def describe(block: MediaBlock, generated: str = "") -> str:
    """What a media item says of itself: caption, alternative text, title, a model's words, file name or cells."""
    if isinstance(block, Table):
        cells = " ".join(row_text(row) for row in block.rows)
        return ". ".join(filter(None, [block.caption, generated, row_text(block.header), _clip_end(cells, 300)]))
    stem = "" if block.ref.startswith("data:") else PurePosixPath(re.split(r"[?#]", block.ref)[0]).stem
    spoken = " ".join(words(stem.replace("_", " ")))
    alt = block.alt if isinstance(block, Image) else ""
    return ". ".join(dict.fromkeys(filter(None, [block.caption, alt, block.title, generated, spoken])))


def _label(block: object) -> str:
    return describe(block) if isinstance(block, (Image, Video)) else ""


def _texts(section: Section, positions: Iterable[int]) -> str:
    blocks = (section.blocks[position] for position in positions)
    return " ".join(block_text(block) for block in blocks if isinstance(block, Text))


def _clip_start(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[-limit:].partition(" ")[2]


def _clip_end(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit].rpartition(" ")[0]
