"""The casebook's answers, through the server and its page: nothing of them is active, nothing foreign is shown."""

from __future__ import annotations

from tests.answer.test_casebook_answers import CASES, EACH, Shelf, scripted
from tests.answer.test_casebook_answers import shelf as shelf  # a fixture
from tests.web.browser import Go, ask, home
from tests.web.browser import address as address
from tests.web.browser import browser as browser
from tests.web.browser import copied as copied
from tests.web.browser import expected as expected
from tests.web.browser import go as go
from tests.web.server import serving

ACTIVE = "script, iframe, object, embed, form, [onerror], [onload], [onclick], [href^='javascript' i], [src^='http' i]"


@EACH
def test_an_answer_on_the_page(name: str, shelf: Shelf, go: Go) -> None:
    case = CASES[name]
    library, expect = shelf(case), case["expect"]
    library.model = scripted(case)
    with serving(library) as running:
        page = go("/", at=home(running))
        ask(page, case["question"])
        words = page.locator(".turn .words")  # the answer; what was left out is told below it
        shown, marked_up = words.inner_text(), words.inner_html()
        told = running.ask(case["question"]).json()["answer"]["parts"]
    for forbidden in expect.get("page_excludes", ()):
        assert forbidden not in marked_up
    for forbidden in expect.get("text_excludes", ()):
        assert forbidden not in shown
    assert page.locator(f".turn :is({ACTIVE})").count() == 0
    media = [part["media"]["id"] for part in told if part["type"] != "text"]
    assert len(media) == len(set(media))
