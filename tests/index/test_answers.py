"""Answers that are kept: found again as they were, rated, bounded, and shared by threads and processes."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from showtell.errors import LibraryError
from showtell.index.answers import Answers
from showtell.types import Answer, Cue, FigurePart, Image, Media, Question, Table, TextPart, Video, as_json


def answer(text: str = "Wait [1].") -> Answer:
    blocks = (
        Image("a.png", "/x/a.png", alt="A", asset=f"{'0' * 64}.png", width=3, height=2),
        Table(("a", "b"), (("1", "2"),), ref="x#table:1"),
        Video("v.webm", "/x/v.webm", title="V", cues=(Cue(0.0, 1.5, "Hello"),)),
    )
    figures = (
        FigurePart(Media("m", 0, "x.md", "X", ("X", "Y"), 1, block), (1,), "near", 0.5, 1.0, 2.0, 7) for block in blocks
    )
    return Answer(Question("How long?"), "answered", "high", "showtell", "extractive", (TextPart(text, (1,)), *figures))


def test_an_answer_is_found_as_it_was(tmp_path: Path):
    given = answer()
    id_ = Answers(tmp_path).put(given)
    found = Answers(tmp_path).get(id_)
    assert found
    assert as_json(found.answer) == as_json(given)
    assert found.answer.parts[3].media.block == given.parts[3].media.block  # type: ignore[union-attr]


def test_a_half_character_of_a_model_is_kept(tmp_path: Path):
    answers = Answers(tmp_path)
    found = answers.get(answers.put(answer("half \ud83d [1].")))
    assert found


def test_the_oldest_go_first(tmp_path: Path):
    answers = Answers(tmp_path, most=3)
    ids = [answers.put(answer()) for _ in range(5)]
    assert [answers.get(id_) is not None for id_ in ids] == [False, False, True, True, True]
    assert not answers.rate(ids[0], {"thumb": "up"})
    assert answers.rate(ids[4], {"thumb": "up"})
    assert answers.get(ids[4]).rating == {"thumb": "up"}  # type: ignore[union-attr]


def test_many_threads_write_at_once(tmp_path: Path):
    answers, ids = Answers(tmp_path), []
    threads = [threading.Thread(target=lambda: ids.extend(answers.put(answer()) for _ in range(20))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id_ for id_ in ids if answers.get(id_)}) == 80


def test_a_file_that_is_no_database_is_told(tmp_path: Path):
    (tmp_path / "answers.sqlite").write_bytes(b"nothing of the kind" * 100)
    with pytest.raises(LibraryError, match="move that file away"):
        Answers(tmp_path)
