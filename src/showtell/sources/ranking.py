"""Which of the pages found are about what was searched: by their places, titles and leads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from showtell.index.terms import query_terms, terms
from showtell.sources.base import FoundPage

PLACE, TITLE, LEAD = 1.0, 1.5, 1.0  # weights


def ranked(pages: Iterable[FoundPage], texts: Sequence[str]) -> list[FoundPage]:
    """The pages, best first; the scores they come with, from the searches, are joined with how their words fit."""
    wanted = [_terms(text) for text in texts]
    scored = [replace(page, score=_score(page, wanted)) for page in pages]
    return sorted(scored, key=lambda page: -page.score)


def _score(page: FoundPage, wanted: Sequence[frozenset[str]]) -> float:
    names = [set(terms(name)) for name in (page.title, page.via) if name]
    lead = set(terms(page.lead))
    title = sum(max(_agreement(text, name) for name in names) for text in wanted)
    covered = sum(_share(text, lead.union(*names)) for text in wanted)
    return (PLACE * page.score + TITLE * title + LEAD * covered) / max(1, len(wanted))


def _terms(text: str) -> frozenset[str]:
    return frozenset(term for group in query_terms(text) for term in group)


def _share(text: frozenset[str], found: set[str]) -> float:
    """How much of a text's words is found."""
    return len(text & found) / len(text) if text else 0.0


def _agreement(text: frozenset[str], title: set[str]) -> float:
    """F1 of the words of a text and a title."""
    return 2 * len(text & title) / (len(text) + len(title)) if text or title else 0.0
