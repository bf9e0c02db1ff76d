"""``showtell ask`` and ``showtell evaluate`` on the sample handbook."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from showtell.cli import main
from showtell.demo import HANDBOOK
from showtell.library import Library
from showtell.types import as_json

HOW_TO = "How do I prepare and pull a shot of espresso?"
ABSENT = "How do I connect the grinder to the Wi-Fi?"
Shell = Callable[..., tuple[int, str, str]]


@pytest.fixture
def shell(handbook: Library, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The command in this process, on the handbook: exit status, stdout, stderr."""
    monkeypatch.setenv("SHOWTELL_LIBRARY", str(handbook.store.folder))
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = int(end.code or 0)
        return status, *capsys.readouterr()

    return run


def test_an_answer_is_read_in_the_terminal(shell: Shell) -> None:
    status, out, err = shell("ask", HOW_TO)
    assert (status, err) == (0, "")
    assert "1. Put the dry, empty portafilter on the scale, press TARE" in " ".join(out.split())
    assert "step-dose.png" in out
    assert "espresso/first-shot.html" in out
    assert max(map(len, out.splitlines())) <= 80


def test_json_is_the_answer_and_nothing_else(shell: Shell, handbook: Library) -> None:
    status, out, err = shell("ask", HOW_TO, "--json")
    assert (status, err) == (0, "")
    told, asked = json.loads(out), as_json(handbook.ask(HOW_TO))
    assert told | {"timings_ms": {}} == asked | {"timings_ms": {}}


def test_markdown_shows_steps_pictures_and_sources(shell: Shell) -> None:
    status, out, err = shell("ask", HOW_TO, "--markdown")
    assert (status, err) == (0, "")
    assert "1. Put the dry, empty portafilter" in out
    assert "![Portafilter filled with ground coffee" in out
    assert "espresso/first-shot.html" in out


def test_html_is_a_page_in_the_file_that_is_named(shell: Shell, tmp_path: Path) -> None:
    status, out, err = shell("ask", HOW_TO, "--html", tmp_path / "new/answer.html")
    assert (status, out) == (0, "")
    assert err == f"page: {tmp_path / 'new/answer.html'}\n"
    page = (tmp_path / "new/answer.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert HOW_TO in page
    assert page.count("data:image/png") >= 4


def test_no_answer_is_no_failure(shell: Shell) -> None:
    status, out, err = shell("ask", ABSENT)
    assert (status, err) == (0, "")
    assert "The sources do not say." in out
    assert "beans/grinding.md" in out, "the nearest sources are offered"
    assert json.loads(shell("ask", ABSENT, "--json")[1])["status"] == "no_answer"


def test_document_and_language_narrow_the_sources(shell: Shell) -> None:
    def documents(*arguments: str) -> set[str]:
        answer = json.loads(shell("ask", "--json", *arguments)[1])
        return {citation["document"] for citation in answer["citations"]}

    assert documents("Wie brüht man Filterkaffee von Hand?", "--language", "de") == {"de/filterkaffee.md"}
    assert documents("How is cold brew made?", "--document", "filter/brew-methods.html") == {"filter/brew-methods.html"}
    both = documents("How is the collar set?", "--document", "beans", "--document", "espresso/dial-in.html")
    assert both
    assert {name.split("/")[0] for name in both} <= {"beans", "espresso"}


@pytest.mark.parametrize("question", ["", "   ", "\n\t"])
def test_an_empty_question_is_wrong_usage(shell: Shell, question: str) -> None:
    status, out, err = shell("ask", question)
    assert (status, out) == (2, "")
    assert "the question is empty" in err


def test_a_library_that_is_not_there_is_one_line(shell: Shell, tmp_path: Path) -> None:
    for output in ((), ("--json",)):
        status, out, err = shell("ask", "What?", "--library", tmp_path / "none", *output)
        assert (status, out) == (1, "")
        assert err.count("\n") == 1
        assert "showtell add" in err
    assert not (tmp_path / "none").exists()


def test_a_page_that_cannot_be_written_is_one_line(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    status, out, err = shell("ask", HOW_TO, "--html", tmp_path / "file/answer.html")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "answer.html" in err


def test_without_weights_the_library_is_asked_by_words_alone(shell: Shell, handbook: Library, tmp_path: Path) -> None:
    status, out, err = shell("ask", HOW_TO, "--encoder", tmp_path / "none", "--json")
    assert status == 0, "no weights: by words alone"
    assert json.loads(out)["warnings"][0].startswith("searching by words alone")
    assert err == ""


# ------------------------------------------------------------------------------------------------------------- evaluate
def test_evaluate_answers_every_question_and_prints_what_the_answers_are_worth(shell: Shell, tmp_path: Path) -> None:
    questions = [json.loads(line) for line in (HANDBOOK / "eval.jsonl").read_text(encoding="utf-8").splitlines()]
    status, out, err = shell("evaluate", HANDBOOK / "eval.jsonl", "--out", tmp_path / "results.jsonl")
    assert (status, err) == (0, "")
    assert "All questions" in out
    assert f"of {len(questions)}" in out
    assert "latency of an answer: median" in out
    results = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [result["id"] for result in results] == [question["id"] for question in questions]
    for result, question in zip(results, questions, strict=True):
        assert result["schema"] == "showtell.answer/1"
        assert result["question"]["text"] == question["question"]
        places = [(hit["document"], tuple(hit["section"])) for hit in result["hits"]]
        assert len(places) == len(set(places)) <= 10
        assert places
        assert all(set(hit) == {"document", "section", "score"} for hit in result["hits"])
        scores = [hit["score"] for hit in result["hits"]]
        assert scores == sorted(scores, reverse=True)
    by_id = {result["id"]: result for result in results}
    answerable = [question for question in questions if question["answerable"]]
    found = [q for q in answerable if q["doc"] in [hit["document"] for hit in by_id[q["id"]]["hits"][:5]]]
    assert len(found) >= 0.9 * len(answerable)
    assert all(by_id[question["id"]]["status"] == "answered" for question in answerable)


def test_evaluate_refuses_a_file_that_holds_no_questions(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("not json\n")
    for name in ("bad.jsonl", "none.jsonl"):
        status, out, err = shell("evaluate", tmp_path / name)
        assert (status, out, err.count("\n")) == (1, "", 1)
