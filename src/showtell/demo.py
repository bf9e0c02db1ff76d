"""A sample library, three questions, the page: ``showtell demo``."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console

from showtell.library import Library
from showtell.render.html import render_html_page
from showtell.render.terminal import render_terminal

HANDBOOK = Path(__file__).parent / "handbook"


def run_demo(folder: Path, *, open_page: bool = False) -> int:
    """Add the sample handbook to a library in ``folder``, ask it three questions, write the page beside it.

    Prints the answers; returns the exit status.
    """
    console = Console(highlight=False)
    lines = (HANDBOOK / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines if line.strip()]
    with Library.open(folder / "library") as library:
        results = list(library.add(HANDBOOK))
        passages = sum(document.passages for document in library.documents())
        console.print(f"The sample handbook: {len(results)} documents, {passages} passages.\n")
        answers = [library.ask(question) for question in questions]
        page = folder / "answers.html"
        page.write_text(render_html_page(answers, library.asset), encoding="utf-8")
    for answer in answers:
        console.rule()
        render_terminal(answer, console)
    console.rule()
    console.print(f"The answers as a page: {page}")
    console.print(f'Ask your own: .venv/bin/showtell ask --library {folder / "library"} "…"')
    if open_page:
        import webbrowser

        webbrowser.open(page.absolute().as_uri())
    return 0
