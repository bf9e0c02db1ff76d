"""The page in a real browser: a server on loopback, and pages watched for requests elsewhere and for errors."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from showtell.library import Library
from showtell.models.base import ChatModel
from tests.web.server import Running, serving

CHROMIUM = "/usr/bin/chromium"
QUIET = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
ESPRESSO = "How do I prepare and pull a shot of espresso?"
METHODS = "Compare the French press, the AeroPress and the moka pot: how much coffee, how hot and how long?"
BLOOM = "Where in the video does the coffee bloom, and how long do I wait?"
DONE = ".turn:last-child[data-state=done]"

Go = Callable[..., Page]


def home(running: Running) -> str:
    """The address of a server."""
    return f"http://127.0.0.1:{running.port}"


def until(page: Page, condition: str, seconds: float = 10.0) -> None:
    """Wait for a condition in the page, whose own policy forbids Playwright's way of polling."""
    latest = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < latest, f"never came true: {condition}"
        page.wait_for_timeout(30)


def ask(page: Page, question: str, wait: bool = True) -> None:
    """Type a question, send it with Enter, and wait for its answer."""
    turns = page.locator(".turn").count()
    page.fill("#question", question)
    page.press("#question", "Enter")
    if wait:
        page.wait_for_selector(f".turn:nth-child({turns + 1})[data-state=done]")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        if os.environ.get("CI") == "true":
            pytest.fail(f"no browser at {CHROMIUM}")
        pytest.skip(f"no browser at {CHROMIUM}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def copied(handbook: Library, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The sample handbook's library, in a copy that tests may change."""
    folder = tmp_path_factory.mktemp("served") / "handbook"
    shutil.copytree(handbook.store.folder, folder)
    with Library.open(folder, requests_per_minute=0) as library:
        yield library


@pytest.fixture(scope="module")
def address(copied: Library) -> Iterator[str]:
    """Where the sample handbook is served, without a model."""
    with serving(copied) as running:
        yield home(running)


@pytest.fixture
def with_model(handbook: Library) -> Iterator[Callable[[ChatModel], str]]:
    """Serves the sample handbook with a chat model; gives the address."""
    with ExitStack() as stack:

        def serve(model: ChatModel) -> str:
            library = stack.enter_context(Library.open(handbook.store.folder, requests_per_minute=0))
            library.model = model
            return home(stack.enter_context(serving(library)))

        yield serve


@pytest.fixture
def expected() -> list[str]:
    """Parts of console messages that a test provokes."""
    return []


@pytest.fixture
def go(browser: Browser, address: str, expected: list[str]) -> Iterator[Go]:
    """Opens the page. Afterwards nothing may have been asked of another origin, no error logged, no dialog opened."""
    contexts, asked, told, homes = [], [], [], [address]

    def opener(path: str = "/", at: str = address, **options: Any) -> Page:
        homes.append(at)
        chosen = {"viewport": {"width": 1280, "height": 800}, "locale": "en-US"} | options
        contexts.append(browser.new_context(**chosen))
        page = contexts[-1].new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        page.on("dialog", lambda dialog: told.append(dialog.message))
        page.goto(at + path)
        page.wait_for_selector("body:not([data-state=loading])")
        return page

    yield opener
    for context in contexts:
        context.close()
    assert [url for url in asked if not url.startswith(tuple(f"{each}/" for each in homes))] == []
    unexpected = [words for words in told if not any(part in words for part in expected)]
    assert unexpected == [], unexpected
