"""``showtell demo``: a library, three answers, a page."""

from __future__ import annotations

import contextlib
import io
import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from showtell.demo import HANDBOOK, run_demo
from showtell.library import Library
from showtell.types import Answer, FigurePart, Table, TextPart, Video

QUESTIONS = [
    json.loads(line)["question"] for line in (HANDBOOK / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]


@dataclass
class Demo:
    folder: Path
    status: int
    out: str
    page: str
    answers: list[Answer]


@pytest.fixture(scope="module")
def demo(handbook: Library, tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """One run; ``handbook`` is asked for so that it is skipped without weights."""
    folder = tmp_path_factory.mktemp("demo") / "out/demo"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        status, out = printed(folder)
    with Library.open(folder / "library", create=False) as library:
        answers = [library.ask(question) for question in QUESTIONS]
    return Demo(folder, status, out, (folder / "answers.html").read_text(encoding="utf-8"), answers)


def printed(folder: Path) -> tuple[int, str]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = run_demo(folder)
    return status, out.getvalue()


def kinds(answer: Answer) -> list[str]:
    return ["text" if isinstance(part, TextPart) else part.media.block.type for part in answer.parts]


def test_it_answers_three_questions_and_says_where_the_page_lies(demo: Demo) -> None:
    assert demo.status == 0
    assert len(QUESTIONS) == 3
    words = " ".join(demo.out.split())
    assert all(" ".join(question.split()) in words for question in QUESTIONS)
    assert "answers.html" in demo.out.replace("\n", "")
    assert "The sources do not say." not in demo.out
    assert all(answer.status == "answered" and answer.confidence == "high" for answer in demo.answers)
    assert "searching by words alone" not in demo.out


def test_the_page_holds_the_three_answers_and_their_media(demo: Demo) -> None:
    assert demo.page.startswith("<!doctype html>")
    assert all(question.split(":")[0] in demo.page for question in QUESTIONS)
    assert "data:image/png;base64," in demo.page
    assert "<table" in demo.page
    assert "data:video/webm;base64," in demo.page


def test_the_how_to_shows_its_steps_with_each_picture_under_its_own(demo: Demo) -> None:
    parts = demo.answers[0].parts
    steps = [part.text.split(".")[0] for part in parts if isinstance(part, TextPart)]
    assert steps == ["1", "2", "3", "4", "5", "6"]
    under = {}
    for before, part in pairwise(parts):
        if isinstance(part, FigurePart):
            assert isinstance(before, TextPart)
            assert part.reason == "stands under this step"
            under[before.text[0]] = part.media.block.ref.split("/")[-1]
    assert under == {"1": "step-dose.png", "2": "step-level.png", "3": "step-tamp.png", "5": "step-pull.png"}


def test_the_comparison_shows_the_rows_of_what_is_compared(demo: Demo) -> None:
    tables = [part.media.block for part in demo.answers[1].parts if isinstance(part, FigurePart)]
    assert isinstance(tables[0], Table)
    brewers = [row[1] for row in tables[0].rows]
    assert {"French press", "AeroPress", "Moka pot"} <= set(brewers)
    assert kinds(demo.answers[1])[:2] == ["text", "table"]


def test_the_video_plays_the_bloom(demo: Demo) -> None:
    (video,) = [part for part in demo.answers[2].parts if isinstance(part, FigurePart)]
    assert isinstance(video.media.block, Video)
    assert video.start is not None
    assert video.end is not None
    assert video.start <= 15.5 < 23.5 <= video.end < 48


def test_a_second_run_adds_nothing_and_gives_the_same_page(demo: Demo) -> None:
    before = (demo.folder / "library/library.sqlite").stat().st_size
    assert printed(demo.folder)[0] == 0
    assert (demo.folder / "answers.html").read_text(encoding="utf-8") == demo.page
    assert (demo.folder / "library/library.sqlite").stat().st_size == before
