"""What can be set beside the plain search: a reranker, and a search by a supposed answer (HyDE)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from showtell.answer.evidence import reranked
from showtell.library import Library
from showtell.models.base import ChatModel, ChatRequest, Vectors
from showtell.models.fake import ScriptedModel
from showtell.types import Answer, Hit, Passage

from .conftest import Made

CHARGING = (
    "# The tractor\n\n## Battery\n\nCharge the accumulator for eight hours before winter.\n\n"
    "## Seat\n\nThe seat slides forward when you lift the bar under it.\n\n"
    "## Roof\n\nThe roof folds back and is held by two straps.\n"
)
QUESTION = "How does the roof of the tractor fold?"


def hit(number: int, score: float) -> Hit:
    return Hit(Passage(number, 1, "a.md", "A", ("S",), f"text {number}", 0, 1), score, 0.0, 0.0)


class Preferring:
    """A reranker for which passages with a word fit better."""

    name = "preferring"

    def __init__(self, word: str) -> None:
        self.word = word
        self.read: list[str] = []

    def scores(self, query: str, texts: Sequence[str]) -> Vectors:
        self.read += texts
        return np.array([5.0 if self.word in text else -5.0 for text in texts], dtype=np.float32)


# ------------------------------------------------------------------------------------------------------------- reranker
def test_the_first_hits_are_ordered_by_both_scores_and_the_rest_stay_behind() -> None:
    hits = [hit(1, 0.75), hit(2, 0.5), hit(3, 0.25), hit(4, 0.125)]
    found = reranked(hits, [-11.0, 0.0, 11.0])
    assert [each.passage.id for each in found] == [1, 2, 3, 4]  # 1 + 0, 0.5 + 0.5, 0 + 1: equal, so as they were
    found = reranked(hits, [-11.0, 5.0, 11.0])
    assert [each.passage.id for each in found] == [2, 1, 3, 4]


def test_scores_stay_with_their_ranks() -> None:
    hits = [hit(1, 0.9), hit(2, 0.8), hit(3, 0.7)]
    assert [each.score for each in reranked(hits, [0.0, 9.0, 1.0])] == [0.9, 0.8, 0.7]


@pytest.mark.parametrize(("count", "scores"), [(0, []), (1, [3.0]), (3, [2.0, 2.0, 2.0])])
def test_scores_that_say_nothing_change_nothing(count: int, scores: list[float]) -> None:
    hits = [hit(number, 1.0 - number / 10) for number in range(count)]
    assert reranked(hits, scores) == hits


def test_a_reranker_decides_what_leads_the_answer(made: Made) -> None:
    library = made({"tractor.md": CHARGING}, words_alone=True)
    question = "What does the tractor say of the roof and the seat?"
    leaders = []
    for word in ("slides", "folds"):
        library.searcher.reranker = reranker = Preferring(word)
        leaders.append(library.search(question)[0].passage.section[-1])
        assert library.ask(question).citations[0].section[-1] == leaders[-1]
        assert any(text.startswith("The tractor") and "The seat slides" in text for text in reranker.read)
    assert leaders == ["Seat", "Roof"]


def test_a_reranker_that_cannot_be_had_is_told_and_done_without(made: Made, tmp_path: Path) -> None:
    library = made({"tractor.md": CHARGING}, words_alone=True)
    expected = library.ask(QUESTION)
    with Library.open(library.store.folder, encoder=str(tmp_path / "none"), rerank=str(tmp_path / "absent")) as other:
        answer = other.ask(QUESTION)
    assert answer.parts == expected.parts
    assert any(warning.startswith("searching without a reranker: ") for warning in answer.warnings)


# ----------------------------------------------------------------------------------------------------------------- HyDE
def supposing(passage: str) -> ScriptedModel:
    """A model that supposes an answer, and writes no draft."""

    def reply(request: ChatRequest) -> str:
        return passage if "The passage:" in request.messages[-1].text else "NO ANSWER"

    return ScriptedModel(reply)


def asked(library: Library, model: ChatModel, question: str = QUESTION, method: str = "showtell") -> Answer:
    with Library.open(library.store.folder, hyde=True) as other:
        other.model = model
        return other.ask(question, method=method)


def test_a_supposed_answer_is_searched_and_told(made: Made) -> None:
    library = made({"tractor.md": CHARGING})
    question = "What must be done with the power cell when it gets cold?"
    supposed = "Charge the accumulator\nfor eight hours before winter."
    with Library.open(library.store.folder, hyde=True) as other:
        other.model = supposing(supposed)
        steps = {step.name: step.value for step in other.asking(question)}
    (search,) = [hit for hit in steps["search"].passages if hit.passage.section[-1] == "Battery"]
    plain = next(hit for hit in library.search(question) if hit.passage.section[-1] == "Battery")
    assert search.dense > plain.dense + 0.1
    assert steps["query"].searches == (question, "Charge the accumulator for eight hours before winter.")
    assert steps["answer"].searches == steps["query"].searches


def test_none_is_asked_for_unless_set_nor_for_the_published_method(made: Made) -> None:
    library, model = made({"tractor.md": CHARGING}), supposing("The roof folds back.")
    library.model = model
    library.ask(QUESTION)
    asked(library, model, method="murar")
    assert not any("The passage:" in request.messages[-1].text for request in model.requests)


@pytest.mark.parametrize("passage", ["", "  \n"])
def test_an_empty_supposition_leaves_the_question(made: Made, passage: str) -> None:
    answer = asked(made({"tractor.md": CHARGING}), supposing(passage))
    assert answer.searches == (QUESTION,)


def test_a_model_that_fails_leaves_the_question_and_is_told(made: Made) -> None:
    library = made({"tractor.md": CHARGING})
    answer = asked(library, ScriptedModel([]))  # has no reply to give
    assert answer.parts == library.ask(QUESTION).parts
    assert any("searched without a supposed answer" in warning for warning in answer.warnings)
