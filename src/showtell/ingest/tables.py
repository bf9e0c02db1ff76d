"""Tables: which are data and which only lay out a page, and the grid of a data table with its spans filled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile

from selectolax.lexbor import LexborNode

from showtell.types import Table

MAX_COLUMNS = 1000  # the most that HTML lets a cell span
MAX_CELLS = 1_000_000
_GROUPS = ("thead", "tbody", "tfoot")
_BLOCKS = "table, h1, h2, h3, h4, h5, h6, form, figure, pre, ul, ol, blockquote, hr, p + p, iframe, video"


@dataclass(frozen=True, slots=True)
class Row:
    """A row as written: its cells, and whether it stands in the table's head."""

    cells: tuple[LexborNode, ...]
    head: bool = False

    @property
    def titles(self) -> bool:
        """Whether every cell is a heading."""
        return bool(self.cells) and all(cell.tag == "th" for cell in self.cells)


class _Grid:
    """Rows of texts at most ``widest`` wide, spans filled."""

    def __init__(self, widest: int) -> None:
        self.rows: list[list[str]] = []
        self.width = 0
        self._widest = widest
        self._below: dict[int, tuple[int, str]] = {}  # what a cell puts into later rows, by column: (rows left, text)

    def add(self, cells: list[tuple[str, int, int]]) -> None:
        """One row of (text, columns, rows)."""
        row: list[str] = []
        for text, columns, rows in cells:
            self._fill(row)
            for _ in range(min(columns, self._widest - len(row))):
                if rows > 1:
                    self._below[len(row)] = (rows - 1, text)
                row.append(text)
        self._fill(row)
        self.rows.append(row)
        self.width = max(self.width, len(row))

    def _fill(self, row: list[str]) -> None:
        """Put in what reaches down from above at the end of the row so far."""
        while len(row) in self._below:
            column = len(row)
            left, text = self._below.pop(column)
            if left > 1:
                self._below[column] = (left - 1, text)
            row.append(text)

    def even(self) -> list[tuple[str, ...]]:
        """The rows, all of one width."""
        return [(*row, *[""] * (self.width - len(row))) for row in self.rows]


def rows_of(table: LexborNode, visible: Callable[[LexborNode], bool]) -> list[Row]:
    """The table's own rows as a browser shows them: head, bodies, foot."""
    heads: list[Row] = []
    bodies: list[Row] = []
    feet: list[Row] = []
    for group in _children(table, visible):
        members = _children(group, visible) if group.tag in _GROUPS else iter([group])
        rows = [Row(tuple(_cells(row, visible)), group.tag == "thead") for row in members if row.tag == "tr"]
        {"thead": heads, "tfoot": feet}.get(group.tag or "", bodies).extend(rows)
    return [row for row in (*heads, *bodies, *feet) if row.cells]


def is_layout(table: LexborNode, rows: list[Row]) -> bool:
    """Whether a table only places things on the page: by its role, or by what it lacks and what its cells hold."""
    role = table.attributes.get("role")
    if role in ("presentation", "none") or not rows:
        return True
    if role in ("table", "grid") or any(row.head or _has_title(row) for row in rows) or _caption(table) is not None:
        return False
    if max(len(row.cells) for row in rows) == 1:
        return True
    cells = [cell for row in rows for cell in row.cells]
    laden = sum(cell.css_first(_BLOCKS) is not None for cell in cells[:200])
    return laden * 2 >= len(cells[:200]) or any(_headed(cell) for cell in cells[:200])


def read_table(rows: list[Row], caption: str, read_cell: Callable[[LexborNode], str]) -> tuple[Table, int]:
    """The grid of a data table, every span filled, and how many rows were cut off because of ``MAX_CELLS``.

    Leading rows in the head (or, without one, made of headings alone) become the header, joined by column. The first of
    two such rows is the caption if one cell spans it and there is no other caption.
    """
    grid = _Grid(_widest(rows))
    for number, row in enumerate(rows):
        below = _rows_left(rows, number)
        grid.add([(read_cell(cell), _span(cell, "colspan"), _span(cell, "rowspan", below)) for cell in row.cells])
        if len(grid.rows) * grid.width > MAX_CELLS:
            break
    lines, count = grid.even(), _header_rows(rows)
    if count > 1 and not caption and len(rows[0].cells) == 1 and grid.width > 1:
        caption, lines, count = lines[0][0], lines[1:], count - 1
    header = tuple(_joined(column) for column in zip(*lines[:count], strict=True))
    body = tuple(line for line in lines[count:] if any(line))
    return Table(header if any(header) else (), body, caption), len(rows) - len(grid.rows)


def _header_rows(rows: list[Row]) -> int:
    """How many leading rows are the header."""
    count = sum(row.head for row in rows)
    if not count:
        titled = takewhile(lambda row: row[1].titles and (row[0] == 0 or len(row[1].cells) > 1), enumerate(rows))
        count = sum(1 for _ in titled)
    if not count and len(rows) > 2 and len(rows[0].cells) == 1 and rows[1].titles and len(rows[1].cells) > 1:
        count = 2  # a plain cell over the header
    return min(count, 1) if count == len(rows) else count


def _widest(rows: list[Row]) -> int:
    """Columns of the widest row; a cell alone in its row spans what the others fill."""
    return min(MAX_COLUMNS, max((_columns(row) for row in rows if len(row.cells) > 1), default=1))


def _columns(row: Row) -> int:
    return sum(_span(cell, "colspan") for cell in row.cells)


def _children(node: LexborNode, visible: Callable[[LexborNode], bool]) -> Iterator[LexborNode]:
    child = node.first_child
    while child is not None:
        if child.is_element_node and visible(child):
            yield child
        child = child.next


def _cells(row: LexborNode, visible: Callable[[LexborNode], bool]) -> Iterator[LexborNode]:
    return (cell for cell in _children(row, visible) if cell.tag in ("td", "th"))


def _rows_left(rows: list[Row], number: int) -> int:
    """How many rows a span may reach from here: spans end with the head."""
    if not rows[number].head:
        return len(rows) - number
    return sum(row.head for row in rows[number:])


def _span(cell: LexborNode, name: str, most: int = MAX_COLUMNS) -> int:
    written = (cell.attributes.get(name) or "1").strip()
    number = int(written[:6]) if written.isascii() and written.isdigit() else 1
    return most if name == "rowspan" and number == 0 else max(1, min(number, most))


def _joined(column: tuple[str, ...]) -> str:
    """The headings over a column, a spanning one once."""
    return " ".join(dict.fromkeys(filter(None, column)))


def _has_title(row: Row) -> bool:
    return any(cell.tag == "th" for cell in row.cells)


def _headed(cell: LexborNode) -> bool:
    return cell.css_first("h1, h2, h3, h4") is not None


def _caption(table: LexborNode) -> LexborNode | None:
    child = table.first_child
    while child is not None:
        if child.tag == "caption":
            return child
        child = child.next
    return None
