"""An answer as portable Markdown (GitHub's flavour): media in place, sources at the end, no live HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from urllib.parse import quote

from showtell.render import labels
from showtell.render.limited import Block, Run, parse, signed
from showtell.types import Answer, Citation, FigurePart, Image, Table, Video

_SPECIAL = re.compile(r"[\\`*\[\]|~]|(?<!\w)_|_(?!\w)|:(?=//)|(?<=\bwww)\.")
_LINE_START = re.compile(r"^(\s*)([#>+=-]|\d+(?=[.)](?:\s|$)))", re.MULTILINE)
_ENTITY = re.compile(r"&(?=#?\w+;)")


Served = Callable[[str], str]
"""From a stored asset's name to the address at which a server gives it."""


def render_markdown(answer: Answer, served: Served | None = None) -> str:
    """The answer as Markdown: pictures by path or address, tables as tables, videos as links to their second.

    A picture that is not stored (remote media of a local document) is a link, so that no viewer loads it. Where the
    media are ``served``, they are shown from there, and the question, which a chat shows anyway, is left out.
    """
    blocks = [] if served else [f"# {escape(labels.line(answer.question.text))}"]
    if (pictures := labels.asked_with(answer)) and not served:
        blocks.append(f"*{pictures}*")
    if searches := labels.searched(answer):
        blocks.append(f"Searched: {escape(' · '.join(searches))}")
    if origin := labels.origin(answer):
        blocks.append(f"*{escape(origin)}*")
    if doubt := labels.doubt(answer):
        blocks.append(f"> {escape(doubt)}")
    body = list(_parts(answer, served))
    for section in (_sources(answer.citations), _nearest(answer), _warnings(answer)):
        if section:
            body.append(section)
    return "\n\n".join([*blocks, *body]) + "\n"


def escape(text: str) -> str:
    """Document text as Markdown that shows exactly these words: no tag, link, emphasis, list or heading of its own.

    A bare address would be a link too, so it is broken.
    """
    text = _SPECIAL.sub(r"\\\g<0>", text)
    text = _ENTITY.sub("&amp;", text).replace("<", "&lt;")
    return _LINE_START.sub(_escaped_start, text)


def _escaped_start(match: re.Match[str]) -> str:
    return f"{match[0]}\\" if match[2].isdigit() else f"{match[1]}\\{match[2]}"


def _parts(answer: Answer, served: Served | None) -> Iterator[str]:
    names, indent = labels.numbered(answer), ""
    for index, part in enumerate(answer.parts):
        if isinstance(part, FigurePart):
            yield _indented(_figure(part, names[index], served), indent)
            continue
        for block in parse(part.text, part.citations, labels.marks(answer, index)):
            words, indent = _block(block, indent)
            yield words
        for check in labels.failed_checks(answer, index):
            yield _indented(f"> {escape(labels.note(check))}", indent)


def _block(block: Block, indent: str) -> tuple[str, str]:
    """The block as Markdown, and the indentation of whatever belongs under it."""
    outer = "   " * max(block.depth - 1, 0)
    label = {"": "", "•": "- "}.get(block.label, f"{block.label} ")
    if not block.depth:
        indent = ""
    elif label:
        indent = outer + " " * len(label)
    if block.kind == "code":
        fence = "`" * max(3, _longest_ticks(block.runs[0].text) + 1)
        words = f"{fence}\n{block.runs[0].text}\n{fence}"
    else:
        words = _inline(list(signed(block.runs)))
    if block.kind == "quote":
        words = f"> {words}"
    shown = _indented(words, indent)
    return (outer + label + shown.removeprefix(indent) if label else shown), indent


def _indented(words: str, indent: str) -> str:
    return "\n".join(indent + line if line else line for line in words.split("\n"))


def _inline(runs: Sequence[Run]) -> str:
    written = ""
    for (link, bold, italic), group in groupby(runs, lambda run: (run.link, run.bold, run.italic)):
        words = ""
        for run in group:
            after_citation = written.endswith("]") or words.endswith("]")
            shown = _run(run)
            words += "\\" + shown if after_citation and shown[:1] in ("(", ":") else shown  # "[1](…" would be a link
        written += _emphasised(words, link, ("**" if bold else "") + ("*" if italic else ""))
    return written


def _emphasised(words: str, link: str | None, stars: str) -> str:
    core = words.strip()
    if not core or not (link or stars):
        return words
    start = words.index(core)
    wrapped = f"{stars}{core}{stars}"
    return words[:start] + (f"[{wrapped}]({link})" if link else wrapped) + words[start + len(core) :]


def _run(run: Run) -> str:
    if run.citation is not None:
        return run.text
    if not run.code:
        return escape(run.text).replace("\n", "\\\n")
    fence = "`" * (_longest_ticks(run.text) + 1)
    space = " " if run.text[:1] == "`" or run.text[-1:] == "`" else ""
    return f"{fence}{space}{run.text}{space}{fence}"


def _longest_ticks(code: str) -> int:
    return max((len(ticks) for ticks in re.findall("`+", code)), default=0)


def _figure(part: FigurePart, name: str, served: Served | None) -> str:
    media, block = part.media, part.media.block
    if isinstance(block, Table):
        shown = _table(block)
    elif isinstance(block, Video):
        shown = _linked(f"▶ {name} {labels.stretch(part.start, part.end)}".rstrip(), _target(part, served))
    else:
        alt = labels.by_model(media) or labels.line(block.alt) or labels.line(block.caption) or name
        shown = _picture(block, alt, served)
    facts = [name, labels.rows_shown(part), "".join(f"[{number}]" for number in part.citations)]
    said = [labels.described(media), labels.place(media), labels.rights(media.credit, media.licence)]
    facts[1:1] = [escape(words) for words in said]
    return f"{shown}\n\n{' · '.join(fact for fact in facts if fact)}"


def _picture(block: Image, alt: str, served: Served | None) -> str:
    target = served(block.asset) if served and block.asset else _address(block.source)
    return f"![{escape(alt)}]({target})" if block.asset and target else _linked(alt, target)


def _target(part: FigurePart, served: Served | None) -> str | None:
    block = part.media.block
    if served and isinstance(block, Video) and block.asset:
        return served(block.asset) + labels.fragment(part.start, part.end)
    source = block.source if isinstance(block, Video) else ""
    return labels.moment(source, part.start, part.end) or _address(source)


def _address(source: str) -> str | None:
    path = labels.file_path(source)
    return quote(Path(path).as_posix(), safe="/:") if path else labels.web_address(source)


def _linked(words: str, target: str | None) -> str:
    return f"[{escape(words)}]({target})" if target else escape(words)


def _table(table: Table) -> str:
    columns = max(len(row) for row in (table.header, *table.rows))
    header, *rows = ([*row, *[""] * (columns - len(row))] for row in (table.header, *table.rows))
    drawn = [header, ["---"] * columns, *rows] if columns else []
    cells = (
        [cell if row is drawn[1] else escape(" ".join(labels.clean(cell).split())) for cell in row] for row in drawn
    )
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def _sources(citations: Sequence[Citation]) -> str:
    lines = []
    for citation in citations:
        address = labels.web_address(citation.url)
        known = [escape(labels.document(citation)), escape(labels.version(citation))]
        facts = [_linked(labels.heading(citation), address), *known]
        lines.append(f"{citation.number}. {' · '.join(fact for fact in facts if fact)}")
    return "## Sources\n\n" + "\n".join(lines) if lines else ""


def _nearest(answer: Answer) -> str:
    places = (labels.SEPARATOR.join(labels.line(name) for name in (n.document, *n.section)) for n in answer.nearest)
    return "\n".join(["## Worth a look", "", *(f"- {escape(place)}" for place in places)]) if answer.nearest else ""


def _warnings(answer: Answer) -> str:
    return "\n".join(f"> Warning: {escape(labels.warning(warning))}  " for warning in answer.warnings)
