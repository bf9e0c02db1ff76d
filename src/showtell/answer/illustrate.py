"""Choose media for a draft's claims and place them, without a model: the same input always gives the same figures.

A screenshot under a step comes with its step. Other media of the grounds are scored against the question, by their own
words, the text around them and their vector; those far behind the best are left out. A medium is shown once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from showtell.answer.evidence import Ground
from showtell.answer.query import Intent
from showtell.index.search import Query
from showtell.index.terms import terms
from showtell.ingest.split import describe, row_text
from showtell.types import Claim, Figure, Hit, Image, Media, Passage, Table, Text, Video

RELATIVE = 0.5  # share of the best medium's score that a further one needs
SPREAD = 5  # an asset that stands in so many documents is decoration


@dataclass(frozen=True, slots=True)
class _Candidate:
    row: int
    media: Media
    ground: Ground
    claim: int
    score: float
    reason: str


def illustrate(
    query: Query,
    intent: Intent,
    claims: Sequence[Claim],
    grounds: Sequence[Ground],
    spread: Mapping[str, int],
    limits: tuple[int, int],
) -> list[Figure]:
    """Figures for the claims, in the order in which they are shown."""
    rows, per_claim = limits
    candidates = [
        _candidate(query, intent, claims, ground, row, media)
        for ground in grounds
        for row, media in ground.media.items()
        if spread.get(getattr(media.block, "asset", None) or "", 0) < SPREAD
    ]
    kept = _select(candidates, intent)
    kept = _once(kept)
    figures = [_figure(query, candidate, claims, rows) for candidate in kept]
    placed = sorted(figures, key=lambda f: (f.claim, f.media.section_id, f.media.position))
    return _bounded(placed, per_claim)


def _candidate(
    query: Query,
    intent: Intent,
    claims: Sequence[Claim],
    ground: Ground,
    row: int,
    media: Media,
) -> _Candidate:
    claim = _place(claims, media)
    own = _share(query, describe(media.block))
    around = _share(query, f"{media.before} {media.after}")
    score = 0.5 * max(0.0, ground.cosines.get(row, 0.0)) + 0.25 * own + 0.25 * around
    if getattr(intent, media.block.type):
        score += 0.3
    under = _stands_under(claims[claim], media, ground)
    reason = "stands under this step" if under else "fits the question"
    return _Candidate(row, media, ground, claim, score + 0.3 * under, reason)


def _place(claims: Sequence[Claim], media: Media) -> int:
    """The claim that stands closest before the medium in its section, or else the first of that section."""
    own = [n for n, claim in enumerate(claims) if claim.section_id == media.section_id]
    before = [n for n in own if (claims[n].position or 0) <= media.position]
    return before[-1] if before else own[0] if own else len(claims) - 1


def _stands_under(claim: Claim, media: Media, ground: Ground) -> bool:
    """Whether nothing but media stands between the claim's block and the medium."""
    if claim.section_id != media.section_id or claim.position is None or claim.position > media.position:
        return False
    between = ground.section.blocks[claim.position + 1 : media.position]
    return not any(isinstance(block, Text) and (block.label or not block.depth) for block in between)


def _share(query: Query, text: str) -> float:
    present = set(terms(text))
    total = sum(query.weight(word) for word in query.words)
    return sum(query.weight(word) for word in query.words if present.intersection(word)) / total if total else 0.0


def _select(candidates: Sequence[_Candidate], intent: Intent) -> list[_Candidate]:
    best = max((c.score for c in candidates), default=0.0)
    return [c for c in candidates if c.score >= RELATIVE * best]


def _once(candidates: Iterable[_Candidate]) -> list[_Candidate]:
    seen: set[str] = set()
    kept = []
    for candidate in sorted(candidates, key=lambda c: (-c.score, c.row)):
        key = identity(candidate.media)
        if key not in seen:
            seen.add(key)
            kept.append(candidate)
    return kept


def identity(media: Media) -> str:
    """What makes two media the same: their bytes, a table's place, or their address."""
    block = media.block
    return block.ref if isinstance(block, Table) else block.asset or block.source


def _figure(query: Query, candidate: _Candidate, claims: Sequence[Claim], rows: int) -> Figure:
    media, total = candidate.media, None
    claim = claims[candidate.claim]
    if isinstance(media.block, Table):
        total = len(media.block.rows)
        media = replace(media, block=cut(query, media.block, rows))
    block = media.block
    start, end = (block.start, block.end) if isinstance(block, Video) else (None, None)
    passage = _passage_at(candidate) or claim.passages[0]
    return Figure(media, candidate.claim, candidate.reason, round(candidate.score, 4), passage, start, end, total)


def _passage_at(candidate: _Candidate) -> Passage | None:
    return next((p for p in candidate.ground.passages if p.first <= candidate.media.position < p.last), None)


def cut(query: Query, table: Table, limit: int) -> Table:
    """The table with the ``limit`` rows that hold most of the question's words, in their order."""
    if len(table.rows) <= limit:
        return table
    scored = {n: _share(query, row_text(row)) for n, row in enumerate(table.rows)}
    best = sorted(scored, key=lambda n: (-scored[n], n))[:limit]
    return replace(table, rows=tuple(table.rows[n] for n in sorted(best)))


def _bounded(figures: Sequence[Figure], per_claim: int) -> list[Figure]:
    counts: dict[int, int] = {}
    kept = []
    for figure in figures:
        counts[figure.claim] = counts.get(figure.claim, 0) + 1
        if counts[figure.claim] <= per_claim:
            kept.append(figure)
    return kept
