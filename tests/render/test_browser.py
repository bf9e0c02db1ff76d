"""A real browser opens the page: nothing leaves, the script runs, keys work, it fits and it can be read."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from showtell.render.html import render_html, render_html_page
from showtell.types import Check, Cue, Image, Nearest, Question, Table, TextPart, Video

CHROMIUM = "/usr/bin/chromium"
QUIET = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
HANDBOOK = Path(__file__).resolve().parents[2] / "src" / "showtell" / "handbook"

# Every text's contrast with the first opaque background behind it, by the formula of WCAG 2.1 (1.4.3).
POOR_CONTRAST = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const linear = (value) => value <= .03928 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4;
  const luminance = (c) => .2126 * linear(c[0] / 255) + .7152 * linear(c[1] / 255) + .0722 * linear(c[2] / 255);
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const colour = rgba(getComputedStyle(node).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255];
  };
  const holdsText = (node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
  return [...document.querySelectorAll("main *")].filter(holdsText).flatMap((node) => {
    const [low, high] = [luminance(rgba(getComputedStyle(node).color)), luminance(behind(node))].sort((a, b) => a - b);
    const ratio = (high + .05) / (low + .05);
    return ratio < 4.5 ? [`${node.className || node.tagName} ${ratio.toFixed(2)}`] : [];
  });
}"""


IN_VIEW = """() => {
  const {top, bottom} = document.querySelector("#a1-s1").getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}"""
FILM = "document.querySelector('video')"


def until(page, condition, seconds=10.0):
    """Wait for a condition in the page (the page's own policy forbids Playwright's way of polling)."""
    latest = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < latest, f"never came true: {condition}"
        page.wait_for_timeout(50)


@pytest.fixture(scope="module")
def browser():
    if not Path(CHROMIUM).exists():
        if os.environ.get("CI") == "true":
            pytest.fail(f"no browser at {CHROMIUM}")
        pytest.skip(f"no browser at {CHROMIUM}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Opens a page from a file; afterwards nothing may have been requested but the file, nor any error been logged."""
    contexts, asked, told = [], [], []

    def opener(text, **options):
        path = tmp_path / "page.html"
        path.write_text(text, encoding="utf-8")
        contexts.append(browser.new_context(**{"viewport": {"width": 1280, "height": 800}} | options))
        page = contexts[-1].new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        page.on("dialog", lambda dialog: told.append(dialog.message))
        page.goto(path.as_uri())
        return page

    yield opener
    for context in contexts:
        context.close()
    assert [url for url in asked if not url.startswith(("data:", tmp_path.as_uri()))] == []
    assert told == []


@pytest.fixture
def film(tmp_path):
    """A clip of a few seconds: drawn by ffmpeg where it is, else the handbook's."""
    path = tmp_path / "film.webm"
    if shutil.which("ffmpeg"):
        drawn = ["-f", "lavfi", "-i", "testsrc=size=160x90:rate=10:duration=6", "-c:v", "libvpx", "-g", "10"]
        subprocess.run(["ffmpeg", "-loglevel", "error", *drawn, str(path)], check=True)
    elif clips := sorted(HANDBOOK.rglob("*.webm")):
        shutil.copy(clips[0], path)
    else:
        pytest.skip("no ffmpeg to make a clip with, and none in the handbook")
    return path.name


@pytest.fixture
def page_text(made, shelf):
    """A page with everything on it: three answers, two pictures, a wide table, a foreign video, doubt, checks."""
    form = Image(
        "i.png", "/docs/i.png", "The form", "Fill it in", asset=shelf.picture(1600, 900), width=1600, height=900
    )
    menu = Image("m.png", "/docs/m.png", "The menu", asset=shelf.picture(360, 780), width=360, height=780)
    plans = Table(tuple(f"Column {n}" for n in range(14)), (tuple(f"value {n}" for n in range(14)),) * 3, "Plans")
    tour = Video("v", "https://vimeo.com/1234567", "Tour")
    text = "It weighs 386 lb; see [this](https://x.org/) and `code` [1]."
    at = text.index("386")
    first = made.answer(
        TextPart("1. Open **Admin** [1].", (1,)),
        made.figure(form, 1),
        TextPart("2. Send [2].", (2,)),
        made.figure(menu, 2),
        TextPart("   - " + "a_very_long_name_without_a_break" * 9),
        TextPart(text, (1,)),
        made.figure(plans, 1, rows_total=40),
        made.figure(tour, 2, start=65.0, end=70.0),
        TextPart("> quoted\n\n```\ncode " + "x" * 200 + "\n```"),
        checks=(Check("number", "contradicted", 5, (at, at + 6), "386 lb", "413 lb", 1, "marked"),),
        warnings=("One was dropped.",),
    )
    second = made.answer(TextPart("قد يكون [1].", (1,)), confidence="low: the sources may not answer this")
    third = made.answer(TextPart("No."), status="no_answer", nearest=(Nearest("b.md", "B", ("B", "W"), 0.3),))
    return render_html_page([first, second, third], shelf.find)


def test_a_picture_opens_by_click_closes_by_escape_and_gives_the_focus_back(opened, page_text):
    page = opened(page_text)
    page.click(".zoom >> nth=0")
    assert page.is_visible("dialog#viewer[open]")
    assert page.evaluate("document.querySelector('#viewer-picture').naturalWidth") == 1600
    assert "Fill it in" in page.inner_text("#viewer-legend")
    assert "admin/privacy.md › Privacy reporting" in page.inner_text("#viewer-legend")
    page.keyboard.press("Escape")
    assert not page.is_visible("dialog#viewer")
    assert page.evaluate("document.activeElement === document.querySelector('.zoom')")


def test_the_keyboard_opens_a_picture_and_walks_through_all(opened, page_text):
    page = opened(page_text)
    page.focus(".zoom >> nth=1")
    page.keyboard.press("Enter")
    assert page.inner_text("#viewer-count") == "Picture 2 of 2"
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#viewer-count") == "Picture 1 of 2"
    assert page.get_attribute("#viewer-picture", "alt") == "The form"
    page.keyboard.press("ArrowLeft")
    assert page.inner_text("#viewer-count") == "Picture 2 of 2"
    page.click("text=Actual size")
    assert page.evaluate("document.querySelector('#viewer-picture').clientWidth") == 360
    page.click("text=Close")
    assert not page.is_visible("dialog#viewer")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture_asked_with_is_small_beside_the_question_and_opens(opened, made, shelf, scheme):
    names = tuple(shelf.picture(*size) for size in ((1600, 900), (300, 2000)))
    asked = made.answer(TextPart("A form."), question=Question("What are these?", names))
    page = opened(render_html(asked, shelf.find), viewport={"width": 390, "height": 700}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    boxes = [page.locator(".asked img").nth(number).bounding_box() for number in range(2)]
    assert all(box["height"] <= 180 for box in boxes)
    page.click(".asked .zoom >> nth=1")
    assert page.inner_text("#viewer-legend") == "The question's picture 2 of 2"
    assert page.inner_text("#viewer-count") == "Picture 2 of 2"
    assert page.evaluate(POOR_CONTRAST) == []


def test_a_citation_jumps_to_its_quote_and_back(opened, page_text):
    page = opened(page_text, viewport={"width": 800, "height": 600})
    page.click("#a1 .words p .cite >> nth=2")
    assert page.evaluate("location.hash") == "#a1-s1"
    assert page.evaluate("document.querySelector('#a1-s1').matches(':target')")
    until(page, IN_VIEW)
    page.click("#a1-s1 .back")
    assert page.evaluate("location.hash.slice(1) === document.querySelectorAll('#a1 .words p .cite')[2].id")


def test_a_citation_shows_its_quote_on_hover_and_on_focus(opened, page_text):
    page = opened(page_text)
    page.hover("#a1 .cite >> nth=0")
    page.wait_for_selector("#card:not([hidden])")
    assert "Quoted passage 1." in page.inner_text("#card")
    page.keyboard.press("Escape")
    assert page.is_hidden("#card")
    page.mouse.move(0, 0)
    page.focus("nav a >> nth=2")
    page.keyboard.press("Tab")
    assert page.is_visible("#card")


def test_a_video_starts_at_its_segment_and_stops_once_at_its_end(opened, made, shelf, film):
    video = Video("film.webm", "/film.webm", "Tour", asset=film, cues=(Cue(0, 6, "Seen and heard"),))
    page = opened(render_html(made.answer(made.figure(video, 1, start=2.0, end=3.0)), shelf.find))
    until(page, f"{FILM}.readyState > 1 && !{FILM}.seeking && {FILM}.textTracks[0].cues?.length === 1")
    assert page.evaluate(f"{FILM}.currentTime") == pytest.approx(2, abs=0.2)
    assert page.evaluate(f"{FILM}.textTracks[0].cues[0].text") == "Seen and heard"
    page.click("text=Play 0:02–0:03")
    until(page, f"{FILM}.paused && {FILM}.currentTime >= 3")
    assert page.evaluate(f"{FILM}.currentTime") < 4
    page.evaluate(f"{FILM}.play()")
    until(page, f"{FILM}.currentTime > 4")


@pytest.mark.parametrize("width", [320, 768, 1280, 1920])
def test_the_page_never_scrolls_sideways(opened, page_text, width):
    page = opened(page_text, viewport={"width": width, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.click(".zoom >> nth=0")
    assert page.evaluate("document.querySelector('#viewer').scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_enough_contrast(opened, page_text, scheme):
    page = opened(page_text, color_scheme=scheme)
    assert page.evaluate(POOR_CONTRAST) == []
    assert (page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(252, 251, 249)") == (
        scheme == "light"
    )


def test_every_control_has_a_name_and_the_page_its_landmarks(opened, page_text):
    page = opened(page_text)
    tree = page.locator("body").aria_snapshot()
    for landmark in ("main:", 'navigation "Questions"', 'article "How do I report?"', 'region "Sources"'):
        assert landmark in tree
    assert not [line for line in tree.splitlines() if line.strip() in ("- button", "- link", "- img", "- region")]


def test_in_print_addresses_are_seen_and_nothing_is_cut_off(opened, page_text):
    page = opened(page_text, viewport={"width": 700, "height": 900})
    page.emulate_media(media="print")
    after = "getComputedStyle(document.querySelector('.words a[href^=http]'), '::after').content"
    assert "https://x.org/" in page.evaluate(after)
    assert page.evaluate("Math.max(...[...document.querySelectorAll('table')].map((t) => t.scrollWidth))") <= 700
    assert page.evaluate("document.documentElement.scrollWidth") <= 700


def test_right_to_left_text_runs_right_to_left(opened, page_text):
    page = opened(page_text)
    assert page.evaluate("getComputedStyle(document.querySelector('#a2 .words p')).direction") == "rtl"


def test_nothing_hostile_runs_or_loads(opened, made, shelf, words):
    page = opened(render_html(made.hostile(words, shelf.picture()), shelf.find), viewport={"width": 320, "height": 700})
    page.click(".zoom")
    assert page.is_visible("dialog#viewer[open]")
    page.keyboard.press("Escape")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
