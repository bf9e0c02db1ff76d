"""The command line: parse, call, print. Results go to stdout, progress and warnings to stderr.

Exit status: 0 done, 1 failed, 2 wrong usage. One line an error, never a traceback without ``--debug``.
"""

from __future__ import annotations

import argparse
import io
import json
import logging
import re
import sys
import webbrowser
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from showtell import __version__
from showtell.errors import MissingExtra, ShowtellError

if TYPE_CHECKING:
    from showtell.answer.pipeline import Step
    from showtell.evaluate.datasets import EvaluationQuestion
    from showtell.evaluate.metrics import Result
    from showtell.library import Added, Library
    from showtell.types import Answer, Dropped


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a letter shows another
    options = _parser().parse_args(arguments)
    if options.debug:
        logging.basicConfig(level=logging.DEBUG)
    try:
        command: Callable[[argparse.Namespace], int] = options.command
        return command(options)
    except ShowtellError as error:
        if options.debug:
            raise
        _tell(f"showtell: {error}")
        return 1
    except KeyboardInterrupt:
        _tell("showtell: stopped; what was stored before stays")
        return 1
    except BrokenPipeError:  # the reader of a pipe has seen enough
        sys.stderr.close()
        return 0
    except Exception as error:  # the last resort: a fault of ours is told in one line as well
        if options.debug:
            raise
        _tell(f"showtell: {type(error).__name__}: {error}; run it again with --debug and report what that prints")
        return 1


# ------------------------------------------------------------------------------------------------------------ commands
def add(options: argparse.Namespace) -> int:
    """``showtell add SOURCE...``"""
    with _library(options, create=True) as library:
        total = library.sources(*options.sources)
        results = _summarised(library.add(*options.sources), total, options)
    stored = [result for result in results if result.status not in ("failed", "skipped", "described")]
    return 0 if stored else 1


def refresh(options: argparse.Namespace) -> int:
    """``showtell refresh``"""
    with _library(options) as library:
        _summarised(library.refresh(rebuild=options.rebuild), len(library.documents()), options)
    return 0


def remove(options: argparse.Namespace) -> int:
    """``showtell remove NAME...``"""
    with _library(options) as library:
        count = library.remove(*options.names)
    print(f"removed {_many(count, 'document')}")
    return 0


def list_documents(options: argparse.Namespace) -> int:
    """``showtell list``"""
    from showtell.types import as_json

    with _library(options) as library:
        documents = library.documents()
    if options.json:
        _print_json([as_json(document) for document in documents])
        return 0
    for document in documents:
        media = _counts(document.images, document.tables, document.videos)
        print(_line(f"{document.name}  ·  {document.title}  ·  {_many(document.passages, 'passage')}{media}"))
    _tell(f"{_many(len(documents), 'document')} in {library.store.folder}")
    return 0


def ask(options: argparse.Namespace) -> int:
    """``showtell ask QUESTION``"""
    with _library(options, create=_asks_elsewhere(options.sources, [options.method])) as library:
        answer = _answered(library, options)
        if options.html or options.open:
            from showtell.render.html import render_html

            page = Path(options.html or library.store.folder / "answer.html")
            _write(page, render_html(answer, library.asset))
            _tell(f"page: {page}")
            if options.open:
                webbrowser.open(page.absolute().as_uri())
    if options.json:
        from showtell.types import as_json

        _print_json(as_json(answer))
    elif options.markdown:
        from showtell.render.markdown import render_markdown

        print(render_markdown(answer))
    elif not options.html:
        from showtell.render.terminal import render_terminal

        render_terminal(answer)
    return 0


def _answered(library: Library, options: argparse.Namespace) -> Answer:
    """The answer; while it is made it is shown on stderr, if that is a terminal and people read what is printed."""
    from showtell.index.store import Scope

    scope = Scope(tuple(options.document), options.language)
    after = tuple(map(_earlier, options.after))
    steps: Iterable[Step] = library.asking(
        options.question, images=options.image, sources=options.sources, searches=options.search,
        scope=scope, method=options.method, after=after,
    )  # fmt: skip
    for_programs = options.json or options.markdown or options.html
    if sys.stderr.isatty() and not (for_programs or options.quiet or options.debug):
        from showtell.render.terminal import watched

        steps = watched(steps)
    *_, last = steps
    answer: Answer = last.value
    return answer


def _asks_elsewhere(sources: Sequence[str], methods: Sequence[str]) -> bool:
    """Whether there need be no library yet, for others are asked; it then keeps the pictures."""
    return "library" not in sources if sources else set(methods) == {"vision-rag"}


def _earlier(path: str) -> Answer:
    """The answer in a file as ``ask --json`` printed it: its question and its text, all that a follow-up builds on."""
    from pydantic import TypeAdapter, ValidationError

    from showtell.types import Answer, Question, TextPart

    wrong = f"{path}: not an answer as showtell ask --json prints it"
    try:
        with Path(path).open("rb") as file:
            content = file.read(_LARGEST_ANSWER + 1)
    except OSError as error:
        raise ShowtellError(f"cannot read the answer in {path}: {error.strerror}; check the path") from error
    if len(content) > _LARGEST_ANSWER:
        raise ShowtellError(f"{wrong}, for it is larger than {_LARGEST_ANSWER // 1_000_000} MB; name another file")
    try:
        told = TypeAdapter(dict[str, Any]).validate_json(content)
        if told.get("schema") != Answer.SCHEMA:
            raise ShowtellError(f"{wrong} (its schema is not {Answer.SCHEMA}); name another file")
        question = TypeAdapter(Question).validate_python(told.get("question"))
        parts = TypeAdapter(list[dict[str, Any]]).validate_python(told.get("parts"))
        texts = TypeAdapter(tuple[TextPart, ...]).validate_python(
            [part for part in parts if part.get("type") == "text"]
        )
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]["msg"]
        raise ShowtellError(f"{wrong} ({fault}); name another file") from error
    status: Literal["answered", "no_answer"] = "no_answer" if told.get("status") == "no_answer" else "answered"
    return Answer(question, status, "high", "showtell", "extractive", texts)


_LARGEST_ANSWER = 5_000_000  # bytes; an answer with its tables and passages is some thousand


def inspect(options: argparse.Namespace) -> int:
    """``showtell inspect SOURCE``"""
    from showtell.ingest.convert import read_file
    from showtell.ingest.inspection import inspection

    path = Path(options.source)
    document = read_file(path, path.absolute().parent, path.as_posix())
    found = inspection(document)
    if options.json:
        _print_json(found)
    else:
        from showtell.render.terminal import render_inspection

        render_inspection(found)
    return 0


def evaluate(options: argparse.Namespace) -> int:
    """``showtell evaluate QUESTIONS.jsonl``"""
    from showtell.evaluate.datasets import load_questions
    from showtell.evaluate.run import comparison, table

    questions = load_questions(Path(options.questions))
    methods = list(dict.fromkeys(options.method or ["showtell"]))
    total = len(questions) * len(methods)
    create = _asks_elsewhere(options.sources, methods)
    with _library(options, create) as library, _Progress(total, "questions", options.quiet) as progress:
        if library.model is None and "closed-book" in methods:  # told once, as is a model that cannot be
            raise ShowtellError("closed-book is a model without sources; name one with --model NAME")
        results = {method: _evaluated(library, questions, method, options, progress) for method in methods}
    print(comparison(questions, results) if len(methods) > 1 else table(questions, results[methods[0]]))
    answered = [any(result["status"] != "error" for result in given) for given in results.values()]
    return 0 if all(answered) else 1


def _evaluated(
    library: Library,
    questions: Sequence[EvaluationQuestion],
    method: str,
    options: argparse.Namespace,
    progress: _Progress,
) -> list[Result]:
    from showtell.evaluate.run import evaluate_to_file

    out = _results_file(options.out, method, options.method or [])
    told = f"questions by {method}"
    return evaluate_to_file(library, questions, out, method, options.sources, lambda _: progress.step(told))


def _results_file(out: str | None, method: str, methods: Sequence[str]) -> Path | None:
    """The file that is named; of several methods each has its own, ``results.murar.jsonl``."""
    path = Path(out) if out else None
    return path.with_name(f"{path.stem}.{method}{path.suffix}") if path and len(set(methods)) > 1 else path


def serve(options: argparse.Namespace) -> int:
    """``showtell serve``"""
    from showtell.settings import load_settings

    try:
        from showtell.web.serve import serve as serve_library
    except ModuleNotFoundError as error:
        if error.name not in ("fastapi", "uvicorn", "starlette", "python_multipart"):
            raise
        raise MissingExtra("the page and the API need more; get it with: pip install 'showtell[web]'") from error
    names = ("library", "encoder", "model", "caption", "fetch_media", "host", "port", "workers")
    settings = load_settings(**{name: getattr(options, name) for name in names})

    def ready(address: str) -> None:
        _tell(f"{settings.library}: {address}  (stop with Ctrl+C)")
        if options.open:
            webbrowser.open(address)

    serve_library(settings, ready)
    return 0


def demo(options: argparse.Namespace) -> int:
    """``showtell demo``"""
    from showtell.demo import run_demo

    return run_demo(Path(options.out), open_page=options.open)


def doctor(options: argparse.Namespace) -> int:
    """``showtell doctor``"""
    from showtell.doctor import examine, report
    from showtell.settings import load_settings

    names = ("library", "encoder", "model", "caption")
    findings = examine(load_settings(**{name: getattr(options, name) for name in names}))
    print(report(findings))
    return 0 if all(finding.fine or finding.optional for finding in findings) else 1


# ------------------------------------------------------------------------------------------------------------- parsing
def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="showtell",
        description="Answers from your own documents, in words and with the media that make the point.",
        epilog="first steps: showtell add docs/    then: showtell ask 'How do I …?'",
    )
    parser.add_argument("--version", action="version", version=f"showtell {__version__}")
    parser.set_defaults(debug=False, library=None, encoder=None, quiet=False, fetch_media=None)
    parser.set_defaults(model=None, record=None, replay=None, caption=None)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        sub.set_defaults(command=run)
        sub.add_argument("--library", metavar="DIR", help="the library's folder (environment: SHOWTELL_LIBRARY)")
        sub.add_argument("--encoder", metavar="NAME", help="sentence encoder: a name, or a folder with its weights")
        sub.add_argument("--quiet", action="store_true", help="no progress on stderr")
        sub.add_argument("--debug", action="store_true", help="show tracebacks and log to stderr")
        return sub

    def model(sub: argparse.ArgumentParser) -> None:
        sub.add_argument("--model", metavar="NAME", help=_MODEL)
        replies = sub.add_mutually_exclusive_group()
        replies.add_argument("--record", metavar="FILE", help=_RECORD)
        replies.add_argument("--replay", metavar="FILE", help=_REPLAY)

    one = command("add", add, "add files, folders and pages from the web to the library")
    one.add_argument("sources", nargs="+", metavar="SOURCE", help="a file, a folder, or the URL of a page or sitemap")
    one.add_argument("--fetch-media", action="store_true", default=None, help=_FETCH_MEDIA)
    one.add_argument("--caption", metavar="MODEL", help=_CAPTION)
    one.add_argument("--json", action="store_true", help="print what became of each document as JSON")

    one = command("ask", ask, "answer a question from the library")
    one.add_argument("question", metavar="QUESTION", type=_nonempty)
    one.add_argument("--image", action="append", default=[], metavar="FILE|URL", help=_IMAGE)
    one.add_argument("--from", action="append", default=[], dest="sources", metavar="SOURCE", help=_FROM)
    one.add_argument("--search", action="append", default=[], type=_search, metavar="TEXT", help=_SEARCH)
    one.add_argument("--document", action="append", default=[], metavar="NAME", help="only this document or folder")
    one.add_argument("--language", metavar="CODE", help="only documents in this language, such as de")
    one.add_argument("--after", action="append", default=[], metavar="FILE", help=_AFTER)
    one.add_argument("--method", default="showtell", type=_method, metavar="NAME", help=_METHOD)
    model(one)
    how = one.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print the answer as JSON")
    how.add_argument("--markdown", action="store_true", help="print the answer as Markdown")
    how.add_argument("--html", metavar="FILE", help="write the answer as one self-contained page")
    one.add_argument("--open", action="store_true", help="open the page in a browser")

    one = command("list", list_documents, "list the documents in the library")
    one.add_argument("--json", action="store_true", help="print them as JSON")

    one = command("remove", remove, "remove documents from the library")
    one.add_argument("names", nargs="+", metavar="NAME", help="a document as list names it, or a folder of them")

    one = command("refresh", refresh, "read again what changed, add what is new, remove what is gone")
    one.add_argument("--rebuild", action="store_true", help="read and encode every document again")
    one.add_argument("--fetch-media", action="store_true", default=None, help=_FETCH_MEDIA)
    one.add_argument("--caption", metavar="MODEL", help=_CAPTION)
    one.add_argument("--json", action="store_true", help="print what became of each document as JSON")

    one = command("inspect", inspect, "show what the reader makes of one file; nothing is stored")
    one.add_argument("source", metavar="SOURCE")
    one.add_argument("--json", action="store_true", help="print it as JSON")

    one = command("evaluate", evaluate, "answer a file of questions and score the answers")
    one.add_argument("questions", metavar="QUESTIONS.jsonl")
    one.add_argument("--out", metavar="RESULTS.jsonl", help=_OUT)
    one.add_argument("--from", action="append", default=[], dest="sources", metavar="SOURCE", help=_FROM)
    one.add_argument("--method", action="append", type=_method, metavar="NAME", help=_METHODS)
    model(one)

    one = command("serve", serve, "serve the page and the API")
    one.add_argument("--host", metavar="ADDRESS", help=_HOST)
    one.add_argument("--port", type=int, metavar="N", help="default: 8484; 0 for a free one")
    one.add_argument("--workers", type=int, metavar="N", help="processes that serve (default: 1)")
    one.add_argument("--model", metavar="NAME", help=_MODEL)
    one.add_argument("--caption", metavar="MODEL", help=_CAPTION)
    one.add_argument("--fetch-media", action="store_true", default=None, help=_FETCH_MEDIA)
    one.add_argument("--open", action="store_true", help="open the page in a browser")

    one = command("demo", demo, "a sample library, three questions, the page")
    one.add_argument("--out", default="out/demo", metavar="DIR", help="where to put it (default: out/demo)")
    one.add_argument("--open", action="store_true", help="open the page in a browser")

    one = command("doctor", doctor, "what is installed and reachable, and what to do about what is not")
    one.add_argument("--model", metavar="NAME", help=_MODEL)
    one.add_argument("--caption", metavar="MODEL", help=_CAPTION)
    return parser


_AFTER = "an earlier answer, as --json printed it, which this question follows; may be repeated, oldest first"
_CAPTION = (
    "model that describes pictures without words of their own, tables and transcripts, for the search;"
    " named like --model of ask"
)
_IMAGE = "a picture that the question is about; may be repeated"
_HOST = "where to listen (default: 127.0.0.1, this computer alone); elsewhere a key is needed"
_FROM = "where to look: library (the default), wikipedia, or a ZIM file; may be repeated"
_SEARCH = "search for this in place of what showtell makes of the question; may be repeated"
_METHOD = (
    "how to answer: showtell (the default), murar (the published method, for comparison), vision-rag (the published one"
    " for pictures), text-only (showtell without media), closed-book (the model without your documents)"
)
_METHODS = f"{_METHOD}; repeat it to compare methods side by side"
_MODEL = "chat model: ollama/NAME, openai/NAME or http://HOST:PORT/v1#NAME; without one, the sources' own words"
_OUT = "write one answer a line; with several methods a file for each, named RESULTS.METHOD.jsonl"
_RECORD = (
    "keep the model's replies in this file, and take those that are in it from there; a run goes on where it ended"
)
_REPLAY = "take the model's replies from this recording; no model is asked"
_FETCH_MEDIA = "fetch and store remote pictures and transcripts of local documents; otherwise they stay links"


def _nonempty(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("the question is empty")
    return text.strip()


def _search(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("the search is empty")
    return text.strip()


def _method(name: str) -> str:
    from showtell.answer.pipeline import METHODS

    if name not in METHODS:
        raise argparse.ArgumentTypeError(f"there is no method {name}; there are: {', '.join(METHODS)}")
    return name


# ------------------------------------------------------------------------------------------------------------ printing
class _Progress:
    """A bar on stderr where that is a terminal; nothing elsewhere."""

    def __init__(self, total: int | None, what: str, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True)
        self._bar = Progress(
            BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False), TimeRemainingColumn(),
            console=console, transient=True, disable=quiet or not console.is_terminal,
            speed_estimate_period=600,  # seconds: a model may take a minute a question
        )  # fmt: skip
        self._task = self._bar.add_task(what, total=total)

    def step(self, what: str, done: int = 1) -> None:
        """So many more are done, the last of them this."""
        self._bar.update(self._task, advance=done, description=_line(what)[-40:])

    def __enter__(self) -> _Progress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()


def _summarised(steps: Iterable[Added], total: int | None, options: argparse.Namespace) -> list[Added]:
    """Run the steps under a progress bar and print what became of them."""
    from showtell.types import as_json

    results: list[Added] = []
    with _Progress(total, "documents", options.quiet) as progress:
        for result in steps:
            results.append(result)
            progress.step(result.name, int(result.status != "described"))
    for result in results:
        for text in [*result.warnings, *filter(None, [result.error]), *_lost_media(result.dropped)]:
            _tell(f"warning: {text if text.startswith((result.name, result.source)) else f'{result.name}: {text}'}")
    if options.json:
        _print_json([as_json(result) for result in results])
        return results
    states = {state: sum(result.status == state for result in results) for state in _STATES}
    states["described"] = sum(result.described for result in results)
    told = ", ".join(f"{count} {state}" for state, count in states.items() if count) or "no documents found"
    images, tables, videos = (sum(getattr(r, kind) for r in results) for kind in ("images", "tables", "videos"))
    print(f"{told}  ·  {_many(sum(r.passages for r in results), 'passage')}{_counts(images, tables, videos)}")
    for reason, count in _commonest(drop.reason for result in results for drop in result.dropped):
        print(f"  {count} media left out: {reason}")
    return results


def _lost_media(dropped: Sequence[Dropped]) -> Iterable[str]:
    """A warning for each media item that the document wanted to show; icons, spacers and trackers are no loss."""
    for drop in dropped:
        if not _ORNAMENT.search(drop.reason):
            advice = "" if ";" in drop.reason else "; mend the page or put the file there, and add it again"
            yield f"{drop.type} {drop.source} left out: {drop.reason}{advice}"


_ORNAMENT = re.compile(r"\bicon\b|\bspacer\b|\btracker\b")
_STATES = ("added", "replaced", "unchanged", "removed", "skipped", "failed")


def _commonest(reasons: Iterable[str]) -> list[tuple[str, int]]:
    """Reasons without what differs from one picture to the next, the commonest first."""
    from collections import Counter

    return Counter(re.sub(r" \([^)]*\)", "", reason) for reason in reasons).most_common(6)


def _counts(images: int, tables: int, videos: int) -> str:
    named = [(images, "picture"), (tables, "table"), (videos, "video")]
    return "".join(f", {_many(count, noun)}" for count, noun in named if count)


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _print_json(value: Any) -> None:
    speaks_all = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    print(json.dumps(value, ensure_ascii=not speaks_all, indent=1))


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ShowtellError(f"cannot write {path}: {error.strerror}; choose another place") from error


def _tell(text: str) -> None:
    print(_line(text), file=sys.stderr)


def _line(text: str) -> str:
    from showtell.render.labels import line

    return line(text, 1000)


def _library(options: argparse.Namespace, create: bool = False) -> Library:
    from showtell.library import Library

    names = ("encoder", "fetch_media", "model", "record", "replay", "caption")
    library = Library.open(options.library, create=create, **{name: getattr(options, name) for name in names})
    if options.record and library.settings.model is None:
        library.close()
        raise ShowtellError("--record keeps what a chat model replies, and none is named; add --model NAME")
    return library


if __name__ == "__main__":
    sys.exit(main())
