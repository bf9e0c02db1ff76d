"""The page for everybody: by keyboard, to a screen reader, small and wide, dark, in other languages, right to left."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

import showtell.web
from showtell.index.answers import Answers
from showtell.types import Check, Image, Nearest, Table, TextPart, Video
from tests.render.conftest import HOSTILE, answer, figure, hostile
from tests.web.browser import BLOOM, DONE, ESPRESSO, METHODS, address, ask, browser, copied, expected, go, until

__all__ = ["address", "browser", "copied", "expected", "go"]  # fixtures

STATIC = Path(showtell.web.__file__).parent / "static"
HEAVIEST = 150_000  # bytes of the page without media
TOO_WIDE = """() => {
  if (document.documentElement.scrollWidth <= innerWidth) return [];
  const isOut = ({left, right}) => left < -1 || right > innerWidth + 1;
  const out = [...document.querySelectorAll("body *")].filter((node) => isOut(node.getBoundingClientRect()));
  return ["too wide", ...out.map((node) => node.outerHTML.slice(0, 120))];
}"""


@pytest.fixture
def put(copied):
    """Stores an answer and gives its path."""
    return lambda told: f"/a/{Answers(copied.store.folder).put(told)}"


def doubtful():
    """An answer with all that a reader is to be warned of, and media that lie elsewhere."""
    text = "It weighs 386 lb, **as `they`** say; see [the page](https://docs.example/a) [1]."
    at = text.index("386")
    plans = Table(tuple(f"Column {n}" for n in range(14)), (tuple(f"=value {n}" for n in range(14)),) * 3, "Plans")
    tour = Video("v", "https://www.youtube.com/embed/abc123", "A tour")
    return answer(
        TextPart(text, (1,)),
        TextPart("1. Open **Admin** [1].", (1,)),
        TextPart("   - " + "a_very_long_name_without_a_break" * 9),
        figure(plans, 1, rows_total=40),
        figure(tour, 1, start=65.0, end=70.0),
        figure(Image("f.png", "https://pictures.example/f.png", "A far picture"), 1),
        TextPart("> quoted\n\n```\ncode " + "x" * 200 + "\n```"),
        model="some-model",
        confidence="low: the sources may not answer this",
        checks=(Check("number", "contradicted", 0, (at, at + 6), "386 lb", "413 lb", 1, "marked"),),
        warnings=("One figure was dropped.",),
        nearest=(Nearest("b.md", "B", ("B", "W"), 0.3),),
    )


def serious(page) -> list[str]:
    """What axe-core finds to be a serious or critical fault."""
    page.wait_for_timeout(300)
    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {[node['html'][:160] for node in each['nodes']][:4]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


# ------------------------------------------------------------------------------------------------------- screen readers
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (320, "dark")])
def test_axe_finds_no_serious_fault(go, put, scheme, width):
    page = go(color_scheme=scheme, viewport={"width": width, "height": 800})
    page.wait_for_selector("#questions button")
    faults = serious(page)
    for question in (ESPRESSO, METHODS, BLOOM):
        ask(page, question)
    page.click(".thumbs button >> nth=0")
    faults += serious(page)
    for opens, there in (
        (".zoom >> nth=0", "#viewer img"),
        (".cite >> nth=0", "#source .cited"),
        ("#documents-button", "#document-list li"),
    ):
        page.click(opens)
        page.wait_for_selector(there)
        faults += serious(page)
        page.keyboard.press("Escape")
    faults += serious(go(put(doubtful()), color_scheme=scheme, viewport={"width": width, "height": 800}))
    assert faults == []


def test_landmarks_controls_and_outcomes_have_names(go):
    page = go()
    ask(page, ESPRESSO)
    until(page, "document.querySelector('#told').textContent.startsWith('Answered')")
    tree = page.locator("body").aria_snapshot()
    for named in (
        "main:",
        'region "Conversation"',
        f'article "{ESPRESSO}"',
        'region "Sources"',
        'group "Rate this answer"',
    ):
        assert named in tree
    assert not [
        line for line in tree.splitlines() if re.fullmatch(r"- (button|link|img|region|textbox|combobox)", line.strip())
    ]


def test_the_keyboard_does_it_all(go):
    page = go()
    page.wait_for_selector("#questions button")
    page.keyboard.press("/")
    page.keyboard.type(ESPRESSO)
    page.keyboard.press("Enter")
    page.wait_for_selector(DONE)
    for _ in range(80):  # on to the first citation of the answer
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement === document.querySelector('.words .cite')"):
            break
    assert page.is_visible("#card")
    page.keyboard.press("Enter")
    page.wait_for_selector("#source-text .cited")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('.zoom')")
    page.keyboard.press("Enter")
    assert page.is_visible("#viewer[open]")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.matches('.zoom')")
    while not page.evaluate("document.activeElement.matches('.thumbs button')"):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    until(page, "document.querySelector('.saved').textContent")
    while not page.evaluate("document.activeElement.matches('.scale input')"):
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    until(page, "document.querySelector('.scale :checked')")


def test_enter_that_ends_a_composed_word_sends_nothing(go):
    page = go()
    page.fill("#question", "手冲")
    page.dispatch_event("#question", "keydown", {"key": "Enter", "isComposing": True, "bubbles": True})
    page.press("#question", "Shift+Enter")
    assert page.input_value("#question") == "手冲\n"
    assert not page.locator(".turn").count()


def test_nothing_moves_for_those_who_asked_for_it(go):
    page = go(reduced_motion="reduce")
    page.evaluate(
        """() => {
          const waiting = Object.assign(document.createElement("li"), {className: "attached uploading"});
          document.querySelector("#pictures").append(waiting);
        }"""
    )
    assert page.evaluate("getComputedStyle(document.querySelector('.uploading'), '::after').animationName") == "none"


# ------------------------------------------------------------------------------------------------ sizes and directions
@pytest.mark.parametrize(("width", "direction"), [(320, "ltr"), (320, "rtl"), (768, "ltr"), (1920, "rtl")])
def test_the_page_never_scrolls_sideways(go, put, expected, width, direction):
    expected.append("404")  # the library has no such section
    page = go(viewport={"width": width, "height": 700})
    page.evaluate(f"document.documentElement.dir = '{direction}'")
    page.wait_for_selector("#questions button")
    assert page.evaluate(TOO_WIDE) == []
    ask(page, ESPRESSO)
    ask(page, METHODS)
    page.click(".thumbs button >> nth=0")
    assert page.evaluate(TOO_WIDE) == []
    page.goto(page.url.split("#")[0].rstrip("/") + put(doubtful()))
    page.wait_for_selector(DONE)
    page.evaluate(f"document.documentElement.dir = '{direction}'")
    assert page.evaluate(TOO_WIDE) == []
    for opens, dialog in (
        ("text=Enlarge", "#viewer"),
        (".words .cite >> nth=0", "#source"),
        ("#documents-button", "#documents"),
    ):
        page.click(opens)
        assert page.evaluate(f"document.querySelector('{dialog}').scrollWidth") <= width
        page.keyboard.press("Escape")


def test_right_to_left_text_runs_right_to_left(go, put):
    words = "افتح **الغطاء** ثم اضغط الزر `TARE` [1]."
    page = go(
        put(
            answer(
                TextPart(words, (1,)), TextPart("1. " + words, (1,)), question=answer().question.__class__("كيف أبدأ؟")
            )
        )
    )
    page.wait_for_selector(DONE)
    directions = "[...document.querySelectorAll('.turn h2, .words p')].map((node) => getComputedStyle(node).direction)"
    assert set(page.evaluate(directions)) == {"rtl"}
    page.fill("#question", "كيف")
    assert page.evaluate("getComputedStyle(document.querySelector('#question')).direction") == "rtl"


@pytest.mark.parametrize(
    ("locale", "title", "state"),
    [("de-DE", "Was möchten Sie wissen?", "Beantwortet"), ("zh-CN", "您想了解什么？", "已回答")],
)
def test_the_page_speaks_the_readers_language(go, locale, title, state):
    page = go(locale=locale)
    assert page.inner_text("#welcome-title") == title
    assert page.evaluate("document.documentElement.lang") == locale[:2]
    ask(page, ESPRESSO)
    assert page.inner_text(".state") == state


def test_another_language_is_chosen_and_kept(go):
    page = go()
    page.select_option("#language", "de")
    page.wait_for_selector("html[lang=de] #welcome-title:text('Was möchten Sie wissen?')")
    page.reload()
    page.wait_for_selector("html[lang=de] #welcome-title:text('Was möchten Sie wissen?')")


def test_every_word_of_the_interface_is_there_in_all_languages():
    table = (STATIC / "i18n.js").read_text(encoding="utf-8")
    rows = re.findall(r"^  (\w+): \[(.*?)\],$", table, re.MULTILINE | re.DOTALL)
    assert [key for key, row in rows if len(re.findall(r'"(?:[^"\\]|\\.)*"', row)) != 3] == []
    keys = {key for key, _ in rows}
    code = "\n".join(file.read_text(encoding="utf-8") for file in STATIC.glob("*.js"))
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    used = set(re.findall(r'\bt\("(\w+)"', code)) | set(re.findall(r'data-(?:text|label|placeholder)="(\w+)"', page))
    assert used <= keys
    slots = {
        key: [set(re.findall(r"\{(\w+)\}", cell)) for cell in re.findall(r'"((?:[^"\\]|\\.)*)"', row)]
        for key, row in rows
    }
    assert [key for key, each in slots.items() if each[0] != each[1] or each[0] != each[2]] == []


def test_the_page_is_light_and_has_nothing_inline():
    assert sum(file.stat().st_size for file in STATIC.iterdir()) <= HEAVIEST
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]* src=)", page)
    for file in STATIC.glob("*.js"):
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function",
            file.read_text(encoding="utf-8"),
        )


# ------------------------------------------------------------------------------------------------- doubt and bad intent
def test_doubt_and_failed_checks_are_in_sight(go, put):
    page = go(put(doubtful()))
    page.wait_for_selector(DONE)
    assert "Low confidence: the sources may not answer this." in page.inner_text(".doubt")
    assert page.inner_text("mark").startswith("386 lb")
    assert "disagrees with source [1], which has “413 lb”" in page.inner_text(".check")
    assert "1 marked" in page.inner_text(".origin")
    assert "One figure was dropped." in page.inner_text(".warnings")
    assert page.get_attribute(".plate.video", "href") == "https://www.youtube.com/watch?v=abc123&t=65s"
    assert "1:05–1:10" in page.inner_text(".plate.video")
    assert page.locator(".words p a").count() == 0  # an address that no cited source has


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_hostile_runs_or_loads(go, put, expected, words):
    expected += ["404", "400"]  # the library has no such section
    page = go(put(hostile(words.replace("\ud800", ""))), viewport={"width": 320, "height": 700})
    page.wait_for_selector(DONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.hover(".words .cite >> nth=0")
    page.click(".words .cite >> nth=0")
    page.wait_for_selector("#source-text blockquote, #source-text .aside")
    leading = "[...document.querySelectorAll('main a[href], dialog a[href]')].map((link) => link.protocol)"
    assert set(page.evaluate(leading)) <= {"http:", "https:"}
    assert page.locator("main :is(script, iframe, object, embed, base, form:not(.searches, #composer))").count() == 0
