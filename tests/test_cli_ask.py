"""``showtell ask`` and ``showtell evaluate`` on the sample handbook."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from showtell.answer.pipeline import Step
from showtell.demo import HANDBOOK
from showtell.library import Library
from showtell.types import Answer, Question, TextPart, as_json

from .conftest import Screen, Shell

HOW_TO = "How do I prepare and pull a shot of espresso?"
ABSENT = "How do I connect the grinder to the Wi-Fi?"


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


# ------------------------------------------------------------------------------------------------- while it is answered
class Writer:
    """Stands for a library whose model writes an answer in pieces; ``asked`` keeps what it was asked."""

    def __init__(self, *steps: Step | BaseException) -> None:
        self.steps = steps
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def asking(self, question: str, **how: Any) -> Iterator[Step]:
        self.asked.append((question, how))
        for step in self.steps:
            if isinstance(step, BaseException):
                raise step
            yield step

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        pass


WRITTEN = Answer(
    Question(HOW_TO),
    "answered",
    "high",
    "showtell",
    "ollama/some",
    (TextPart("Press TARE."),),
    searches=(HOW_TO, "tare"),
)
STEPS = (Step("query", None, 1.0), Step("writing", "Press ", 1.0), Step("writing", "TARE", 1.0))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Writer]:
    def put(*steps: Step | BaseException) -> Writer:
        writer = Writer(*steps)
        monkeypatch.setattr(Library, "open", lambda *_, **__: writer)
        return writer

    return put


def test_steps_and_text_stand_on_the_terminal_until_the_answer_is_there(
    shell: Shell, opened: Callable[..., Writer], screen: Callable[[], Screen]
) -> None:
    opened(*STEPS, Step("answer", WRITTEN, 2.0))
    unseen = shell("ask", HOW_TO)[1]
    assert f"searched: {HOW_TO} · tare\nwritten by ollama/some\n" in unseen
    stderr = screen()
    status, out, _ = shell("ask", HOW_TO)
    assert (status, out) == (0, unseen), "the answer is the same, seen or unseen"
    assert "query › writing" in stderr.getvalue()
    assert "Press TARE" in stderr.getvalue()
    assert stderr.getvalue().count("\n") == stderr.getvalue().count("\x1b[1A"), "and then it is gone"


def test_the_answer_of_a_library_is_the_same_seen_or_unseen(shell: Shell, screen: Callable[[], Screen]) -> None:
    unseen = shell("ask", HOW_TO)[1]
    stderr = screen()
    assert shell("ask", HOW_TO)[1] == unseen
    assert "query › search" in stderr.getvalue()


@pytest.mark.parametrize("output", ["--json", "--markdown", "--html", "--quiet"])
def test_nothing_is_shown_on_the_way_to_a_program_or_in_quiet(
    shell: Shell, screen: Callable[[], Screen], tmp_path: Path, output: str
) -> None:
    stderr = screen()
    status, _, _ = shell("ask", HOW_TO, output, *([tmp_path / "a.html"] if output == "--html" else []))
    assert status == 0
    assert "\x1b" not in stderr.getvalue()


def test_stopping_a_half_written_answer_is_one_line_and_no_answer(
    shell: Shell, opened: Callable[..., Writer], screen: Callable[[], Screen]
) -> None:
    opened(*STEPS, KeyboardInterrupt())
    assert shell("ask", HOW_TO) == (1, "", "showtell: stopped; what was stored before stays\n")
    stderr = screen()
    assert shell("ask", HOW_TO)[:2] == (1, "")
    assert stderr.getvalue().endswith("showtell: stopped; what was stored before stays\n")


def test_a_question_follows_earlier_answers_in_their_order(
    shell: Shell, opened: Callable[..., Writer], tmp_path: Path
) -> None:
    (tmp_path / "one.json").write_text(shell("ask", HOW_TO, "--json")[1])
    (tmp_path / "two.json").write_text(shell("ask", ABSENT, "--json")[1])
    writer = opened(Step("answer", WRITTEN, 2.0))
    assert shell("ask", "And then?", "--after", tmp_path / "one.json", "--after", tmp_path / "two.json")[0] == 0
    (question, how) = writer.asked[0]
    one, two = how["after"]
    assert (question, one.question.text, two.question.text) == ("And then?", HOW_TO, ABSENT)
    assert one.parts[0].text.startswith("1. Put the dry, empty portafilter")
    assert all(isinstance(part, TextPart) for part in one.parts)
    assert (one.status, two.status) == ("answered", "no_answer")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"How?",
        b"[1]",
        b"{}",
        b'{"schema": "showtell.answer/1"}',
        b'{"schema": "showtell.answer/9", "question": {"text": "How?"}, "parts": []}',
        b'{"schema": "showtell.answer/1", "question": {"text": 7}, "parts": []}',
        b'{"schema": "showtell.answer/1", "question": {"text": "How?"}, "parts": [7]}',
        b"[" * 100_000,
        b'{"schema": "\xff\xfe"}',
        b" " * 6_000_000,
        None,
    ],
)
def test_an_earlier_answer_that_is_none_is_one_line_that_names_the_file(
    shell: Shell, tmp_path: Path, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "wrong.json").write_bytes(content)
    status, out, err = shell("ask", HOW_TO, "--after", tmp_path / "wrong.json")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert f"{tmp_path}/wrong.json" in err
    assert len(err) < 400


def test_a_recording_needs_a_model(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHOWTELL_MODEL", raising=False)
    for command in (("ask", HOW_TO), ("evaluate", HANDBOOK / "eval.jsonl")):
        status, out, err = shell(*command, "--record", tmp_path / "replies.jsonl")
        assert (status, out, err.count("\n")) == (1, "", 1)
        assert "--model NAME" in err
        assert shell(*command, "--record", "a", "--replay", "b")[0] == 2


@pytest.mark.parametrize("command", [("ask", HOW_TO), ("add", HANDBOOK), ("evaluate", HANDBOOK / "eval.jsonl")])
def test_a_model_that_is_not_named_is_wrong_usage(shell: Shell, command: tuple[str | Path, ...]) -> None:
    status, out, err = shell(*command, "--caption" if command[0] == "add" else "--model")
    assert (status, out) == (2, "")
    assert "expected one argument" in err


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


def test_a_method_that_is_named_twice_is_evaluated_once_into_the_file_that_is_named(
    shell: Shell, tmp_path: Path
) -> None:
    (tmp_path / "q.jsonl").write_text("".join((HANDBOOK / "eval.jsonl").read_text("utf8").splitlines(True)[:2]))
    arguments = ("--method", "showtell", "--method", "showtell", "--out", tmp_path / "results.jsonl")
    status, out, _ = shell("evaluate", tmp_path / "q.jsonl", *arguments)
    assert status == 0
    assert "with media" in out
    lines = (tmp_path / "results.jsonl").read_text("utf8").splitlines()
    assert [(line["method"], line["model"]) for line in map(json.loads, lines)] == [("showtell", "extractive")] * 2


def test_an_evaluation_that_answers_nothing_has_failed(shell: Shell, tmp_path: Path) -> None:
    question = json.loads((HANDBOOK / "eval.jsonl").read_text("utf8").splitlines()[0])
    (tmp_path / "q.jsonl").write_text(json.dumps(question | {"image": "cup.jpg"}))
    status, out, err = shell("evaluate", tmp_path / "q.jsonl")
    assert (status, err) == (1, "")
    assert "not scored, because asking failed: 1" in out


def test_the_time_left_is_told_while_questions_are_asked(shell: Shell, screen: Callable[[], Screen]) -> None:
    stderr = screen()
    assert shell("evaluate", HANDBOOK / "eval.jsonl")[0] == 0
    count = len((HANDBOOK / "eval.jsonl").read_text("utf8").splitlines())
    assert f"/{count}" in stderr.getvalue()
    assert "questions by showtell 0:00:0" in re.sub(r"\x1b\[[\d;]*m", "", stderr.getvalue())


def test_methods_are_evaluated_into_files_of_their_own_and_one_table(shell: Shell, tmp_path: Path) -> None:
    arguments = ("--method", "murar", "--method", "showtell", "--out", tmp_path / "results.jsonl")
    status, out, err = shell("evaluate", HANDBOOK / "eval.jsonl", *arguments)
    assert (status, err) == (0, "")
    assert out.splitlines()[1].split() == ["measure", "murar", "showtell", "scored", "of"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.murar.jsonl", "results.showtell.jsonl"]
    shown = {}
    for method in ("murar", "showtell"):
        results = list(map(json.loads, (tmp_path / f"results.{method}.jsonl").read_text("utf8").splitlines()))
        assert len(results) == len((HANDBOOK / "eval.jsonl").read_text("utf8").splitlines())
        assert {(result["method"], result["model"]) for result in results} == {(method, "extractive")}
        shown[method] = [[part["media"]["id"] for part in r["parts"] if part["type"] != "text"] for r in results]
    assert all(any(each) for each in shown.values())
    assert shown["murar"] != shown["showtell"]
