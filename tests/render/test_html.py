"""An answer as one self-contained page, read as text; what a browser makes of it is in test_browser.py."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from hashlib import sha256
from importlib.resources import files

from selectolax.lexbor import LexborHTMLParser

from showtell.render import figures
from showtell.render.html import render_html, render_html_page
from showtell.types import Check, Citation, Cue, Image, Question, Table, TextPart, Video

ACTIVE = "script, style, iframe, object, embed, form, link, meta, base, svg, math"


def read(text):
    return LexborHTMLParser(text)


def nothing(name):
    return None


def words_of(node):
    return " ".join(node.text().split())


def test_the_policy_names_style_and_script_by_their_hash(made):
    page = read(render_html(made.answer(TextPart("So.")), nothing))
    policy = page.css_first("meta[http-equiv]").attributes["content"]
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        (element,) = page.css(tag)
        digest = b64encode(sha256(element.text().encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; img-src data:; media-src data: blob:;")


def test_the_script_stays_small():
    assert len((files("showtell.render") / "page" / "page.js").read_bytes()) < 5_000


def test_pictures_are_inlined_with_caption_and_place(made, shelf):
    name = shelf.picture(400, 1600)
    image = Image("i.png", "/docs/i.png", "The form", "Fill it in", asset=name, width=400, height=1600)
    page = read(render_html(made.answer(TextPart("1. Open [1]."), made.figure(image, 1)), shelf.find))
    picture = page.css_first(".steps li figure img")
    assert b64decode(picture.attributes["src"].partition("base64,")[2]) == shelf.find(name).read_bytes()
    assert (picture.attributes["alt"], picture.attributes["width"], picture.attributes["height"]) == (
        "The form",
        "112",
        "448",
    )
    assert words_of(page.css_first("figcaption")) == "Picture 1 Fill it in admin/privacy.md › Privacy reporting 1"


def test_drawings_are_only_ever_pictures(made, shelf):
    (shelf.folder / "d.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    page = read(render_html(made.answer(made.figure(Image("d", "/d.svg", "d", asset="d.svg"), 1)), shelf.find))
    assert page.css_first("img").attributes["src"].startswith("data:image/svg+xml;base64,")
    assert page.css("svg") == []


def test_a_remote_picture_is_a_link_and_a_missing_one_is_told(made):
    remote = made.figure(Image("u", "https://x.org/i.png", "Form"), 1)
    missing = made.figure(Image("i.png", "/docs/i.png", "Form", asset="gone.png"), 1)
    page = read(render_html(made.answer(remote, missing), nothing))
    assert page.css("img:not(#viewer-picture)") == []
    assert page.css_first("a.elsewhere").attributes["href"] == "https://x.org/i.png"
    assert "/docs/i.png is missing" in words_of(page.css_first(".missing"))


def test_a_foreign_video_links_out_at_its_second(made):
    video = made.figure(Video("v", "https://www.youtube.com/embed/abcdefghijk", "Tour"), 1, start=65.0, end=92.0)
    page = read(render_html(made.answer(video), nothing))
    assert page.css("video") == []
    card = page.css_first("a.elsewhere")
    assert card.attributes["href"] == "https://www.youtube.com/watch?v=abcdefghijk&t=65s"
    assert words_of(card) == "Play 1:05–1:32 youtube.com↗"


def test_an_own_video_is_inlined_with_its_subtitles(made, shelf):
    (shelf.folder / "c.webm").write_bytes(b"film")
    video = Video("c.webm", "/c.webm", "Tour", asset="c.webm", cues=(Cue(1, 2.5, "a --> b <i>\n\nc"),))
    page = read(render_html(made.answer(made.figure(video, 1, start=1.0, end=2.5)), shelf.find))
    film, track = page.css_first("video"), page.css_first("track")
    assert film.attributes["src"] == "data:video/webm;base64,ZmlsbQ==#t=1,2.5"
    assert b64decode(track.attributes["src"].partition("base64,")[2]).decode() == (
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.500\na --&gt; b &lt;i&gt;\nc"
    )


def test_a_large_video_is_a_link_to_its_file(made, shelf):
    with (shelf.folder / "c.webm").open("wb") as film:
        film.truncate(figures.LARGEST_INLINE + 1)
    page = read(render_html(made.answer(made.figure(Video("c", "/c.webm", asset="c.webm"), 1, start=3.0)), shelf.find))
    assert page.css("video") == []
    assert page.css_first("a.elsewhere").attributes["href"] == (shelf.folder / "c.webm").as_uri() + "#t=3"


def test_a_table_says_how_many_rows_were_cut_and_sets_numbers_right(made):
    table = Table(("Plan", "Price"), (("Free", "0 €"), ("Team", "9.50 €")), "Plans")
    page = read(render_html(made.answer(made.figure(table, 1, rows_total=40)), nothing))
    assert [cell.text() for cell in page.css("th")] == ["Plan", "Price"]
    assert page.css_first("td:last-child").text() == "0 €"
    assert "2 of 40 rows" in words_of(page.css_first("figcaption"))
    assert page.css_first(".scroll").attributes["aria-label"] == "Table 1 Plans"


def test_citations_lead_to_the_quoted_passage_and_back(made):
    cited = Citation(1, "a.md", "Guide", ("Guide", "Part"), "The passage.", url="https://x.org/a#part", licence="CC0")
    local = Citation(2, "b.md", "Other", ("Other",), "More.", url="javascript:alert(1)")
    answer = made.answer(TextPart("So [1]. And [2], [1].", (1, 2)), citations=(cited, local))
    page = read(render_html_page([answer, answer], nothing))
    chips = page.css("#a2 .words .cite")
    assert [chip.attributes["href"] for chip in chips] == ["#a2-s1", "#a2-s2", "#a2-s1"]
    source = page.css_first("#a2-s1")
    assert source.css_first(".heading a").attributes["href"] == "https://x.org/a#part"
    assert "The passage." in source.css_first("blockquote").text()
    assert source.css_first(".back").attributes["href"] == "#" + chips[0].attributes["id"]
    assert page.css("#a2-s2 .heading a") == []
    assert words_of(page.css_first("#a2-s2 .known")) == "b.md"
    identifiers = [node.attributes["id"] for node in page.css("[id]")]
    assert len(identifiers) == len(set(identifiers))


def test_doubt_and_failed_checks_are_seen_where_they_are(made):
    fixed = Check("number", "contradicted", 1, (0, 1), "7", "9", 1, "repaired")
    passed = Check("number", "supported", 0, (3, 9), "weighs")
    parts = (TextPart("It weighs **386 lb** [1].", (1,)), TextPart("9 of them."))
    check = Check("number", "contradicted", 0, (12, 18), "386 lb", "413 lb", 1, "marked")
    answer = made.answer(*parts, checks=(check, fixed, passed), confidence="low: the sources may not answer this")
    page = read(render_html(answer, nothing))
    assert [mark.text() for mark in page.css("mark")] == ["386 lb"]
    assert [words_of(note) for note in page.css(".check")] == [
        "Check this: “386 lb” disagrees with source [1], which has “413 lb”.",
        "Corrected: “7” became “9”, as in source [1].",
    ]
    assert words_of(page.css_first(".doubt")) == "Low confidence: the sources may not answer this."


def test_what_is_to_be_checked_is_one_mark_and_each_kind_of_check_has_its_note(made):
    text = "Send **all parts** to the shop [1]. It says “never use soap at all” for 77 days."
    at = [text.index(words) for words in ("never", "77")]
    checks = (
        Check("support", "unsupported", 0, (0, text.index(" It")), "Send all parts to the shop.", None, 1, "marked"),
        Check(
            "quotation", "contradicted", 0, (at[0], at[0] + 21), "never use soap at all", "Never use soap", 1, "marked"
        ),
        Check("number", "unsupported", 0, (at[1], at[1] + 2), "77", None, None, "marked"),
        Check("number", "unsupported", 0, (500, 502), "99", None, 1, "marked"),  # beyond the text
    )
    page = read(render_html(made.answer(TextPart(text, (1,)), checks=checks), nothing))
    assert [words_of(mark) for mark in page.css("mark")] == [
        "Send all parts to the shop 1.",
        "never use soap at all",
        "77",
    ]
    assert len(page.css("mark strong")) == len(page.css("mark .cite")) == 1
    assert [words_of(note) for note in page.css("[role=note]")] == [
        "Check this: “Send all parts to the shop.” does not seem to come from source [1].",
        "Check this: “never use soap at all” is not word for word what source [1] says: “Never use soap”.",
        "Check this: “77” was not found in the sources.",
        "Check this: “99” was not found in source [1].",
    ]


def test_nothing_in_a_document_becomes_active(made, shelf, words):
    text = render_html(made.hostile(words, shelf.picture()), shelf.find)
    page = read(text)
    assert page.css(f"main :is({ACTIVE})") == []
    assert [len(page.css(tag)) for tag in ("script", "style", "title", "main")] == [1, 1, 1, 1]
    for element in page.css("*"):
        assert not [
            name for name in element.attributes if name.startswith("on") or name in ("style", "srcset", "autofocus")
        ]
        for name in ("href", "src"):
            address = element.attributes.get(name) or "#"
            assert re.match(r"#|data:|https?://", address), address
            assert name == "href" or not address.startswith("http")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ue000\ue001]", text)


def test_a_picture_asked_with_the_question_is_shown(made, shelf):
    name = shelf.picture()
    question = Question("What is this?", (name.removesuffix(".png"),))
    page = read(render_html(made.answer(TextPart("A form."), question=question), lambda sha: shelf.find(sha + ".png")))
    assert page.css_first(".asked img").attributes["alt"] == "The question's picture"


def test_a_number_without_a_source_leads_nowhere(made):
    page = read(render_html(made.answer(TextPart("So [7].", (7,)), citations=()), nothing))
    assert "So [7]." in words_of(page.css_first(".words"))
    assert page.css(".cite") == []
