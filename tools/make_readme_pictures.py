"""Draws the pictures of the README: pages of answers from the sample handbook, as a browser shows them.

``python tools/make_readme_pictures.py`` writes them into ``docs/``; it needs Chromium, and changes with its fonts.
"""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn
from PIL import Image
from playwright.sync_api import sync_playwright

from showtell.demo import HANDBOOK
from showtell.library import Library
from showtell.render.html import render_html
from showtell.web.app import create_app
from showtell.web.serve import configured

DOCS = Path(__file__).resolve().parents[1] / "docs"
CHROMIUM = "/usr/bin/chromium"
WIDTH, SCALE = 1180, 1.25  # pixels of the page, and of the picture for each of these
COLOURS = 128


def main() -> None:
    """Ask, and draw the answers' pages as far as they matter."""
    question = DOCS / "picture-question.jpg"
    question.write_bytes(screenshot(HANDBOOK / "figures" / "channels.png"))
    with TemporaryDirectory() as folder, Library.open(Path(folder) / "coffee handbook") as library:
        list(library.add(HANDBOOK))
        draw(library, "How do I prepare and pull a shot of espresso?", "answer.png", 980)
        draw(library, "What went wrong here, and what do I do about it?", "picture-answer.png", 1180, [question])
        draw_served(library, "How do I descale the machine?", "page.png", 900)


def draw_served(library: Library, question: str, name: str, height: int) -> None:
    """The page that the server gives, with an answer on it."""
    server = uvicorn.Server(configured(lambda: create_app(library)))
    server.config.port = 0
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": WIDTH, "height": height}, device_scale_factor=SCALE)
            page.goto(address)
            page.get_by_role("textbox").first.fill(question)
            page.keyboard.press("Enter")
            page.wait_for_selector(".turn[data-state=done] figure img")
            page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
            page.wait_for_timeout(1000)
            keep(page.screenshot(), name)
            browser.close()
    finally:
        server.should_exit = True
        thread.join()


def screenshot(figure: Path) -> bytes:
    """The figure as someone would cut it out of a page on the screen: smaller, without its margins, as a JPEG."""
    with Image.open(figure) as picture:
        width, height = picture.size
        cut = picture.convert("RGB").crop((width // 20, height // 20, width * 19 // 20, height * 19 // 20))
        cut.thumbnail((640, 640))
        out = io.BytesIO()
        cut.save(out, "JPEG", quality=70)
        return out.getvalue()


def draw(library: Library, question: str, name: str, height: int, images: Sequence[Path] = ()) -> None:
    """The top of the answer's page, so many pixels high, as a PNG in ``docs/``."""
    page = render_html(library.ask(question, images=images), library.asset)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": WIDTH, "height": height}, device_scale_factor=SCALE)
        shown.set_content(page, wait_until="load")
        shown.evaluate("Promise.all([...document.images].filter((each) => each.src).map((each) => each.decode()))")
        keep(shown.screenshot(), name)
        browser.close()


def keep(drawn: bytes, name: str) -> None:
    """A picture in ``docs/``, in few colours."""
    with Image.open(io.BytesIO(drawn)) as picture:
        picture.convert("RGB").quantize(COLOURS).save(DOCS / name, optimize=True)


if __name__ == "__main__":
    main()
