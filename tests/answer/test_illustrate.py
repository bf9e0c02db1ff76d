"""Which media an answer shows, where, and how much of them."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest

from showtell.answer.evidence import gather
from showtell.answer.illustrate import Bounds, assign, choose, cut, led_by, likeness, place
from showtell.answer.query import read_intent
from showtell.index.search import Query
from showtell.index.store import Scope
from showtell.index.terms import query_terms
from showtell.library import Library
from showtell.types import Claim, Figure, Passage, Table

from .conftest import Made, draw, figures, refs, shown, vtt

PARTS = Table(("Part", "Weight"), tuple((f"part {n}", f"{n * 7 % 1000} kg") for n in range(10_000)))


def query(text: str, weights: dict[str, float] | None = None) -> Query:
    words = tuple(query_terms(text))
    known = {term: 1.0 for word in words for term in word}
    return Query(text, words, known | (weights or {}), None, Scope())


# -------------------------------------------------------------------------------------------------------------- tables
def test_ten_thousand_rows_are_cut_to_the_row_that_is_asked_for() -> None:
    few = cut(query("Which weight has part 7531?", {"7531": 9.0}), PARTS, 12)
    assert (few.header, few.rows) == (PARTS.header, (("part 7531", "717 kg"),))


def test_rows_keep_their_order_and_are_no_more_than_asked_for() -> None:
    few = cut(query("Which part weighs how many kg?"), PARTS, 12)
    assert len(few.rows) == 12
    assert list(few.rows) == sorted(few.rows, key=PARTS.rows.index)


def test_a_comparison_shows_the_rows_that_it_names_alone() -> None:
    named = cut(query("Compare 7531 and 42", {"7531": 9.0, "42": 9.0}), PARTS, 12, True).rows
    assert {("part 42", "294 kg"), ("part 7531", "717 kg")} <= set(named)
    assert len(named) <= 12
    small = Table(
        ("Wood", "Use"), tuple((wood, "boards") for wood in ("oak", "ash", "elm", "fir", "yew", "box", "fig", "nut"))
    )
    assert cut(query("Compare ash and yew"), small, 12, True).rows == (("ash", "boards"), ("yew", "boards"))


def test_a_table_that_fits_is_shown_whole() -> None:
    small = Table(("Wood",), (("oak",), ("ash",), ("elm",)))
    assert cut(query("What of the ash?"), small, 12) == small
    assert cut(query("Compare the woods"), small, 12, True) == small
    assert cut(query("What of the ash?"), Table((), ()), 12) == Table((), ())


def test_a_comparison_shows_its_table_with_the_rows_of_the_asked(made: Made) -> None:
    rows = "".join(f"| {n} mm | {n * 3} newton metres |\n" for n in range(3, 43))
    page = f"# Bolts\n\n## Torque by bolt size\n\nHow tight each bolt goes.\n\n| Bolt | Torque |\n| --- | --- |\n{rows}"
    library = made({"bolts.md": page, "nuts.md": "# Nuts\n\nNuts are sorted by size.\n"})
    answer = library.ask("Compare in the table the torque of a bolt of 17 mm with one of 40 mm")
    (table,) = figures(answer)
    assert isinstance(table.media.block, Table)
    assert table.media.block.header == ("Bolt", "Torque")
    assert {("17 mm", "51 newton metres"), ("40 mm", "120 newton metres")} <= set(table.media.block.rows)
    assert len(table.media.block.rows) <= 12
    assert table.rows_total == 40
    assert not any("|" in text for text in shown(answer)), "a table is never retyped as text"


def test_a_table_of_another_document_is_shown_where_it_is_asked_for(made: Made) -> None:
    table = "| Material | Cutting speed |\n| - | - |\n| Brass | 90 m/min |\n| Steel | 30 m/min |\n"
    words = "# Lathe\n\n## Cutting speeds\n\nAsk for the cutting speeds of the lathe in the workshop.\n"
    library = made({"lathe.md": words, "data.md": f"# Appendix\n\n## Lathe\n\nMeasured by the guild.\n\n{table}"})
    assert refs(library.ask("Show me a table of the cutting speeds of the lathe")) == ["data.md#table:1"]


# ------------------------------------------------------------------------------------------------------------- pictures
def test_a_section_of_a_picture_alone_answers(made: Made) -> None:
    page = (
        "# Views\n\n## Harbour map\n\n![Map of the harbour with its three piers](a.png)\n\n## Rules\n\nNo swimming.\n"
    )
    answer = made({"a.md": page}, ["a.png"]).ask("Show me the map of the harbour")
    assert answer.status == "answered"
    assert refs(answer) == ["a.png"]
    assert answer.citations[0].section == ("Views", "Harbour map")


def test_a_picture_stands_after_the_text_that_it_stands_under(made: Made) -> None:
    page = ("# Dam\n\n## Sluice gate\n\nThe sluice gate of the dam is opened by hand.\n\n![Sluice gate open](a.png)\n\n"
            "The sluice gate is closed by a motor.\n\n![Sluice gate shut](b.png)\n")  # fmt: skip
    answer = made({"dam.md": page}, ["a.png", "b.png"]).ask("What does the sluice gate of the dam look like?")
    assert shown(answer) == [
        "The sluice gate of the dam is opened by hand.",
        "<image a.png>",
        "The sluice gate is closed by a motor.",
        "<image b.png>",
    ]


def test_the_same_picture_under_two_names_and_in_two_documents_is_shown_once(made: Made, tmp_path: Path) -> None:
    draw(tmp_path / "docs/one.png", 1)
    shutil.copy(tmp_path / "docs/one.png", tmp_path / "docs/two.png")
    gauge = "## Read the oil gauge\n\nThe oil gauge is read from the left side.\n\n![Oil gauge](one.png)\n\n"
    again = "Read the oil gauge on Mondays.\n\n![Oil gauge](two.png)\n"
    library = made({"x.md": f"# Tank\n\n{gauge}{again}", "y.md": f"# Boiler\n\n{gauge}"})
    assert len(figures(library.ask("How do I read the oil gauge? Show a picture."))) == 1


def test_a_picture_that_stands_everywhere_and_icons_are_never_shown(made: Made, tmp_path: Path) -> None:
    draw(tmp_path / "docs/icon.png", 7, (16, 16))
    metals = ("copper", "silver", "golden", "iron", "zinc")
    pages = {
        f"{metal}.md": f"# The {metal} lamp\n\nThe {metal} lamp hangs in hall {number}.\n\n"
        f"![The {metal} lamp](logo.png)\n\n![Icon of the {metal} lamp](icon.png)\n"
        for number, metal in enumerate(metals)
    }
    answer = made(pages, ["logo.png"]).ask("What does the copper lamp look like? Show me a picture.")
    assert answer.status == "answered"
    assert figures(answer) == []


def test_media_of_a_sub_section_are_shown(made: Made) -> None:
    washer = "To fit a new washer to the tap takes ten minutes and two tools, a spanner and a screwdriver."
    parts = "### Order of the parts\n\n![Washer, valve and handle of the tap in order](b.png)\n"
    library = made({"b.md": f"# Tap\n\n## Fit a new washer\n\n{washer}\n\n{parts}"}, ["b.png"])
    assert refs(library.ask("What tools do I need to fit a new washer to the tap?")) == ["b.png"]


def test_a_picture_that_is_gone_is_no_figure(made: Made) -> None:
    library = made({"a.md": "# Kiln\n\nThe kiln is fired at night.\n\n![The kiln](missing.png)\n"})
    assert figures(library.ask("What does the kiln look like?")) == []


# --------------------------------------------------------------------------------------------------------------- videos
FILM = """<h1>Mower</h1>
<h2>Service film</h2><p>The film shows the service of the mower.</p>
<video src="mower.mp4" title="Mower service"><track src="mower.vtt" kind="captions" srclang="en"></video>
<h2>Winter storage film</h2><p>A film about how to store the mower for winter.</p>
<iframe src="https://www.youtube.com/embed/abcdefghijk?start=30&end=75" title="Winter storage"></iframe>
<h2>Assembly</h2><p>Assembly of the handlebar.</p><video src="assembly.mp4" title="Handlebar assembly"></video>"""
SPOKEN = vtt(
    (0, 5, "Welcome to the garden shed."),
    (5, 20, "First we drain the petrol."),
    (20, 30, "The spark plug is unscrewed with a long spanner."),
    (30, 40, "We clean the spark plug with a wire brush."),
    (40, 50, "Next the blade is sharpened on a stone."),
    (50, 60, "Thank you for watching."),
)


FILMS = {"mower.html": FILM, "mower.vtt": SPOKEN, "mower.mp4": "a film", "assembly.mp4": "another film"}


def test_a_video_plays_what_is_asked_for_or_what_its_source_names(made: Made) -> None:
    library = made(FILMS)
    played = {
        question: [(part.media.block.type, part.start, part.end) for part in figures(library.ask(question))]
        for question in (
            "Is there a video on winter storage of the mower?",
            "Is there a video of the handlebar assembly?",
        )
    }
    assert list(played.values()) == [[("video", 30.0, 75.0)], [("video", None, None)]]
    (video,) = figures(library.ask("Show me the video where the spark plug is cleaned"))
    assert video.media.section == ("Mower", "Service film")
    assert video.start is not None
    assert video.end is not None
    assert 0 <= video.start <= 30 < 40 <= video.end <= 60


def test_a_video_with_a_page_and_a_file_of_its_own_is_shown_once(made: Made) -> None:
    library = made(FILMS)
    assert "mower.mp4" in [document.name for document in library.documents()]
    answer = library.ask("Show me the video where the spark plug is cleaned")
    assert [part.media.block.type for part in figures(answer)] == ["video"]
    said = [text for text in shown(answer) if "spark plug" in text]
    assert len(said) == len(set(said)) == 1


def test_the_words_of_a_video_answer_a_question_that_names_no_video(made: Made) -> None:
    library = made(FILMS | {"tea.md": "# Tea\n\nTea is drunk at five.\n"})
    answer = library.ask("With what is the spark plug cleaned?")
    assert [part.media.block.type for part in figures(answer)] == ["video"]
    assert any("We clean the spark plug with a wire brush." in said for said in shown(answer))


# ------------------------------------------------------------------------------------------------------- written claims
RECIPE = """# Press

## Clean the press

Clean the press at night. Each night takes nine minutes.

1. Unplug the cable at the wall.

   ![Cable out of the wall](a.png)

2. Lift the lid and rinse the funnel in the basin.

   ![Funnel under the tap](b.png)

3. Dry the funnel with a towel.
4. Put the lid back.

   ![Lid on the press](c.png)

## Fill the press

Fill the press with grapes up to the red line.

![Red line inside the press](d.png)
"""
STEPS = [
    "To clean the press, follow these steps [1]:",
    "1. Take the cable out of its socket, so the machine has no power [1].",
    "2. Open the lid, then rinse the funnel [1].",
    "3. Wipe the funnel dry [1].",
    "4. Close it with the lid again [1].",
]


class Drafted:
    """A question on a library, and the places of the figures behind claims that a model might have written for it."""

    def __init__(self, library: Library, question: str) -> None:
        self.searcher = library.searcher
        self.intent, self.query = read_intent(question), self.searcher.query(question)
        self.evidence = gather(self.query, self.intent, self.searcher, 3)

    def passage(self, heading: str) -> Passage:
        return next(p for g in self.evidence.grounds for p in g.passages if p.section[-1] == heading)

    def figures(self, claims: Sequence[Claim], per_claim: int = 3, *, vectors: bool = True) -> list[Figure]:
        chosen = choose(self.query, self.intent, led_by(self.evidence.grounds, claims, self.intent), {})
        media = self.searcher.media_vectors.rows([each.row for each in chosen])
        encode = self.searcher.encoder.encode if vectors and self.searcher.encoder else lambda _: None
        cosines = likeness(claims, chosen, encode, media)
        return place(self.query, self.intent, claims, chosen, Bounds(12, per_claim), cosines)

    def places(self, claims: Sequence[Claim], per_claim: int = 3, *, vectors: bool = True) -> list[tuple[str, int]]:
        return [(f.media.block.ref, f.claim) for f in self.figures(claims, per_claim, vectors=vectors)]


@pytest.fixture
def press(made: Made) -> Drafted:
    return Drafted(made({"press.md": RECIPE}, ["a.png", "b.png", "c.png", "d.png"]), "How do I clean the press?")


def test_media_stand_behind_the_written_step_that_says_what_theirs_says(press: Drafted) -> None:
    source = press.passage("Clean the press")
    claims = [Claim(text, (source,)) for text in STEPS]
    expected = [("a.png", 1), ("b.png", 2), ("c.png", 4)]
    assert press.places(claims) == expected
    assert press.places(claims, vectors=False) == expected
    assert {figure.reason for figure in press.figures(claims)} == {"stands in this section"}
    assert {figure.passage for figure in press.figures(claims)} == {source}


def test_media_of_one_section_keep_its_order_even_where_the_words_are_of_another_language(press: Drafted) -> None:
    source = press.passage("Clean the press")
    german = ["1. Kabel abziehen [1].", "2. Trichter spülen [1].", "3. Trocknen [1].", "4. Deckel schließen [1]."]
    refs, claims = zip(*press.places([Claim(text, (source,)) for text in german]), strict=True)
    assert refs == ("a.png", "b.png", "c.png")
    assert list(claims) == sorted(claims)
    assert len(set(claims)) > 1


def test_an_introduction_shows_nothing_but_a_text_that_ends_so_alone_does(press: Drafted) -> None:
    source = press.passage("Clean the press")
    assert 0 not in [claim for _, claim in press.places([Claim(text, (source,)) for text in STEPS])]
    alone = [Claim("The cable, the funnel and the lid of the press look like this [1]:", (source,))]
    assert {claim for _, claim in press.places(alone)} == {0}


def test_no_claim_has_more_media_than_allowed(press: Drafted) -> None:
    alone = [
        Claim("Pull the cable, rinse the funnel, close the lid of the press [1].", (press.passage("Clean the press"),))
    ]
    assert [claim for _, claim in press.places(alone, per_claim=2)] == [0, 0]


def test_what_the_claims_cite_leads_and_what_they_do_not_cite_is_not_shown(press: Drafted) -> None:
    fill = press.passage("Fill the press")
    assert press.places([Claim("Fill grapes in up to the red line inside [1].", (fill,))]) == [("d.png", 0)]
    assert press.evidence.grounds[0].section.path[-1] == "Clean the press"
    led = led_by(press.evidence.grounds, [Claim("The red line [1].", (fill,))], press.intent)
    assert (led[0].role, led[0].section.path[-1]) == ("lead", "Fill the press")


def test_media_that_are_asked_for_are_shown_where_they_were_found_whatever_is_cited(made: Made) -> None:
    library = made({"press.md": RECIPE}, ["a.png", "b.png", "c.png", "d.png"])
    press = Drafted(library, "Show me pictures of how to clean the press")
    assert press.intent.image
    claims = [Claim("Rinse the funnel of the press [1].", (press.passage("Fill the press"),))]
    led = led_by(press.evidence.grounds, claims, press.intent)
    assert [(each.role, each.section.path[-1]) for each in led[:2]] == [
        ("lead", "Clean the press"),
        ("other", "Fill the press"),
    ]
    assert "b.png" in [ref for ref, _ in press.places(claims)]


def test_claims_that_cite_nothing_leave_the_search_its_lead(press: Drafted) -> None:
    claims = [Claim("Nothing of the kind is known to me.", ())]
    assert led_by(press.evidence.grounds, claims, press.intent) == press.evidence.grounds
    assert press.places([Claim("Whales sing.", (press.passage("Fill the press"),))], vectors=False) == [("d.png", 0)]


def test_a_kind_that_is_asked_for_is_shown_although_no_claim_cites_its_section(made: Made) -> None:
    table = "| Material | Cutting speed |\n| - | - |\n| Brass | 90 m/min |\n| Steel | 30 m/min |\n"
    words = "# Lathe\n\n## Cutting speeds\n\nAsk for the cutting speeds of the lathe in the workshop.\n"
    library = made({"lathe.md": words, "data.md": f"# Appendix\n\n## Lathe\n\nMeasured by the guild.\n\n{table}"})
    drafted = Drafted(library, "Show me a table of the cutting speeds of the lathe")
    (figure,) = drafted.figures([Claim("The workshop tells [1].", (drafted.passage("Cutting speeds"),))])
    assert (figure.media.block.ref, figure.reason) == ("data.md#table:1", "found elsewhere in the sources")
    assert figure.passage.section == ("Appendix", "Lathe")


@pytest.mark.parametrize(
    ("weights", "room", "assigned"),
    [
        ([[3.0, 1.0], [1.0, 3.0]], [3, 3], [0, 1]),
        ([[1.0, 3.0], [3.0, 1.0]], [3, 3], [0, 0]),  # crossing would break the source's order
        ([[1.0, 4.0], [3.0, 1.0]], [3, 3], [1, 1]),
        ([[1.0], [2.0], [1.5]], [2], [None, 0, 0]),
        ([[0.0, 0.0], [0.0, 1.0]], [3, 3], [None, 1]),
        ([[2.0, 1.0], [2.0, 1.0]], [1, 1], [0, 1]),
        ([[2.0, 1.0]], [0, 0], [None]),
        ([[2.0, 2.0]], [1, 1], [0]),
        ([], [3], []),
    ],
)  # fmt: skip
def test_the_assignment_is_the_best_in_order(weights: list[list[float]], room: list[int], assigned: object) -> None:
    assert assign(weights, room) == assigned


def test_the_assignment_is_as_good_as_the_best_of_all() -> None:
    dice = random.Random(5)
    for _ in range(60):
        media, claims = dice.randrange(1, 5), dice.randrange(1, 4)
        weights = [[dice.choice((0.0, dice.random())) for _ in range(claims)] for _ in range(media)]
        room = [dice.randrange(0, 3) for _ in range(claims)]

        def worth(places: Sequence[int | None], weights: list[list[float]] = weights) -> float:
            return sum(weights[medium][claim] for medium, claim in enumerate(places) if claim is not None)

        best = max(
            worth(places)
            for places in product([None, *range(claims)], repeat=media)
            if (told := [claim for claim in places if claim is not None]) == sorted(told)
            and all(told.count(claim) <= room[claim] for claim in told)
        )
        assert worth(assign(weights, room)) == pytest.approx(best)
