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
from showtell.types import FigurePart, Image, Table, Video

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
