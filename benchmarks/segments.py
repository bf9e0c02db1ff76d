"""How well the seconds of video that an answer shows meet those that hold the answer.

``python -m benchmarks.segments [--each]`` adds ``benchmarks/lectures`` (subtitle files) to a library in a temporary
folder, asks the questions of its ``questions.jsonl`` and prints the mean intersection over union (IoU) of the first
video segment shown and the gold one. A question without a segment of the right video counts as 0; how many got any is
printed beside. Each line of the questions: ``{"id", "question", "document", "start", "end"}``, times in seconds.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from showtell.errors import SourceError
from showtell.evaluate.matching import in_documents
from showtell.evaluate.metrics import bootstrap, overlap
from showtell.library import Library
from showtell.types import as_json

LECTURES = Path(__file__).parent / "lectures"


@dataclass(frozen=True, slots=True)
class Segment:
    """Seconds of one video."""

    document: str
    start: float
    end: float


def first_segment(answer: Mapping[str, Any]) -> Segment | None:
    """The first video part of an Answer (as JSON) that says which seconds to play."""
    for part in answer["parts"]:
        if part["type"] == "video" and part.get("start") is not None and part.get("end") is not None:
            return Segment(part["media"]["document"], part["start"], part["end"])
    return None


def score(shown: Segment | None, gold: Segment) -> float:
    """IoU of two segments; 0 if none is shown or it is of another document."""
    if shown is None or not in_documents(shown.document, [gold.document]):
        return 0.0
    return overlap((shown.start, shown.end), (gold.start, gold.end))


def ask_all(questions: Sequence[Mapping[str, Any]]) -> list[Segment | None]:
    """The segment shown for each question, by a library of the lectures alone."""
    with tempfile.TemporaryDirectory() as folder, Library.open(Path(folder) / "library") as library:
        for added in library.add(*sorted(LECTURES.glob("*.vtt"))):
            if added.error:
                raise SourceError(f"{added.name}: {added.error}")
        return [first_segment(as_json(library.ask(question["question"]))) for question in questions]


def report(questions: Sequence[Mapping[str, Any]], shown: Sequence[Segment | None], each: bool = False) -> str:
    """The figures as text; with ``each``, a line a question before them."""
    scores = [
        score(segment, Segment(question["document"], question["start"], question["end"]))
        for question, segment in zip(questions, shown, strict=True)
    ]
    low, high = bootstrap(scores, [1.0] * len(scores))
    some = [value for value, segment in zip(scores, shown, strict=True) if segment]
    lines = [_line(*row) for row in zip(questions, shown, scores, strict=True)] if each else []
    lines.append(f"mean IoU {mean(scores):.3f} (95% interval {low:.3f}–{high:.3f}) of {len(scores)} questions")
    lines.append(
        f"segment shown for {len(some)} of {len(scores)}" + (f", mean IoU of those {mean(some):.3f}" if some else "")
    )
    return "\n".join(lines)


def _line(question: Mapping[str, Any], segment: Segment | None, value: float) -> str:
    shown = f"{segment.start:.1f}–{segment.end:.1f} of {segment.document}" if segment else "none"
    return f"{question['id']}: IoU {value:.2f}, gold {question['start']:.1f}–{question['end']:.1f}, shown {shown}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", action="store_true", help="a line a question")
    options = parser.parse_args()
    try:
        lines = (LECTURES / "questions.jsonl").read_text("utf8").split("\n")
    except FileNotFoundError as error:
        sys.exit(f"{error.filename} is missing; it belongs to the checkout")
    questions = [json.loads(line) for line in lines if line.strip()]
    print(report(questions, ask_all(questions), options.each))


if __name__ == "__main__":
    main()
