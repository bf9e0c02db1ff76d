"""The casebook beside the checkout: scripted replies of a chat model, each with what the answer must look like."""

from __future__ import annotations

import importlib.util
import json
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from html import escape, unescape
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from showtell.answer.reply import Marker, read_reply
from showtell.library import Library
from showtell.models.base import ChatRequest
from showtell.models.fake import ScriptedModel
from showtell.render.html import render_html
from showtell.render.labels import moment
from showtell.types import Answer, Citation, FigurePart, Table, Video

from .conftest import draw, figures, plain, texts

BOOK = Path(__file__).resolve().parents[3] / "shared" / "cases"
CASES: dict[str, dict[str, Any]] = (
    {case["id"]: case for case in json.loads((BOOK / "answers.json").read_text(encoding="utf-8"))["cases"]}
    if BOOK.is_dir()
    else {}
)
NO_CASE = pytest.param("", marks=pytest.mark.skip(reason="no casebook beside the checkout"))
EACH = pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in CASES] or [NO_CASE])
NOT_OFFERED = 97  # a number of no passage, where the product did not offer one that a reply cites


def ask(library: Library, model: ScriptedModel, question: str) -> Answer:
    """The product's answer to a question, written by this model."""
    library.model = model
    answer = library.ask(question)
    assert model.requests
    return answer


def book() -> ModuleType:
    spec = importlib.util.spec_from_file_location("casebook_check", BOOK / "casebook_check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ----------------------------------------------------------------------------------------------------------- documents
def write_documents(case: Mapping[str, Any], folder: Path) -> None:
    """One file a document: a heading where the path changes, the passage, and the media that belong to it."""
    pages: dict[str, list[str]] = {}
    paths: dict[str, list[str]] = {}
    for passage in case["passages"]:
        name, path = passage["doc"], passage["path"]
        lines, before = pages.setdefault(name, []), paths.get(name, [])
        form = _markdown if name.endswith(".md") else _html
        same = sum(1 for a, b in zip(before, path, strict=False) if a == b)
        lines += [form(f"h{level}", path[level - 1]) for level in range(same + 1, len(path) + 1)]
        lines.append(form("p", passage["text"]))
        lines += [_medium(each) for each in case["media"] if each["passage"] == passage["n"]]
        paths[name] = path
    for name, lines in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("\n\n".join(lines), encoding="utf-8")
    for seed, each in enumerate(case["media"]):
        if each["type"] == "image":
            draw(folder / each["source"], seed)


def _html(tag: str, text: str) -> str:
    return f"<{tag}>{escape(text)}</{tag}>"


def _markdown(tag: str, text: str) -> str:
    return ("" if tag == "p" else "#" * int(tag[1]) + " ") + re.sub(r"([!\[\]<>*_`])", r"\\\1", text)


def _medium(medium: Mapping[str, Any]) -> str:
    caption = escape(medium["caption"])
    if medium["type"] == "image":
        return f'<figure><img src="{medium["source"]}" alt=""><figcaption>{caption}</figcaption></figure>'
    if medium["type"] == "video":
        film = medium["source"].partition("v=")[2]
        address = f"https://www.youtube.com/embed/{film}?start={medium['start']}&amp;end={medium['end']}"
        return f'<figure><iframe src="{address}" title="{caption}"></iframe><figcaption>{caption}</figcaption></figure>'
    rows = [_row("th", medium["header"]), *(_row("td", row) for row in medium["rows"])]
    return f"<table><caption>{caption}</caption>{''.join(rows)}</table>"


def _row(tag: str, cells: list[str]) -> str:
    return "<tr>" + "".join(_html(tag, cell) for cell in cells) + "</tr>"


# --------------------------------------------------------------------------------------------------------------- model
def scripted(case: Mapping[str, Any]) -> ScriptedModel:
    """A model that gives the case's reply to every request, in the numbers and ids of the request at hand."""
    order: list[int] = []  # of the passages in the draft, which the revision counts anew

    def reply(request: ChatRequest) -> str:
        text = request.messages[-1].text
        offered = _offered_passages(case, text)
        if offered:
            order[:] = [n for n in _cited(case["reply"]) if n in offered]
        numbers = offered or {n: place for place, n in enumerate(dict.fromkeys(order), start=1)}
        known = {passage["n"] for passage in case["passages"]}
        said = re.sub(
            r"\[(\d+)\]",
            lambda mark: f"[{numbers.get(int(mark[1]), NOT_OFFERED if int(mark[1]) in known else mark[1])}]",
            case["reply"],
        )
        ids = _offered_media(case, text)
        named = {name: _id_like(name, ids) for name in re.findall(r"\{\{media:([^}]*)\}\}", said)}
        written: str = book().reply_for({"reply": said}, "[[%s]]", named)
        return re.sub(r'("media": )"(m\d)"', lambda found: f'{found[1]}"{_id_like(found[2], ids)}"', written)

    return ScriptedModel(reply)


def _offered_passages(case: Mapping[str, Any], prompt: str) -> dict[int, int]:
    """From the casebook's number of a passage to the number that the request gives it."""
    found = re.findall(r"<passage[^>\n]*?(\d+)[^>\n]*>\s*([\s\S]*?)</passage>", prompt)
    return {
        passage["n"]: int(number)
        for number, text in found
        for passage in case["passages"]
        if _same(passage["text"], text)
    }


def _same(given: str, read: str) -> bool:
    """Whether a text that the product read begins as the passage does, or is what it left of it."""
    first, second = (" ".join(text.split()).replace("‹", "<") for text in (given, read))
    return first[-30:] in second


def _cited(reply: str) -> list[int]:
    return [int(number) for number in re.findall(r"\[(\d+)\]", reply)]


def _offered_media(case: Mapping[str, Any], prompt: str) -> dict[str, str]:
    """From the casebook's id of a medium to the one that the request offers it by."""
    lines = re.findall(r"(?m)^\[\[(\w+)\]\](.*)$", prompt)
    return {each["id"]: mark for mark, about in lines for each in case["media"] if each["caption"] in about}


def _id_like(name: str, ids: Mapping[str, str]) -> str:
    """The product's id, spelled as wrongly as the casebook's; none that it offered for one that it did not."""
    right = re.sub(r"(?<=m)[ 0]+", "", name.casefold())
    if right in ids:
        return ids[right] if name == right else name.casefold().replace(right[1:], ids[right][1:])
    return f"m8{right[1:]}" if ids else name


# ---------------------------------------------------------------------------------------------------------------- view
def view(case: Mapping[str, Any], answer: Answer, library: Library) -> dict[str, Any]:
    """The answer as ``check_answer`` looks at it."""
    page = render_html(answer, library.asset)
    article = page[page.index("<article") : page.index("</article>")]
    numbers = {citation.number: _number(case, citation) for citation in answer.citations}
    shown = figures(answer)
    media = [_id(case, part) for part in shown]
    wrong = [check.text for check in answer.checks if check.verdict != "supported"]
    status = "abstained" if answer.status == "no_answer" else "answered"
    return {
        "status": "extractive" if status == "answered" and answer.model == "extractive" else status,
        "text": "\n".join(plain(part) for part in texts(answer)),
        "citations": [numbers[citation.number] for citation in answer.citations],
        "targets": {
            numbers[each.number]: {"doc": each.document, "path": list(each.section)} for each in answer.citations
        },
        "media": media,
        "media_positions": [at for at, part in enumerate(answer.parts) if isinstance(part, FigurePart)],
        "tables": [
            {"header": list(block.header), "rows": [list(row) for row in block.rows]}
            for part in shown
            if isinstance(block := part.media.block, Table)
        ],
        "videos": [
            {"id": name, "start": part.start, "end": part.end}
            for name, part in zip(media, shown, strict=True)
            if isinstance(part.media.block, Video)
        ],
        "links": [_source(each, shown) for each in _addresses(article, "href") if not each.startswith("#")],
        "loads": [each for name in ("src", "srcset", "poster", "data", "action") for each in _addresses(article, name)],
        "html": article,
        "warnings": list(answer.warnings),
        "flagged": wrong,
    }


def _number(case: Mapping[str, Any], citation: Citation) -> int:
    return next(
        (each["n"] for each in case["passages"] if _same(each["text"], citation.text)), _of_table(case, citation)
    )


def _of_table(case: Mapping[str, Any], citation: Citation) -> int:
    """The passage in whose section a table stands that is cited for itself."""
    found = [each["n"] for each in case["passages"] if tuple(each["path"]) == citation.section]
    return found[-1] if found else 0


def _id(case: Mapping[str, Any], part: FigurePart) -> str:
    block = part.media.block
    for each in case["media"]:
        if (
            isinstance(block, Table)
            if each["type"] == "table"
            else str(each["source"]) in (block.ref, _block_source(part))
        ):
            return str(each["id"])
    return f"foreign {block.ref}"


def _block_source(part: FigurePart) -> str:
    return "" if isinstance(part.media.block, Table) else part.media.block.source


def _addresses(article: str, attribute: str) -> Iterator[str]:
    for found in re.findall(rf'\s{attribute}=(?:"([^"]*)"|([^\s>]+))', article):
        yield unescape(found[0] or found[1])


def _source(address: str, shown: list[FigurePart]) -> str:
    """A link's address; where it leads to a shown video at its own second, the video's."""
    for part in shown:
        if address == moment(_block_source(part), part.start, part.end):
            return _block_source(part)
    return address


# --------------------------------------------------------------------------------------------------------------- tests
Shelf = Callable[[Mapping[str, Any]], Library]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    """The library of a case's documents; cases with the same documents share one.

    Where these say too little for a model to be asked at all, there is a page beside them that lists the question.
    """
    opened: dict[str, Library] = {}

    def filled(case: Mapping[str, Any], page: str) -> Library:
        key = json.dumps([case["passages"], case["media"], page])
        if key not in opened:
            folder = tmp_path_factory.mktemp("case")
            write_documents(case, folder / "docs")
            if page:
                (folder / "docs" / "questions.html").write_text(page, encoding="utf-8")
            opened[key] = Library.open(folder / "library")
            if opened[key].warnings:
                pytest.skip(opened[key].warnings[0])
            added = [each for each in opened[key].add(folder / "docs") if each.status == "added"]
            assert sum(each.images + each.videos + each.tables for each in added) == len(case["media"])
        return opened[key]

    def library(case: Mapping[str, Any]) -> Library:
        question, own = case["question"], filled(case, "")
        own.model = None
        return own if own.ask(question).status == "answered" else filled(case, _listing(question))

    yield library
    for each in opened.values():
        each.close()


def _listing(question: str) -> str:
    """A page that holds a question, and no answer."""
    return f"<h1>Questions</h1><h2>{escape(question)}</h2><p>{escape(question)} This is asked by many readers.</p>"


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("an answer must not reach for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@EACH
def test_answer(name: str, shelf: Shelf) -> None:
    case = CASES[name]
    library = shelf(case)
    began = time.monotonic()
    answers = [ask(library, scripted(case), case["question"]) for _ in range(case["expect"].get("repeat", 1))]
    seconds = (time.monotonic() - began) / len(answers)
    first, *others = [view(case, answer, library) for answer in answers]
    assert book().check_answer(case, first, siblings=others) == [], case["why"]
    assert seconds <= case["expect"].get("max_seconds", 60)
    assert all(answer.parts == answers[0].parts for answer in answers)


@EACH
def test_documents_come_out_as_the_passages(name: str, shelf: Shelf) -> None:
    case = CASES[name]
    library = shelf(case)
    for passage in case["passages"]:
        hit = next(
            hit for hit in library.search(passage["text"], limit=10) if hit.passage.section == tuple(passage["path"])
        )
        assert hit.passage.text.startswith(passage["text"])


@EACH
def test_reply(name: str) -> None:
    """What is read of the reply alone: nothing foreign, nothing twice, nothing raw."""
    case = CASES[name]
    expect = case["expect"]
    offered = [each["id"] for each in case["media"]]
    raw = book().reply_for(case, "[[%s]]")
    read = read_reply(raw, [each["text"] for each in case["passages"]], offered)
    said = "\n".join(piece for piece in read.pieces if isinstance(piece, str))
    shown = [piece.id for piece in read.pieces if isinstance(piece, Marker)]
    assert set(shown) <= set(expect["media_within"])
    assert len(shown) == len(set(shown))
    assert set(map(int, re.findall(r"(?<!\\)\[(\d+)\]", said))) <= {each["n"] for each in case["passages"]}
    for forbidden in (*expect.get("text_excludes", ()), *expect.get("page_excludes", ()), "http://", "https://", "[["):
        assert forbidden not in said
    for kept in (*expect.get("text_contains", ()), *expect.get("kept", ())):
        assert kept in said or not read.pieces
    for words, times in expect.get("text_counts", {}).items():
        assert said.count(words) == times
