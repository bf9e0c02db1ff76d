"""Our measures say the same as the independent scorer, on results made from the gold and then spoilt at random."""

from __future__ import annotations

import importlib.util
import json
import posixpath
import random
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from showtell.evaluate.datasets import load_questions
from showtell.evaluate.matching import plain
from showtell.evaluate.metrics import Mean, content_words, score, summarise

Json = dict[str, Any]

# the scorer's columns and our measures
SAME = {
    "doc1": "first document",
    "sec1": "first section",
    "doc": "any document",
    "sec": "any section",
    "cites": "citations",
    "text": "text",
    "words": "words",
    "prec": "precision",
    "recall": "recall",
    "f1": "f1",
    "order": "order",
    "tail": "tail",
    "rows": "rows",
    "media0": "needless media",
    "refuse": "refused",
    "false_r": "false refusal",
}
ROUNDS = 10  # of 70 results each


@pytest.fixture(scope="module")
def gold_file(shared: Path) -> Path:
    return shared / "eval" / "dev_eval.jsonl"


@pytest.fixture(scope="module")
def gold(gold_file: Path) -> list[Json]:
    return [json.loads(line) for line in gold_file.read_text("utf8").split("\n") if line]


@pytest.fixture(scope="module")
def scorer(shared: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_answers", shared / "eval" / "score_answers.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---------------------------------------------------------------------------------------------------- results to score
def perfect(question: Json) -> Json:
    """The answer that the gold asks for, with its media between sentences and every citation used."""
    if not question["answerable"]:
        return {"id": question["id"], "status": "no_answer", "parts": [], "citations": []}
    sections = question["sections"]
    citations = [
        {"number": number, "document": question["doc"], "section": ["Title", heading]}
        for number, heading in enumerate(sections, start=1)
    ]
    parts: list[Json] = [{"type": "text", "text": question["answer"], "citations": [1]}]
    for number, medium in enumerate(question["media"]):
        parts.append(figure(medium) | {"citations": [number % len(sections) + 1]})
        parts.append({"type": "text", "text": f"So much for {number}.", "citations": []})
    return {"id": question["id"], "status": "answered", "parts": parts, "citations": citations}


def figure(medium: Json) -> Json:
    media: Json = {
        "document": medium["doc"],
        "section": ["Title", medium["section"]],
        "ref": medium["ref"],
        "source": medium["ref"],
    }
    if medium["type"] == "table":
        header = [cell.strip() for cell in medium["header"].split("|")]
        media |= {"header": header, "rows": [header, ["x1", "37"]], "position": 2}
        del media["source"]
    return {"type": medium["type"], "media": media}


def write_paths_otherwise(draw: random.Random, result: Json, _: list[Json]) -> None:
    front = draw.choice(["/srv/corpus/", "./", "https://example.org/docs/", "file:///data/", "../"])
    for place in result["citations"]:
        place["document"] = front + place["document"]
    for media in shown(result):
        if media["type"] == "image":
            away = posixpath.relpath(media["media"]["ref"], posixpath.dirname(media["media"]["document"]))
            below_root = media["media"]["ref"].partition("/")[2]
            media["media"]["source"] = (
                draw.choice([front + media["media"]["ref"], away, away.replace("-", "%2D"), below_root]) + "?v=1"
            )
        if media["type"] == "video":
            media["media"]["source"] = draw.choice(
                ["{}/?quality=12&#x26;learn=on", "{}#t=3", "{}?captions=ger"]
            ).format(media["media"]["ref"].replace("https:", draw.choice(["", "http:", "https:"])))
        media["media"]["document"] = front + media["media"]["document"]


def write_words_otherwise(draw: random.Random, result: Json, _: list[Json]) -> None:
    dress = draw.choice(["**{}**", "[!UICONTROL {}]{{#anchor}}", "<b>{}</b>", ":ref:`{}`", "[{}](x.md)", "{}!", "`{}`"])
    for place in [*result["citations"], *(part["media"] for part in shown(result))]:
        place["section"] = [dress.format(heading.upper()) for heading in place["section"]]
    for part in shown(result):
        if "header" in part["media"]:
            part["media"]["header"] = [dress.format(cell) for cell in part["media"]["header"]]


def shuffle(draw: random.Random, result: Json, _: list[Json]) -> None:
    draw.shuffle(result["parts"])


def media_last(draw: random.Random, result: Json, _: list[Json]) -> None:
    result["parts"].sort(key=lambda part: part["type"] != "text")


def leave_out(draw: random.Random, result: Json, _: list[Json]) -> None:
    result["parts"] = [part for part in result["parts"] if draw.random() < 0.6]


def repeat(draw: random.Random, result: Json, _: list[Json]) -> None:
    if result["parts"]:
        again = json.loads(json.dumps(draw.choice(result["parts"])))
        result["parts"].insert(draw.randrange(len(result["parts"]) + 1), again)


def show_of_another(draw: random.Random, result: Json, gold: list[Json]) -> None:
    medium = draw.choice([medium for question in gold for medium in question["media"]])
    result["parts"].insert(draw.randrange(len(result["parts"]) + 1), figure(medium) | {"citations": [1]})
    result["status"] = "answered"


def cite_another(draw: random.Random, result: Json, gold: list[Json]) -> None:
    other = draw.choice([question for question in gold if question["answerable"]])
    for place in result["citations"]:
        if draw.random() < 0.5:
            place["document"] = draw.choice([place["document"], other["doc"]])
            place["section"] = draw.choice([[heading] for heading in other["sections"]] + [["Title", "Elsewhere"], []])


def renumber(draw: random.Random, result: Json, _: list[Json]) -> None:
    for part in result["parts"]:
        part["citations"] = draw.sample(range(1, 6), draw.randrange(3))


def change_header(draw: random.Random, result: Json, _: list[Json]) -> None:
    for part in shown(result):
        if part["type"] == "table":
            header = part["media"]["header"]
            part["media"]["header"] = draw.choice([header[:1], header[1:], [*header, "Note"], [], header[::-1]])
            part["media"]["rows"] = part["media"]["rows"] * draw.randrange(4)


def refuse(draw: random.Random, result: Json, _: list[Json]) -> None:
    result["status"] = "no_answer"


def move_below(draw: random.Random, result: Json, _: list[Json]) -> None:
    for place in result["citations"]:
        place["section"] = (
            [place["section"][-1:], [*place["section"][-1:], "Below"], ["Top", *place["section"]]][draw.randrange(3)]
            if place["section"]
            else []
        )


def say_less(draw: random.Random, result: Json, _: list[Json]) -> None:
    texts = [part for part in result["parts"] if part["type"] == "text"]
    result["parts"] = shown(result) if draw.random() < 0.3 else [*texts[:1], *shown(result)]


def cut_text(draw: random.Random, result: Json, _: list[Json]) -> None:
    for part in result["parts"]:
        if part["type"] == "text":
            words = part["text"].split()
            part["text"] = " ".join(draw.sample(words, draw.randrange(len(words) + 1))) + draw.choice(
                ["", " [1]", ", 42 is &amp;"]
            )


def shown(result: Json) -> list[Json]:
    return [part for part in result["parts"] if part["type"] != "text"]


CHANGES: list[Callable[[random.Random, Json, list[Json]], None]] = [
    write_paths_otherwise,
    write_words_otherwise,
    shuffle,
    media_last,
    leave_out,
    repeat,
    show_of_another,
    cite_another,
    renumber,
    change_header,
    refuse,
    move_below,
    say_less,
    cut_text,
]


def spoilt(seed: int, gold: list[Json]) -> list[Json]:
    draw = random.Random(seed)
    results = [perfect(question) for question in gold]
    for result in results:
        for change in draw.sample(CHANGES, draw.randrange(6)):
            change(draw, result, gold)
    return [result for result in results if draw.random() < 0.97]


# --------------------------------------------------------------------------------------------------------------- tests
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_every_question_and_kind_scores_as_by_the_independent_scorer(
    seed: int, gold: list[Json], gold_file: Path, scorer: ModuleType
) -> None:
    questions, results = load_questions(gold_file), spoilt(seed, gold)
    their_means, their_rows = scorer.score(gold, results)
    our_means = summarise(questions, results)

    by_id = {question.id: question for question in questions}
    for row, result in zip(their_rows, results, strict=True):
        assert of_one_question(row) == pytest.approx(our_row(score(by_id[row["id"]], result)), abs=1e-9), row["id"]
    assert list(their_means) == list(our_means)
    for kind, columns in their_means.items():
        ours = {column: our_means[kind][name].value for column, name in SAME.items()}
        assert {column: columns[column] for column in SAME} == pytest.approx(ours, abs=1e-9), kind
        assert repeats(our_means[kind]["repeated"], their_rows, kind) == pytest.approx(columns["dup"], abs=1e-9), kind


def test_words_are_told_apart_as_by_the_independent_scorer(shared: Path, scorer: ModuleType) -> None:
    pages = sorted((shared / "corpus").rglob("*.md"))[::20]
    assert pages
    for page in pages:
        for line in page.read_text("utf8").split("\n"):
            assert plain(line) == scorer.plain(line)
            assert content_words(line) == scorer.content_words(line)


def test_a_perfect_answer_scores_full_marks(gold: list[Json], gold_file: Path) -> None:
    means = summarise(load_questions(gold_file), [perfect(question) for question in gold])["ALL"]
    full = ("first section", "any document", "text", "precision", "recall", "f1", "order", "refused")
    assert {name: means[name].value for name in full} == dict.fromkeys(full, 1.0)
    assert {name: means[name].value for name in ("repeated", "false refusal", "tail", "needless media")} == {
        "repeated": 0.0,
        "false refusal": 0.0,
        "tail": 0.0,
        "needless media": 0.0,
    }


def of_one_question(row: Json) -> Json:
    """The scorer's row in its own columns: precision and recall as shares, what was not scored as None."""
    shares = {
        "prec": row["good"] / row["shown"] if row["shown"] else None,
        "recall": row["found"] / row["core"] if row["core"] else None,
    }
    return {column: shares.get(column, row.get(column)) for column in SAME}


def our_row(scores: dict[str, float | None]) -> Json:
    return {column: scores[name] for column, name in SAME.items()}


def repeats(mean: Mean, rows: list[Json], kind: str) -> float | None:
    """How many media were shown before, from the share of all media shown."""
    media = sum(row["shown"] for row in rows if kind in ("ALL", row["kind"]))
    return None if mean.value is None else mean.value * media
