"""The extractive draft: sentences and steps that stand in the sources, verbatim, in the source's order, cited.

For a how-to the section's steps; otherwise the sentences that say most about the question, within a budget of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from showtell.answer.evidence import Ground
from showtell.index.search import Query
from showtell.index.terms import is_cjk
from showtell.ingest.split import sentences, word_count
from showtell.types import Claim, Moment, Passage, Text

TO_THE_POINT = 0.05  # share of the question's words that a sentence of a further section holds
ENOUGH = 40  # words of a section after which a further sentence must hold a word of the question …
DEFINING = 0.3  # … and at once, where one of them holds such a share of its words
INTRODUCTION_WORDS = 60  # of the text that leads to a figure
SPOKEN_WORDS = 90  # of a transcript
STEPS_WORDS = 260  # a run of steps longer than this is cut to the steps around the best one
ESCAPED = r"\\\1"
_MARKUP = re.compile(r"([\\`*_\[\]<>#~]|&(?=#?\w+;))")
_CODE_OR_NUMBER = re.compile(
    r"\\.|(?P<ticks>`+)(?!`)[\s\S]{1,2000}?(?<!`)(?P=ticks)(?!`)|\[(?P<number>\d{1,4})\](?:\([^()\s]*\))?"
)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence or a whole step at block ``position`` of a ground's section."""

    position: int
    order: int
    text: str
    markdown: str
    score: float
    words: int
    passage: Passage


def draft(query: Query, grounds: Sequence[Ground], wants_steps: bool, words: int) -> list[Claim]:
    """Claims from the grounds, the best ground's first; at least one of each ground."""
    claims: list[Claim] = []
    left = words
    for number, ground in enumerate(grounds):
        budget = max(30, int(left * (0.7 if number == 0 and len(grounds) > 1 else 1.0)))
        if ground.heard is not None:
            claims += _spoken_claim(ground, ground.heard, budget)
            continue
        units = list(_units(query, ground))
        if not units:
            claims += _bare_claim(ground)
            continue
        steps = _step_run(units, ground, wants_steps and not claims)
        picked = steps or _best(units, budget, everything=not claims and not _defines(units, ground))
        if claims and not query.is_foreign:
            picked = [unit for unit in picked if unit.score >= TO_THE_POINT]
        left -= sum(unit.words for unit in picked)
        claims += _claims(picked, ground, numbered=bool(steps))
    return claims


def introduce(
    query: Query, claims: Sequence[Claim], grounds: Sequence[Ground], media: Iterable[tuple[int, int]]
) -> list[Claim]:
    """The claims with the text that each medium stands under added where it is not yet told.

    ``media`` are places as section id and block number. Added claims stand in their section's order.
    """
    told = list(claims)
    by_id = {ground.section_id: ground for ground in grounds}
    for section, position in sorted(media):
        ground = by_id[section]
        before = [n for n, block in enumerate(ground.section.blocks[:position]) if isinstance(block, Text)]
        if not before or any(c.section_id == section and c.position == before[-1] for c in told):
            continue
        units = [unit for unit in _units(query, ground) if unit.position == before[-1]]
        while sum(unit.words for unit in units) > INTRODUCTION_WORDS and len(units) > 1:
            units.pop(0)
        at = _place_for(told, section, before[-1])
        told[at:at] = _claims(units, ground, numbered=True) if units else []
    return told


def _place_for(claims: Sequence[Claim], section: int, position: int) -> int:
    """Where a claim of this place belongs: behind those that stand before it in its section, or at the end."""
    own = [n for n, claim in enumerate(claims) if claim.section_id == section]
    earlier = [n for n in own if (claims[n].position or 0) < position]
    return earlier[-1] + 1 if earlier else own[0] if own else len(claims)


def _spoken_claim(ground: Ground, position: int, budget: int) -> Iterator[Claim]:
    """What is said in the segment that fits: its best moments within the budget, in their order."""
    segment = ground.segments.get(position)
    best = ground.best
    if segment is None or best is None:
        return
    picked: list[Moment] = []
    for moment in sorted(segment.moments, key=lambda m: (-m.score, m.start)):
        if not picked or sum(word_count(each.text) for each in (*picked, moment)) <= min(budget, SPOKEN_WORDS):
            picked.append(moment)
    kept = [(number, moment) for number, moment in enumerate(segment.moments) if moment in picked]
    text = _joined([(number, _MARKUP.sub(ESCAPED, moment.text)) for number, moment in kept])
    timed = [p for p in ground.passages if p.start is not None and p.end is not None and p.first == position]
    holding = [p for p in timed if any(p.start <= moment.start < p.end for _, moment in kept)] or [best.passage]  # type: ignore[operator]
    yield Claim(text, tuple(holding[:2]), best.score, ground.section_id, position)


def _bare_claim(ground: Ground) -> list[Claim]:
    """What a section without sentences says: its heading."""
    untimed = [passage for passage in ground.passages if passage.start is None]
    name = ground.section.path[-1] if ground.section.path else untimed[0].title if untimed else ""
    text = f"{_MARKUP.sub(ESCAPED, name.rstrip(':'))}:"
    return [Claim(text, (untimed[0],), 0.0, ground.section_id, 0, heading=True)] if untimed and name else []


def _units(query: Query, ground: Ground) -> Iterator[_Unit]:
    """Sentences, whole steps and items, and terms each with its definition, in reading order."""
    order = 0
    terms: list[str] = []
    for position, block in enumerate(ground.section.blocks):
        if not isinstance(block, Text) or block.kind == "code":
            continue
        if block.kind == "term":
            terms.append(_MARKUP.sub(ESCAPED, block.text))
            continue
        pieces = [block.text] if block.kind in ("step", "item", "definition") else sentences(block.text)
        marked = _marked(block, pieces)
        if terms and block.kind == "definition":
            marked = [f"**{', '.join(terms)}**: {marked[0]}"]
            pieces = [f"{', '.join(terms)}: {pieces[0]}"]
        terms = []
        for piece, markdown in zip(pieces, marked, strict=True):
            passage = _passage_of(ground, position, piece)
            if passage:
                yield _Unit(position, order, piece, markdown, query.share(piece), word_count(piece), passage)
                order += 1


def _marked(block: Text, pieces: list[str]) -> list[str]:
    if block.markdown:
        marked = [block.markdown] if len(pieces) == 1 else sentences(block.markdown)
        if len(marked) == len(pieces):
            return [_CODE_OR_NUMBER.sub(_not_cited, each) for each in marked]
    return [_MARKUP.sub(ESCAPED, piece) for piece in pieces]


def _not_cited(found: re.Match[str]) -> str:
    """A number in brackets that the source itself writes, so marked that it is no citation of ours."""
    return rf"\[{found['number']}\]" if found["number"] else found[0]


def _passage_of(ground: Ground, position: int, text: str) -> Passage | None:
    covering = [p for p in ground.passages if p.start is None and p.first <= position < p.last]
    holding = [p for p in covering if text[:60] in p.text] or covering
    return holding[0] if holding else None


def _step_run(units: list[_Unit], ground: Ground, wanted: bool) -> list[_Unit]:
    blocks = ground.section.blocks
    stepped = [u for u in units if isinstance(b := blocks[u.position], Text) and b.kind == "step"]
    if not wanted or not stepped:
        return []
    first, last = stepped[0].position, stepped[-1].position
    run = [u for u in units if first <= u.position <= last or u.position == first - 1]
    best = max(run, key=lambda u: (u.score, -u.order))
    while sum(u.words for u in run) > STEPS_WORDS and len(run) > 1:
        run.remove(
            run[-1] if run[-1] is not best and best.order - run[0].order <= run[-1].order - best.order else run[0]
        )
    return run


def _defines(units: list[_Unit], ground: Ground) -> bool:
    """Whether one definition answers: the others of its list are then beside the point."""
    best = max(units, key=lambda unit: unit.score)
    block = ground.section.blocks[best.position]
    return best.score >= DEFINING and isinstance(block, Text) and block.kind == "definition"


def _best(units: list[_Unit], budget: int, everything: bool) -> list[_Unit]:
    picked: list[_Unit] = []
    spent = 0
    enough = budget if everything else 0 if max(unit.score for unit in units) >= DEFINING else ENOUGH
    for unit in sorted(units, key=lambda u: (-_smoothed(units, u), u.order)):
        if picked and (spent + unit.words > budget or (spent >= enough and not unit.score)):
            continue
        picked.append(unit)
        spent += unit.words
        if spent >= budget:
            break
    return sorted(picked, key=lambda u: u.order)


def _smoothed(units: list[_Unit], unit: _Unit) -> float:
    near = [u.score for u in units[max(0, unit.order - 1) : unit.order + 2] if u is not unit]
    return unit.score + 0.3 * max(near, default=0.0)


def _claims(units: list[_Unit], ground: Ground, numbered: bool) -> Iterator[Claim]:
    """One claim a block: its sentences joined, a gap between them shown by an ellipsis.

    List labels stand where the claims are ``numbered`` steps, or where two list items or more remain.
    """
    by_block: dict[int, list[_Unit]] = {}
    for unit in units:
        by_block.setdefault(unit.position, []).append(unit)
    labelled = sum(bool(getattr(ground.section.blocks[at], "label", "")) for at in by_block)
    for position, members in by_block.items():
        block = ground.section.blocks[position]
        text = _joined([(unit.order, unit.markdown) for unit in members])
        label = (
            f"{block.label} ".replace("•", "-")
            if isinstance(block, Text) and block.label and (numbered or labelled > 1)
            else ""
        )
        indent = "  " * (block.depth - 1) if label and isinstance(block, Text) and block.depth > 1 else ""
        passages = tuple(dict.fromkeys(unit.passage for unit in members))
        score = max(unit.score for unit in members)
        yield Claim(f"{indent}{label}{text}", passages[:1], score, ground.section_id, position)


def _joined(pieces: Sequence[tuple[int, str]]) -> str:
    """Pieces with their place in the source, as one text: an ellipsis stands where something was left out."""
    text = ""
    for number, (place, piece) in enumerate(pieces):
        follows = number > 0 and place == pieces[number - 1][0] + 1
        gap = "" if not number or (follows and is_cjk(text[-2:-1])) else " " if follows else " … "
        text += gap + piece
    return text
