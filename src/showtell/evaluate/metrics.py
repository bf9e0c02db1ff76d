"""What an evaluation measures: each measure of one answer, and its mean over the questions that it could be scored on.

A measure that has nothing to go by is None, never 0, and stays out of the mean. Precision, recall and repeats are
pooled: each answer weighs as many media as it has to be right about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np

from showtell.evaluate.datasets import EvaluationQuestion
from showtell.evaluate.matching import Shown, in_documents, in_sections, plain

Result = Mapping[str, Any]
"""A line of a results file: an Answer as JSON with the question's ``id`` and the search's ``hits``."""

ALL = "ALL"
RANKS = (1, 3, 5, 10)

# Words without content, of three letters or more (shorter ones never count); the list is part of the measure `text`,
# as the development set defines it.
_FUNCTION_WORDS = (
    "all also and any are been can does each for from how into its may nor not one only that the their then there "
    "these they this those use was were what when where which who will with than you your"
)
_WITHOUT_CONTENT = frozenset(_FUNCTION_WORDS.split())


# ------------------------------------------------------------------------------------------------------- one question
class Judged:
    """A result beside its gold question; what several measures need is worked out once.

    A refusal shows and cites nothing, whatever else its line holds. Only citations whose number stands in a part count.
    """

    def __init__(self, gold: EvaluationQuestion, result: Result) -> None:
        self.gold = gold
        self.refused: bool = result.get("status") == "no_answer"
        self.parts: Sequence[Result] = () if self.refused else result.get("parts") or ()
        self.texts = [part.get("text") or "" for part in self.parts if part["type"] == "text"]
        self.shown = [Shown.from_part(part) for part in self.parts if part["type"] != "text"]
        self._citations: Sequence[Result] = result.get("citations") or ()
        self.checks: Sequence[Result] = result.get("checks") or ()
        self.verified = bool(self.checks) or "verify" in (result.get("timings_ms") or {})
        self.requests: Mapping[str, int] = result.get("requests") or {}
        self.hits: Sequence[Result] | None = result.get("hits")

    @cached_property
    def cited(self) -> list[Result]:
        """The citations that parts use, in reading order."""
        place: dict[int, int] = {}
        for part in self.parts:
            for number in part.get("citations") or ():
                place.setdefault(number, len(place))
        return sorted((c for c in self._citations if c["number"] in place), key=lambda c: place[c["number"]])

    @cached_property
    def distinct(self) -> list[Shown]:
        """The media shown, without those shown before."""
        distinct: list[Shown] = []
        for medium in self.shown:
            if not any(medium.repeats(earlier) for earlier in distinct):
                distinct.append(medium)
        return distinct

    @cached_property
    def right(self) -> int:
        """How many of the media shown are gold ones, core or ok."""
        return sum(any(self._is(medium, gold) for gold in self.gold.media) for medium in self.shown)

    @cached_property
    def found(self) -> int:
        """How many core media were shown, each by a medium of its own."""
        return most_pairs([[self._is(medium, core) for medium in self.distinct] for core in self.gold.core])

    @cached_property
    def pairs_in_order(self) -> list[bool]:
        """For every two core media shown, whether they stand as in the source."""
        ranks = (self._core_rank(medium) for medium in self.distinct)
        return [earlier < later for earlier, later in combinations(dict.fromkeys(r for r in ranks if r is not None), 2)]

    @cached_property
    def gold_words(self) -> set[str]:
        """Words and numbers with content in the gold answer."""
        return content_words(self.gold.answer or "")

    @property
    def rows(self) -> list[Sequence[Any]]:
        """Rows of all tables shown."""
        return [row for medium in self.shown for row in medium.rows]

    @property
    def told_words(self) -> set[str]:
        """Words and numbers with content in the text and in the rows of tables shown."""
        return content_words(" ".join([*self.texts, *(str(cell) for row in self.rows for cell in row)]))

    def shows_table(self) -> bool:
        """Whether a table is shown."""
        return any(medium.type == "table" for medium in self.shown)

    def names_document(self, places: Iterable[Result]) -> bool:
        """Whether one of several citations or hits is in a gold document."""
        return any(in_documents(place.get("document") or "", self.gold.documents) for place in places)

    def names_section(self, places: Iterable[Result]) -> bool:
        """Whether one of several citations or hits is in a gold section."""
        return any(
            in_sections(place.get("section") or (), self.gold.sections or ()) and self.names_document([place])
            for place in places
        )

    def f1(self) -> float:
        """Harmonic mean of this answer's precision and core recall; 0 if it shows nothing."""
        precision = self.right / len(self.shown) if self.shown else 0.0
        recall = self.found / len(self.gold.core)
        return 2 * precision * recall / (precision + recall) if precision and recall else 0.0

    def media_last(self) -> bool:
        """Whether all media stand after the last text."""
        return all(part["type"] == "text" for part in self.parts[: len(self.texts)])

    def _is(self, medium: Shown, gold: Any) -> bool:
        return medium.is_gold(gold, self.gold.alt_docs or ())

    def _core_rank(self, medium: Shown) -> int | None:
        return next((rank for rank, core in enumerate(self.gold.core) if self._is(medium, core)), None)


def content_words(text: str) -> set[str]:
    """Numbers, and words of three letters or more that are not function words."""
    return {word for word in plain(text).split() if word.isdigit() or (len(word) > 2 and word not in _WITHOUT_CONTENT)}


def most_pairs(fits: Sequence[Sequence[bool]]) -> int:
    """The most rows that can each be given a column that fits and that no other row has (augmenting paths)."""
    row_of: dict[int, int] = {}

    def seat(row: int, refused: set[int]) -> bool:
        for column, fitting in enumerate(fits[row]):
            if not fitting or column in refused:
                continue
            refused.add(column)
            if column not in row_of or seat(row_of[column], refused):
                row_of[column] = row
                return True
        return False

    return sum(seat(row, set()) for row in range(len(fits)))


def overlap(shown: tuple[float, float], gold: tuple[float, float]) -> float:
    """Intersection over union of two stretches of time, each (start, end) in seconds."""
    common = min(shown[1], gold[1]) - max(shown[0], gold[0])
    union = max(shown[1], gold[1]) - min(shown[0], gold[0])
    return max(common, 0.0) / union if union > 0 else 0.0


# ----------------------------------------------------------------------------------------------------------- measures
Interval = tuple[float, float]


def wilson(values: Sequence[float], _weights: Sequence[float]) -> Interval:
    """95% score interval of a share of yes among yes-or-no values (Wilson 1927); right for few questions, too."""
    n, z = len(values), 1.959964
    share = sum(values) / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(centre - reach, 0.0), min(centre + reach, 1.0)


def bootstrap(values: Sequence[float], weights: Sequence[float]) -> Interval:
    """95% percentile interval of a weighted mean: 2,000 resamplings of the questions from a fixed seed (Efron 1979)."""
    picks = np.random.default_rng(0).integers(len(values), size=(2000, len(values)))
    chosen = np.asarray(weights, dtype=float)[picks]
    means = (np.asarray(values, dtype=float)[picks] * chosen).sum(axis=1) / chosen.sum(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of an answer, asked only ``when`` there is something to go by.

    ``weight`` is how much an answer counts in the mean; ``interval`` is Wilson's for yes-or-no values.
    """

    name: str
    meaning: str
    when: Callable[[Judged], object]
    value: Callable[[Judged], float]
    interval: Callable[[Sequence[float], Sequence[float]], Interval] = bootstrap
    weight: Callable[[Judged], float] = lambda _: 1.0

    def of(self, judged: Judged) -> float | None:
        """The measure of one answer; None where there is nothing to score."""
        return float(self.value(judged)) if self.when(judged) else None


def _has_document(judged: Judged) -> bool:
    return judged.gold.answerable and bool(judged.gold.documents)


def _has_section(judged: Judged) -> bool:
    return judged.gold.answerable and bool(judged.gold.sections)


def _document_at(rank: int) -> Measure:
    return Measure(
        f"document@{rank}",
        f"a gold document is among the first {rank} sections found",
        lambda judged: _has_document(judged) and judged.hits is not None,
        lambda judged: judged.names_document((judged.hits or ())[:rank]),
        wilson,
    )


def _section_at(rank: int) -> Measure:
    return Measure(
        f"section@{rank}",
        f"a gold section is among the first {rank} found",
        lambda judged: _has_section(judged) and judged.hits is not None,
        lambda judged: judged.names_section((judged.hits or ())[:rank]),
        wilson,
    )


MEASURES: tuple[Measure, ...] = (
    *map(_document_at, RANKS),
    *map(_section_at, RANKS),
    Measure(
        "first document",
        "the first citation is in a gold document",
        _has_document,
        lambda j: j.names_document(j.cited[:1]),
        wilson,
    ),
    Measure(
        "first section",
        "the first citation is in a gold section",
        _has_section,
        lambda j: j.names_section(j.cited[:1]),
        wilson,
    ),
    Measure(
        "any document", "a citation is in a gold document", _has_document, lambda j: j.names_document(j.cited), wilson
    ),
    Measure("any section", "a citation is in a gold section", _has_section, lambda j: j.names_section(j.cited), wilson),
    Measure(
        "citations",
        "citations of an answer",
        lambda j: j.gold.answerable and not j.refused,
        lambda j: len(j.cited),
    ),
    Measure(
        "text",
        "share of the gold answer's words and numbers that are told or stand in a table shown",
        lambda j: j.gold.answerable and j.gold_words,
        lambda j: len(j.gold_words & j.told_words) / len(j.gold_words),
    ),
    Measure(
        "words",
        "words of an answer's text",
        lambda j: j.gold.answerable and not j.refused,
        lambda j: sum(len(text.split()) for text in j.texts),
    ),
    Measure(
        "checks failed",
        "numbers, quotations and sentences that the sources of an answer did not bear out, repaired or not",
        lambda j: j.verified and not j.refused,
        lambda j: sum(check.get("verdict") != "supported" for check in j.checks),
    ),
    Measure(
        "model requests",
        "requests to a model for a question, where its answer counts them",
        lambda j: "model" in j.requests,
        lambda j: j.requests["model"],
    ),
    Measure(
        "with media",
        "questions whose answer shows media (MuRAR: 306 of 764, section 4.2)",
        lambda _: True,
        lambda j: bool(j.shown),
        wilson,
    ),
    Measure(
        "precision",
        "of the media shown, the share that is core or ok",
        lambda j: j.shown,
        lambda j: j.right / len(j.shown),
        weight=lambda j: len(j.shown),
    ),
    Measure(
        "recall",
        "of the core media, the share that is shown",
        lambda j: j.gold.core,
        lambda j: j.found / len(j.gold.core),
        weight=lambda j: len(j.gold.core),
    ),
    Measure(
        "f1",
        "harmonic mean of precision and recall of an answer that has core media",
        lambda j: j.gold.answerable and j.gold.core,
        Judged.f1,
    ),
    Measure(
        "order",
        "of two core media shown, how often they stand as in the source",
        lambda j: j.gold.answerable and j.pairs_in_order,
        lambda j: sum(j.pairs_in_order) / len(j.pairs_in_order),
    ),
    Measure(
        "tail",
        "answers of two or more media and texts that have all media after the last text",
        lambda j: j.gold.answerable and len(j.shown) > 1 and len(j.texts) > 1,
        Judged.media_last,
        wilson,
    ),
    Measure(
        "rows",
        "rows of the tables that an answer shows",
        lambda j: j.gold.answerable and j.shows_table(),
        lambda j: len(j.rows),
    ),
    Measure(
        "repeated",
        "of the media shown, the share that the same answer showed before",
        lambda j: j.shown,
        lambda j: 1 - len(j.distinct) / len(j.shown),
        weight=lambda j: len(j.shown),
    ),
    Measure(
        "needless media",
        "questions that want no media and were shown some",
        lambda j: j.gold.answerable and j.gold.kind == "no_media",
        lambda j: bool(j.shown),
        wilson,
    ),
    Measure(
        "refused",
        "unanswerable questions that were refused",
        lambda j: not j.gold.answerable,
        lambda j: j.refused,
        wilson,
    ),
    Measure(
        "false refusal",
        "answerable questions that were refused",
        lambda j: j.gold.answerable,
        lambda j: j.refused,
        wilson,
    ),
)


def score(gold: EvaluationQuestion, result: Result) -> dict[str, float | None]:
    """Every measure of one answer, by name; None where there is nothing to score, as in a result that is an error."""
    if result.get("status") == "error":
        return {measure.name: None for measure in MEASURES}
    judged = Judged(gold, result)
    return {measure.name: measure.of(judged) for measure in MEASURES}


# -------------------------------------------------------------------------------------------------------------- means
@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over the ``scored`` of ``total`` questions, with its 95% interval.

    ``value`` is None if none was scored; the interval is None if fewer than two were: one answer tells no spread.
    """

    value: float | None
    interval: Interval | None
    scored: int
    total: int


def summarise(questions: Sequence[EvaluationQuestion], results: Iterable[Result]) -> dict[str, dict[str, Mean]]:
    """The mean of every measure for each kind of question, in the set's order, and for ``ALL``.

    Questions without a result, or whose result is an error, are not scored.
    """
    by_id = {result["id"]: result for result in results if result.get("status") != "error"}
    kinds = dict.fromkeys([*(question.kind for question in questions), ALL])
    groups = {kind: [question for question in questions if kind in (question.kind, ALL)] for kind in kinds}
    return {
        kind: _means([Judged(gold, by_id[gold.id]) for gold in group if gold.id in by_id], len(group))
        for kind, group in groups.items()
    }


def _means(answers: Sequence[Judged], total: int) -> dict[str, Mean]:
    return {measure.name: _mean(measure, answers, total) for measure in MEASURES}


def _mean(measure: Measure, answers: Sequence[Judged], total: int) -> Mean:
    scored = [(value, measure.weight(j)) for j in answers if (value := measure.of(j)) is not None]
    if not scored:
        return Mean(None, None, 0, total)
    values, weights = zip(*scored, strict=True)
    mean = sum(value * weight for value, weight in scored) / sum(weights)
    return Mean(mean, measure.interval(values, weights) if len(scored) > 1 else None, len(scored), total)


def latency(results: Iterable[Result]) -> tuple[float, float] | None:
    """Median and 95th percentile of the answers' whole time, in milliseconds; None if no answer tells it."""
    times = [total for result in results if (total := (result.get("timings_ms") or {}).get("total")) is not None]
    if not times:
        return None
    median, late = np.percentile(times, [50, 95])
    return float(median), float(late)
