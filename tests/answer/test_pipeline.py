"""The Answer that a question gets: its contract, its citations, that it is repeatable, what it says when unsure."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from showtell.errors import LibraryError
from showtell.index.store import Scope
from showtell.library import Library
from showtell.types import Answer, as_json

from .conftest import Made, figures, refs, texts, vtt

ANSWER = {
    "schema", "question", "status", "confidence", "method", "model", "parts", "citations", "checks", "searches",
    "nearest", "warnings", "timings_ms", "requests",
}  # fmt: skip
CITATION = {"number", "document", "title", "section", "text", "url", "licence", "revision", "score"}
FIGURE = {"type", "media", "citations", "reason", "score"}
MEDIA = {"id", "ref", "document", "section", "position", "caption", "credit", "licence"}
IMAGE = MEDIA | {"source", "alt", "asset", "width", "height"}
TABLE = MEDIA | {"header", "rows"}
VIDEO = MEDIA | {"source", "captions", "title"}

HOW_TO = "How do I prepare and pull a shot of espresso?"
COMPARISON = "Compare the French press, the AeroPress and the moka pot: how much coffee, how hot and how long?"
WATCH = "Where in the video does the coffee bloom, and how long do I wait?"
FACT = "How much caffeine does a mug of filter coffee have?"
ABSENT = "How do I connect the grinder to the Wi-Fi?"
ASKED = [
    HOW_TO,
    COMPARISON,
    WATCH,
    FACT,
    ABSENT,
    "What does the word ristretto mean?",
    "Was tun, wenn er bitter schmeckt?",
]


@pytest.mark.parametrize("question", ASKED)
def test_an_answer_keeps_its_contract(handbook: Library, question: str) -> None:
    answer = json.loads(json.dumps(as_json(handbook.ask(question))))
    assert set(answer) == ANSWER
    assert answer["schema"] == "showtell.answer/1"
    assert answer["question"] == {"text": question, "images": []}
    assert answer["status"] in ("answered", "no_answer")
    assert answer["confidence"] in ("high", "low: the sources may not answer this")
    assert (answer["method"], answer["model"]) == ("showtell", "extractive")
    assert answer["searches"] == [question]
    assert answer["parts"][0]["type"] == "text"
    for part in answer["parts"]:
        if part["type"] == "text":
            assert set(part) == {"type", "text", "citations"}
            continue
        more = {"image": set(), "table": {"rows_total"}, "video": {"start", "end"}}[part["type"]]
        assert set(part) == FIGURE | more
        assert set(part["media"]) >= {"image": IMAGE, "table": TABLE, "video": VIDEO}[part["type"]]
        assert not {"cues", "section_id", "before", "after"} & set(part["media"])
        assert part["reason"]
        assert len(part["citations"]) == 1
    assert all(set(citation) == CITATION for citation in answer["citations"])
    assert {"query", "search", "total"} <= set(answer["timings_ms"])


@pytest.mark.parametrize("question", ASKED)
def test_citations_are_those_that_are_used_in_reading_order(handbook: Library, question: str) -> None:
    answer = handbook.ask(question)
    used = list(dict.fromkeys(number for part in answer.parts for number in part.citations))
    assert used == list(range(1, len(used) + 1)) == [citation.number for citation in answer.citations]
    for part in texts(answer):
        assert tuple(map(int, re.findall(r"(?<!\\)\[(\d+)\]", part.text))) == part.citations
    known = {document.name for document in handbook.documents()}
    assert {citation.document for citation in answer.citations} <= known, "a document is called as it was added"
    assert {figure.media.document for figure in figures(answer)} <= known


@pytest.mark.parametrize("question", ASKED)
def test_the_same_question_gives_the_same_answer(handbook: Library, question: str) -> None:
    first, second = (replace(handbook.ask(question), timings_ms={}) for _ in range(2))
    assert first == second


def test_another_process_gives_the_same_parts(handbook: Library) -> None:
    with Library.open(handbook.store.folder) as again:
        assert [as_json(again.ask(q).parts) for q in ASKED] == [as_json(handbook.ask(q).parts) for q in ASKED]


def test_no_answer_says_so_and_names_the_nearest(handbook: Library) -> None:
    answer = handbook.ask(ABSENT)
    assert answer.status == "no_answer"
    (part,) = texts(answer)
    assert len(answer.parts) == 1
    assert part.citations == answer.citations == ()
    assert 1 <= len(answer.nearest) <= 3
    assert answer.nearest[0].document == "beans/grinding.md"
    assert answer.nearest[0].section


def test_a_figure_cites_a_passage_of_the_section_that_it_stands_in(handbook: Library) -> None:
    for question in (HOW_TO, COMPARISON, WATCH):
        answer = handbook.ask(question)
        cited = {citation.number: (citation.document, citation.section) for citation in answer.citations}
        for figure in figures(answer):
            assert cited[figure.citations[0]] == (figure.media.document, figure.media.section)


def test_tables_are_counted_through_their_document(made: Made) -> None:
    table = "| Bird | {} |\n| - | - |\n| Heron | {} |\n| Stork | {} |\n"
    food, nests = table.format("Food", "fish", "frogs"), table.format("Nest", "tree", "roof")
    page = f"# Birds\n\n## Food\n\nWhat birds eat.\n\n{food}\n## Nests\n\nWhere birds nest.\n\n{nests}"
    library = made({"sub/birds.md": page})
    assert refs(library.ask("Compare in a table where the heron and the stork nest")) == ["sub/birds.md#table:2"]


def test_a_citation_links_into_a_page_that_has_an_address_and_only_there(handbook: Library) -> None:
    assert {citation.url for citation in handbook.ask(HOW_TO).citations} == {None}


def test_an_answer_holds_as_much_as_the_settings_allow(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "".join(f"| tulip {n} | {n} cm |\n" for n in range(30))
    pictures = [f"{letter}.png" for letter in "abc"]
    shots = "\n\n".join(f"![Tulip bed {name}]({name})" for name in pictures)
    monkeypatch.setenv("SHOWTELL_TABLE_ROWS", "4")
    monkeypatch.setenv("SHOWTELL_MEDIA_PER_CLAIM", "1")
    bed = f"# Tulips\n\n## Tulip bed\n\nThe tulip bed is wide.\n\n{shots}\n\n"
    heights = f"## Tulip heights\n\nHow high each tulip grows.\n\n| Tulip | Height |\n| - | - |\n{rows}"
    library = made({"a.md": bed + heights}, pictures)
    assert len(figures(library.ask("Show me pictures of the tulip bed"))) == 1
    (table,) = figures(library.ask("Show the table of how high each tulip grows"))
    assert (len(as_json(table)["media"]["rows"]), table.rows_total) == (4, 30)


# ----------------------------------------------------------------------------------------------------- by words alone
def test_without_weights_words_find_the_answer_and_it_says_so(made: Made) -> None:
    steps = "1. Fill the hand pump with water.\n\n   ![Filling](a.png)\n\n2. Move the lever of the hand pump.\n"
    files = {"a.md": f"# Pumps\n\n## Prime the hand pump\n\n{steps}", "b.md": "# Wells\n\nA well is dug in summer.\n"}
    library = made(files, ["a.png"], words_alone=True)
    answer = library.ask("How do I prime the hand pump?")
    assert answer.status == "answered"
    assert refs(answer) == ["a.png"]
    (warning,) = answer.warnings
    assert warning.startswith("searching by words alone: ")
    assert "\n" not in warning


def test_without_weights_a_video_still_plays_its_segment(made: Made) -> None:
    spoken = vtt((0, 10, "Welcome to the smithy."), (10, 20, "Light the coal in the forge."),
                 (20, 30, "Now quench the glowing blade in oil."), (30, 40, "That is all for today."))  # fmt: skip
    library = made({"a.html": '<h1>Smithy</h1><p>A film.</p><video src="a.mp4"><track src="a.vtt"></video>',
                    "a.vtt": spoken, "b.md": "# Bakery\n\nBread is baked at night.\n"}, words_alone=True)  # fmt: skip
    (video,) = figures(library.ask("Show the video: when is the glowing blade quenched?"))
    assert video.start is not None
    assert video.end is not None
    assert video.start <= 20 < 30 <= video.end


def test_without_weights_nonsense_is_refused(made: Made) -> None:
    library = made({"a.md": "# Pumps\n\nFill the hand pump with water.\n"}, words_alone=True)
    assert library.ask("zorble quix frandle").status == "no_answer"


# -------------------------------------------------------------------------------------------------------- odd questions
@pytest.mark.parametrize(
    "question",
    [
        "?",
        "...",
        "the",
        "how?",
        "🎉",
        "\x00",
        "a" * 10_000,
        "NEAR AND OR NOT",
        '"',
        "shot* OR (",
        "coffee " * 3000,
        "\ud800",
    ],
)
def test_no_question_is_a_fault(handbook: Library, question: str) -> None:
    answer = handbook.ask(question)
    assert isinstance(answer, Answer)
    assert answer.parts


def test_an_empty_library_has_no_answer(made: Made, tmp_path) -> None:
    with Library.open(tmp_path / "empty", encoder=str(tmp_path / "none")) as library:
        answer = library.ask("What is in here?")
    assert answer.status == "no_answer"
    assert answer.nearest == ()


def test_each_step_is_told_as_it_is_done(handbook: Library) -> None:
    steps = list(handbook.asking(HOW_TO))
    assert [step.name for step in steps] == ["query", "search", "draft", "illustrate", "verify", "answer"]
    assert all(step.milliseconds >= 0 for step in steps)
    assert isinstance(steps[-1].value, Answer)
    assert set(steps[-1].value.timings_ms) == {"query", "search", "draft", "illustrate", "verify", "total"}


# --------------------------------------------------------------------------------------------------------------- scope
def test_only_documents_in_scope_are_used(handbook: Library) -> None:
    answer = handbook.ask(HOW_TO, scope=Scope(("filter",)))
    assert {citation.document.split("/")[0] for citation in answer.citations} <= {"filter"}
    answer = handbook.ask("Wie gieße ich den Kaffee auf?", scope=Scope(language="de"))
    assert {citation.document for citation in answer.citations} == {"de/filterkaffee.md"}


def test_a_language_without_documents_has_no_answer(handbook: Library) -> None:
    answer = handbook.ask(HOW_TO, scope=Scope(language="fi"))
    assert (answer.status, answer.nearest) == ("no_answer", ())


def test_a_document_that_is_not_there_is_told(handbook: Library) -> None:
    with pytest.raises(LibraryError, match=r"no document is called nowhere\.md"):
        handbook.ask(HOW_TO, scope=Scope(("nowhere.md",)))


def test_media_asked_for_come_from_the_scope_too(made: Made) -> None:
    library = made({"a.md": "# Boats\n\n## Sail a dinghy\n\nA dinghy is sailed with one hand on the tiller.\n",
                    "b.md": "# Boats again\n\n## A dinghy\n\n![A dinghy under sail](b.png)\n"}, ["b.png"])  # fmt: skip
    question = "How do I sail a dinghy? Show me a picture of a dinghy under sail."
    assert refs(library.ask(question)) == ["b.png"]
    assert refs(library.ask(question, scope=Scope(("a.md",)))) == []
