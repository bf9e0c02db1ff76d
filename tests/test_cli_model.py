"""The command line with a chat model behind it: a scripted server on loopback, asked over the wire."""

from __future__ import annotations

import _thread
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from showtell.answer.pipeline import METHODS
from showtell.demo import HANDBOOK
from tests.models.chat_server import ChatServer, Exchange, chat_server, reply

from .conftest import Shell

FOLD = "How do I fold the filter?"
DRAFT = "Fold the paper filter along its glued seam and open it into the cone [1]."


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        running.answers = [reply(DRAFT)]
        yield running


def asked(server: ChatServer) -> list[str]:
    """What the server was asked, request by request."""
    return [json.dumps(body["messages"]) for body in server.bodies]


# ------------------------------------------------------------------------------------------------------------ ask
def test_an_answer_tells_which_model_wrote_it(shell: Shell, server: ChatServer) -> None:
    status, out, err = shell("ask", FOLD, "--model", server.model)
    assert (status, err) == (0, "")
    assert f"written by {server.model}\n" in out
    assert "Fold the paper filter along its glued seam" in out
    assert "fold-filter.png" in out


def test_a_name_that_is_no_model_is_one_line(shell: Shell) -> None:
    for command in (("ask", FOLD), ("evaluate", HANDBOOK / "eval.jsonl")):
        status, out, err = shell(*command, "--model", "nonsense")
        assert (status, out, err.count("\n")) == (1, "", 1)
        assert "write it as ollama/NAME" in err


def test_a_model_without_sources_needs_a_model(shell: Shell) -> None:
    for command in (("ask", FOLD), ("evaluate", HANDBOOK / "eval.jsonl", "--method", "murar")):
        status, out, err = shell(*command, "--method", "closed-book")
        assert (status, out, err.count("\n")) == (1, "", 1)
        assert "--model NAME" in err


@pytest.mark.parametrize("command", ["ask", "evaluate"])
def test_help_says_what_each_method_is(shell: Shell, command: str) -> None:
    text = " ".join(shell(command, "--help")[1].split())
    assert all(f"{method} (" in text for method in METHODS)


def test_a_question_follows_a_printed_answer(shell: Shell, server: ChatServer, tmp_path: Path) -> None:
    first = shell("ask", FOLD, "--json")[1]
    (tmp_path / "first.json").write_text(first, encoding="utf-8")
    rewriting = {"question": "What water does the paper filter want?", "searches": ["rinse the paper filter"]}
    server.answers = [reply(json.dumps(rewriting)), reply("Rinse the filter with 100 g of hot water [1].")]
    status, out, _ = shell(
        "ask", "And what water does it want?", "--after", tmp_path / "first.json", "--model", server.model
    )
    assert status == 0
    assert FOLD in asked(server)[0]
    assert "glued seam" in asked(server)[0], "the earlier answer's text is known"
    assert "What water does the paper filter want? · rinse the paper filter" in " ".join(out.split())
    assert "And what water does it want?" in out.splitlines()[0]


def test_without_a_model_a_question_follows_nothing_and_says_so(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "first.json").write_text(shell("ask", FOLD, "--json")[1], encoding="utf-8")
    answer = json.loads(shell("ask", "How is cold brew made?", "--after", tmp_path / "first.json", "--json")[1])
    assert answer["status"] == "answered"
    assert [warning.partition(",")[0] for warning in answer["warnings"]] == ["the question was taken by itself"]


# ------------------------------------------------------------------------------------------------------- record, replay
def interrupting(exchange: Exchange) -> None:
    """A reply in whose middle the user stops the command."""
    exchange.begin_events()
    _thread.interrupt_main()
    exchange.server.stopped.wait(1)


def test_an_evaluation_that_was_stopped_goes_on_from_its_recording(
    shell: Shell, server: ChatServer, tmp_path: Path
) -> None:
    (tmp_path / "q.jsonl").write_text("".join((HANDBOOK / "eval.jsonl").read_text("utf8").splitlines(True)[:4]), "utf8")
    command = ("evaluate", tmp_path / "q.jsonl", "--method", "text-only")
    record = ("--model", server.model, "--record", tmp_path / "replies.jsonl")
    server.answers = [reply(DRAFT), reply(DRAFT), interrupting, reply(DRAFT)]
    status, out, err = shell(*command, *record)
    assert (status, out) == (1, "")
    assert err == "showtell: stopped; what was stored before stays\n"
    before = asked(server)
    assert len(before) == 3
    assert shell(*command, *record)[0] == 0
    after = asked(server)[3:]
    assert after[0] == before[2], "it goes on where it was stopped"
    assert not set(before[:2]) & set(after), "nothing that was answered is asked again"
    count = len(asked(server))
    status, out, err = shell(*command, "--replay", tmp_path / "replies.jsonl")
    assert (status, err) == (0, "")
    assert f"written by {server.model}" in out
    assert len(asked(server)) == count, "a replay asks no model"


def test_a_recording_that_is_not_there_is_one_line(shell: Shell, tmp_path: Path) -> None:
    status, out, err = shell("ask", FOLD, "--replay", tmp_path / "none.jsonl")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "none.jsonl" in err


# ------------------------------------------------------------------------------------------------------------- captions
@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A folder with one page that holds a table."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/keys.md").write_text("# Keys\n\n| Key | Action |\n| - | - |\n| F1 | Help |\n| F2 | Save |\n")
    return tmp_path / "docs"


def test_descriptions_are_counted_beside_the_documents(
    shell: Shell, server: ChatServer, table: Path, tmp_path: Path
) -> None:
    server.answers = [reply("What the function keys do.")]
    common = ("--library", tmp_path / "library", "--encoder", tmp_path / "none", "--caption", server.model)
    status, out, err = shell("add", table, *common)
    assert (status, err) == (0, "")
    assert out.startswith("1 added, 1 described  ·  ")
    assert shell("refresh", *common)[1].startswith("1 unchanged  ·  "), "and nothing is described twice"
    results = json.loads(shell("add", table, *common, "--json")[1])
    assert [result["status"] for result in results] == ["unchanged"]


def test_what_could_not_be_described_fails_no_document(shell: Shell, table: Path, tmp_path: Path) -> None:
    with chat_server() as gone:
        name = gone.model
    common = ("--library", tmp_path / "library", "--encoder", tmp_path / "none", "--caption", name)
    status, out, err = shell("add", table, *common)
    assert (status, err.count("\n")) == (0, 1)
    assert "1 table was not described" in err
    assert "described" not in out
    (tmp_path / "empty").mkdir()
    assert shell("add", tmp_path / "missing.md", *common)[0] == 1, "trouble with captions is no success"


def test_doctor_looks_at_the_models_that_are_named(shell: Shell, server: ChatServer) -> None:
    server.answers = [reply("White.")]
    out = shell("doctor", "--model", server.model, "--caption", server.model)[1]
    assert f"ok  chat model: {server.model}, is sent no pictures" in out
    assert f"ok  caption model: {server.model}, takes pictures" in out
    assert shell("doctor", "--caption", "nonsense")[0] == 1
