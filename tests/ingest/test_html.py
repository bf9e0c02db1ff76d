"""What a person sees on a page is what the reader returns: one test for each kind of thing that gets lost elsewhere."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Picture

from showtell.ingest.html import read_html
from showtell.ingest.image import read_image
from showtell.ingest.inspection import inspection
from showtell.ingest.resources import Place
from showtell.types import Block, Document, Image, Table, Text, Video

YOUTUBE = "https://www.youtube.com/watch?v="


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small site: pictures of several sizes, a clip with subtitles beside it."""
    (tmp_path / "img").mkdir()
    for name, size in {"a": (200, 120), "b": (210, 120), "big": (900, 500), "icon": (24, 24), "dot": (1, 1)}.items():
        Picture.new("RGB", size, "teal").save(tmp_path / "img" / f"{name}.png")
    (tmp_path / "clip.mp4").write_bytes(b"\x00\x00\x00\x18ftypisom")
    (tmp_path / "clip.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:04.000\nFill the tank.\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def read(folder: Path) -> Any:
    return lambda markup: read_html(markup, Place(str(folder / "page.html"), "page.html", folder))


def blocks(document: Document, kind: type[Block]) -> list[Any]:
    return [block for section in document.sections for block in section.blocks if isinstance(block, kind)]


def texts(document: Document) -> list[str]:
    return [text.text for text in blocks(document, Text)]


# ---------------------------------------------------------------------------------------------------------------- text
def test_ordered_lists_keep_the_numbers_that_the_page_shows(read: Any) -> None:
    document = read(
        "<ol start=3><li>three<ul><li>inner</ul><li value=7><p>seven</p><p>more</p><li>eight</ol>"
        "<ol reversed><li>two<li>one</ol><ol type=A><li>x</ol><ol type=i start=4><li>z</ol>"
    )
    shown = [(text.label, text.text, text.kind, text.depth) for text in blocks(document, Text)]
    assert shown == [
        ("3.", "three", "step", 1),
        ("•", "inner", "item", 2),
        ("7.", "seven", "step", 1),
        ("", "more", "step", 1),
        ("8.", "eight", "step", 1),
        ("2.", "two", "step", 1),
        ("1.", "one", "step", 1),
        ("A.", "x", "step", 1),
        ("iv.", "z", "step", 1),
    ]


def test_inline_markup_becomes_limited_markdown(read: Any) -> None:
    document = read(
        '<p>Press <b>Save </b>then <i>go</i> to <a href="https://e.test/a_(b)">the <code>site</code></a>'
        ' or <a href="other.html">here</a>.</p><p>plain words</p><p>2 *3* snake_case</p>'
    )
    marked, plain, literal = blocks(document, Text)
    assert marked.text == "Press Save then go to the site or here."
    assert marked.markdown == "Press **Save** then *go* to [the `site`](https://e.test/a_%28b%29) or here."
    assert plain.markdown == ""
    assert literal.markdown == r"2 \*3\* snake_case"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>one<br>two<br><br>three</p>", ["one\ntwo", "three"]),
        ("<p>10<sup>2</sup> m of H<sub>2</sub>O</p>", ["10² m of H2O"]),
        ("<p>a <span>b</span><span>c</span>\n d</p>", ["a bc d"]),
        ("<p>say <q>hi</q></p>", ["say “hi”"]),
        ("<p>soft\u00adhyphen zero\u200bwidth no\u00a0break</p>", ["softhyphen zerowidth no break"]),
        ("<pre><code>if x:\n    y\n</code></pre>", ["if x:\n    y"]),
        ("<dl><div><dt>A<dd>alpha</div><div><dt>B<dd>beta</div></dl>", ["A", "alpha", "B", "beta"]),
        ("<details><summary>Why?</summary>Because.</details>", ["Why?", "Because."]),
        ('<p>x <math alttext="x^2"><mi>x</mi></math></p>', ["x x^2"]),
    ],
)
def test_text(read: Any, markup: str, expected: list[str]) -> None:
    assert texts(read(markup)) == expected


def test_kinds_of_text(read: Any) -> None:
    document = read(
        '<div class="admonition tip"><p>Careful.</p></div><blockquote>Said.</blockquote><pre>x</pre>'
        "<dl><dt>T<dd>D</dl><aside class=note>Aside.</aside><p>P</p>"
    )
    kinds = [text.kind for text in blocks(document, Text)]
    assert kinds == ["note", "quote", "code", "term", "definition", "note", "paragraph"]


def test_tabs_are_read_with_their_names_although_hidden(read: Any) -> None:
    document = read(
        "<div role=tablist><button role=tab id=t1>Linux</button><button role=tab id=t2>Mac</button></div>"
        "<div role=tabpanel aria-labelledby=t1>apt it</div><div role=tabpanel aria-labelledby=t2 hidden>brew it</div>"
    )
    assert texts(document) == ["Linux", "apt it", "Mac", "brew it"]


def test_words_on_the_screen_are_bold(read: Any) -> None:
    (text,) = blocks(read("<p>Tap <span class='guilabel'>Save</span>, <span class='ph uicontrol'>OK</span>.</p>"), Text)
    assert text.markdown == "Tap **Save**, **OK**."


@pytest.mark.parametrize(
    ("tabs", "panel", "other"),
    [
        (
            ("<b role=tab aria-controls=x>", "<b role=tab aria-controls=y>"),
            "role=tabpanel id=x",
            "role=tabpanel id=y hidden",
        ),
        (("<b role=tab>", "<b role=tab>"), "role=tabpanel", "role=tabpanel hidden"),
        (("<label>", "<label>"), "class=tabbed-block", "class=tabbed-block"),
    ],
)
def test_generators_name_tabs_each_in_their_way(read: Any, tabs: tuple[str, str], panel: str, other: str) -> None:
    listed = "class=tabbed-labels" if "<label>" in tabs else "role=tablist"
    end = "</label>" if "<label>" in tabs else "</b>"
    names = f"<div {listed}>{tabs[0]}Linux{end}{tabs[1]}Mac{end}</div>"
    panels = f"<div><div {panel}>apt it</div><div {other}>brew it</div></div>"
    assert texts(read(f"<h1>T</h1><div>{names}{panels}</div>")) == ["Linux", "apt it", "Mac", "brew it"]


def test_a_panel_whose_tab_is_not_known_has_no_name(read: Any) -> None:
    markup = "<div><ul role=tablist><li role=tab>Linux<li role=tab>Mac</ul><div role=tabpanel>brew it</div></div>"
    assert texts(read(f"<h1>T</h1>{markup}")) == ["brew it"]


def test_an_icon_in_a_sentence_leaves_its_name(read: Any) -> None:
    document = read('<p>Click <img src="img/icon.png" alt="Gear"> to go on. <img src="img/icon.png" alt="New"></p>')
    assert texts(document) == ["Click Gear to go on."]
    assert len(document.dropped) == 1


# ------------------------------------------------------------------------------------------------------------ headings
@pytest.mark.parametrize(
    ("markup", "paths"),
    [
        ("<h1>A</h1><h4>B</h4>b<h2>C</h2>c", [("A", "B"), ("A", "C")]),
        ("<h1>A</h1><div role=heading aria-level=2>B</div>b", [("A", "B")]),
        ("<article><header><h1>A</h1><p>by</p></header><p>long enough words</p></article>", [("A",)]),
        ("<header><h1>A</h1></header><main><h2>B</h2><p>text</p></main>", [("A", "B")]),
        ('<h1>A <a class="headerlink" href="#a">¶</a></h1>a', [("A",)]),
        ("<p>before</p><h1>A</h1>a<h2>Empty</h2>", [(), ("A",), ("A", "Empty")]),
    ],
)
def test_heading_paths(read: Any, markup: str, paths: list[tuple[str, ...]]) -> None:
    assert [section.path for section in read(markup).sections] == paths


def test_anchors_are_found_where_generators_put_them(read: Any) -> None:
    document = read(
        '<h1 id=own>A</h1>a<h2><a name="inner"></a>B</h2>b<section id=outer><h2>C</h2>c</section><h2>D</h2>d'
    )
    assert [section.anchor for section in document.sections] == ["own", "inner", "outer", ""]


def test_a_title_loses_the_name_of_the_site(read: Any) -> None:
    assert read("<title>Tides | Club</title><h1>Tides</h1>x").title == "Tides"
    assert read("<title>Notebook</title><h1>Tides</h1>x").title == "Notebook"
    assert read("<p>x</p>").title == "page"


# ---------------------------------------------------------------------------------------------------------------- media
@pytest.mark.parametrize(
    ("markup", "source"),
    [
        ('<img src="img/a.png?v=2#x">', "img/a.png"),
        ('<img src="img\\a.png">', "img/a.png"),
        ('<img src="/img/a.png">', "img/a.png"),
        ('<img src="img/a.png" srcset="img/a.png 1x, img/big.png 2x">', "img/big.png"),
        ('<img src="img/a.png" srcset="gone.png 2x">', "img/a.png"),
        ('<img data-lazy="true" src="img/a.png">', "img/a.png"),
        ('<picture><source srcset="img/a.png 640w, img/big.png 1280w"></picture>', "img/big.png"),
        ('<img src="data:image/gif,R0" srcset="https://e.test/a,b.png 3w, https://e.test/c.png 9w">', "test/c.png"),
        ('<a href="img/big.png"><img src="gone.png"></a>', "img/big.png"),
        ("<noscript><img src=img/a.png></noscript><img data-src=img/a.png>", "img/a.png"),
        ('<a href="#big"><img src="img/a.png"></a>', "img/a.png"),
        ('<img src="//cdn.e.test/a.png">', "https://cdn.e.test/a.png"),
    ],
)  # fmt: skip
def test_the_address_that_an_image_means(read: Any, markup: str, source: str) -> None:
    images = blocks(read(f"<h1>T</h1>{markup}"), Image)
    assert [image.source.endswith(source) for image in images] == [True]


def test_local_images_know_their_size_and_bytes(read: Any, folder: Path) -> None:
    document = read("<img src=img/a.png width=100 alt=A title=T>")
    (image,) = blocks(document, Image)
    assert (image.ref, image.alt, image.title, image.width, image.height) == ("img/a.png", "A", "T", 200, 120)
    assert document.files == {image.asset: str(folder / "img" / "a.png")}


def test_one_caption_serves_all_pictures_of_a_figure(read: Any) -> None:
    document = read(
        "<figure><img src=img/a.png><img src=img/b.png><figcaption>Two <b>views</b></figcaption></figure>"
        '<div class="wp-caption"><img src=img/big.png><p class="wp-caption-text">Third</p></div>'
        "<figure><pre>code</pre><figcaption>Listing 1</figcaption></figure>"
    )
    assert [image.caption for image in blocks(document, Image)] == ["Two views", "Two views", "Third"]
    assert texts(document) == ["code", "Listing 1"]


@pytest.mark.parametrize(
    "markup",
    [
        "<img src=img/icon.png>",
        "<img src=img/dot.png width=600 height=400>",
        "<img src=img/a.png width=16>",
        "<img src=gone.png>",
        "<img src=page.html>",
        "<img src=https://img.shields.io/a.svg>",
        "<img src='https://e.test/p.gif' style='width:1px;height:1px'>",
        "<img src=../../../etc/passwd>",
        "<img src=file:///etc/passwd>",
        "<img src='data:image/png;base64,AAAA'>",
        '<svg viewBox="0 0 24 24"><path d="M0 0"/></svg>',
        "<video src=gone.mp4></video>",
        "<iframe src=https://maps.e.test/></iframe>",
        "<audio src=a.mp3></audio>",
    ],
)
def test_what_is_left_out_is_told_with_a_reason(read: Any, folder: Path, markup: str) -> None:
    (folder / "page.html").write_text("<p>page", encoding="utf-8")
    document = read(f"<h1>T</h1><p>Some words that stay.</p>{markup}")
    assert not blocks(document, Image) + blocks(document, Video)
    assert [bool(dropped.reason) for dropped in document.dropped] == [True]
    assert not document.files


def test_a_link_out_of_the_folder_is_not_followed(read: Any, folder: Path, tmp_path_factory: Any) -> None:
    secret = tmp_path_factory.mktemp("outside") / "secret.png"
    Picture.new("RGB", (90, 90)).save(secret)
    (folder / "img" / "link.png").symlink_to(secret)
    document = read("<p>words</p><img src=img/link.png>")
    assert not blocks(document, Image)
    assert "leaves the added folder" in document.dropped[0].reason


def test_an_inline_drawing_is_stored_harmless(read: Any) -> None:
    document = read(
        "<svg width=200 height=90 onload=x()><title>Flow</title><script>x()</script><foreignObject><br></foreignObject>"
        '<use xlink:href="#a"/><text>a&nbsp;&amp; b</text></svg>'
    )
    (image,) = blocks(document, Image)
    assert (image.alt, image.width, image.height) == ("Flow", 200, 90)
    stored = document.files[image.asset]
    assert isinstance(stored, bytes)
    assert b"script" not in stored
    assert b"onload" not in stored
    assert texts(document) == []


@pytest.mark.parametrize(
    ("markup", "source", "start", "end"),
    [
        ("<iframe src='https://www.youtube.com/embed/a-1?t=1m30s'></iframe>", YOUTUBE + "a-1", 90, None),
        ("<iframe src='https://player.vimeo.com/video/12?h=ab#t=1m5s'></iframe>", "https://vimeo.com/12/ab", 65, None),
        ("<iframe data-src='https://youtu.be/a?t=10' src='about:blank'></iframe>", YOUTUBE + "a", 10, None),
        ("<iframe src='https://www.loom.com/embed/9af'></iframe>", "https://www.loom.com/share/9af", None, None),
        ("<a href='https://youtu.be/a'><img src=img/a.png></a>", YOUTUBE + "a", None, None),
        ("<lite-youtube videoid=xy params='start=9'></lite-youtube>", YOUTUBE + "xy", 9, None),
        ("<video><source src='https://e.test/a.mp4#t=,20'></video>", "https://e.test/a.mp4", None, 20),
        ("<img src='https://e.test/a.mp4#t=5,7'>", "https://e.test/a.mp4", 5, 7),
    ],
)  # fmt: skip
def test_videos_in_canonical_form(read: Any, markup: str, source: str, start: float, end: float) -> None:
    document = read(f"<h1>T</h1>{markup}")
    (video,) = blocks(document, Video)
    assert (video.source, video.start, video.end) == (source, start, end)
    assert not blocks(document, Image)


def test_subtitles_beside_a_clip_are_its_transcript(read: Any, folder: Path) -> None:
    document = read("<p>See <a href=clip.mp4>the clip</a> now.</p>")
    (video,) = blocks(document, Video)
    assert (video.title, video.captions) == ("the clip", str(folder / "clip.vtt"))
    assert document.files[video.asset] == str(folder / "clip.mp4")
    shown = inspection(document)["sections"][0]["blocks"]
    assert [block.get("text") for block in shown] == ["See the clip now.", None, "Fill the tank."]


def test_broken_subtitles_are_a_warning(read: Any, folder: Path) -> None:
    (folder / "clip.vtt").write_bytes(b"\x00\x01")
    document = read("<video src=clip.mp4></video>")
    assert len(blocks(document, Video)) == 1
    assert "clip.vtt" in document.warnings[0]


# --------------------------------------------------------------------------------------------------------------- tables
@pytest.mark.parametrize(
    ("markup", "header", "rows"),
    [
        ("<tr><th>a<th>b<tr><td>1<td>2", ("a", "b"), (("1", "2"),)),
        ("<tr><th>x<td>1<tr><th>y<td>2", (), (("x", "1"), ("y", "2"))),
        ("<colgroup><col></colgroup><tr><td>1<td>2<tr><td>3<td>4", (), (("1", "2"), ("3", "4"))),
        ("<tr><th rowspan=2>R<th colspan=2>C<tr><th>c<th>d<tr><td>k<td>1<td>", ("R", "C c", "C d"), (("k", "1", ""),)),
        ("<tr><th>a<th>b<tr><td rowspan=0>k<td>1<tr><td>2", ("a", "b"), (("k", "1"), ("k", "2"))),
        ("<tr><th>a<th>b<th>c<tr><td>1<tr><td>2<td>3", ("a", "b", "c"), (("1", "", ""), ("2", "3", ""))),
        ("<tfoot><tr><td>f<td>g<thead><tr><td>a<td>b<tbody><tr><td>1<td>2", ("a", "b"), (("1", "2"), ("f", "g"))),
        ("<tr><th>a<th>b<tr><th colspan=2>G<tr><td>1<td>2", ("a", "b"), (("G", "G"), ("1", "2"))),
        ("<tr><th>a<th>b<tr><td><ul><li>x<li>y</ul><td>1<br>2", ("a", "b"), (("x y", "1 2"),)),
        ("<tr><th>Has<th>It<tr><td>Wifi<td><img src=img/icon.png alt=Yes>", ("Has", "It"), (("Wifi", "Yes"),)),
        ("<tr><td>a<td>b<tr><td colspan=999999>c", (), (("a", "b"), ("c", "c"))),
    ],
)  # fmt: skip
def test_tables(read: Any, markup: str, header: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> None:
    (table,) = blocks(read(f"<h1>T</h1><table>{markup}</table>"), Table)
    assert (table.header, table.rows) == (header, rows)


def test_a_lone_cell_above_the_header_is_the_caption(read: Any) -> None:
    (table,) = blocks(read("<table><tr><th colspan=2>Sizes<tr><th>A<th>B<tr><td>1<td>2</table>"), Table)
    assert (table.caption, table.header) == ("Sizes", ("A", "B"))
    (table,) = blocks(read("<table><tr><td colspan=2><b>Sizes</b><tr><th>A<th>B<tr><td>1<td>2</table>"), Table)
    assert (table.caption, table.header, table.rows) == ("Sizes", ("A", "B"), (("1", "2"),))


@pytest.mark.parametrize(
    "markup",
    [
        "<table role=presentation><tr><td>left words<td>right words</table>",
        "<table><tr><td><h2>left</h2> words</td><td>right words</td></table>",
        "<table class=highlight><tr><td class=linenos><pre>1</pre></td><td><pre>right words</pre></table>",
        "<table><tr><td>left words<tr><td>right words</table>",
    ],
)
def test_tables_that_lay_out_the_page_are_read_as_text(read: Any, markup: str) -> None:
    document = read(markup)
    assert not blocks(document, Table)
    assert "right words" in " ".join(texts(document))


def test_media_of_a_table_follow_it(read: Any) -> None:
    document = read(
        "<table><tr><th>a<th>b<tr><td>1<td>x <img src=img/a.png alt=A><table><tr><th>in<tr><td>ner</table></table>after"
    )
    kinds = [block.type for block in document.sections[0].blocks]
    assert kinds == ["table", "image", "table", "text"]
    assert blocks(document, Table)[0].rows == (("1", "x"),)


# ---------------------------------------------------------------------------------------------------------- boilerplate
@pytest.mark.parametrize(
    "markup",
    [
        "<nav>NOT</nav>",
        "<footer>NOT</footer>",
        "<div class='cookie-banner'>NOT</div>",
        "<ul class=breadcrumb><li>NOT</ul>",
        "<a class='skip-link' href='#x'>NOT</a>",
        "<div class='share-buttons'>NOT</div>",
        "<div class='toc'><a href='#a'>NOT</a><a href='#b'>NOT</a></div>",
        "<div style='display:none'>NOT</div>",
        "<p hidden>NOT</p>",
        "<span aria-hidden=true>NOT</span>",
        "<template>NOT</template>",
        "<script>NOT</script>",
        "<button>NOT</button>",
        "<aside class=sidebar>NOT</aside>",
        "<dialog>NOT</dialog>",
        "<article><p class=meta>Updated 12 March 2026 · 4 min NOT</p></article>",
        "<div class='theme-last-updated'>Last updated on <time>2026-03-12</time> by NOT</div>",
        "<article><div class='page-feedback'><h4>Was this NOT helpful?</h4><button>Yes</button></div></article>",
    ],
)
def test_what_a_person_does_not_read_is_left_out(read: Any, markup: str) -> None:
    document = read(f"<body><h1>T</h1><p>The words of the page, which are many.</p>{markup}</body>")
    assert texts(document) == ["The words of the page, which are many."]
    assert [section.path for section in document.sections] == [("T",)]


@pytest.mark.parametrize(
    "markup",
    [
        "<p class=meta>The meta element names what a page is about.</p>",
        "<div class='api-meta'>Added in 3.2: <code>reset()</code></div>",
        f"<p class=byline>{'Written in 1999. ' * 20}</p>",
        "<section id=feedback><h2>Feedback</h2><p>Write to us by letter.</p></section>",
    ],
)
def test_what_only_looks_like_a_byline_is_read(read: Any, markup: str) -> None:
    words = "The words of the page, which are many. " * 12
    assert len(texts(read(f"<body><h1>T</h1><p>{words}</p>{markup}</body>"))) == 2


def test_a_page_that_looks_like_furniture_throughout_is_read_all_the_same(read: Any) -> None:
    assert texts(read("<nav><p>Only this is here, so it is read.</p></nav>")) == ["Only this is here, so it is read."]


def test_content_outside_a_small_main_is_not_lost(read: Any) -> None:
    document = read("<main><p>Teaser.</p></main><div><p>The long text of the page that stands beside it.</p></div>")
    assert texts(document) == ["Teaser.", "The long text of the page that stands beside it."]


# ----------------------------------------------------------------------------------------------------------- bad input
@pytest.mark.parametrize(
    "tag",
    [
        "div",
        "nav",
        "b",
        "ul><li",
        "table><tr><td",
        "figure><figcaption",
        "blockquote",
        "noscript",
        "svg",
        "h2",
        "a href=x",
    ],
)
def test_ten_thousand_nested_tags_are_read(read: Any, tag: str) -> None:
    close = "".join(f"</{name.split()[0]}>" for name in reversed(tag.split("><")))
    document = read("<html lang=en><p>before</p>" + f"<{tag}>" * 10_000 + "inside" + close * 10_000)
    assert texts(document)[0] == "before"


def test_ten_thousand_rows_are_kept_and_a_bomb_of_spans_is_cut(read: Any) -> None:
    rows = "".join(f"<tr><td>{number}<td>x" for number in range(10_000))
    (table,) = blocks(read(f"<html lang=en><table><tr><th>a<th>b{rows}</table>"), Table)
    assert len(table.rows) == 10_000
    bomb = "<tr><td colspan=1000>a<td rowspan=65534>b" * 5_000
    assert "too large" in read(f"<html lang=en><table>{bomb}</table>").warnings[0]


@pytest.mark.parametrize(
    "markup",
    ["", " ", "<", "<!doctype html>", "\x00", "<table>", "<ol start=x><li value=y>z", "<p role=heading aria-level=²>x"],
)
def test_odd_markup_is_a_document(read: Any, markup: str) -> None:
    assert read(markup).source.endswith("page.html")


def test_a_page_without_text_is_a_warning(read: Any) -> None:
    assert "JavaScript" in read("<div id=root>Loading ...</div><script src=a.js></script>").warnings[0]


# --------------------------------------------------------------------------------------------------------------- places
def test_pages_of_the_web_keep_their_addresses() -> None:
    head = '<html lang="de-AT"><meta name=description content="About">'
    markup = head + '<p>Ein <a href="b.html#c">Wort</a></p><img src="/i/a.png">'
    document = read_html(markup, Place("https://e.test/docs/a.html", "https://e.test/docs/a.html"))
    assert (document.url, document.language, document.description) == ("https://e.test/docs/a.html", "de-AT", "About")
    assert blocks(document, Text)[0].markdown == "Ein [Wort](https://e.test/docs/b.html#c)"
    assert blocks(document, Image)[0].source == "https://e.test/i/a.png"


def test_the_language_is_guessed_where_none_is_declared(read: Any) -> None:
    assert read("<p>Осматривайте улей в тёплый день, держите дым слева.</p>").language == "ru"
    assert read("<p>ok</p>").language == ""


def test_a_bare_picture_is_a_document(folder: Path) -> None:
    path = folder / "img" / "big.png"
    document = read_image(path, Place(str(path), "img/big.png", folder))
    (image,) = blocks(document, Image)
    assert (image.source, image.width, image.height) == (str(path), 900, 500)
    stored = document.files[image.asset]
    assert isinstance(stored, bytes)
    assert Picture.open(io.BytesIO(stored)).size == (900, 500)


@pytest.mark.parametrize("name", ["share-a-report", "cookies", "menu", "how-to-share", "related", "edit-page-titles"])
@pytest.mark.parametrize("shape", ["<section id={}>{}</section>", "<div class=section id={}>{}</div>"])
def test_a_section_is_not_furniture_because_of_its_title(read: Any, name: str, shape: str) -> None:
    inner = shape.format(name, "<h2>Title</h2><p>Some words.</p>")
    assert "Some words." in texts(read(f"<h1>T</h1><p>The words of the page, which are many.</p>{inner}"))


def test_a_still_of_a_player_is_a_picture() -> None:
    still = "https://video.tv.adobe.com/v/3476846/?format=jpeg&nocache=1"
    document = read_html(
        f'<h1>Talks</h1><p>Watch the talk.</p><img src="{still}" alt="Talk">', Place("/t.html", "t.html")
    )
    (image,) = [block for section in document.sections for block in section.blocks if block.type != "text"]
    assert (image.type, image.source) == ("image", still)
