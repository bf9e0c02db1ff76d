"""An answer in a terminal of 80 columns."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from showtell.render.terminal import render_inspection, render_terminal
from showtell.types import Check, Citation, Image, Nearest, Question, Table, TextPart, Video

ALLOWED = re.compile(r"\x1b\[[\d;]*m|\x1b\]8;[^\x07\x1b]*\x1b\\")


def printed(answer, width=80, **options):
    out = io.StringIO()
    render_terminal(answer, Console(file=out, width=width, **options))
    return out.getvalue()


def test_text_keeps_its_steps_and_loses_its_marks(made):
    text = printed(
        made.answer(TextPart("1. Open **Admin** > `Privacy` [1].", (1,)), TextPart("   - with [care](https://x.org/)"))
    )
    assert "1. Open Admin > Privacy [1].\n" in text
    assert "\n   • with care\n" in text


def test_a_picture_is_a_labelled_line_at_its_place(made):
    image = Image("img/report.png", "/docs/admin/img/report.png", "The report form", asset="a.png")
    text = printed(made.answer(TextPart("1. Open it [1].", (1,)), made.figure(image, 1), TextPart("2. Send it.")))
    assert "▣ Picture 1 · “The report form” · admin/privacy.md › Privacy reporting ·" in text
    assert "img/report.png" in text
    assert text.index("Open it") < text.index("Picture 1") < text.index("2. Send it")


def test_a_video_names_its_segment_and_address(made):
    video = Video("v", "https://www.youtube.com/embed/abcdefghijk", "Reporting")
    text = printed(made.answer(made.figure(video, 1, start=65.0, end=92.5)))
    assert "▶ Video 1 · 1:05–1:32 · “Reporting”" in text
    assert "https://www.youtube.com/watch?v=abcdefghijk&t=65s" in text.replace("\n  ", "")


def test_a_table_is_drawn_and_says_what_was_cut(made):
    table = Table(("Plan", "Price"), (("Free", "0 €"), ("Team", "9 €")))
    text = printed(made.answer(made.figure(table, 1, rows_total=40)))
    assert "2 of 40 rows" in text
    assert "│ Team │ 9 €   │" in text


def test_a_table_too_wide_to_draw_becomes_records(made):
    table = Table(tuple(f"Column {n}" for n in range(12)), (tuple(f"some longer value {n}" for n in range(12)),))
    text = printed(made.answer(made.figure(table, 1)))
    assert "Column 11: some longer value 11" in text
    assert "│" not in text


@pytest.mark.parametrize("columns", [2, 4, 12])
def test_nothing_is_wider_than_the_terminal(made, columns):
    table = Table((), (tuple("wörter 漢字漢字漢字漢字 " * 9 for _ in range(columns)),))
    image = Image("i.png", "https://example.org/" + "long/" * 40 + "i.png", "alt " * 50)
    parts = (TextPart("漢字" * 100), TextPart("- " + "x" * 300), made.figure(image, 1), made.figure(table, 1))
    text = printed(made.answer(*parts, question=Question("why " * 100)))
    assert max(cell_len(line) for line in text.splitlines()) <= 80


def test_sources_are_numbered_and_say_where(made):
    cited = Citation(
        1, "admin/privacy.md", "Privacy", ("Privacy", "Reporting"), "…", url="https://docs.example.org/p#r"
    )
    text = printed(made.answer(TextPart("So [1].", (1,)), citations=(cited,)))
    assert "[1] Privacy › Reporting\n    admin/privacy.md · https://docs.example.org/p#r\n" in text


def test_doubt_failed_checks_nearest_and_warnings_are_told_in_this_order(made):
    check = Check("number", "contradicted", 0, (10, 16), "386 lb", "413 lb", 1, "marked")
    text = printed(
        made.answer(
            TextPart("It weighs 386 lb [1].", (1,)),
            confidence="low: the sources may not answer this",
            checks=(check,),
            nearest=(Nearest("bears.md", "Bears", ("Bears", "Weight"), 0.3),),
            warnings=("One picture was dropped.",),
        )
    )
    told = ["Low confidence", "It weighs", "“386 lb” disagrees", "Sources", "bears.md › Bears › Weight", "Warning: One"]
    assert [text.index(words) for words in told] == sorted(text.index(words) for words in told)


def test_nothing_in_a_document_sends_a_control_sequence(made, words):
    plain = printed(made.hostile(words))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", plain)
    linked = printed(made.hostile(words), force_terminal=True)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", ALLOWED.sub("", linked))
    assert "javascript" not in "".join(re.findall(r"\x1b\]8;[^\x1b]*", linked))


def test_media_are_links_where_the_terminal_has_them(made):
    image = Image("i.png", "/docs/i.png", "x", asset="a.png")
    assert "file:///docs/i.png\x1b\\" in printed(made.answer(made.figure(image, 1)), force_terminal=True)


def test_an_inspected_source_is_outlined(made):
    found = {
        "source": "/docs/a.md",
        "title": "Guide",
        "language": "en",
        "sections": [
            {
                "path": ["Guide", "Install"],
                "blocks": [
                    {"type": "text", "text": "Open it.\x1b[2J"},
                    {
                        "type": "image",
                        "source": "/docs/i.png",
                        "ref": "i.png",
                        "alt": "Form",
                        "caption": "",
                        "title": "",
                    },
                    {"type": "table", "caption": "Plans", "header": ["A"], "rows": [["1"]]},
                    {"type": "video", "source": "https://x.org/v", "title": "Tour", "start": None, "end": None},
                ],
            }
        ],
        "dropped": [{"type": "image", "source": "dot.gif", "reason": "smaller than 32 px"}],
        "warnings": ["odd"],
    }
    out = io.StringIO()
    render_inspection(found, Console(file=out, width=80))
    text = out.getvalue()
    for words in (
        "Guide (en)",
        "Guide › Install",
        "Open it.",
        "▣ Image Form · /docs/i.png",
        "▦ Table Plans",
        "│ 1 │",
        "▶ Video Tour",
    ):
        assert words in text
    assert "left out: image dot.gif: smaller than 32 px" in text
    assert "\x1b" not in text


def test_an_answer_without_figures_or_sources_is_only_its_words(made):
    answer = replace(made.answer(TextPart("The sources do not say.")), status="no_answer")
    assert printed(answer) == "How do I report?\n\nThe sources do not say.\n"
