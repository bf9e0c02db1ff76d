"""Choose media for a draft's claims and place them, without a model: the same input always gives the same figures.

Media come from the leading ground, where nine in ten of the right ones stood on the development set; from the others
only where the leading one has none that fits as well, or lacks a kind that the question asks for. Within the ground
each is scored against the question, by its own words, the text around it and its vector (``docs/LOG.md`` has the fit
behind the weights). A medium is shown once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from showtell.answer.evidence import Ground
from showtell.answer.query import Intent
from showtell.index.search import Query
from showtell.index.terms import terms
from showtell.ingest.split import describe, row_text
from showtell.types import Claim, Figure, Image, Media, Passage, Section, Table, Text, Video

COSINE, OWN_WORDS, WORDS_AROUND = 0.40, 0.36, 0.28  # weights of the three agreements with the question
ASKED_FOR, PICTURED_STEPS = 0.32, 0.28  # for a kind that the question names; for a picture where it asks for steps
HEARD = 0.32  # for a video whose transcript is the evidence
FLOOR, PICTURE_FLOOR = 0.15, 0.18  # a score below this shows nothing of the question
FITTING = 0.45  # score that a medium outside the leading ground needs
RELATIVE, FEW = 0.7, 4  # where a ground has more than a few media, the share of the best score that others need
NEARLY = 0.95  # share of the best score from which another is nearly as good
ROWS = 0.5  # share of the best row's words that a row of a long table needs
NAMED = 0.5  # share of the question's weight of words that name rows of a table, from which these rows alone are shown
AT_MOST = 9  # media in one answer
SPREAD = 5  # an asset that stands in so many documents is decoration


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much may be shown: rows of a table, media after one claim."""

    table_rows: int
    per_claim: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """A medium of a ground, its row number, the leading ground and its score."""

    row: int
    media: Media
    ground: Ground
    lead: Ground
    score: float


def choose(query: Query, intent: Intent, grounds: Sequence[Ground], spread: Mapping[str, int]) -> list[Chosen]:
    """The media to show, best first; ``spread`` says in how many documents each asset stands."""
    candidates = [
        Chosen(row, media, ground, grounds[0], _score(query, intent, ground, row, media))
        for ground in grounds
        for row, media in ground.media.items()
        if spread.get(getattr(media.block, "asset", None) or "", 0) < SPREAD
    ]
    return _once(_choose(candidates, intent))[:AT_MOST]


def place(
    query: Query, intent: Intent, claims: Sequence[Claim], chosen: Sequence[Chosen], bounds: Bounds
) -> list[Figure]:
    """Figures after the claims that they belong to, in the order in which they are shown."""
    figures = [_figure(query, each, claims, bounds.table_rows, intent.table) for each in chosen]
    return _bounded(sorted(figures, key=_place_in_answer), bounds.per_claim)


def identity(media: Media) -> str:
    """What makes two media the same: their bytes, a table's place, or their address."""
    block = media.block
    return block.ref if isinstance(block, Table) else block.asset or block.source


def cut(query: Query, table: Table, limit: int, compared: bool = False) -> Table:
    """The table with at most ``limit`` rows, those that hold most of the question's words, in their order.

    Where things are ``compared`` and the question names two rows or more, these rows alone.
    """
    named = _named_rows(query, table) if compared else []
    if len(named) < 2 and len(table.rows) <= limit:
        return table
    scored = {number: query.share(row_text(row)) for number, row in enumerate(table.rows)}
    fitting = [number for number, score in scored.items() if score >= ROWS * max(scored.values()) > 0]
    kept = named if len(named) >= 2 else fitting or list(scored)
    best = sorted(kept, key=lambda number: (-scored[number], number))[:limit]
    return replace(table, rows=tuple(table.rows[number] for number in sorted(best)))


def _named_rows(query: Query, table: Table) -> list[int]:
    """Rows that hold a question word which stands in few rows, where such words are most of the question."""
    held = [set(terms(row_text(row))) for row in table.rows]
    few = max(1, len(held) // 4)
    telling = [word for word in query.words if 0 < sum(bool(row.intersection(word)) for row in held) <= few]
    if sum(map(query.weight, telling)) < NAMED * query.total:
        return []
    return [number for number, row in enumerate(held) if any(row.intersection(word) for word in telling)]


# ------------------------------------------------------------------------------------------------------------ choosing
def _score(query: Query, intent: Intent, ground: Ground, row: int, media: Media) -> float:
    agreement: float = (
        COSINE * max(0.0, ground.cosines.get(row, 0.0))
        + OWN_WORDS * query.share(describe(media.block))
        + WORDS_AROUND * query.share(f"{media.before} {media.after}")
    )
    if getattr(intent, media.block.type):
        agreement += ASKED_FOR
    if intent.steps and isinstance(media.block, Image):
        agreement += PICTURED_STEPS
    if ground.heard == media.position:
        agreement += HEARD
    return agreement


def _choose(candidates: Sequence[Chosen], intent: Intent) -> list[Chosen]:
    leading = [each for each in candidates if each.ground.role in ("lead", "child")]
    kept = [each for each in leading if each.score >= _floor(each)]
    best = max((each.score for each in kept), default=0.0)
    if len(leading) > FEW:
        kept = [each for each in kept if each.score >= RELATIVE * best]
    if kept:
        kept += _better_elsewhere(candidates, best)
    elif candidates and not _is_question(candidates[0].lead.section):
        kept = _of_the_next(candidates)
    if intent.video:  # who asks for a video wants the one that shows it
        videos = [each for each in kept if isinstance(each.media.block, Video)]
        kept = [each for each in kept if each not in videos] + _best_two(videos)
    for kind in ("image", "table", "video"):
        if getattr(intent, kind) and not any(each.media.block.type == kind for each in kept):
            kept += _best_two([each for each in candidates if each.media.block.type == kind])
    return kept


def _is_question(section: Section) -> bool:
    """Whether the section is an entry of a list of questions, which needs nothing from its neighbours."""
    return bool(section.path) and section.path[-1].rstrip().endswith(("?", "？"))


def _floor(candidate: Chosen) -> float:
    return PICTURE_FLOOR if isinstance(candidate.media.block, Image) else FLOOR


def _better_elsewhere(candidates: Sequence[Chosen], best: float) -> list[Chosen]:
    """Media of other grounds that fit the question at least as well as any of the leading one."""
    others = [each for each in candidates if each.ground.role == "other"]
    return [each for each in others if each.score >= max(best, FITTING)]


def _of_the_next(candidates: Sequence[Chosen]) -> list[Chosen]:
    """Media of a further ground, where it is of the leading one's document and nearly as good."""
    return [
        each
        for each in candidates
        if each.ground.role == "other"
        and each.score >= _floor(each)
        and each.ground.score >= NEARLY * each.lead.score
        and each.media.document == each.lead.passages[0].document
    ]


def _best_two(candidates: Sequence[Chosen]) -> list[Chosen]:
    """The best candidate, and a second one that is nearly as good."""
    ordered = sorted(candidates, key=lambda each: (-each.score, each.row))[:2]
    return [each for each in ordered if each.score >= NEARLY * ordered[0].score]


def _once(candidates: Iterable[Chosen]) -> list[Chosen]:
    seen: set[str] = set()
    kept = []
    for candidate in sorted(candidates, key=lambda each: (-each.score, each.row)):
        key = identity(candidate.media)
        if key not in seen:
            seen.add(key)
            kept.append(candidate)
    return kept


# ------------------------------------------------------------------------------------------------------------- placing
def _figure(query: Query, candidate: Chosen, claims: Sequence[Claim], rows: int, compared: bool) -> Figure:
    media, total = candidate.media, None
    claim = _claim_of(claims, media)
    if isinstance(media.block, Table):
        total = len(media.block.rows)
        media = replace(media, block=cut(query, media.block, rows, compared))
    own = claims[claim].section_id == media.section_id
    passage = claims[claim].passages[0] if own else _passage_of(candidate) or claims[claim].passages[0]
    start, end = _segment(media, candidate.ground)
    reason = _reason(claims[claim], candidate)
    return Figure(media, claim, reason, round(candidate.score, 4), passage, start, end, total)


def _claim_of(claims: Sequence[Claim], media: Media) -> int:
    """The claim that stands closest before the medium in its section, or else the first of that section."""
    own = [number for number, claim in enumerate(claims) if claim.section_id == media.section_id]
    before = [number for number in own if (claims[number].position or 0) <= media.position]
    return before[-1] if before else own[0] if own else len(claims) - 1


def _reason(claim: Claim, candidate: Chosen) -> str:
    media, blocks = candidate.media, candidate.ground.section.blocks
    if claim.section_id != media.section_id:
        return "found elsewhere in the library"
    if claim.position is None or claim.position > media.position:
        return "stands in this section"
    between = blocks[claim.position + 1 : media.position]
    if any(isinstance(block, Text) and (block.label or not block.depth) for block in between):
        return "stands in this section"
    block = blocks[claim.position]
    step = isinstance(block, Text) and block.kind == "step"
    return "stands under this step" if step else "stands under this text"


def _passage_of(candidate: Chosen) -> Passage | None:
    place = candidate.media.position
    own = [passage for passage in candidate.ground.passages if passage.first <= place < passage.last]
    hits = candidate.ground.hits
    return max(own, key=lambda p: (hits[p.id].score if p.id in hits else 0.0, -p.id), default=None)


def _segment(media: Media, ground: Ground) -> tuple[float | None, float | None]:
    """The seconds to play: those whose words fit the question, or those that the source itself names."""
    if not isinstance(media.block, Video):
        return None, None
    segment = ground.segments.get(media.position)
    return (segment.start, segment.end) if segment else (media.block.start, media.block.end)


def _place_in_answer(figure: Figure) -> tuple[int, int, int]:
    return figure.claim, figure.media.section_id, figure.media.position


def _bounded(figures: Sequence[Figure], per_claim: int) -> list[Figure]:
    counts: dict[int, int] = {}
    kept = []
    for figure in figures:
        counts[figure.claim] = counts.get(figure.claim, 0) + 1
        if counts[figure.claim] <= per_claim:
            kept.append(figure)
    return kept
