"""An answer in a terminal: readable at 80 columns and without colours; media are labelled lines at their place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table as Grid
from rich.text import Text

from showtell.render import labels
from showtell.render.limited import Block, Run, parse, signed
from showtell.types import Answer, Citation, FigurePart, Image, Table, Video

_SIGNS = {Image: "▣", Table: "▦", Video: "▶"}
_NARROWEST = 12  # characters a column needs to wrap legibly; below it, rows become records
_WRITING = "writing"  # the step whose value is a piece of text; there are many in a row
_TOLD = 4  # of what the steps tell, that stand on the screen; the last ones
_KEPT = 10_000  # characters of what a model writes that are kept for the screen, more than fit on one


class _Step(Protocol):
    """What is done of an answer: the name of the step, what it made, and what of it is told to whoever waits."""

    @property
    def name(self) -> str: ...

    @property
    def value(self) -> object: ...

    @property
    def told(self) -> str: ...


_S = TypeVar("_S", bound=_Step)


def render_terminal(answer: Answer, console: Console | None = None) -> None:
    """Print the answer to the console (standard output by default).

    Nothing in a document can send a control sequence: every word is cleaned and printed as text, never as markup.
    """
    _Page(console or Console()).answer(answer)


def render_inspection(found: Mapping[str, Any], console: Console | None = None) -> None:
    """Print what the reader made of a source; ``found`` is the JSON that ``showtell inspect --json`` gives."""
    page = _Page(console or Console())
    page.lines(Text(labels.line(f"{found['title']} ({found['language'] or 'language unknown'})"), "bold"))
    page.lines(Text(labels.line(found["source"]), "dim"))
    for section in found["sections"]:
        page.console.print()
        page.lines(Text(labels.SEPARATOR.join(map(labels.line, section["path"])) or "(before any heading)", "bold"))
        for block in section["blocks"]:
            page.inspected(block)
    for dropped in found["dropped"]:
        page.lines(
            Text(labels.line(f"{dropped['type']} {dropped['source']}: {dropped['reason']}"), "dim"), 0, "left out: "
        )
    for warning in found["warnings"]:
        page.lines(Text(labels.line(warning), "yellow"), 0, "Warning: ")


def watched(steps: Iterable[_S], console: Console | None = None) -> Iterator[_S]:
    """The same steps; while they run, their names, what they tell and a model's text as it comes stand on the console.

    The console is standard error by default. All is gone from it when the steps end, however they do, and nothing is
    shown where it is no terminal.
    """
    making = _Making()
    with Live(making, console=console or Console(stderr=True), transient=True, redirect_stdout=False):
        for step in steps:
            making.take(step)
            yield step


class _Making:
    """What there is of an answer while it is made: the steps done, what they tell, and the end of the text."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.told: list[str] = []
        self.text = ""
        self.spinner = Spinner("line")

    def take(self, step: _Step) -> None:
        """One more step; text that is written after another step is a new text."""
        if self.steps[-1:] != [step.name]:
            self.steps.append(step.name)
            self.text = "" if step.name == _WRITING else self.text
        if step.name == _WRITING:
            self.text = f"{self.text}{step.value}"[-_KEPT:]
        elif step.told:
            self.told.append(step.told)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Drawn some times a second; cleaned as a whole, for pieces may cut a control sequence in two."""
        self.spinner.update(text=Text(labels.SEPARATOR.join(map(labels.line, self.steps)), "dim"))
        yield self.spinner
        width, told = options.max_width, self.told[-_TOLD:]
        for each in told:
            yield Text(labels.line(each), "dim", no_wrap=True, overflow="ellipsis")
        if words := labels.clean(self.text).strip("\n"):
            yield from Text(words).wrap(console, width, overflow="fold")[-max(console.height - 4 - len(told), 1) :]


class _Page:
    """Prints to one console; ``indent`` and ``label`` are columns from its left edge."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def answer(self, answer: Answer) -> None:
        self.lines(Text(labels.line(answer.question.text, 2 * self.console.width), "bold"))
        self.origin(answer)
        if doubt := labels.doubt(answer):
            self.lines(Text(doubt, "yellow"))
        self.parts(answer)
        self.sources(answer.citations)
        self.nearest(answer)
        if answer.warnings:
            self.console.print()
        for warning in answer.warnings:
            self.lines(Text(labels.warning(warning), "yellow"), 0, "Warning: ")

    def origin(self, answer: Answer) -> None:
        """What came with the question, what was searched for and who wrote, where that is not the plain case."""
        if pictures := labels.asked_with(answer):
            self.lines(Text(pictures, "dim"), 0, f"{_SIGNS[Image]} ")
        if searches := labels.searched(answer):
            self.lines(Text(" · ".join(searches), "dim"), 0, "searched: ")
        if origin := labels.origin(answer):
            self.lines(Text(origin, "dim"))

    def parts(self, answer: Answer) -> None:
        names, indent, in_list = labels.numbered(answer), 0, False
        for index, part in enumerate(answer.parts):
            if isinstance(part, FigurePart):
                self.console.print()
                self.figure(part, names[index], indent)
                in_list = False
                continue
            for block in parse(part.text, part.citations, labels.marks(answer, index)):
                if not (in_list and block.depth):
                    self.console.print()
                indent = self.block(block)
                in_list = block.depth > 0
            for check in labels.failed_checks(answer, index):
                style, sign = ("green", "✓ ") if check.action == "repaired" else ("yellow", "! ")
                self.lines(Text(labels.note(check), style), indent, sign)

    def block(self, block: Block) -> int:
        """Print a block and return the column at which its words begin."""
        indent = 3 * max(block.depth - 1, 0)
        label = f"{block.label} " if block.label else ""
        if block.depth and not label:
            indent += 3
        if block.kind == "code":
            for words in block.runs[0].text.split("\n"):
                self.lines(Text(words, "cyan"), indent + 4)
        else:
            bar = "│ " if block.kind == "quote" else ""
            self.lines(Text.assemble(*(_styled(run) for run in signed(block.runs))), indent, label + bar)
        return indent + cell_len(label)

    def lines(self, text: Text, indent: int = 0, label: str = "") -> None:
        """Print text wrapped behind its label; the lines that follow stand under its first word."""
        first, rest = " " * indent + label, " " * (indent + cell_len(label))
        if label.endswith("│ "):
            rest = first
        width = max(self.console.width - len(rest), _NARROWEST)
        for number, words in enumerate(text.wrap(self.console, width, overflow="fold") or [Text()]):
            words.rstrip()
            self.console.print(Text(rest if number else first) + words, soft_wrap=True)

    def figure(self, part: FigurePart, name: str, indent: int) -> None:
        media, block = part.media, part.media.block
        said = labels.described(media)
        facts = [
            Text(name, "bold"),
            Text(labels.stretch(part.start, part.end)),
            Text(f"“{said}”" if said else ""),
            Text(labels.by_model(media), "italic"),
            Text(labels.rows_shown(part)),
            Text(labels.place(media), "dim"),
            Text(" ".join(f"[{number}]" for number in part.citations), "dim"),
            Text(labels.rights(media.credit, media.licence), "dim"),
            _address(part),
        ]
        self.lines(_joined(facts), indent, f"{_SIGNS[type(block)]} ")
        if isinstance(block, Table):
            self.table(block, indent + 2)

    def table(self, table: Table, indent: int) -> None:
        header = [labels.clean(cell) for cell in table.header]
        rows = [[labels.clean(cell) for cell in row] for row in table.rows]
        columns = max((len(row) for row in [header, *rows]), default=0)
        room = self.console.width - indent - 3 * columns - 1
        natural = sum(_widest(row[column] for row in [header, *rows] if column < len(row)) for column in range(columns))
        if natural > room and room < _NARROWEST * columns:
            self.records(header, rows, indent)
            return
        grid = Grid(box=box.ROUNDED, show_header=bool(header), header_style="bold", show_lines=natural > room)
        for column in range(columns):
            grid.add_column(Text(header[column] if column < len(header) else ""), overflow="fold")
        for row in rows:
            grid.add_row(*(Text(cell) for cell in row))
        with self.console.capture() as drawn:
            self.console.print(grid, width=self.console.width - indent)
        for printed in Text.from_ansi(drawn.get()).split("\n"):
            self.console.print(Text(" " * indent) + printed, soft_wrap=True)

    def records(self, header: Sequence[str], rows: Sequence[Sequence[str]], indent: int) -> None:
        """A table too wide to draw: a row is its first cell, then ``column: cell`` for the others that are filled."""
        for row in rows:
            facts = [Text(labels.line(row[0], 1_000), "bold")] if row else []
            for column, cell in enumerate(row[1:], start=1):
                name = labels.line(header[column]) if column < len(header) else f"column {column + 1}"
                if cell.strip():
                    facts.append(Text.assemble((f"{name}: ", "dim"), labels.line(cell, 1_000)))
            self.lines(_joined(facts), indent, "- ")

    def inspected(self, block: Mapping[str, Any]) -> None:
        if block["type"] == "text":
            self.lines(Text(labels.clean(block["text"])), 2)
        elif block["type"] == "table":
            self.lines(Text(labels.line(block["caption"])), 2, "▦ Table ")
            self.table(Table(tuple(block["header"]), tuple(map(tuple, block["rows"]))), 4)
        else:
            said = block.get("caption") or block.get("alt") or block.get("title") or ""
            sign = "▣ Image " if block["type"] == "image" else "▶ Video "
            self.lines(_joined([Text(labels.line(said)), Text(labels.line(block["source"]), "dim")]), 2, sign)

    def sources(self, citations: Sequence[Citation]) -> None:
        if not citations:
            return
        self.console.print()
        self.lines(Text("Sources", "bold"))
        margin = max(len(f"[{citation.number}]") for citation in citations) + 1
        for citation in citations:
            self.lines(Text(labels.heading(citation)), 0, f"[{citation.number}]".ljust(margin))
            address = labels.web_address(citation.url) or ""
            link = Text(address, f"link {address}" if address else "")
            facts = [Text(labels.document(citation)), link, Text(labels.version(citation))]
            self.lines(_joined(facts, "dim"), margin)

    def nearest(self, answer: Answer) -> None:
        if not answer.nearest:
            return
        self.console.print()
        self.lines(Text("Worth a look", "bold"))
        for near in answer.nearest:
            names = [labels.line(name) for name in (near.document, *near.section)]
            self.lines(Text(labels.SEPARATOR.join(names)), 0, "• ")


def _joined(facts: Iterable[Text], style: str = "") -> Text:
    joined = Text(" · ").join(fact for fact in facts if fact)
    joined.stylize_before(style)
    return joined


def _styled(run: Run) -> Text:
    styles = [("bold", run.bold), ("italic", run.italic), ("cyan", run.code or run.citation is not None)]
    styles.append(("underline yellow", run.marked and run.citation is None))
    text = Text(run.text, " ".join(name for name, wanted in styles if wanted))
    if run.link:
        text.stylize(f"link {run.link}")
    return text


def _address(part: FigurePart) -> Text:
    """Where the media item can be opened; a link where the terminal has them. Tables are shown whole."""
    block = part.media.block
    if isinstance(block, Table):
        return Text()
    if isinstance(block, Video) and (address := labels.moment(block.source, part.start, part.end)):
        return Text(address, f"link {address}")
    if address := labels.web_address(block.source):
        return Text(address, f"link {address}")
    if path := labels.file_path(block.source):
        shown = labels.line(block.ref) or path
        return Text(shown, f"link {Path(path).as_uri()}")
    return Text("stored in the library" if block.asset else "")


def _widest(cells: Iterable[str]) -> int:
    return max((cell_len(line) for cell in cells for line in cell.split("\n")), default=0)
