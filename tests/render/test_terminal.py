"""An answer in a terminal of 80 columns."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from showtell.render.terminal import render_inspection, render_terminal, watched
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


def test_what_is_to_be_checked_is_seen_without_colours_and_repairs_are_told(made):
    text = "It weighs 386 lb [1]."
    marked = Check("number", "unsupported", 0, (10, 16), "386 lb", None, 1, "marked")
    fixed = Check("number", "contradicted", 1, (0, 1), "7", "9", 1, "repaired")
    answer = made.answer(TextPart(text, (1,)), TextPart("9 of them."), checks=(marked, fixed))
    plain = printed(answer)
    assert "It weighs 386 lb (?) [1].\n! Check this: “386 lb” was not found in source [1]." in plain
    assert "9 of them.\n✓ Corrected: “7” became “9”, as in source [1]." in plain
    assert re.search(r"\x1b\[[\d;]*\b4\b[\d;]*m386 lb", printed(answer, force_terminal=True))  # 4 is underlined


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


def test_who_wrote_and_what_was_searched_is_told_where_it_is_not_the_plain_case(made):
    plain = printed(made.answer(TextPart("So."), searches=("How do I report?",)))
    assert "searched" not in plain
    assert "written" not in plain
    text = printed(
        made.answer(
            TextPart("So."),
            searches=("How do I report?", "report privacy"),
            model="ollama/qwen3-vl",
        )
    )
    assert "\nsearched: How do I report? · report privacy\nwritten by ollama/qwen3-vl\n" in text
    assert "written by ollama/x · method murar\n" in printed(
        made.answer(TextPart("So."), model="ollama/x", method="murar")
    )


# ----------------------------------------------------------------------------------------------------- while it is made
@dataclass(frozen=True, slots=True)
class Done:
    name: str
    value: object = None
    told: str = ""


def writing(*pieces):
    return [Done("query"), Done("search"), *(Done("writing", piece) for piece in pieces)]


def seen(steps, width=40, height=12, **options):
    """What the terminal is sent while the steps run, and what of it is to be read at the end, line by line."""
    out = io.StringIO()
    options = {"force_terminal": True, "color_system": None} | options
    list(watched(steps, Console(file=out, width=width, height=height, _environ={"TERM": "xterm"}, **options)))
    sent = out.getvalue()
    last = re.sub(r"\x1b\[[\d;?]*[A-Za-z]|\r", "", sent.rpartition("\x1b[?25h")[0].rpartition("\x1b[2K")[2])
    return sent, last.split("\n")


def test_steps_are_passed_on_as_they_are_and_only_a_terminal_shows_them(made):
    steps = [*writing("So", " it", " is."), Done("draft", ("a claim",)), Done("answer", made.answer(TextPart("So.")))]
    out = io.StringIO()
    assert list(watched(steps, Console(file=out))) == steps
    assert out.getvalue() == ""
    assert list(watched(steps, Console(file=io.StringIO(), force_terminal=True))) == steps


def test_the_steps_done_and_the_text_so_far_are_shown():
    _, lines = seen(writing("Open ", "**Ad", "min** [1]."))
    assert lines[0].endswith(" query › search › writing")
    assert lines[1] == "Open **Admin** [1]."


def test_what_is_searched_and_read_is_shown_above_the_text():
    steps = [
        Done("look", None, "searching for: tomato plant · tomato plant height and more"),
        Done("read", None, "read: 番茄" + " · 番茄" * 20),
        Done("writing", "They grow"),
    ]
    _, lines = seen(steps)
    assert lines[0].endswith(" look › read › writing")
    assert lines[1] == "searching for: tomato plant · tomato pl…"
    assert cell_len(lines[2]) <= 40
    assert lines[2].startswith("read: 番茄 · ")
    assert lines[3] == "They grow"


def test_text_written_after_another_step_takes_the_place_of_the_earlier():
    _, lines = seen([*writing("A draft."), Done("illustrate"), Done("writing", "Refi"), Done("writing", "ned.")])
    assert "Refined." in lines
    assert not any("draft" in line for line in lines)


def test_the_end_of_a_long_text_fits_the_terminal_and_is_gone_afterwards():
    sent, lines = seen(writing("漢字" * 300, *(f"\nline {number} " + "x" * 50 for number in range(40)), "\nthe end"))
    assert max(cell_len(line) for line in lines) <= 40
    assert len([line for line in lines if line]) <= 12
    assert "the end" in lines
    assert sent.count("\n") == sent.count("\x1b[1A"), "the cursor is back where it began"


def test_what_is_shown_is_gone_when_it_fails_or_is_stopped():
    def stopped():
        yield from writing("Half an ans")
        raise KeyboardInterrupt

    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=40, height=12, _environ={"TERM": "xterm"})
    with pytest.raises(KeyboardInterrupt):
        list(watched(stopped(), console))
    assert "Half an ans" in out.getvalue()
    assert out.getvalue().count("\n") == out.getvalue().count("\x1b[1A")
    assert "\x1b[?25h" in out.getvalue(), "the cursor is seen again"


def test_nothing_that_a_model_writes_sends_a_control_sequence(words):
    for steps in (writing(words), writing(*words[:200]), [Done("read", None, words)]):
        sent, _ = seen(steps)
        ours = re.compile(r"\x1b\[(?:1A|2K|\?25[lh])|[\r\n]")
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", ours.sub("", sent))
