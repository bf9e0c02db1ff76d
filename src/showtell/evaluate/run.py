"""Ask a library the questions of a set, keep every answer, print what they are worth."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.table import Table

from showtell.errors import ShowtellError
from showtell.evaluate.datasets import EvaluationQuestion
from showtell.evaluate.metrics import ALL, MEASURES, Mean, Result, latency, summarise
from showtell.types import Answer, Hit, as_json

HITS = 10
"""Sections found that a result keeps."""

_PASSAGES = 40  # asked of the search for ten sections: several passages of one section count once


class Askable(Protocol):
    """What can be evaluated: a library that answers and searches."""

    def ask(self, question: str, *, method: str = "showtell") -> Answer:
        """Answer a question by a named method."""

    def search(self, text: str, limit: int) -> Sequence[Hit]:
        """The passages found for a text, the best first."""


# ------------------------------------------------------------------------------------------------------------- results
def evaluate(
    library: Askable,
    questions: Sequence[EvaluationQuestion],
    *,
    method: str = "showtell",
    progress: Callable[[str], object] | None = None,
) -> Iterator[dict[str, Any]]:
    """Ask each question and yield its result: the Answer as JSON, with the question's ``id`` and the search's ``hits``.

    A question on which the library fails gives a result of status ``error``, and the next one is asked. ``progress`` is
    told each question that is done.
    """
    for question in questions:
        try:
            result = _answer(library, question, method)
        except ShowtellError as error:
            result = _failure(question, method, error)
        if progress:
            progress(question.question)
        yield {"id": question.id} | result


def _answer(library: Askable, question: EvaluationQuestion, method: str) -> dict[str, Any]:
    if question.image:
        raise ShowtellError("the question comes with a picture, which evaluate cannot ask; leave it out of the set")
    answer: dict[str, Any] = as_json(library.ask(question.question, method=method))
    return answer | {"hits": sections_found(library.search(question.question, _PASSAGES))}


def _failure(question: EvaluationQuestion, method: str, error: ShowtellError) -> dict[str, Any]:
    return {
        "schema": Answer.SCHEMA,
        "question": {"text": question.question, "images": []},
        "status": "error",
        "error": str(error),
        "method": method,
        "parts": [],
        "citations": [],
        "hits": [],
    }


def sections_found(hits: Iterable[Hit]) -> list[dict[str, Any]]:
    """The first ten sections of the passages found, each with the score of its best passage."""
    best: dict[tuple[str, tuple[str, ...]], float] = {}
    for hit in hits:
        best.setdefault((hit.passage.document, hit.passage.section), hit.score)
    return [
        {"document": document, "section": list(section), "score": round(score, 4)}
        for (document, section), score in islice(best.items(), HITS)
    ]


def evaluate_to_file(
    library: Askable,
    questions: Sequence[EvaluationQuestion],
    out: str | Path | None,
    method: str = "showtell",
    progress: Callable[[str], object] | None = None,
) -> list[Result]:
    """The results of :func:`evaluate`, written to ``out``, if that is named, as they come."""
    results = evaluate(library, questions, method=method, progress=progress)
    return write_results(out, results) if out else list(results)


def write_results(path: str | Path, results: Iterable[Result]) -> list[Result]:
    """Write results as they come, one JSON object a line, and return them.

    Each line goes out in one piece, so that a run that is interrupted leaves whole lines. A file that is there is
    replaced.

    Raises:
        ShowtellError: The file cannot be written.
    """
    written: list[Result] = []
    size = 0
    with _writable(Path(path)) as file:
        for result in results:
            # ASCII only: some readers take U+2028 and its like for the end of a line
            line = (json.dumps(result) + "\n").encode()
            _write_whole(file, line, size)
            size += len(line)
            written.append(result)
    return written


def _writable(path: Path) -> io.FileIO:
    try:
        return io.FileIO(path, "w")
    except OSError as error:
        raise _unwritten(path, error) from error


def _write_whole(file: io.FileIO, line: bytes, start: int) -> None:
    """Write a line at ``start``, or nothing of it if the disk is full."""
    try:
        while line:
            line = line[file.write(line) :]
    except OSError as error:
        with suppress(OSError):  # a device or a pipe cannot be cut
            file.truncate(start)
        raise _unwritten(file.name, error) from error


def _unwritten(path: object, error: OSError) -> ShowtellError:
    return ShowtellError(f"cannot write results to {path}: {error.strerror}; name a file that you may write, with room")


# --------------------------------------------------------------------------------------------------------------- table
def table(questions: Sequence[EvaluationQuestion], results: Sequence[Result], width: int = 100) -> str:
    """What the results of one method are worth, as text for a terminal: all questions, then each kind, then latency."""
    means = summarise(questions, results)
    text = io.StringIO()
    screen = Console(file=text, width=width, highlight=False, emoji=False, markup=False)
    screen.print(_overall(means[ALL]))
    kinds = [kind for kind in means if kind != ALL]
    beside = max(1, (width - 15) // 24)  # a column of names, then 24 characters a kind
    for first in range(0, len(kinds), beside):
        screen.print("", _by_kind({kind: means[kind] for kind in kinds[first : first + beside]}), sep="\n")
    screen.print("", *_remarks(questions, results), sep="\n")
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def _overall(means: Mapping[str, Mean]) -> Table:
    grid = Table(title="All questions", title_justify="left", box=None, pad_edge=False)
    grid.add_column("measure", no_wrap=True)
    for heading in ("mean", "95% interval", "scored of"):
        grid.add_column(heading, justify="right", no_wrap=True)
    grid.add_column("what it is")
    for measure in MEASURES:
        mean = means[measure.name]
        grid.add_row(
            measure.name, _value(mean.value), _interval(mean), f"{mean.scored} of {mean.total}", measure.meaning
        )
    return grid


def _by_kind(means: Mapping[str, Mapping[str, Mean]]) -> Table:
    """Some kinds as columns; measures that none of them was scored on are left out."""
    grid = Table(title="By kind", title_justify="left", box=None, pad_edge=False)
    grid.add_column("measure", no_wrap=True)
    for kind in means:
        grid.add_column(kind, justify="right")
    for measure in MEASURES:
        row = [kind_means[measure.name] for kind_means in means.values()]
        if any(mean.scored for mean in row):
            grid.add_row(measure.name, *(_cell(mean) for mean in row))
    return grid


def _cell(mean: Mean) -> str:
    scored = f"{mean.scored:>{len(str(mean.total))}}/{mean.total}"
    return f"{_value(mean.value)} {_interval(mean):>9} {scored}" if mean.scored else "–"


def _interval(mean: Mean) -> str:
    return "–".join(_value(bound) for bound in mean.interval) if mean.interval else ""


def _value(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}"


def _remarks(questions: Sequence[EvaluationQuestion], results: Sequence[Result]) -> list[str]:
    """Latency, and what stands behind the questions that were not scored."""
    failures = [result for result in results if result.get("status") == "error"]
    missing = {question.id for question in questions} - {result["id"] for result in results}
    remarks = []
    if times := latency(results):
        remarks.append(f"latency of an answer: median {times[0]:.0f} ms, 95th percentile {times[1]:.0f} ms")
    if failures:
        first = failures[0]
        remarks.append(
            f"not scored, because asking failed: {len(failures)}; the first, {first['id']}: {first['error']}"
        )
    if missing:
        remarks.append(f"not scored, for want of a result: {len(missing)}")
    return remarks
