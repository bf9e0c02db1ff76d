"""The nouns of showtell: frozen values that every layer passes on. Standard library only.

Scores: higher is better. Ranks start at 1. Text spans are half-open character offsets. Times are seconds from the
start. A document's parts, in reading order: ``Document > Section > Block``; a block is a Text, Image, Table or Video.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ClassVar, Literal

TextKind = Literal["paragraph", "step", "item", "term", "definition", "code", "note", "quote"]
HeadingPath = tuple[str, ...]


# ------------------------------------------------------------------------------------------------ what a source holds
@dataclass(frozen=True, slots=True)
class Cue:
    """One line of a transcript, heard from ``start`` to ``end`` seconds."""

    start: float
    end: float
    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph, list item, step, term, definition, code block, note or quote.

    ``text`` is plain. ``markdown`` holds the same words with emphasis, code and links, or "" where it would be equal.
    ``label`` is what a list shows before the item ("3." or "•"); ``depth`` counts the lists around it, from 1.
    A second paragraph of a list item keeps the item's ``kind`` and ``depth`` and has no label.
    """

    type: ClassVar[str] = "text"
    text: str
    kind: TextKind = "paragraph"
    label: str = ""
    depth: int = 0
    markdown: str = ""


@dataclass(frozen=True, slots=True)
class Image:
    """``ref`` is the address as written, ``source`` the resolved path, URL or ``asset:<sha256>``; sizes are pixels.

    ``credit`` and ``licence`` are the picture's own, where its source tells them apart from the document's.
    """

    type: ClassVar[str] = "image"
    ref: str
    source: str
    alt: str = ""
    caption: str = ""
    title: str = ""
    asset: str | None = None
    width: int | None = None
    height: int | None = None
    credit: str | None = None
    licence: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Cells are plain text; every row is as wide as the header, spans are filled. An empty header is ``()``."""

    type: ClassVar[str] = "table"
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    ref: str = ""


@dataclass(frozen=True, slots=True)
class Video:
    """``source`` is the canonical watch, embed or file address; ``captions`` the address of its transcript's file."""

    type: ClassVar[str] = "video"
    ref: str
    source: str
    title: str = ""
    caption: str = ""
    start: float | None = None
    end: float | None = None
    poster: str | None = None
    captions: str | None = None
    asset: str | None = None
    cues: tuple[Cue, ...] = ()


MediaBlock = Image | Table | Video
Block = Text | MediaBlock


@dataclass(frozen=True, slots=True)
class Section:
    """A heading path and what stands under it, up to the next heading; ``anchor`` is the heading's id in the page."""

    path: HeadingPath
    blocks: tuple[Block, ...]
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A media item that was left out, and why."""

    type: str
    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class Document:
    """One page or file as the reader understood it.

    ``source`` is the absolute path or URL; ``name`` is how the user knows it: the path relative to the added folder, or
    the URL. ``files`` maps an asset name (``<sha256>.png``) to where its bytes are: a path, or the bytes themselves.
    """

    source: str
    name: str
    title: str
    language: str
    sections: tuple[Section, ...]
    description: str = ""
    url: str | None = None
    licence: str | None = None
    revision: str | None = None
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[str, ...] = ()
    files: Mapping[str, str | bytes] = field(default_factory=dict)


# -------------------------------------------------------------------------------------------------- what is searched
@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch ``[first, last)`` of one section's blocks, or the seconds ``start`` to ``end`` of a video's transcript.

    ``text`` is what is quoted; ``id`` and ``section_id`` are the store's row numbers.
    """

    id: int
    section_id: int
    document: str
    title: str
    section: HeadingPath
    text: str
    first: int
    last: int
    language: str = ""
    start: float | None = None
    end: float | None = None
    url: str | None = None
    licence: str | None = None
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class Media:
    """An image, table or video at its place: block number ``position`` of a section; ``id`` is a content hash.

    ``before`` and ``after`` are the text around it, about 400 characters in all. ``generated`` is what the model
    ``generated_by`` said of it, never the author's words: it helps search, and is shown only under the model's name.
    """

    id: str
    section_id: int
    document: str
    title: str
    section: HeadingPath
    position: int
    block: MediaBlock
    before: str = ""
    after: str = ""
    credit: str | None = None
    licence: str | None = None
    generated: str = ""
    generated_by: str = ""


@dataclass(frozen=True, slots=True)
class Moment:
    """A sentence or so of a video's transcript; ``score`` is how well it and its neighbours fit a question."""

    start: float
    end: float
    text: str
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found: ``score`` is the fused one, ``dense`` the cosine, ``lexical`` BM25 (0 if no word was met)."""

    passage: Passage
    score: float
    dense: float
    lexical: float


@dataclass(frozen=True, slots=True)
class MediaHit:
    """A media item found by a search, scored like a :class:`Hit`."""

    media: Media
    score: float
    dense: float
    lexical: float


@dataclass(frozen=True, slots=True)
class PictureHit:
    """A stored picture that looks like a given one, and how surely the two show the same, 0 to 1."""

    asset: str
    score: float


# --------------------------------------------------------------------------------------------------- what is answered
@dataclass(frozen=True, slots=True)
class Question:
    """A question in words; ``images`` are the SHA-256 of pictures asked with it."""

    text: str
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence, step or list item of a draft, in limited Markdown, with the passages that support it.

    ``section_id`` and ``position`` say where an extractive claim stands in its source; both None for a written one.
    A ``heading`` says nothing by itself: it only leads to the figures that follow it. A claim that ``follows`` goes on
    in the block of the claim before it.
    """

    text: str
    passages: tuple[Passage, ...]
    score: float = 0.0
    section_id: int | None = None
    position: int | None = None
    heading: bool = False
    follows: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A media item chosen for an answer; ``claim`` is the index of the claim it follows.

    A video plays from ``start`` to ``end``; a table is already cut to the rows that matter, of ``rows_total``.
    """

    media: Media
    claim: int
    reason: str
    score: float
    passage: Passage
    start: float | None = None
    end: float | None = None
    rows_total: int | None = None


@dataclass(frozen=True, slots=True)
class TextPart:
    """One block of an answer: a paragraph, list item or step in limited Markdown, its citations inline as ``[n]``."""

    text: str
    citations: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FigurePart:
    """A media item shown at this place of an answer, and why."""

    media: Media
    citations: tuple[int, ...]
    reason: str
    score: float
    start: float | None = None
    end: float | None = None
    rows_total: int | None = None


Part = TextPart | FigurePart


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage that a part uses; numbered from 1 in reading order."""

    number: int
    document: str
    title: str
    section: HeadingPath
    text: str
    url: str | None = None
    licence: str | None = None
    revision: str | None = None
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Check:
    """What verification found: ``span`` are offsets in the text of part number ``part`` (from 0)."""

    kind: Literal["number", "quotation", "support"]
    verdict: Literal["supported", "unsupported", "contradicted"]
    part: int
    span: tuple[int, int]
    text: str
    expected: str | None = None
    citation: int | None = None
    action: Literal["repaired", "marked", "none"] = "none"


@dataclass(frozen=True, slots=True)
class Nearest:
    """A section worth a look although it does not answer the question."""

    document: str
    title: str
    section: HeadingPath
    score: float


@dataclass(frozen=True, slots=True)
class Answer:
    """Text and figures in reading order, with citations and checks."""

    SCHEMA: ClassVar[str] = "showtell.answer/1"
    question: Question
    status: Literal["answered", "no_answer"]
    confidence: str
    method: str
    model: str
    parts: tuple[Part, ...]
    citations: tuple[Citation, ...] = ()
    checks: tuple[Check, ...] = ()
    searches: tuple[str, ...] = ()
    nearest: tuple[Nearest, ...] = ()
    warnings: tuple[str, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    requests: Mapping[str, int] = field(default_factory=dict)


# ------------------------------------------------------------------------------------------------------------ as JSON
def as_json(value: Any) -> Any:
    """Dataclasses to dicts by field name, tuples to lists; an Answer, its parts and media as their contract says."""
    if isinstance(value, Answer):
        return {"schema": Answer.SCHEMA} | _plain(value)
    if isinstance(value, TextPart):
        return {"type": "text"} | _plain(value)
    if isinstance(value, FigurePart):
        return {"type": value.media.block.type} | _figure(value)
    if isinstance(value, Media):
        return _media(value)
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(value)
    if isinstance(value, Mapping):
        return {str(k): as_json(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return [as_json(v) for v in value]
    return round(value, 4) if isinstance(value, float) else value


def _plain(value: Any) -> dict[str, Any]:
    shown: dict[str, Any] = {f.name: as_json(getattr(value, f.name)) for f in fields(value)}
    return shown


def _figure(part: FigurePart) -> dict[str, Any]:
    shown = _plain(part)
    if not isinstance(part.media.block, Video):
        del shown["start"], shown["end"]
    if not isinstance(part.media.block, Table):
        del shown["rows_total"]
    return shown


def _media(media: Media) -> dict[str, Any]:
    shown = _plain(media)
    block: dict[str, Any] = shown.pop("block")
    for hidden in ("section_id", "before", "after"):
        del shown[hidden]
    block.pop("cues", None)
    for own in ("credit", "licence"):  # the media's, which are the block's where it has them
        block.pop(own, None)
    if isinstance(media.block, Video):  # the part says which seconds are shown
        del block["start"], block["end"]
    document_title = shown.pop("title")
    return shown | block | {"document_title": document_title}
