"""From hits to evidence: the sections that an answer draws on, how sure it may be, and what lies nearest if it may not.

Sections compete, not passages: a section stands where its best passage stands, raised when its media fit the question
(MuRAR's authors name media outside the attributed section as the cause of low recall), and raised when it holds the
kind of media that the question's words ask for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from showtell.answer.query import Intent
from showtell.index.search import Query, Searcher
from showtell.index.terms import terms
from showtell.types import Hit, Media, MediaHit, Nearest, Passage, Section

Confidence = Literal["high", "low", "none"]

HITS = 40  # passages that compete
MEDIA_HITS = 20
MEDIA_BONUS = 0.15  # of a section whose media match the question best
INTENT_BONUS = 0.15  # of a section that holds the kind of media asked for
SUPPORT = 0.08  # of a section's second-best passage
CLOSE = 0.80  # share of the leading section's score that a further section needs


@dataclass(frozen=True, slots=True)
class Ground:
    """A section that the answer may draw on, with its passages, its media by row number, and its score."""

    section_id: int
    section: Section
    passages: tuple[Passage, ...]
    hits: Mapping[int, Hit]
    media: Mapping[int, Media]
    score: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """The grounds of an answer, best first; ``confidence`` "none" means that the sources do not hold it."""

    grounds: tuple[Ground, ...]
    confidence: Confidence
    nearest: tuple[Nearest, ...]


def rank_sections(
    hits: Sequence[Hit], media_hits: Sequence[MediaHit], kinds: Mapping[int, frozenset[str]], intent: Intent
) -> list[tuple[int, float]]:
    """Section ids with their scores, best first; ``kinds`` says which media each section holds."""
    by_section: dict[int, list[float]] = {}
    for hit in hits:
        by_section.setdefault(hit.passage.section_id, []).append(hit.score)
    shown = {hit.media.section_id: hit.score for hit in reversed(media_hits)}
    wanted = {kind for kind in ("table", "image", "video") if getattr(intent, kind)}
    scores = {}
    for section, values in by_section.items():
        best, *rest = sorted(values, reverse=True)
        score = best + SUPPORT * (rest[0] if rest else 0.0) + MEDIA_BONUS * shown.get(section, 0.0)
        scores[section] = score + INTENT_BONUS * bool(wanted & kinds.get(section, frozenset()))
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def chosen(ranked: Sequence[tuple[int, float]], limit: int) -> list[tuple[int, float]]:
    """The leading section and those close behind it, at most ``limit``."""
    floor = CLOSE * ranked[0][1] if ranked else 0.0
    return [(section, score) for section, score in ranked[:limit] if score >= floor]


def coverage(query: Query, texts: Iterable[str], language: str = "en") -> float:
    """The share of the question's weight of words (by rarity) that the texts hold, 0 to 1."""
    present = {term for text in texts for term in terms(text, language)}
    total = sum(query.weight(word) for word in query.words)
    met = sum(query.weight(word) for word in query.words if present.intersection(word))
    return met / total if total else 0.0


def gather(query: Query, intent: Intent, searcher: Searcher, limit: int) -> Evidence:
    """Search, rank the sections, and judge whether they hold an answer."""
    hits = searcher.passages(query, HITS)
    media_hits = searcher.media(query, MEDIA_HITS)
    if not hits:
        return Evidence((), "none", ())
    candidates = list(dict.fromkeys(hit.passage.section_id for hit in hits))
    media = searcher.store.section_media(candidates)
    kinds: dict[int, set[str]] = {}
    for item in media.values():
        kinds.setdefault(item.section_id, set()).add(item.block.type)
    ranked = rank_sections(hits, media_hits, {key: frozenset(value) for key, value in kinds.items()}, intent)
    leading = chosen(ranked, limit)
    ids = [section for section, _ in leading]
    sections = searcher.store.sections(ids)
    passages = searcher.store.section_passages(ids)
    grounds = tuple(
        Ground(
            id_,
            sections[id_],
            tuple(p for p in passages if p.section_id == id_),
            {hit.passage.id: hit for hit in hits if hit.passage.section_id == id_},
            {row: item for row, item in media.items() if item.section_id == id_},
            score,
        )
        for id_, score in leading
    )
    return Evidence(grounds, judge(query, hits, grounds), _nearest(hits, ranked))


def judge(query: Query, hits: Sequence[Hit], grounds: Sequence[Ground]) -> Confidence:
    """Whether the grounds hold an answer."""
    return "high"


def _nearest(hits: Sequence[Hit], ranked: Sequence[tuple[int, float]]) -> tuple[Nearest, ...]:
    places = {hit.passage.section_id: hit.passage for hit in reversed(hits)}
    return tuple(
        Nearest(places[id_].document, places[id_].title, places[id_].section, score) for id_, score in ranked[:3]
    )
