"""How a reply ends and what it amounts to: an answer, the word that there is none, or a refusal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from showtell.answer.reply.blocks import Block
from showtell.answer.reply.phrases import phrase
from showtell.answer.reply.wording import Sentence

LONGEST_REFUSAL = 3  # sentences
REFERENCE_WORDS = 8  # a line of a list of sources has at most so many, or no citation behind it


def stance(said: Iterable[Sentence]) -> Literal["answer", "absent", "declined"]:
    """``absent`` where the reply only says that the passages lack it, ``declined`` where the model will not."""
    worded = [each for each in said if each.plain]
    absent, refuses = (
        [bool(phrase(kind).search(each.plain.replace("’", "'"))) for each in worded] for kind in ("absent", "refusal")
    )
    if not worded or any(each.citations and not missing for each, missing in zip(worded, absent, strict=True)):
        return "answer"
    if absent[0] or (refuses[0] and any(absent[:2])):
        return "absent"
    return "declined" if refuses[0] and len(worded) <= LONGEST_REFUSAL else "answer"


def without_sources(blocks: list[Block]) -> list[Block]:
    """The blocks without the list of sources that a model likes to end with."""
    title = re.compile(rf"(?:{phrase('sources').pattern})\s*(?:[:：]|$)", re.IGNORECASE)
    for at, block in enumerate(blocks):
        if at and title.match(block.plain) and all(map(_is_reference, blocks[at + 1 :])):
            return blocks[:at]
    return blocks


def _is_reference(block: Block) -> bool:
    runs = [run for each in block.sentences for run in each.runs if run.citation or run.text.strip()]
    leads = bool(runs and runs[0].citation)
    return leads or not any(run.citation for run in runs) or len(block.plain.split()) <= REFERENCE_WORDS


def drop_unfinished(blocks: list[Block], is_cut: bool, keep_only: bool) -> bool:
    """Whether the last sentence broke off and was dropped; the only one stays where ``keep_only``."""
    worded = [
        (block, n) for block in blocks for n, each in enumerate(block.sentences) if each.plain and not block.level
    ]
    if not worded or (blocks[-1].code and not is_cut):
        return False
    block, number = worded[-1]
    before = [block.sentences[n] for block, n in worded[:-1]]
    if block.sentences[number].is_finished or not (before or (is_cut and not keep_only)):
        return False
    if not is_cut and not all(each.is_finished for each in before):
        return False
    block.sentences[number] = Sentence(tuple(run for run in block.sentences[number].runs if run.marker))
    return True


def without_idle_headings(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks without headings that nothing follows."""
    kept: list[Block] = []
    for block in reversed(blocks):
        if not block.level or (kept and not 0 < kept[-1].level <= block.level):
            kept.append(block)
    return reversed([block for block in kept if block.code or any(each.runs for each in block.sentences)])
