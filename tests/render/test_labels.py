from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console
from selectolax.lexbor import LexborHTMLParser

from showtell.render import labels
from showtell.render.html import render_html
from showtell.render.markdown import render_markdown
from showtell.render.terminal import render_terminal
from showtell.types import Check, FigurePart, Image, Table, TextPart, Video

SAID = "Described by ollama/eye: A form with two fields."


@pytest.fixture
def part(made, shelf) -> FigurePart:
    """A picture of which only a model says what it shows."""
    plain = made.figure(Image("i.png", "/docs/i.png", asset=shelf.picture()), 1)
    said = {"generated": "A form with two fields.", "generated_by": "ollama/eye"}
    return replace(plain, media=replace(plain.media, **said))


def test_a_models_words_are_shown_under_its_name_only(made, shelf, part):
    assert labels.described(part.media) == "", "they are not the author's"
    page = LexborHTMLParser(render_html(made.answer(part), shelf.find))
    assert page.css_first("figure img").attributes["alt"] == SAID
    assert "two fields" not in page.css_first("figcaption").text()
    assert f"![{SAID}](/docs/i.png)" in render_markdown(made.answer(part))
    out = io.StringIO()
    render_terminal(made.answer(part), Console(file=out, width=200))
    assert f"Picture 1 · {SAID} · " in out.getvalue()


def test_summaries_of_tables_and_videos_are_not_shown(made, part):
    for block in (Table(("A",), (("1",),)), Video("v.mp4", "https://x.org/v.mp4")):
        assert labels.by_model(replace(part.media, block=block)) == ""


def test_a_picture_that_nobody_described_says_nothing(made):
    assert labels.by_model(made.media(Image("i.png", "/docs/i.png"))) == ""


# ------------------------------------------------------------------------------------------------------- who wrote what
CHECKS = (
    *(Check("number", "supported", 0, (n, n + 1), "7") for n in range(5)),
    Check("number", "contradicted", 0, (9, 10), "8", "9", 1, "repaired"),
    Check("quotation", "unsupported", 0, (12, 15), "all", None, 1, "marked"),
    Check("support", "unsupported", 0, (0, 20), "So it is.", None, 1, "marked"),
)
TOLD = (
    "written by ollama/some · 6 numbers and 1 quotation checked, 1 number corrected, 1 quotation and 1 sentence marked"
)


def all_of(answer, shelf) -> dict[str, str]:
    """The words of an answer in each rendering, in one line."""
    out = io.StringIO()
    render_terminal(answer, Console(file=out, width=200))
    page = LexborHTMLParser(render_html(answer, shelf.find)).css_first("article").text(separator=" ")
    shown = {"terminal": out.getvalue(), "page": page, "markdown": render_markdown(answer)}
    return {name: " ".join(words.replace("\\", "").split()) for name, words in shown.items()}


def test_every_rendering_tells_before_the_text_who_wrote_it_and_what_was_checked(made, shelf):
    written = made.answer(TextPart("So it is, at length, all of it."), model="ollama/some", checks=CHECKS)
    for name, words in all_of(written, shelf).items():
        assert TOLD in words, name
        assert words.index(TOLD) < words.index("So it is, at length"), name


def test_the_sources_own_words_need_no_writer_and_no_count(made, shelf):
    for words in all_of(made.answer(TextPart("So it is."), checks=CHECKS[:5]), shelf).values():
        assert "written by" not in words
        assert "numbers checked" not in words


def test_a_model_that_found_no_answer_has_written_nothing(made, shelf):
    silent = made.answer(TextPart("The sources do not say."), model="ollama/some", status="no_answer")
    for words in all_of(silent, shelf).values():
        assert "asked ollama/some" in words
        assert "written by" not in words


@pytest.mark.parametrize(
    ("checks", "told"),
    [
        ((), ""),
        (CHECKS[:1], "1 number checked"),
        (CHECKS[:2], "2 numbers checked"),
        (CHECKS[5:6], "1 number checked, 1 number corrected"),
        (CHECKS[6:7], "1 quotation checked, 1 quotation marked"),
        (CHECKS[7:], "1 sentence marked"),
    ],
)
def test_only_what_was_checked_is_counted(made, checks, told):
    assert labels.checked(made.answer(TextPart("So it is."), model="some", checks=checks)) == told


def test_every_rendering_tells_what_was_searched_where_it_is_not_the_question(made, shelf):
    text = TextPart("So it is.")
    asked = made.answer(text, searches=("How do I report?", "report privacy"))
    for name, words in all_of(asked, shelf).items():
        assert "earched: How do I report? · report privacy" in words, name
    for words in all_of(made.answer(text, searches=("How do I report?",)), shelf).values():
        assert "earched:" not in words


def test_a_long_warning_keeps_what_happened_and_what_to_do(made, shelf):
    long = f"the model failed: {'no room for it at all ' * 60}; start its server again"
    short = labels.warning(long)
    assert len(short) <= labels.LONGEST_WARNING + 3
    assert short.startswith("the model failed: no room")
    assert short.endswith("; start its server again")
    assert labels.warning("brief") == "brief"
    assert len(labels.warning("x" * 5000)) <= labels.LONGEST_WARNING + 3
    for words in all_of(made.answer(TextPart("So."), warnings=(long,)), shelf).values():
        assert short in words
