"""Wiki pages as HTML: in the languages and the markup of several versions, and how long they take."""

from __future__ import annotations

import time

import pytest

from showtell.ingest.resources import Place
from showtell.sources.article import article_of
from showtell.sources.files import WikiPicture
from showtell.sources.replies import Parsed
from showtell.types import Document, Image, Table, Text

URL = "https://example.org/wiki/Page"


def read(text: str, pictures: dict[str, WikiPicture | str] | None = None, **parsed: object) -> Document:
    article = article_of(Parsed.model_validate({"title": "Page", "text": text} | parsed))
    return article.document(Place(URL, URL, url=URL), "en", "CC BY-SA 4.0", pictures or {})


def paths(document: Document) -> list[str]:
    return [" > ".join(section.path) for section in document.sections]


def texts(document: Document) -> list[str]:
    return [block.text for section in document.sections for block in section.blocks if isinstance(block, Text)]


@pytest.mark.parametrize(
    ("content", "back"),
    [
        ("Habitat", "See also, References, External links, Further reading, Notes, Bibliography"),
        ("Lebensraum", "Siehe auch, Einzelnachweise, Weblinks, Literatur, Anmerkungen, Quellen"),
        ("Milieu", "Voir aussi, Notes et références, Références, Liens externes, Bibliographie, Articles connexes"),
        ("Hábitat", "Véase también, Referencias, Enlaces externos, Bibliografía, Notas"),
        ("分布", "参见, 參見, 参考文献, 參考文獻, 外部链接, 外部連結, 延伸阅读, 注释"),
    ],
    ids=["en", "de", "fr", "es", "zh"],
)
def test_sections_that_only_lead_elsewhere_are_left_out(content, back):
    lists = "".join(f"<h2>{heading}</h2><ul><li>Elsewhere</li></ul>" for heading in back.split(", "))
    document = read(f"<p>Lead.</p><h2>{content}</h2><p>Fact.</p>{lists}")
    assert paths(document) == ["", content]
    assert texts(document) == ["Lead.", "Fact."]


def test_what_stands_below_such_a_heading_goes_with_it_and_what_follows_stays():
    document = read("<h2>See also</h2><h3>Books</h3><p>One.</p><h2>Size</h2><h3>Notes</h3><p>Large.</p>")
    assert paths(document) == ["Size > Notes"]


def test_a_heading_that_is_left_with_nothing_is_left_out():
    document = read('<p>Lead.</p><h2>Belegstellen</h2><ol class="references"><li>Book.</li></ol><h2>Next</h2><p>x</p>')
    assert paths(document) == ["", "Next"]


def test_the_markup_of_newer_versions_is_read_alike():
    document = read(
        '<div class="mw-content-ltr mw-parser-output" lang="en" dir="ltr"><section data-mw-section-id="0"><p>Lead.</p>'
        '</section><section data-mw-section-id="1"><div class="mw-heading mw-heading2"><h2 id="Size">Size</h2>'
        '<span class="mw-editsection">[<a href="/e">edit</a>]</span></div>'
        '<p>Large<sup typeof="mw:Extension/ref" class="mw-ref reference" id="cite_ref-1">'
        '<a href="#cite_note-1"><span class="mw-reflink-text">[1]</span></a></sup>.</p>'
        '<figure typeof="mw:File/Thumb"><a href="/wiki/File:A.jpg" class="mw-file-description">'
        '<img src="//upload.example.org/thumb/a/a1/A.jpg/250px-A.jpg" width="250" height="200" resource="./File:A.jpg"'
        ' srcset="//upload.example.org/thumb/a/a1/A.jpg/500px-A.jpg 2x"></a><figcaption>A view</figcaption></figure>'
        '<ul class="gallery"><li class="gallerybox"><div class="thumb"><span><a href="/wiki/File:A.jpg"><img '
        'src="//upload.example.org/thumb/a/a1/A.jpg/120px-A.jpg" width="120" height="90"></a></span></div>'
        '<div class="gallerytext">Another</div></li></ul></section></div>',
        {"A.jpg": WikiPicture("https://upload.example.org/960px-A.jpg", 960, 768, "Ada", "CC0")},
        images=["A.jpg"],
    )
    (section,) = [section for section in document.sections if section.path == ("Size",)]
    assert texts(document) == ["Lead.", "Large."]
    shown = [block for block in section.blocks if isinstance(block, Image)]
    assert [(image.source, image.caption, image.credit) for image in shown] == [
        ("https://upload.example.org/960px-A.jpg", "A view", "Ada"),
        ("https://upload.example.org/960px-A.jpg", "Another", "Ada"),
    ]


def test_boxes_around_an_article_are_left_out():
    names = "navbox, ambox, hatnote, sidebar, sistersitebox, toc, portalbox, reflist, authority-control, metadata"
    boxes = "".join(
        f'<div class="{name}"><p>Gone {name}<span class="{name}">nested</span></p></div>' for name in names.split(", ")
    )
    document = read(f'<p>Lead<sup class="reference">[1]</sup>, 5 m².</p>{boxes}<p id="coordinates">1° N</p>')
    assert texts(document) == ["Lead, 5 m²."]


def test_formulas_are_kept():
    document = read(
        '<p>Mass is <span class="mwe-math-element"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y" '
        'style="display: none;"><math alttext="{\\displaystyle m=E/c^{2}}"><mi>m</mi></math></span>'
        '<img src="https://wikimedia.org/api/rest_v1/media/math/render/svg/0f" class="mwe-math-fallback-image-inline" '
        'alt="{\\displaystyle m=E/c^{2}}"></span> here.</p>'
    )
    (text,) = texts(document)
    assert text.count("m=E/c^{2}") == 1


def test_an_infobox_without_a_caption_has_the_title_of_the_page():
    document = read('<table class="infobox"><tr><th>Mass</th><td>5 kg</td></tr><tr><th>Age</th><td>3</td></tr></table>')
    (table,) = [block for block in document.sections[0].blocks if isinstance(block, Table)]
    assert table.caption == "Page"
    assert table.rows == (("Mass", "5 kg"), ("Age", "3"))


def test_tables_within_an_infobox_do_not_confuse_it():
    document = read(
        '<table class="infobox"><caption>Lamp</caption><tr><td colspan="2"><table><tr><th>x</th><td>1</td></tr>'
        "<tr><th>y</th><td>2</td></tr></table></td></tr><tr><th>Mass</th><td>5 kg</td></tr></table>"
    )
    tables = [block for block in document.sections[0].blocks if isinstance(block, Table)]
    assert tables[0].caption == "Lamp"
    assert ("Mass", "5 kg") in tables[0].rows


@pytest.mark.parametrize(
    ("parsed", "ambiguous"),
    [
        ({"properties": {"disambiguation": ""}}, True),
        ({"properties": []}, False),
        ({"text": '<div id="disambigbox" class="metadata"></div>'}, True),
        ({"title": "Merkur (Begriffsklärung)"}, True),
        ({"title": "Lisbon (song)"}, False),
    ],
)
def test_a_page_that_lists_meanings_is_known_as_such(parsed, ambiguous):
    assert article_of(Parsed.model_validate({"title": "Page", "text": "<p>x</p>"} | parsed)).ambiguous == ambiguous


def test_a_picture_that_is_no_file_of_the_wiki_is_left_out():
    document = read('<p>Text.</p><img src="https://evil.example/spy.png" width="300" height="300" alt="spy">')
    assert texts(document) == ["Text."]
    assert [each.reason for each in document.dropped] == ["its file is not known to the wiki"]


@pytest.mark.parametrize(
    "text", ["", "<table class=infobox>", "<li class=gallerybox>", "<img>", "<" * 1000, "<div>" * 20000]
)
def test_markup_that_is_broken_does_no_harm(text):
    assert read(text).title == "Page"


def test_a_page_of_500_kb_is_read_in_time():
    paragraph = '<p>The lion weighs 187.5 kg (413 lb)<sup class="reference"><a href="#c">[1]</a></sup>. ' + "Word " * 60
    row = "<tr>" + "<td>187.5&nbsp;kg (413&nbsp;lb)</td>" * 8 + "</tr>"
    table = f'<table class="wikitable"><caption>T</caption>{row * 20}</table>'
    text = "".join(f"<h2>Part {number}</h2>{paragraph}{table}" for number in range(90))
    assert len(text) > 500_000
    before = time.process_time()
    assert len(read(text).sections) == 90
    assert time.process_time() - before < 1.5
