"""Which sections an answer draws on, and when there is none."""

from __future__ import annotations

import pytest

from showtell.answer.evidence import gather
from showtell.answer.query import read_intent
from showtell.library import Library

from .conftest import Made, figures, refs, shown, texts

LOW = "low: the sources may not answer this"
HILLS = {
    "walks.md": "# Walks\n\n## The ridge walk\n\nThe ridge walk starts at the church and takes four hours.\n\n"
    "## The river walk\n\nThe river walk follows the towpath to the mill. It is flat and takes one hour.\n",
    "inn.md": "# The inn\n\n## Rooms\n\nThe inn has nine rooms. Each room has a view of the hills.\n\n"
    "## Meals\n\nDinner is served from six to nine in the evening. Guests order soup, trout or pie.\n",
    "bus.md": "# Getting there\n\n## By bus\n\nThe bus from the station runs every hour until eight in the evening.\n\n"
    "## By car\n\nCars are parked behind the church. Parking costs two pounds a day.\n",
}  # fmt: skip


@pytest.fixture
def hills(made: Made) -> Library:
    return made(HILLS)


def test_what_the_library_tells_is_answered_with_confidence(hills: Library) -> None:
    for question, said in {
        "How long does the ridge walk take?": "four hours",
        "When is dinner served at the inn?": "from six to nine",
        "Where do I park the car?": "behind the church",
        "What does parking cost?": "two pounds",
    }.items():
        answer = hills.ask(question)
        assert (answer.status, answer.confidence) == ("answered", "high"), question
        assert said in texts(answer)[0].text


@pytest.mark.parametrize(
    "question",
    [
        "How do I train a neural network?", "What is the capital of Peru?", "Who won the world cup in 1966?",
        "zorble quix frandle", "asdf jkl qwer", "Как настроить компилятор?",
    ],
)  # fmt: skip
def test_what_it_does_not_tell_is_refused_or_told_with_doubt(hills: Library, question: str) -> None:
    answer = hills.ask(question)
    assert answer.confidence == LOW
    if question != "Как настроить компилятор?":
        assert answer.status == "no_answer"
        assert figures(answer) == []


def test_a_question_in_a_language_of_no_document_is_answered_with_doubt(hills: Library) -> None:
    answer = hills.ask("Wo kann ich bei der Kirche mein Auto parken und was kostet das Parken?")
    assert answer.status == "answered"
    assert answer.confidence == LOW


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("Wie lange dauert der Aufguss bei Filterkaffee?", "de/filterkaffee.md"),
        ("手冲咖啡需要多少克咖啡粉?", "zh/shouchong.md"),
    ],
)
def test_every_language_of_the_library_is_answered_from_its_own_documents(
    handbook: Library, question: str, document: str
) -> None:
    answer = handbook.ask(question)
    assert answer.status == "answered"
    assert answer.citations[0].document == document


def test_few_sections_are_drawn_on(handbook: Library) -> None:
    for question in ("How do I clean the machine?", "What is good coffee?", "Which water is best?"):
        answer = handbook.ask(question)
        assert len({(citation.document, citation.section) for citation in answer.citations}) <= 4


def test_an_entry_of_a_list_of_questions_stands_alone(made: Made) -> None:
    library = made({"faq.md": "# Questions\n\n## Where is the spare key?\n\nThe spare key hangs behind the door.\n\n"
                              "## How big is the cellar?\n\nThe cellar measures 30 square metres.\n\n"
                              "![Plan of the cellar and where the spare key is](c.png)\n"}, ["c.png"])  # fmt: skip
    answer = library.ask("Where is the spare key?")
    assert shown(answer) == ["The spare key hangs behind the door."]


def test_pages_that_share_a_section_are_not_both_quoted(made: Made) -> None:
    shared = "## Wear goggles\n\nWear goggles at the grinder, and gloves of leather.\n\n"
    library = made({f"{name}.md": f"# {name.title()}\n\n{shared}## About the {name}\n\nThe {name} is blue.\n"
                    for name in ("lathe", "mill", "press")})  # fmt: skip
    said = shown(library.ask("What do I wear at the grinder?"))
    assert said == ["Wear goggles at the grinder, and gloves of leather."]


def test_a_picture_elsewhere_is_shown_where_a_picture_is_asked_for(made: Made) -> None:
    library = made({"walk.md": "# Birds of the marsh\n\n## The bittern\n\nThe bittern booms at dusk in the reeds.\n",
                    "album.md": "# Album\n\n## June\n\n![A bittern among the reeds of the marsh](a.png)\n\n"
                                "## July\n\n![A steam engine at the fair](b.png)\n"}, ["a.png", "b.png"])  # fmt: skip
    assert refs(library.ask("When does the bittern boom?")) == []
    assert refs(library.ask("When does the bittern boom? I would like to see a picture of it.")) == ["a.png"]


# ------------------------------------------------------------------------------------------------- for a chat model
def test_five_passages_are_offered_and_their_sections_say_nothing_unasked(handbook: Library) -> None:
    searcher, question = handbook.searcher, "How do I descale the boiler?"
    evidence = gather(searcher.query(question), read_intent(question), searcher, 1)
    assert len({hit.passage.id for hit in evidence.passages}) == 5
    assert {hit.passage.section_id for hit in evidence.passages} <= {ground.section_id for ground in evidence.grounds}
    assert [ground.role for ground in evidence.speaking] == ["lead"]
    assert {ground.role for ground in evidence.grounds[1:]} <= {"child", "offered"}


def test_each_part_of_a_compound_question_has_its_section(hills: Library) -> None:
    searcher, parts = hills.searcher, ("When is dinner served at the inn?", "What does parking cost?")
    evidence = gather([searcher.query(part) for part in parts], read_intent(" ".join(parts)), searcher, 1)
    assert {ground.section.path[-1] for ground in evidence.speaking} == {"Meals", "By car"}
    assert {"Meals", "By car"} <= {hit.passage.section[-1] for hit in evidence.passages}
    assert {ground.section.path[-1]: ground.query.text for ground in evidence.speaking} == {
        "Meals": parts[0],
        "By car": parts[1],
    }
    assert evidence.confidence == "high"


def test_a_translated_question_is_judged_by_the_search_that_understands_it(hills: Library) -> None:
    searcher, german = hills.searcher, "Wo kann ich bei der Kirche mein Auto parken und was kostet das Parken?"
    alone = gather(searcher.query(german), read_intent(german), searcher, 3)
    both = gather([searcher.query(german), searcher.query("What does parking cost?")], read_intent(german), searcher, 3)
    assert (alone.confidence, both.confidence) == ("low", "high")
    assert both.grounds[0].section.path[-1] == "By car"
    assert both.passages[0].passage.section[-1] == "By car"


def test_a_part_that_nothing_answers_takes_no_section(hills: Library) -> None:
    searcher, parts = hills.searcher, ("When is dinner served at the inn?", "zorble quix frandle")
    evidence = gather([searcher.query(part) for part in parts], read_intent(parts[0]), searcher, 1)
    assert [ground.section.path[-1] for ground in evidence.speaking] == ["Meals"]
