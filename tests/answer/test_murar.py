"""The published method: five nearest passages, sources at 0.6, one medium of the source's section behind each claim."""

from __future__ import annotations

from dataclasses import replace

import pytest

from showtell.answer.evidence import Evidence
from showtell.answer.murar import CLOSE, gather, illustrate
from showtell.errors import ModelError
from showtell.index.search import Searcher
from showtell.library import Library
from showtell.types import Claim, Figure

from .conftest import Made

SHEDS = {
    f"{animal}.md": f"# The {animal} shed\n\n## Feed the {animal}\n\nThe {animal} is fed at dawn with {food}.\n\n"
    f"![The {animal} eats {food} from a bowl]({animal}.png)\n\n## Night of the {animal}\n\n"
    f"The {animal} sleeps in straw.\n"
    for animal, food in {"goat": "hay", "hen": "corn", "pig": "turnips", "duck": "barley"}.items()
}
HAY, CORN = "The goat is fed at dawn with hay.", "The hen is fed at dawn with corn."


@pytest.fixture
def sheds(made: Made) -> Library:
    return made(SHEDS, [name.replace(".md", ".png") for name in SHEDS])


def shown(searcher: Searcher, evidence: Evidence, *texts: str) -> tuple[list[Claim], list[Figure]]:
    return illustrate([Claim(text, ()) for text in texts], evidence, searcher)


def test_the_five_nearest_passages_are_the_evidence_whatever_is_asked(sheds: Library) -> None:
    searcher = sheds.searcher
    for question in ("What does the goat eat?", "Who won the world cup in 1966?"):
        evidence = gather(searcher.query(question), searcher)
        cosines = [hit.dense for hit in evidence.passages]
        assert len(cosines) == 5
        assert cosines == sorted(cosines, reverse=True)
        assert evidence.confidence == "high"
        assert {ground.section_id for ground in evidence.speaking} == {h.passage.section_id for h in evidence.passages}
    assert gather(searcher.query("What does the goat eat?"), searcher).passages[0].passage.document == "goat.md"


def test_each_claim_gets_its_source_and_the_closest_medium_of_its_section(sheds: Library) -> None:
    searcher = sheds.searcher
    evidence = gather(searcher.query("What are the goat and the hen fed with at dawn?"), searcher)
    claims, figures = shown(searcher, evidence, HAY, CORN)
    assert [claim.passages[0].document for claim in claims] == ["goat.md", "hen.md"]
    assert [(figure.media.block.ref, figure.claim) for figure in figures] == [("goat.png", 0), ("hen.png", 1)]
    assert [figure.passage for figure in figures] == [claim.passages[0] for claim in claims]


def test_a_claim_that_no_passage_is_close_to_has_no_source_and_no_medium(sheds: Library) -> None:
    searcher = sheds.searcher
    evidence = gather(searcher.query("What does the goat eat?"), searcher)
    claims, figures = shown(searcher, evidence, "Compilers translate programs.", HAY)
    assert [len(claim.passages) for claim in claims] == [0, 1]
    assert claims[0].text == "Compilers translate programs."
    assert [figure.claim for figure in figures] == [1]
    assert CLOSE == 0.6


def test_an_extract_cites_the_passage_that_it_was_taken_from_however_far_it_is(sheds: Library) -> None:
    searcher = sheds.searcher
    evidence = gather(searcher.query("What does the goat eat?"), searcher)
    own = evidence.passages[0].passage
    far, near = Claim("Compilers translate programs.", (own,)), Claim(CORN, (own,))
    for extract in (far, near):
        (claim,), figures = illustrate([replace(extract, section_id=own.section_id, position=0)], evidence, searcher)
        assert claim.passages[0] == own
        assert len(claim.passages) == 1 + len(figures)
    (written,), _ = illustrate([far], evidence, searcher)
    assert written.passages == ()


def test_extracts_of_the_handbook_raise_no_alarm(handbook: Library) -> None:
    for question in (
        "How long does the moka pot take?",
        "How do I steam milk without big bubbles?",
        "Was ist ein Siebträger?",
    ):
        answer = handbook.ask(question, method="murar")
        assert answer.status == "answered"
        assert [check for check in answer.checks if check.verdict != "supported"] == []


def test_a_medium_of_several_claims_stays_with_the_closest(sheds: Library) -> None:
    searcher = sheds.searcher
    evidence = gather(searcher.query("What does the goat eat?"), searcher)
    for texts in ((HAY, "Hay is what the goat likes."), ("Hay is what the goat likes.", HAY)):
        claims, figures = shown(searcher, evidence, *texts)
        assert {claim.passages[0].section[-1] for claim in claims} == {"Feed the goat"}
        assert [texts[figure.claim] for figure in figures] == [HAY]


def test_media_of_other_sections_are_not_shown(sheds: Library) -> None:
    searcher = sheds.searcher
    evidence = gather(searcher.query("Where does the goat sleep?"), searcher)
    claims, figures = shown(searcher, evidence, "The goat sleeps in straw at night.")
    assert claims[0].passages[0].section[-1] == "Night of the goat"
    assert figures == []
    assert illustrate([], evidence, searcher) == ([], [])


def test_without_an_encoder_it_says_so(made: Made) -> None:
    searcher = made(SHEDS, [name.replace(".md", ".png") for name in SHEDS], words_alone=True).searcher
    assert searcher.nearest(searcher.query("What does the goat eat?")) == []
    with pytest.raises(ModelError, match="encoder"):
        gather(searcher.query("What does the goat eat?"), searcher)


def test_an_empty_library_holds_nothing(made: Made) -> None:
    library = made({"a.md": "# A\n\nText.\n"})
    library.remove("a.md")
    searcher = library.searcher
    assert gather(searcher.query("What does the goat eat?"), searcher) == Evidence((), "none", (), ())
