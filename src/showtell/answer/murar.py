"""The published method, for comparison: MuRAR (Zhu et al., 2024, arXiv:2408.08521), what it retrieves and shows.

What showtell does otherwise is left out on purpose: no words in the ranking, no media outside the source's section, no
refusal, whole videos. Its text is written by a chat model from the five passages (§2.1) and revised around the media
(§2.3); without a model the draft is an extract of those passages' sections.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from showtell.answer.evidence import Evidence, Ground, Role, grounds_of, identity
from showtell.errors import ModelError
from showtell.index.search import Query, Searcher
from showtell.models.base import Encoder, Vectors
from showtell.types import Claim, Figure, Passage, Table, Video

SNIPPETS = 5  # passages that the answer is drafted from (§2.1)
CLOSE = 0.6  # cosine from which a snippet of the answer has a source (§2.2)


@dataclass(frozen=True, slots=True)
class _Match:
    """The medium of its source's section that fits a claim best: its ground, row number and cosine with the claim."""

    claim: int
    ground: Ground
    row: int
    score: float


def gather(query: Query, searcher: Searcher) -> Evidence:
    """The five nearest passages by cosine, and their sections (§2.1); it always answers where anything is found.

    Raises ModelError without an encoder.
    """
    _encoder(searcher)
    hits = searcher.nearest(query, SNIPPETS)
    roles: dict[int, Role] = dict.fromkeys((hit.passage.section_id for hit in hits), "other")
    if hits:
        roles[hits[0].passage.section_id] = "lead"
    grounds = grounds_of(roles, hits, dict.fromkeys(roles, query), searcher)
    return Evidence(grounds, "high" if hits else "none", (), tuple(hits))


def illustrate(claims: Sequence[Claim], evidence: Evidence, searcher: Searcher) -> tuple[list[Claim], list[Figure]]:
    """The claims with their sources, and a medium behind each that has one (§2.2); a claim is one snippet.

    A claim's source is the passage closest to it by cosine, at 0.6 or more; below that it cites nothing. An extract
    cites the passage that it was taken from, too. Of the media of the source's section the one closest to the claim is
    shown. One that is closest to several claims stays with the claim of the highest cosine. Tables are whole. Raises
    ModelError without an encoder.
    """
    if not claims:
        return [], []
    vectors = _encoder(searcher).encode([claim.text for claim in claims])
    passages = [hit.passage for hit in evidence.passages]
    known = searcher.passage_vectors.rows([passage.id for passage in passages])
    sources = [_source(vector, passages, known) for vector in vectors]
    attributed = [replace(claim, passages=_cited(claim, source)) for claim, source in zip(claims, sources, strict=True)]
    media = searcher.media_vectors.rows([row for ground in evidence.grounds for row in ground.media])
    by_section = {ground.section_id: ground for ground in evidence.grounds}
    matches = [
        match
        for number, (source, vector) in enumerate(zip(sources, vectors, strict=True))
        if source and (match := _match(number, by_section[source.section_id], vector, media))
    ]
    return attributed, [_figure(match, source) for match in _once(matches) if (source := sources[match.claim])]


def _encoder(searcher: Searcher) -> Encoder:
    if searcher.encoder is None:
        raise ModelError("the method murar ranks by vectors alone; name an encoder with --encoder, or ask without it")
    return searcher.encoder


def _source(claim: Vectors, passages: Sequence[Passage], vectors: Mapping[int, Vectors]) -> Passage | None:
    """The passage closest to the claim, if it is close (§2.2)."""
    cosines = {p.id: float(vectors[p.id] @ claim) for p in passages if p.id in vectors}
    close = [passage for passage in passages if cosines.get(passage.id, 0.0) >= CLOSE]
    return max(close, key=lambda passage: cosines[passage.id], default=None)


def _cited(claim: Claim, source: Passage | None) -> tuple[Passage, ...]:
    """What the claim cites: its source, and first of all the passages whose very words it is."""
    own = claim.passages if claim.section_id is not None else ()
    return own if source is None or source in own else (*own, source)


def _match(claim: int, ground: Ground, vector: Vectors, media: Mapping[int, Vectors]) -> _Match | None:
    """The medium of a section closest to the claim; its vector holds its own words and those around it (§2.2)."""
    matches = [_Match(claim, ground, row, float(media[row] @ vector)) for row in ground.media if row in media]
    return max(matches, key=lambda match: match.score, default=None)


def _once(matches: Sequence[_Match]) -> list[_Match]:
    """The matches in the order of their claims, each medium with the claim of its highest cosine (§2.2)."""
    kept: dict[str, _Match] = {}
    for match in sorted(matches, key=lambda each: (-each.score, each.claim)):
        kept.setdefault(identity(match.ground.media[match.row]), match)
    return sorted(kept.values(), key=lambda match: match.claim)


def _figure(match: _Match, source: Passage) -> Figure:
    media = match.ground.media[match.row]
    start, end = (media.block.start, media.block.end) if isinstance(media.block, Video) else (None, None)
    rows = len(media.block.rows) if isinstance(media.block, Table) else None
    score = round(match.score, 4)
    return Figure(media, match.claim, "stands in this section", score, source, start, end, rows)
