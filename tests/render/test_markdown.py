"""An answer as Markdown, read back by a Markdown parser that lets HTML through."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from showtell.render.markdown import render_markdown
from showtell.types import Check, Image, Table, TextPart, Video

ALLOWED = {"h1", "h2", "p", "ol", "ul", "li", "strong", "em", "code", "pre", "blockquote", "br", "a"}
ALLOWED |= {"table", "thead", "tbody", "tr", "th", "td"}


def read(text):
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)


def test_media_stand_in_place_inside_their_step(made):
    image = Image("i.png", "/docs/a folder/i.png", "The *form*", "Fill it in", asset="a.png")
    text = render_markdown(
        made.answer(TextPart("1. Open **it** [1].", (1,)), made.figure(image, 1), TextPart("2. Send."))
    )
    html = read(text)
    assert '<img src="/docs/a%20folder/i.png" alt="The *form*" />' in html
    assert "<p>Open <strong>it</strong> [1].</p>" in html
    assert html.index("<ol>") < html.index("<img") < html.index("Send.") < html.index("</ol>")
    assert "Picture 1 · Fill it in · admin/privacy.md › Privacy reporting · [1]" in text


def test_a_picture_that_is_not_stored_is_a_link(made):
    html = read(render_markdown(made.answer(made.figure(Image("u", "https://x.org/i.png", "Form"), 1))))
    assert "<img" not in html
    assert '<a href="https://x.org/i.png">Form</a>' in html


def test_tables_are_tables_with_cells_escaped(made):
    table = Table(("A | B", "C"), (("1 | 2", "x\ny"), ("<b>", "`")))
    html = read(render_markdown(made.answer(made.figure(table, 1, rows_total=9))))
    assert re.findall(r"<t[hd]>(.*?)</t[hd]>", html) == ["A | B", "C", "1 | 2", "x y", "&lt;b&gt;", "`"]
    assert "2 of 9 rows" in html


@pytest.mark.parametrize(
    ("source", "address"),
    [
        ("https://www.youtube.com/watch?v=abcdefghijk", "https://www.youtube.com/watch?v=abcdefghijk&amp;t=65s"),
        ("https://youtu.be/abcdefghijk?t=3", "https://youtu.be/abcdefghijk?t=65s"),
        ("https://www.youtube-nocookie.com/embed/abcdefghijk", "https://www.youtube.com/watch?v=abcdefghijk&amp;t=65s"),
        ("https://vimeo.com/123456", "https://vimeo.com/123456#t=65s"),
        ("https://video.tv.adobe.com/v/12345", "https://video.tv.adobe.com/v/12345"),
        ("https://x.org/clip.mp4", "https://x.org/clip.mp4#t=65,92.5"),
    ],
)
def test_a_video_links_to_its_second_in_the_manner_of_its_host(made, source, address):
    html = read(render_markdown(made.answer(made.figure(Video(source, source), 1, start=65.0, end=92.5))))
    assert f'<a href="{address}">▶ Video 1 1:05–1:32</a>' in html


def test_nothing_in_a_document_becomes_live(made, words):
    html = read(render_markdown(made.hostile(words)))
    tags = set(re.findall(r"<\s*/?\s*(\w+)", html))
    assert tags <= ALLOWED
    assert all(address.startswith("http") for address in re.findall(r'href="([^"]*)"', html))
    assert html.count("<h1>") == 1


def test_the_words_of_a_text_survive_the_escaping(made):
    said = "Set `a_b*c` to *x* & y <z> [sic] snake_case _u_ 2*3*4 ~~t~~ a|b \\ end. #1 +2"
    html = read(render_markdown(made.answer(TextPart(said))))
    assert "<p>Set <code>a_b*c</code> to <em>x</em> &amp; y &lt;z&gt; [sic] snake_case <em>u</em> 2<em>3</em>4" in html
    assert "~~t~~ a|b \\ end. #1 +2</p>" in html


def test_failed_checks_are_seen_in_their_place_and_repairs_are_told(made):
    marked = Check("number", "unsupported", 0, (10, 16), "386 lb", None, 1, "marked")
    fixed = Check("number", "contradicted", 1, (0, 1), "7", "9", 1, "repaired")
    text = render_markdown(
        made.answer(TextPart("It weighs 386 lb [1].", (1,)), TextPart("9 of them."), checks=(marked, fixed))
    )
    assert "It weighs 386 lb (?) [1].\n\n> Check this: “386 lb” was not found in source" in text
    assert "\n9 of them.\n\n> Corrected: “7” became “9”" in text


def test_a_decimal_number_is_no_list(made):
    marked = Check("number", "unsupported", 0, (0, 7), "4.8 bar", None, 1, "marked")
    text = render_markdown(
        made.answer(TextPart("4.8 bar [1].", (1,)), TextPart("**5.5** and 6.", ()), checks=(marked,))
    )
    assert "\n4.8 bar (?) [1]." in text
    assert "\n**5.5** and 6." in text
