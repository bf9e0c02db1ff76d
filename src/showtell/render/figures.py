"""The HTML of a figure: a picture that opens full size, a table that scrolls in itself, a video with its segment."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from html import escape

from showtell.render import labels
from showtell.render.labels import Assets
from showtell.types import Cue, FigurePart, Image, Table, Video

LARGEST_INLINE = 25_000_000  # bytes; a larger asset becomes a link to its file
TALLEST = 448  # pixels of a picture's height in the flow of an answer, as in page.css
OUTWARD = 'rel="noopener noreferrer" target="_blank"'
_MIME = {
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
    ".m4v": "video/mp4",
    ".mov": "video/mp4",
    ".mp4": "video/mp4",
    ".ogv": "video/ogg",
    ".webm": "video/webm",
}
_QUANTITY = re.compile(r"[-+−±≈~<>≤≥]?\s*[$€£¥]?\d[\d.,:\s]*(?:%|‰|[a-zA-Zµ°]{1,3})?")


def figure_html(part: FigurePart, name: str, assets: Assets, cited: str) -> str:
    """A figure with its caption and source line; ``cited`` is the HTML of its citations."""
    block = part.media.block
    if isinstance(block, Image):
        kind, shown = "picture", _picture(part, block, name, assets)
    elif isinstance(block, Table):
        kind, shown = "table", _table(block, f"{name} {labels.described(part.media)}")
    else:
        kind, shown = "video", _video(part, block, name, assets)
    return f'<figure class="{kind}">{shown}{_caption(part, name, cited)}</figure>'


def inlined(name: str | None, assets: Assets) -> str | None:
    """A stored asset as a data URI; None where it is missing, too large or of a kind no page can show."""
    path = assets(name) if name else None
    kind = _MIME.get(path.suffix.lower()) if path else None
    if path is None or kind is None or not path.is_file() or path.stat().st_size > LARGEST_INLINE:
        return None
    return f"data:{kind};base64,{b64encode(path.read_bytes()).decode()}"


def _caption(part: FigurePart, name: str, cited: str) -> str:
    media = part.media
    facts = [labels.rows_shown(part), labels.place(media), labels.rights(media.credit, media.licence)]
    where = " · ".join(f"<bdi>{escape(fact)}</bdi>" for fact in facts if fact)
    said = escape(labels.described(media))
    return (
        f'<figcaption><span class="said" dir="auto"><b>{name}</b> {said}</span> '
        f'<span class="where">{where} {cited}</span></figcaption>'
    )


def _picture(part: FigurePart, block: Image, name: str, assets: Assets) -> str:
    alt = escape(labels.by_model(part.media) or labels.line(block.alt) or labels.described(part.media) or name)
    address = inlined(block.asset, assets)
    if address is None:
        return _elsewhere("Picture", "Open the picture", block.source, block.asset, assets)
    size = ' width="{}" height="{}"'.format(*_fitted(block.width, block.height)) if block.width and block.height else ""
    return (
        f'<button type="button" class="zoom" aria-haspopup="dialog" aria-label="{name}, open full size: {alt}">'
        f'<img src="{address}" alt="{alt}"{size} decoding="async"></button>'
    )


def _fitted(width: int, height: int) -> tuple[int, int]:
    scale = min(1, TALLEST / height)
    return max(round(width * scale), 1), max(round(height * scale), 1)


def _video(part: FigurePart, block: Video, name: str, assets: Assets) -> str:
    address, when = inlined(block.asset, assets), labels.stretch(part.start, part.end)
    said = f"Play {when}" if when else "Play"
    if address is None:
        there = labels.moment(block.source, part.start, part.end) or block.source
        return _elsewhere("Video", said, there, block.asset, assets, labels.fragment(part.start, part.end))
    data = f' data-start="{part.start or 0:g}"' + (f' data-end="{part.end:g}"' if part.end is not None else "")
    track = f'<track kind="captions" label="Captions" src="{_captions(block.cues)}" default>' if block.cues else ""
    return (
        f'<video controls preload="metadata" playsinline aria-label="{name}"{data if when else ""} '
        f'src="{address}{labels.fragment(part.start, part.end)}">{track}</video>'
        + (f'<button type="button" class="again" hidden>{said}</button>' if when else "")
    )


def _elsewhere(kind: str, action: str, source: str, asset: str | None, assets: Assets, where: str = "") -> str:
    """A medium that is not in the page: a link that leads to it, or where it should have been."""
    address, path = labels.web_address(source), assets(asset) if asset else None
    if address is None and path is not None and path.is_file():
        address, said = path.absolute().as_uri() + where, "stored beside the library"
    elif address is None:
        said = f"{labels.line(source, 200)} is missing"
        return f'<p class="elsewhere missing"><b>{kind}</b> <bdi>{escape(said)}</bdi></p>'
    else:
        said = address.split("/")[2].removeprefix("www.")
    return (
        f'<a class="elsewhere" href="{escape(address)}" {OUTWARD}><b>{action}</b> '
        f'<bdi>{escape(said)}</bdi><i aria-hidden="true">↗</i></a>'
    )


def _captions(cues: Sequence[Cue]) -> str:
    return "data:text/vtt;base64," + b64encode(web_vtt(cues).encode()).decode()


def web_vtt(cues: Sequence[Cue]) -> str:
    """A transcript as captions in the WebVTT format, in which nothing of a document is markup."""
    lines = ["WEBVTT"]
    for cue in cues:
        words = escape("\n".join(line for line in labels.clean(cue.text).split("\n") if line.strip()), quote=False)
        lines.append(f"{_timestamp(cue.start)} --> {_timestamp(cue.end)}\n{words}")
    return "\n\n".join(lines)


def _timestamp(seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    return f"{milliseconds // 3_600_000:02}:{milliseconds // 60_000 % 60:02}:{milliseconds / 1000 % 60:06.3f}"


def _table(table: Table, name: str) -> str:
    rows = (table.header, *table.rows)
    numeric = [
        _is_numeric(row[column] for row in table.rows if column < len(row)) for column in range(len(max(rows, key=len)))
    ]
    head = "".join(_cells(table.header, "th", numeric)) if table.header else ""
    body = "".join(f"<tr>{''.join(_cells(row, 'td', numeric))}</tr>" for row in table.rows)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(name.strip())}"><table>'
        + (f"<thead><tr>{head}</tr></thead>" if head else "")
        + f"<tbody>{body}</tbody></table></div>"
    )


def _cells(row: Sequence[str], tag: str, numeric: Sequence[bool]) -> Iterator[str]:
    scope = ' scope="col"' if tag == "th" else ""
    for cell, number in zip(row, numeric, strict=False):
        words = escape(labels.clean(cell)).replace("\n", "<br>")
        yield f'<{tag}{scope} dir="auto"{" class=number" if number else ""}>{words}</{tag}>'


def _is_numeric(cells: Iterator[str]) -> bool:
    filled = [cell.strip() for cell in cells if cell.strip() not in ("", "-", "–", "—")]
    return bool(filled) and all(_QUANTITY.fullmatch(cell) for cell in filled)
