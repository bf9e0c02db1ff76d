"""Ask a library the questions of a set, keep every answer, print what they are worth."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console, RenderableType
from rich.table import Table

from showtell.errors import ShowtellError
from showtell.evaluate.datasets import EvaluationQuestion
from showtell.evaluate.metrics import ALL, MEASURES, Mean, Result, latency, summarise
from showtell.render import labels
from showtell.types import Answer, Hit, as_json

HITS = 10
"""Sections found that a result keeps."""

_PASSAGES = 40  # asked of the search for ten sections: several passages of one section count once


class Askable(Protocol):
    """What can be evaluated: a library that answers and searches."""

    def ask(
        self, question: str, *, images: Sequence[str] = (), sources: Sequence[str] = (), method: str = "showtell"
    ) -> Answer:
        """Answer a question about pictures, from these places, by a named method."""

    def search(self, text: str, limit: int) -> Sequence[Hit]:
        """The passages found for a text, the best first."""


# ------------------------------------------------------------------------------------------------------------- results
def evaluate(
    library: Askable,
    questions: Sequence[EvaluationQuestion],
    *,
    method: str = "showtell",
    sources: Sequence[str] = (),
    progress: Callable[[str], object] | None = None,
) -> Iterator[dict[str, Any]]:
    """Ask each question and yield its result: the Answer as JSON, with the question's ``id`` and the search's ``hits``.

    There are no hits where more is searched than the library, or for more than the question's words: for a question
    with a picture, and with ``sources``. A question on which the library fails gives a result of status ``error``, and
    the next one is asked. ``progress`` is told each question that is done.
    """
    for question in questions:
        try:
            result = _answer(library, question, method, sources)
        except ShowtellError as error:
            result = _failure(question, method, error)
        if progress:
            progress(question.question)
        yield {"id": question.id} | result


def _answer(library: Askable, question: EvaluationQuestion, method: str, sources: Sequence[str]) -> dict[str, Any]:
    images = [question.image] if question.image else []
    answer: dict[str, Any] = as_json(library.ask(question.question, images=images, sources=sources, method=method))
    if images or sources:
        return answer
    return answer | {"hits": sections_found(library.search(question.question, _PASSAGES))}


def _failure(question: EvaluationQuestion, method: str, error: ShowtellError) -> dict[str, Any]:
    return {
        "schema": Answer.SCHEMA,
        "question": {"text": question.question, "images": []},
        "status": "error",
        "error": str(error),
        "method": method,
        "model": None,
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
    sources: Sequence[str] = (),
    progress: Callable[[str], object] | None = None,
) -> list[Result]:
    """The results of :func:`evaluate`, written to ``out``, if that is named, as they come."""
    results = evaluate(library, questions, method=method, sources=sources, progress=progress)
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
    kinds = [kind for kind in means if kind != ALL]
    beside = max(1, (width - 15) // 24)  # a column of names, then 24 characters a kind
    by_kind = (
        _by_kind({kind: means[kind] for kind in kinds[first : first + beside]})
        for first in range(0, len(kinds), beside)
    )
    times = latency(results)
    told = f"latency of an answer: median {times[0]:.0f} ms, 95th percentile {times[1]:.0f} ms" if times else ""
    remarks = [*filter(None, [told]), *_remarks(questions, results)]
    return _printed([_overall(means[ALL]), *by_kind, "\n".join(remarks)], width)


def comparison(questions: Sequence[EvaluationQuestion], results: Mapping[str, Sequence[Result]]) -> str:
    """What the results of several methods, by name, are worth on the same questions, as one table for a terminal.

    A method is a column, 16 characters wide. Where methods were scored on unlike numbers of questions, as a refusal
    shows nothing to score, the least and the greatest are told.
    """
    means = {method: summarise(questions, given)[ALL] for method, given in results.items()}
    remarks = [f"{method}: {remark}" for method, given in results.items() for remark in _remarks(questions, given)]
    return _printed([_compared(means, results), "\n".join(remarks)], max(100, 45 + 16 * len(means)))


def _printed(blocks: Sequence[RenderableType], width: int) -> str:
    """Blocks with an empty line between them; no line ends in blanks."""
    text = io.StringIO()
    screen = Console(file=text, width=width, highlight=False, emoji=False, markup=False)
    for block in filter(None, blocks):
        screen.print(block, "", sep="\n")
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()).rstrip()


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


def _compared(means: Mapping[str, Mapping[str, Mean]], results: Mapping[str, Sequence[Result]]) -> Table:
    """Methods as columns; measures that none of them was scored on are left out."""
    grid = Table(title="All questions", title_justify="left", box=None, pad_edge=False)
    grid.add_column("measure", no_wrap=True)
    for method in means:
        grid.add_column(method, justify="right", no_wrap=True)
    grid.add_column("scored of", justify="right", no_wrap=True)
    for measure in MEASURES:
        row = [method_means[measure.name] for method_means in means.values()]
        if any(mean.scored for mean in row):
            cells = (f"{_value(mean.value)} {_interval(mean):>9}" for mean in row)
            grid.add_row(measure.name, *cells, f"{_spread(mean.scored for mean in row)} of {row[0].total}")
    times = [latency(given) for given in results.values()]
    grid.add_row("median latency", *(f"{each[0]:.0f} ms" if each else "–" for each in times))
    return grid


def _cell(mean: Mean) -> str:
    scored = f"{mean.scored:>{len(str(mean.total))}}/{mean.total}"
    return f"{_value(mean.value)} {_interval(mean):>9} {scored}" if mean.scored else "–"


def _spread(counts: Iterable[int]) -> str:
    """The least and the greatest of some counts; the count where all are the same."""
    distinct = sorted(set(counts))
    return "–".join(str(count) for count in dict.fromkeys((distinct[0], distinct[-1])))


def _interval(mean: Mean) -> str:
    return "–".join(_value(bound) for bound in mean.interval) if mean.interval else ""


def _value(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}"


def _remarks(questions: Sequence[EvaluationQuestion], results: Sequence[Result]) -> list[str]:
    """Who wrote the answers, what they warn of, and what stands behind the questions that were not scored."""
    failures = [result for result in results if result.get("status") == "error"]
    missing = {question.id for question in questions} - {result["id"] for result in results}
    writers = Counter(result.get("model") for result in results if result not in failures)
    warned = [result["warnings"] for result in results if result.get("warnings")]
    remarks = []
    if set(writers) - {None, "extractive"}:
        remarks.append(f"written by {', '.join(f'{name}: {count}' for name, count in writers.most_common())}")
    if warned:
        commonest, count = Counter(warning for each in warned for warning in set(each)).most_common(1)[0]
        remarks.append(f"answers with warnings: {len(warned)}; the commonest, in {count}: {labels.line(commonest)}")
    if failures:
        first = failures[0]
        remarks.append(
            f"not scored, because asking failed: {len(failures)}; the first, "
            + labels.line(f"{first['id']}: {first['error']}", 500)
        )
    if missing:
        remarks.append(f"not scored, for want of a result: {len(missing)}")
    return remarks
