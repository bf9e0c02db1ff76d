"""The order of the steps from a question to an Answer; it is written here and nowhere else."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from showtell.answer.draft import draft, introduce
from showtell.answer.evidence import Evidence, gather
from showtell.answer.illustrate import Bounds, choose, place
from showtell.answer.query import read_intent
from showtell.index.search import Searcher
from showtell.index.store import Scope
from showtell.index.terms import question_language
from showtell.types import Answer, Citation, Claim, Figure, FigurePart, Part, Passage, Question, TextPart

METHODS = ("showtell",)
CONFIDENCE = {"high": "high", "low": "low: the sources may not answer this"}
NO_ANSWER = {
    "de": "Die Quellen sagen es nicht.",
    "en": "The sources do not say.",
    "es": "Las fuentes no lo dicen.",
    "fr": "Les sources ne le disent pas.",
    "it": "Le fonti non lo dicono.",
    "ja": "資料には書かれていません。",
    "ko": "자료에 나와 있지 않습니다.",
    "pt": "As fontes não dizem.",
    "ru": "В источниках об этом не сказано.",
    "zh": "资料中没有说明。",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an answer may hold: cited passages, words, rows of a table, media after one claim."""

    citations: int = 3
    words: int = 150
    table_rows: int = 12
    media_per_claim: int = 3


@dataclass(frozen=True, slots=True)
class Step:
    """One step that is done: its name, what it made, and how long it took."""

    name: str
    value: Any
    milliseconds: float


def run(
    question: str, searcher: Searcher, limits: Limits, *, scope: Scope, method: str, warnings: Sequence[str] = ()
) -> Iterator[Step]:
    """The steps of an answer without a model; the last one's value is the Answer."""
    timings: dict[str, float] = {}
    clock = time.perf_counter

    def done(name: str, value: Any, since: float) -> Step:
        timings[name] = round((clock() - since) * 1000, 1)
        return Step(name, value, timings[name])

    began = at = clock()
    intent = read_intent(question)
    query = searcher.query(question, scope)
    yield done("query", intent, at)

    at = clock()
    evidence = gather(query, intent, searcher, limits.citations)
    yield done("search", evidence, at)

    claims: list[Claim] = []
    figures: list[Figure] = []
    if evidence.confidence != "none":
        at = clock()
        claims = draft(query, evidence.speaking, intent.steps, limits.words)
        yield done("draft", tuple(claims), at)

        at = clock()
        media = {row: item for ground in evidence.grounds for row, item in ground.media.items()}
        assets = [asset for item in media.values() if (asset := getattr(item.block, "asset", None))]
        spread = searcher.store.asset_spread(assets)
        chosen = choose(query, intent, evidence.grounds, spread) if claims else []
        places = [(each.media.section_id, each.media.position) for each in chosen]
        claims = introduce(query, claims, evidence.grounds, places)
        figures = place(query, intent, claims, chosen, Bounds(limits.table_rows, limits.media_per_claim))
        yield done("illustrate", tuple(figures), at)

    timings["total"] = round((clock() - began) * 1000, 1)
    yield Step("answer", _answer(question, evidence, claims, figures, method, warnings, timings), timings["total"])


def _answer(
    question: str,
    evidence: Evidence,
    claims: Sequence[Claim],
    figures: Sequence[Figure],
    method: str,
    warnings: Sequence[str],
    timings: dict[str, float],
) -> Answer:
    asked, searches = Question(question), (question,)
    if not claims:
        parts: tuple[Part, ...] = (TextPart(NO_ANSWER.get(question_language(question), NO_ANSWER["en"])),)
        return Answer(
            asked, "no_answer", CONFIDENCE["low"], method, "extractive", parts,
            searches=searches, nearest=evidence.nearest, warnings=tuple(warnings), timings_ms=timings,
        )  # fmt: skip
    numbers: dict[int, int] = {}
    parts = tuple(_parts(claims, figures, numbers))
    passages = {p.id: p for p in _offered(claims, figures)}
    scores = {id_: hit.score for ground in evidence.grounds for id_, hit in ground.hits.items()}
    citations = tuple(_citation(number, passages[id_], scores.get(id_, 0.0)) for id_, number in numbers.items())
    return Answer(
        asked, "answered", CONFIDENCE[evidence.confidence], method, "extractive", parts, citations,
        searches=searches, warnings=tuple(warnings), timings_ms=timings,
    )  # fmt: skip


def _parts(claims: Sequence[Claim], figures: Sequence[Figure], numbers: dict[int, int]) -> Iterator[Part]:
    for index, claim in enumerate(claims):
        if claim.heading and len(claims) > 1 and not any(figure.claim == index for figure in figures):
            continue
        cited = tuple(numbers.setdefault(p.id, len(numbers) + 1) for p in claim.passages)
        marks = "".join(f" [{number}]" for number in cited)
        yield TextPart(claim.text + marks, cited)
        for figure in figures:
            if figure.claim == index:
                number = numbers.setdefault(figure.passage.id, len(numbers) + 1)
                yield FigurePart(
                    figure.media, (number,), figure.reason, figure.score, figure.start, figure.end, figure.rows_total
                )


def _offered(claims: Sequence[Claim], figures: Sequence[Figure]) -> Iterator[Passage]:
    for claim in claims:
        yield from claim.passages
    yield from (figure.passage for figure in figures)


def _citation(number: int, passage: Passage, score: float) -> Citation:
    return Citation(
        number, passage.document, passage.title, passage.section, passage.text, passage.url, passage.licence,
        passage.revision, score,
    )  # fmt: skip
