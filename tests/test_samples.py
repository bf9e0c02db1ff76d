"""The sample material that ships: the handbook holds together, and the gold of the question sets is really there."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from PIL import Image

from showtell.evaluate.datasets import load_questions

ROOT = Path(__file__).resolve().parents[1]
HANDBOOK = ROOT / "src" / "showtell" / "handbook"
LECTURES = ROOT / "benchmarks" / "lectures"
PAGES = sorted(p for p in HANDBOOK.rglob("*") if p.suffix in {".html", ".md"})
LINK = re.compile(r'(?:src|href)="([^"]+)"|\]\(([^)\s]+)')
CUE = re.compile(r"^(\d\d):(\d\d):(\d\d\.\d{3}) --> (\d\d):(\d\d):(\d\d\.\d{3})$", re.MULTILINE)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def cue_times(path: Path) -> list[tuple[float, float]]:
    found = CUE.findall(path.read_text(encoding="utf-8"))
    return [
        (int(a) * 3600 + int(b) * 60 + float(c), int(d) * 3600 + int(e) * 60 + float(f)) for a, b, c, d, e, f in found
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_to_a_file_of_the_handbook(page: Path) -> None:
    targets = [unquote(a or b).split("#")[0] for a, b in LINK.findall(page.read_text(encoding="utf-8"))]
    broken = [t for t in targets if t and not (page.parent / t).resolve().is_relative_to(HANDBOOK)]
    broken += [t for t in targets if t and not (page.parent / t).is_file()]
    assert broken == []


def test_every_figure_is_shown_whole_and_on_some_page() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    figures = sorted((HANDBOOK / "figures").iterdir())
    assert [f.name for f in figures if f.name not in text] == []
    for size in re.findall(r'figures/([\w-]+\.png)"[^>]*? width="(\d+)" height="(\d+)"', text):
        with Image.open(HANDBOOK / "figures" / size[0]) as image:
            assert image.size == (2 * int(size[1]), 2 * int(size[2])), size[0]


def test_the_handbook_stays_small() -> None:
    assert sum(f.stat().st_size for f in HANDBOOK.rglob("*") if f.is_file()) < 1_500_000


@pytest.mark.parametrize("name", ["eval.jsonl", "picture_questions.jsonl"])
def test_gold_of_the_handbook_is_in_the_handbook(name: str) -> None:
    for question in load_questions(HANDBOOK / name):
        assert question.image is None or Path(question.image).is_file(), question.id
        for name in question.documents:
            assert (HANDBOOK / name).is_file(), question.id
        text = (HANDBOOK / question.doc).read_text(encoding="utf-8") if question.doc else ""
        for heading in question.sections or ():
            assert re.search(rf"(^#+ |<h\d[^>]*>){re.escape(heading)}", text, re.MULTILINE), (question.id, heading)
        for media in question.media:
            assert "#table:" in media.ref or (HANDBOOK / media.ref).is_file(), (question.id, media.ref)
        numbers = re.findall(r"\d+(?:\.\d+)?", question.answer or "")
        missing = [n for n in numbers if n not in text and n not in _captions()]
        assert missing == [], question.id


def _captions() -> str:
    return (HANDBOOK / "clips" / "pour-over.vtt").read_text(encoding="utf-8")


def test_lectures_are_long_and_their_cues_in_order() -> None:
    for path in LECTURES.glob("*.vtt"):
        times = cue_times(path)
        assert times[-1][1] >= 20 * 60, path.name
        assert all(a < b for a, b in times)
        assert all(end <= start for (_, end), (start, _) in itertools.pairwise(times))


def test_gold_segments_begin_and_end_with_a_cue() -> None:
    questions = lines(LECTURES / "questions.jsonl")
    assert len({q["id"] for q in questions}) == 20
    for question in questions:
        times = cue_times(LECTURES / question["document"])
        assert question["start"] in {start for start, _ in times}, question["id"]
        assert question["end"] in {end for _, end in times}, question["id"]
        assert 20 <= question["end"] - question["start"] <= 90, question["id"]
