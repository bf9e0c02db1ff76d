"""The words of an answer: they stand in the sources, in order, untouched, and nothing in them is active."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from showtell.demo import HANDBOOK
from showtell.index.store import Scope
from showtell.ingest.convert import read_file
from showtell.ingest.split import word_count
from showtell.library import Library
from showtell.render.html import render_html
from showtell.render.limited import parse
from showtell.types import Text, Video

from .conftest import Made, bare, figures, plain, shown, texts, vtt

QUESTIONS = [
    json.loads(line)["question"]
    for name in ("questions.jsonl", "eval.jsonl")
    for line in (HANDBOOK / name).read_text(encoding="utf-8").splitlines()
]
MARKED = r"""# Valve

## The blue valve

The blue valve opens at 1,234.5 bar, not 12.34, and costs $5 *today*, says note [1] and [the firm][2] in file_name_x.
Use `x[1]` with 2\*3\*4 for the blue valve. &amp;lt; is no tag of the blue valve, nor is \*this\* or \[7\] a mark.

[2]: https://example.org/valve_1
"""


def sayings(document: str) -> Iterator[str]:
    """All that an answer may say of a document: its blocks, what its videos say, its headings."""
    path = HANDBOOK / document
    for section in read_file(path, HANDBOOK, document).sections:
        yield from section.path
        said = [block for block in section.blocks if isinstance(block, Text)]
        yield from (" ".join(block.text.split()) for block in said)
        yield from (f"{a.text}: {' '.join(b.text.split())}" for a, b in pairwise(said) if a.kind == "term")
        yield from (" ".join(cue.text for cue in block.cues) for block in section.blocks if isinstance(block, Video))


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_sentence_stands_in_the_source_that_it_cites(handbook: Library, question: str) -> None:
    answer = handbook.ask(question)
    if answer.status == "no_answer":
        return
    documents = {citation.number: citation.document for citation in answer.citations}
    for part in texts(answer):
        assert len(part.citations) in (1, 2)
        sources = list(sayings(documents[part.citations[0]]))
        for piece in re.split(" ?… ", plain(part).removesuffix(":")):
            assert any(piece in source for source in sources), piece


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_said_stands_in_the_passage_that_is_cited(handbook: Library, question: str) -> None:
    answer = handbook.ask(question)
    quoted = {citation.number: " ".join(citation.text.split()) for citation in answer.citations}
    for part in texts(answer):
        if part.citations and not plain(part).endswith(":"):
            cited = " ".join(quoted[number] for number in part.citations)
            for piece in re.split(" ?… ", plain(part)):  # a term stands on a line of its own there
                assert piece in cited or piece.replace(": ", " ", 1) in cited


@pytest.mark.parametrize("question", QUESTIONS)
def test_nothing_is_said_twice_and_nothing_at_length(handbook: Library, question: str) -> None:
    said = [plain(part) for part in texts(handbook.ask(question))]
    assert len(said) == len(set(said))
    assert word_count(" ".join(said)) <= 450


# ------------------------------------------------------------------------------------------------------------- how-tos
BOAT = """# Rowing boat

## Launch the boat

Before you launch, check the weather.

1. Carry the boat to the water.

   ![The boat on the shore](a.png)

2. Fix the oars:
   - Slide each oar into its rowlock.
   - Close the gate.

     ![A closed gate](b.png)

3. Step in *carefully* and push off.

   ![A rower in the boat](c.png)

## Store the boat

Turn it upside down on two trestles.
"""


def test_steps_keep_their_order_their_labels_and_their_pictures(made: Made) -> None:
    library = made(
        {"guide/boat.md": BOAT, "kites.md": "# Kites\n\nKites fly.\n"}, ["guide/a.png", "guide/b.png", "guide/c.png"]
    )
    answer = library.ask("How do I launch the rowing boat?")
    assert shown(answer) == [
        "Before you launch, check the weather.",
        "1. Carry the boat to the water.",
        "<image a.png>",
        "2. Fix the oars:",
        "  - Slide each oar into its rowlock.",
        "  - Close the gate.",
        "<image b.png>",
        "3. Step in *carefully* and push off.",
        "<image c.png>",
    ]
    assert [part.reason for part in figures(answer)][::2] == ["stands under this step"] * 2
    assert {citation.document for citation in answer.citations} == {"guide/boat.md"}


def test_a_list_that_is_too_long_is_cut_around_the_step_that_is_asked_for(made: Made) -> None:
    ending = dict.fromkeys(range(1, 61), "the lamp has gone out") | {33: "the violet valve hisses"}
    steps = "\n".join(
        f"{n}. Turn screw number {n} of the panel by a quarter and wait until {ending[n]}." for n in ending
    )
    library = made({"a.md": f"# Panel\n\n## Align the panel\n\n{steps}\n", "b.md": "# Tea\n\nTea is drunk at five.\n"})
    said = [bare(part) for part in texts(library.ask("How do I align the panel until the violet valve hisses?"))]
    labels = [int(text.partition(".")[0]) for text in said]
    assert labels == list(range(labels[0], labels[-1] + 1))
    assert labels[0] < 33 < labels[-1]
    assert 5 < len(labels) < 30


def test_one_step_longer_than_any_answer_is_told_whole(made: Made) -> None:
    step = "Turn the capstan slowly," + " and then pull rope number one again" * 60 + "."
    library = made(
        {"a.md": f"# Sails\n\n## Hoist the topsail\n\n1. Loosen the brails.\n2. {step}\n3. Tie the brails.\n"}
    )
    assert step in shown(library.ask("How do I hoist the topsail with the capstan?"))[0]


def test_a_step_in_code_and_emphasis_keeps_them(made: Made) -> None:
    library = made(
        {"a.md": "# Tool\n\n## Start the tool\n\n1. Run `tool --start *` as **root**.\n2. Press <kbd>Enter</kbd>.\n"}
    )
    assert shown(library.ask("How do I start the tool?"))[0] == "1. Run `tool --start *` as **root**."


# ------------------------------------------------------------------------------------------------------- nothing active
def test_numbers_and_signs_of_the_source_come_back_as_they_were(made: Made) -> None:
    (part, *_) = texts(made({"v.md": MARKED}).ask("What about the blue valve?"))
    assert plain(part) == (
        "The blue valve opens at 1,234.5 bar, not 12.34, and costs $5 today, says note [1] and the firm in file_name_x."
        " Use x[1] with 2*3*4 for the blue valve. &lt; is no tag of the blue valve, nor is *this* or [7] a mark."
    )


def test_a_number_in_brackets_of_the_source_is_no_citation(made: Made) -> None:
    (part, *_) = texts(made({"v.md": MARKED}).ask("What about the blue valve?"))
    runs = [run for block in parse(part.text, part.citations) for run in block.runs]
    assert [run.citation for run in runs if run.citation] == [1]
    assert runs[-1].citation == 1


HOSTILE = (
    "<script>alert(1)</script> red pump", "red pump [go](javascript:alert(1))", "red pump ![p](http://evil.invalid/p)",
    "# the red pump", "> the red pump", "~~~ the red pump", "``` the red pump", "* red pump * pump", "_red_ pump",
    "| red | pump |", "[1]: http://evil.invalid red pump", "[1](http://evil.invalid) red pump", "\\[1] red pump \\",
    "red pump &#60;b&#62;", "---\u2028red pump", "[2] [10] [01] red pump", "`[1] red pump", "red pump [1][1] *[1]*",
)  # fmt: skip


def test_hostile_words_are_only_words(made: Made) -> None:
    page = "<title>Pump</title><h1>Pump</h1><p>{0}</p><p>The red pump is {0}</p>"
    written = [words.replace("&", "&amp;").replace("<", "&lt;") for words in HOSTILE]
    library = made({f"{number}.html": page.format(words) for number, words in enumerate(written)})
    for number, words in enumerate(HOSTILE):
        answer = library.ask("What about the red pump?", scope=Scope((f"{number}.html",)))
        assert any(" ".join(words.split()).endswith(plain(part)) for part in texts(answer)), words
        for part in texts(answer):
            runs = [run for block in parse(part.text, part.citations) for run in block.runs]
            assert [run.link for run in runs if run.link] == [], words
            assert [run.citation for run in runs if run.citation] == list(part.citations), words
        shown_page = render_html(answer, library.asset)
        assert "<script>alert" not in shown_page
        assert 'href="javascript' not in shown_page


# --------------------------------------------------------------------------------------------------------------- speech
def test_speech_is_quoted_from_the_seconds_that_are_shown(made: Made) -> None:
    cues = [(n * 5, n * 5 + 5, f"Now we talk about the weather of day {n}.") for n in range(20)]
    cues[10] = (50, 55, "The *otter* [3] cracks a mussel on a stone.")
    cues[11] = (55, 60, "Every otter keeps its favourite stone.")
    library = made(
        {"a.html": '<h1>Zoo</h1><p>A film.</p><video src="a.mp4"><track src="a.vtt"></video>', "a.vtt": vtt(*cues)}
    )
    answer = library.ask("On what does the otter crack a mussel?")
    (video,) = figures(answer)
    said = plain(texts(answer)[0])
    assert "The *otter* [3] cracks a mussel on a stone. Every otter keeps its favourite stone." in said
    assert video.start is not None
    assert video.end is not None
    spoken = [text for start, end, text in cues if video.start <= start and end <= video.end]
    assert all(piece in " ".join(spoken) for piece in said.split(" … "))


def test_an_ellipsis_stands_where_something_was_left_out(made: Made) -> None:
    filler = " ".join(f"Sentence {n} tells of rain and of clouds over the old town." for n in range(12))
    text = f"The lynx hunts at dawn. {filler} The lynx sleeps at noon."
    library = made({"a.md": f"# Lynx\n\n{text}\n\n{filler}\n", "b.md": "# Bear\n\nThe bear eats berries.\n"})
    said = plain(texts(library.ask("When does the lynx hunt and when does the lynx sleep?"))[0])
    assert said.startswith("The lynx hunts at dawn.")
    assert said.endswith("The lynx sleeps at noon.")
    assert " … " in said
    assert all(piece in text for piece in said.split(" … "))
