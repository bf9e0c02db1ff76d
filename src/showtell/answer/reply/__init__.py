"""What a chat model replied, as blocks of limited Markdown and markers of media. Nothing of it is trusted.

Only words, emphasis, code, lists, citations of the given passages and markers of the offered media get through. The
reply's own pictures, links, addresses, markup and tables are left out, and so is what breaks off; ``warnings`` tell it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from showtell.answer.reply.blocks import NO_ANSWER, Block, Reader
from showtell.answer.reply.endings import drop_unfinished, stance, without_idle_headings, without_sources
from showtell.answer.reply.told import Told
from showtell.answer.reply.unwrap import unwrap
from showtell.answer.reply.wording import written

_ACTIVE_FIRST = re.compile(r"^(\d{1,9}(?=[.)](?:\s|$))|(?=[-+](?:\s|$)|>|#{1,6}(?:\s|$)|~~~))")


@dataclass(frozen=True, slots=True)
class Marker:
    """The place of a medium that was offered to the model."""

    id: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply as far as it can be used, in order; each text is one paragraph, list item, step or code block.

    ``says_no_answer`` where the model says that the passages do not hold the answer; then there are no pieces. There
    are none either where the model declined or nothing is left, which ``warnings`` tell. ``misnames`` where it names a
    medium that was not offered, and perhaps means one that was.
    """

    pieces: tuple[str | Marker, ...]
    says_no_answer: bool
    warnings: tuple[str, ...]
    misnames: bool = False


def read_reply(text: str, passages: Sequence[str], media: Collection[str] = (), *, is_whole: bool = False) -> Reply:
    """Read a model's raw reply.

    ``passages[i]`` is the text of passage number ``i + 1``; ``media`` are the ids that were offered, met in any case.
    ``is_whole`` where the reply is too short to have been cut by its bound: its last words are then no broken sentence.
    Citations come back as ``[n]`` marks, one number each, in front of their sentence's full stop.
    """
    told = Told()
    pieces, says_no_answer = _read(text, Reader(passages, media, told), told, is_whole)
    return Reply(pieces, says_no_answer, told.sentences(), told.has("marker"))


def _read(text: str, reader: Reader, told: Told, is_whole: bool) -> tuple[tuple[str | Marker, ...], bool]:
    if not text.strip():
        told.note("empty")
        return (), False
    meant = unwrap(text)
    if meant.is_long:
        told.note("long")
    if NO_ANSWER.match(meant.text):
        return (), True
    blocks = without_sources(list(reader.blocks(meant.text)))
    means = stance([each for block in blocks for each in block.sentences])
    if means == "declined":
        told.note(means)
    if means != "answer":
        return (), means == "absent"
    may_be_cut = meant.is_cut or not is_whole
    if may_be_cut and drop_unfinished(blocks, meant.is_cut, keep_only=not meant.is_json) and not meant.is_long:
        told.note("cut")
    pieces = tuple(_pieces(without_idle_headings(blocks)))
    if any(isinstance(piece, str) for piece in pieces):
        return pieces, False
    told.note("json" if meant.is_json else "nothing")
    return (), False


def _pieces(blocks: Iterable[Block]) -> Iterator[str | Marker]:
    """Texts and markers in order; a marker within a block divides it behind the sentence that names it."""
    for block in blocks:
        if block.code:
            yield "\n".join([block.code, *(written(each, bold=True) for each in block.sentences if each.citations)])
            yield from (Marker(marker) for each in block.sentences for marker in each.markers)
            continue
        label, text = block.label, ""
        for sentence in block.sentences:
            words = written(sentence, bold=not block.level)
            text += (" " if text and words and text[-1] not in "。！？" else "") + words
            if sentence.markers and text:
                yield _finished_block(text, label, block.level)
                label, text = "", ""
            yield from map(Marker, sentence.markers)
        if re.sub(r"\[\d+\]", "", text).strip(" .,;:"):  # citations alone support nothing
            yield _finished_block(text, label, block.level)


def _finished_block(text: str, label: str, level: int) -> str:
    if level:
        return f"**{text}**"
    return label + text if label else _ACTIVE_FIRST.sub(r"\1\\", text, count=1)
