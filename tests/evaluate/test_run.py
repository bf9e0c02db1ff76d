from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from showtell.errors import LibraryLocked, ShowtellError
from showtell.evaluate.datasets import EvaluationQuestion
from showtell.evaluate.metrics import Result, score
from showtell.evaluate.run import comparison, evaluate, evaluate_to_file, table, write_results
from showtell.types import Answer, Citation, Hit, Passage, Question, TextPart


def passage(number: int, document: str, *section: str) -> Passage:
    return Passage(
        id=number, section_id=0, document=document, title="", section=section, text="pour\u2028on", first=0, last=1
    )


class Shelf:
    """A library of a few passages, all of them found for every question; it fails on the word `locked`."""

    def __init__(self, *passages: Passage) -> None:
        self.passages = passages

    def search(self, text: str, limit: int) -> Sequence[Hit]:
        return [Hit(found, 1 / rank, 0.0, 0.0) for rank, found in enumerate(self.passages[:limit], start=1)]

    def ask(
        self, question: str, *, images: Sequence[str] = (), sources: Sequence[str] = (), method: str = "showtell"
    ) -> Answer:
        if "locked" in question:
            raise LibraryLocked("the library is locked by another process; wait for it")
        first = self.passages[0]
        return Answer(
            question=Question(question, tuple(images)),
            status="answered",
            confidence="high",
            method=method,
            model="extractive",
            parts=(TextPart("Pour on [1].", (1,)),),
            citations=(Citation(1, first.document, "", first.section, first.text),),
            timings_ms={"total": 12.0},
            requests=dict.fromkeys(sources, 1),
        )


SHELF = Shelf(
    passage(1, "brew.md", "Brew", "Pour"),
    passage(2, "brew.md", "Brew", "Pour"),
    *(passage(number, f"page{number}.md", "Page") for number in range(3, 20)),
)


def asked(*texts: str, **changes: object) -> tuple[EvaluationQuestion, ...]:
    return tuple(
        EvaluationQuestion.model_validate(
            {"id": f"q{number}", "question": text, "answerable": True, "kind": "howto", "doc": "brew.md"}
            | {"sections": ("Pour",), "answer": "Pour on."}
            | changes
        )
        for number, text in enumerate(texts, start=1)
    )


def test_a_result_is_the_answer_with_its_id_and_the_first_ten_sections() -> None:
    (result,) = evaluate(SHELF, asked("How?"), method="murar")
    assert (result["id"], result["schema"], result["method"]) == ("q1", "showtell.answer/1", "murar")
    assert [hit["document"] for hit in result["hits"]] == ["brew.md", *(f"page{number}.md" for number in range(3, 12))]
    assert result["hits"][0] == {"document": "brew.md", "section": ["Brew", "Pour"], "score": 1.0}
    scores = score(asked("How?")[0], result)
    assert (scores["section@1"], scores["first section"], scores["text"]) == (1, 1, 1)


def test_a_question_that_fails_is_kept_and_the_next_is_asked() -> None:
    done: list[str] = []
    questions = asked("is it locked?", "How?")
    failed, answered = evaluate(SHELF, questions, progress=done.append)
    assert (failed["status"], failed["parts"]) == ("error", [])
    assert (failed["method"], failed["model"], answered["model"]) == ("showtell", None, "extractive")
    assert "locked by another process" in failed["error"]
    assert answered["status"] == "answered"
    assert done == ["is it locked?", "How?"]
    shown = table(questions, [failed, answered])
    assert "not scored, because asking failed: 1; the first, q1: the library is locked" in shown


@pytest.mark.parametrize(("images", "sources"), [(["cup.jpg"], []), ([], ["wikipedia"]), (["cup.jpg"], ["wikipedia"])])
def test_pictures_and_other_sources_are_asked_and_what_was_found_is_not_scored(
    images: list[str], sources: list[str]
) -> None:
    questions = asked("What is this?", **({"image": images[0]} if images else {}))
    (result,) = evaluate(SHELF, questions, sources=sources)
    assert (result["question"]["images"], [*result["requests"]]) == (images, sources)
    scores = score(questions[0], result)
    assert (scores["section@1"], scores["first section"]) == (None, 1)


def test_an_interrupted_run_keeps_whole_lines(tmp_path: Path) -> None:
    def interrupted() -> Iterator[Result]:
        yield from evaluate(SHELF, asked("a?", "b?"))
        raise KeyboardInterrupt

    out = tmp_path / "results.jsonl"
    out.write_text("an older run\n")
    with pytest.raises(KeyboardInterrupt):
        write_results(out, interrupted())
    lines = out.read_text("utf8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["q1", "q2"]


def test_results_are_written_as_they_come(tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    seen: list[int] = []
    results = evaluate_to_file(
        SHELF, asked("a?", "b?", "c?"), out, progress=lambda _: seen.append(out.read_bytes().count(b"\n"))
    )
    assert seen == [0, 1, 2]
    assert [json.loads(line) for line in out.read_text("utf8").splitlines()] == results


def test_a_file_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ShowtellError, match="cannot write results to"):
        write_results(tmp_path / "none" / "results.jsonl", [])
    if Path("/dev/full").exists():
        with pytest.raises(ShowtellError, match="No space left"):
            write_results("/dev/full", [{"id": "q"}])


@pytest.mark.parametrize("width", [80, 100])
def test_the_table_is_readable_at_its_width(width: int) -> None:
    kinds = ["howto_steps", "table", "video", "unanswerable", "duplicate_media"]
    questions = [
        question.model_copy(update={"id": f"{kind} {question.id}", "kind": kind, "answerable": kind != "unanswerable"})
        for kind in kinds
        for question in asked(*("How?" for _ in range(12)))
    ]
    results = list(evaluate(SHELF, questions[:-1]))
    shown = table(questions, results, width)
    assert max(map(len, shown.splitlines())) <= width
    for kind in kinds:
        assert kind in shown
    assert "…" not in shown
    assert "1.00 0.76–1.00 12/12" in shown
    assert "1.00 0.74–1.00 11/12" in shown
    assert "47 of 60" in shown
    assert "latency of an answer: median 12 ms, 95th percentile 12 ms" in shown
    assert "not scored, for want of a result: 1" in shown


# ----------------------------------------------------------------------------------------------------- several methods
def compared(**results: Sequence[Result]) -> list[str]:
    return comparison(QUESTIONS, results).splitlines()


def row(lines: Sequence[str], measure: str) -> list[str]:
    (found,) = [line for line in lines if line.startswith(measure)]
    return found.removeprefix(measure).split()


QUESTIONS = asked(*(f"How {number}?" for number in range(10)))


def test_methods_are_compared_in_one_table() -> None:
    plain = list(evaluate(SHELF, QUESTIONS))
    image = {"type": "image", "citations": [1], "media": {"document": "brew.md", "source": "pour.png"}}
    shown = [
        result | {"parts": [*result["parts"], image], "timings_ms": {"total": 2000.0}, "requests": {"model": 2}}
        for result in evaluate(SHELF, QUESTIONS, method="murar")
    ]
    refusals = [result | {"status": "no_answer"} for result in plain[:4]]
    names = ("showtell", "murar", "text-only", "closed-book")
    lines = comparison(
        QUESTIONS, dict(zip(names, (plain, shown, plain, refusals + plain[4:]), strict=True))
    ).splitlines()
    assert lines[1].split() == ["measure", *names, "scored", "of"]
    assert max(map(len, lines)) <= 110
    assert row(lines, "with media") == ["0.00", "0.00–0.28", "1.00", "0.72–1.00"] + ["0.00", "0.00–0.28"] * 2 + [
        "10", "of", "10",
    ]  # fmt: skip
    assert row(lines, "model requests")[:4] == ["–", "2.00", "2.00–2.00", "–"]
    assert row(lines, "citations")[-3:] == ["6–10", "of", "10"]
    assert row(lines, "median latency") == ["12", "ms", "2000", "ms", "12", "ms", "12", "ms"]
    assert not any(line.startswith("order") for line in lines), "what no method was scored on is left out"


def test_a_question_on_which_a_model_fails_is_told_and_not_counted() -> None:
    answered = list(evaluate(SHELF, QUESTIONS))
    failed = list(evaluate(SHELF, [*QUESTIONS[:-1], *asked("locked?", id="q10")]))
    lines = compared(murar=failed, showtell=answered)
    assert row(lines, "words")[-3:] == ["9–10", "of", "10"]
    assert row(lines, "text")[0] == row(lines, "text")[2] == "1.00"
    assert "murar: not scored, because asking failed: 1; the first, q10: the library is locked" in " ".join(lines)


def test_answers_that_fell_back_are_told_with_their_writers_and_warnings() -> None:
    answered = list(evaluate(SHELF, QUESTIONS))
    lost = "the model did not answer, so these are the sources' own words"
    results = [result | {"model": "ollama/x"} for result in answered[:8]]
    results += [result | {"warnings": [lost, "one picture\x1b[2J was dropped"]} for result in answered[8:9]]
    results += [result | {"warnings": [lost]} for result in answered[9:]]
    shown = table(QUESTIONS, results, width=200)
    assert "written by ollama/x: 8, extractive: 2" in shown
    assert f"answers with warnings: 2; the commonest, in 2: {lost}" in shown
    assert "written by" not in table(QUESTIONS, answered)
