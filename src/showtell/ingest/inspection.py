"""What ``showtell inspect --json`` prints of one document."""

from __future__ import annotations

from typing import Any

from showtell.types import Block, Cue, Document, Image, Table, Text, Video

PAUSE = 2.0  # seconds of silence that begin a new paragraph of a transcript
LINES = 8  # cues in a paragraph of a transcript at most


def inspection(document: Document) -> dict[str, Any]:
    """The document as the inspection JSON; a video's transcript follows it as paragraphs of text."""
    return {
        "source": document.source,
        "title": document.title,
        "language": document.language,
        "sections": [
            {"path": list(section.path), "blocks": [shown for block in section.blocks for shown in _shown(block)]}
            for section in document.sections
        ],
        "dropped": [
            {"type": dropped.type, "source": dropped.source, "reason": dropped.reason} for dropped in document.dropped
        ],
        "warnings": list(document.warnings),
    }


def _shown(block: Block) -> list[dict[str, Any]]:
    if isinstance(block, Text):
        return [_fields(block, "text")]
    if isinstance(block, Image):
        return [_fields(block, "source", "ref", "alt", "caption", "title")]
    if isinstance(block, Table):
        rows = [list(row) for row in block.rows]
        return [{"type": "table", "caption": block.caption, "header": list(block.header), "rows": rows}]
    transcript = [{"type": "text", "text": words} for words in _paragraphs(block.cues)]
    return [_fields(block, "source", "start", "end", "poster", "captions", "caption", "title"), *transcript]


def _fields(block: Text | Image | Video, *names: str) -> dict[str, Any]:
    return {"type": block.type} | {name: getattr(block, name) for name in names}


def _paragraphs(cues: tuple[Cue, ...]) -> list[str]:
    paragraphs: list[list[str]] = []
    heard = float("-inf")
    for cue in cues:
        if not paragraphs or cue.start - heard > PAUSE or len(paragraphs[-1]) >= LINES:
            paragraphs.append([])
        paragraphs[-1].append(cue.text)
        heard = cue.end
    return [" ".join(lines) for lines in paragraphs]
