from __future__ import annotations

import pytest

from showtell.ingest.split import heading, sentences, split, word_count
from showtell.types import Cue, Document, Image, Section, Table, Text, Video


def document(*sections: Section) -> Document:
    return Document("/docs/guide.md", "guide.md", "Guide", "en", sections)


def paragraph(words: int, first: str = "Word") -> Text:
    return Text(" ".join([first, *["word"] * (words - 1)]) + ".")


def test_a_short_section_is_one_passage_and_none_crosses_a_section() -> None:
    pieces = split(document(Section(("Guide", "A"), (paragraph(40),)), Section(("Guide", "B"), (paragraph(40),))))
    assert [(p.section, p.first, p.last) for p in pieces.passages] == [(0, 0, 1), (1, 0, 1)]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    text = Text(" ".join(f"Sentence number {n} says something about pumps." for n in range(80)))
    pieces = split(document(Section(("Guide",), (text,))), passage_words=100)
    assert all(word_count(p.text) <= 130 for p in pieces.passages)
    assert all(p.text.endswith("pumps.") for p in pieces.passages)
    assert "".join(p.text for p in pieces.passages).count("Sentence number") == 80


def test_a_cut_table_repeats_its_header_and_never_cuts_a_row() -> None:
    rows = tuple((f"part {n}", "a description of this part in several words") for n in range(60))
    pieces = split(document(Section(("Guide",), (Table(("Part", "What it is"), rows, caption="Parts"),))), 100)
    assert len(pieces.passages) > 3
    assert all(p.text.startswith("Parts\nPart | What it is\n") for p in pieces.passages)
    assert sum(p.text.count("a description of this part in several words") for p in pieces.passages) == 60


def test_a_section_of_media_alone_can_be_found_by_what_they_say() -> None:
    video = Video("https://v.example.test/1", "https://v.example.test/1", title="Raise a case")
    (passage,) = split(document(Section(("Guide", "Support"), (video,)))).passages
    assert "Support" in passage.text
    assert "Raise a case" in passage.text


def test_a_transcript_becomes_passages_with_times() -> None:
    cues = tuple(Cue(n * 10.0, n * 10.0 + 9, f"Sentence {n}.") for n in range(30))
    pieces = split(document(Section(("Talk",), (Video("t.mp4", "/t.mp4", cues=cues),))))
    timed = [p for p in pieces.passages if p.start is not None]
    assert timed[0].start == 0.0
    assert timed[-1].end == 299.0
    assert all(p.end - p.start <= 60 for p in timed)
    assert " ".join(p.text for p in timed) == " ".join(cue.text for cue in cues)


def test_media_know_their_place_and_the_text_around_them() -> None:
    section = Section(
        ("Guide",),
        (Text("Open the lid.", "step", "1.", 1), Image("lid.png", "/docs/lid.png", alt="Lid"), Text("Close it.")),
    )
    (media,) = split(document(section)).media
    assert (media.section, media.position) == (0, 1)
    assert media.before.endswith("1. Open the lid.")
    assert media.after == "Close it."
    assert "Lid" in media.description


def test_context_is_cut_at_words() -> None:
    section = Section(("Guide",), (paragraph(200), Image("a.png", "/a.png"), paragraph(200, "After")))
    (media,) = split(document(section)).media
    assert 200 < len(media.before) <= 260
    assert media.before.startswith("word")
    assert media.after.startswith("After")
    assert len(media.after) <= 140


def test_tables_are_numbered_through_the_document() -> None:
    table = Table(("A",), (("1",),))
    pieces = split(document(Section(("Guide", "A"), (table,)), Section(("Guide", "B"), (table, table))))
    assert [m.block.ref for m in pieces.media] == [f"guide.md#table:{n}" for n in (1, 2, 3)]
    assert len({m.id for m in pieces.media}) == 3


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Use e.g. this one. Then go on! Is it fine?", 3),
        ("It weighs 3.5 kg. Lift it with Dr. Noe. Done.", 3),
        ("先把线束插入接口。指示灯变绿以后，继续。", 2),
        ("Nimm z. B. Zitronensäure. Dann spülen.", 2),
        ("See v1.2.3 and a.b.c for more", 1),
        ("It was due on Sept. 30, 2017. Then came Dec. 5. See Jan. It is cold.", 4),
        ("Am 18. Juni 1815 geschah es. Es waren 18. Dann kam Mai.", 3),
        ("", 0),
    ],
)
def test_sentences(text: str, count: int) -> None:
    assert len(sentences(text)) == count
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


def test_the_heading_does_not_repeat_the_title() -> None:
    assert heading("Guide", ("Guide", "Install")) == "Guide > Install"
    assert heading("Manual", ("Guide", "Install")) == "Manual > Guide > Install"


def test_what_leads_to_the_next_line_is_not_cut_from_it() -> None:
    term, definition = Text("Ristretto", "term"), paragraph(30)
    pieces = split(document(Section(("Guide",), (paragraph(99), term, definition, paragraph(60)))), passage_words=100)
    assert ("Ristretto\n" + definition.text) in pieces.passages[0].text
