"""Pictures in a page: which address an element means, what it leads to, and what is too small to be worth showing."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote_to_bytes

from selectolax.lexbor import LexborNode

from showtell import svg
from showtell.errors import PictureError
from showtell.ingest.embeds import FILE, player
from showtell.ingest.findings import Findings
from showtell.ingest.inline import squeeze
from showtell.ingest.tree import as_xml
from showtell.types import Image

SMALLEST = 32  # pixels: anything smaller both ways is an icon
THINNEST = 3  # pixels: anything thinner is a rule, a spacer or a tracker

_LAZY_SETS = ("data-srcset", "data-lazy-srcset", "data-original-set")
_LAZY = (
    "data-src",
    "data-original",
    "data-lazy-src",
    "data-lazy",
    "data-original-src",
    "data-actualsrc",
    "data-hi-res-src",
    "data-full-src",
    "data-image",
)
_ADDRESS = re.compile(r"[^{\[<]*[./][^{<]*\Z", re.S)  # data-lazy="true" and JSON are none
_CANDIDATE = re.compile(r"[\s,]*(\S*[^\s,])(?:\s+([^,\s]+)[^,]*)?,?")
_PIXELS = re.compile(r"\s*(\d{1,5})(?:\.\d*)?\s*(?:px)?\s*\Z", re.I)
_STYLED = re.compile(r"(?:^|[;\s])(width|height)\s*:\s*(\d{1,5})(?:\.\d*)?px", re.I)
_BACKGROUND = re.compile(r"background(?:-image)?\s*:[^;]*?url\(\s*(['\"]?)(.*?)\1\s*\)", re.I | re.S)
_PICTURE_FILE = re.compile(r"\.(?:png|jpe?g|gif|webp|avif|svg)(?:[?#]|\Z)", re.I)
_BADGE = re.compile(
    r"//(?:img\.shields\.io|(?:\w+\.)?badgen\.net|badge\.fury\.io|badges\.gitter\.im|(?:www\.)?codefactor\.io|"
    r"(?:app\.)?codacy\.com/project/badge|(?:\w+\.)?travis-ci\.(?:org|com)|coveralls\.io|codecov\.io|api\.netlify\.com/api/v1/badges)"
    r"|/badges?(?:[/.]|-[\w-]+\.svg)|/workflows/[^/]+/badge",
    re.I,
)  # fmt: skip
_BEACON = re.compile(
    r"//(?:[\w.-]+\.)?(?:google-analytics\.com|doubleclick\.net|googleadservices\.com|scorecardresearch\.com|quantserve\.com|"
    r"bat\.bing\.com|pixel\.wp\.com|stats\.wp\.com|hotjar\.com|px\.ads\.linkedin\.com)|//www\.facebook\.com/tr|"
    r"/(?:matomo|piwik)\.php|/__utm\.gif|/(?:beacon|pixel|track(?:er|ing)?|spacer|blank|clear|1x1)\.(?:gif|png)(?:\?|\Z)",
    re.I,
)  # fmt: skip
_ICON = re.compile(
    r"(?:^|[-_\s])(?:icons?|octicon|emoji|fa|glyphicon|svg-inline--fa|sprite|caret|chevron)(?:$|[-_\s])", re.I
)


class Images:
    """Reads the pictures of one page; what is left out is noted in ``findings``."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    def of_img(self, node: LexborNode) -> Image | None:
        """The picture of an ``img`` (with its ``picture`` and its link), or of an ``object`` or ``embed``."""
        attributes = node.attributes
        references = list(dict.fromkeys(_references(node)))
        alt = squeeze(attributes.get("alt") or attributes.get("aria-label") or "")
        title = squeeze(attributes.get("title") or "")
        return self._first(references, alt, title, declared(node))

    def of_picture(self, node: LexborNode) -> Image | None:
        """A ``picture`` without ``img``: the largest candidate of its sources."""
        references = [address for source in node.css("source") for address in _sets(source.attributes)]
        label = squeeze(node.attributes.get("aria-label") or node.attributes.get("alt") or "")
        return self._first(list(dict.fromkeys(references)), label, "", (None, None)) if references else None

    def of_svg(self, node: LexborNode) -> Image | None:
        """An inline drawing, stored as an asset; its own title is the alternative text."""
        attributes = node.attributes
        alt = squeeze(
            attributes.get("aria-label") or next((t.text() for t in node.css("title") if t.text().strip()), "")
        )
        width, height = svg.measure(attributes)
        names = attributes.get("class") or ""
        if small(width, height) or _ICON.search(names) or _only_uses(node):
            self._findings.drop("image", "svg", f"an icon, smaller than {SMALLEST} px or marked as one")
            return None
        try:
            kept = self._findings.keep(as_xml(node).encode())
        except PictureError as error:
            self._findings.drop("image", "svg", str(error))
            return None
        return Image("svg", _asset(kept.name), alt, "", "", kept.name, kept.width, kept.height)

    def of_background(self, node: LexborNode) -> Image | None:
        """The background of an element that says it is an image (``role=img``)."""
        found = _BACKGROUND.search(node.attributes.get("style") or "")
        if found is None:
            return None
        label = squeeze(node.attributes.get("aria-label") or "")
        return self._first([found[2]], label, squeeze(node.attributes.get("title") or ""), declared(node))

    def _first(self, references: list[str], alt: str, title: str, size: tuple[int | None, int | None]) -> Image | None:
        """The first address that leads to a picture; if none does, the reason of the first is noted."""
        reasons: list[tuple[str, str]] = []
        for reference in references:
            try:
                return self._image(reference, alt, title, size)
            except PictureError as error:
                reasons.append((self._address(reference), str(error)))
        if reasons:
            self._findings.drop("image", *reasons[0])
        return None

    def _image(self, reference: str, alt: str, title: str, size: tuple[int | None, int | None]) -> Image:
        """Raises PictureError with the reason why it is no picture to keep."""
        if reference[:5].lower() == "data:":
            kept = self._findings.keep(_decoded(reference))
            image = Image(_bare(reference), _asset(kept.name), alt, "", title, kept.name, kept.width, kept.height)
        else:
            resource = self._findings.resolve(reference)
            if resource.refusal:
                raise PictureError(resource.refusal)
            if resource.path is None:
                _refuse_small(*size)
                _refuse_badge(resource.url)
                return Image(reference, resource.url, alt, "", title, None, *(size if all(size) else (None, None)))
            kept = self._findings.keep(resource.path)
            image = Image(reference, str(resource.path), alt, "", title, kept.name, kept.width, kept.height)
        if not (kept.name.endswith(".svg") and any(size)):  # a drawing has no size of its own
            _refuse_small(kept.width, kept.height)
        _refuse_small(*size)
        return image

    def _address(self, reference: str) -> str:
        return _bare(reference) if reference[:5].lower() == "data:" else self._findings.resolve(reference).address


def declared(node: LexborNode) -> tuple[int | None, int | None]:
    """Width and height in pixels as attributes or style declare them."""
    attributes = node.attributes
    styled = {name.lower(): int(value) for name, value in _STYLED.findall(attributes.get("style") or "")}
    found = [_PIXELS.match(attributes.get(name) or "") for name in ("width", "height")]
    width, height = (int(match[1]) if match else None for match in found)
    return styled.get("width", width), styled.get("height", height)


def small(width: int | None, height: int | None) -> bool:
    """Whether a picture of that size is an icon, a rule or a spacer; an unknown side is taken to be like the other."""
    sides = [side for side in (width, height) if side is not None]
    return bool(sides) and (max(sides) < SMALLEST or min(sides) < THINNEST)


def is_emoji(node: LexborNode) -> bool:
    """Whether class names say that the picture stands for a character."""
    return "emoji" in (node.attributes.get("class") or "").lower()


def video_file(path: str) -> bool:
    """Whether an address in an ``img`` is that of a video, as Markdown writers embed them."""
    file = FILE.search(path.partition("#")[0].partition("?")[0]) is not None
    return file or ("//" in path[:8] and player(path) is not None)


def preferred(node: LexborNode) -> str:
    """The address that an ``img`` most likely means, or ""."""
    return next(_references(node), "")


def _references(node: LexborNode) -> Iterator[str]:
    """Addresses in the order of preference: lazy before plain, large before small, placeholders last."""
    attributes = node.attributes
    own = [*_sets(attributes, _LAZY_SETS), *(attributes.get(name) or "" for name in _LAZY)]
    own += [*_sets(attributes, ("srcset",)), attributes.get("src") or attributes.get("data") or ""]
    found = [
        reference.strip() for reference in own if reference and (_ADDRESS.match(reference) or reference[:5] == "data:")
    ]
    plain = (attributes.get("src") or "").strip()
    if plain and plain not in found:
        found.append(plain)
    above = node.parent
    if above is not None and above.tag == "picture":
        found += [address for source in above.css("source") for address in _sets(source.attributes)]
        above = above.parent
    if above is not None and above.tag == "a" and _PICTURE_FILE.search(above.attributes.get("href") or ""):
        found.append(above.attributes["href"] or "")  # what a thumbnail enlarges to
    placeholders = [reference for reference in found if reference[:5].lower() == "data:"]
    yield from (reference for reference in found if reference not in placeholders)
    yield from placeholders


def _sets(attributes: dict[str, str | None], names: tuple[str, ...] = (*_LAZY_SETS, "srcset")) -> list[str]:
    """The candidates of the first ``srcset`` there is, largest first."""
    written = next((attributes[name] for name in names if attributes.get(name)), None) or ""
    candidates = [(match[1], match[2] or "1x") for match in _CANDIDATE.finditer(written)]
    return [address for address, _ in sorted(candidates, key=lambda candidate: -_amount(candidate[1]))]


def _amount(descriptor: str) -> float:
    try:
        return float(descriptor[:-1])
    except ValueError:
        return 0.0


def _decoded(reference: str) -> bytes:
    """The bytes of a data address (RFC 2397)."""
    head, comma, payload = reference.partition(",")
    data = unquote_to_bytes(payload)
    if not comma:
        raise PictureError("the data address holds no data")
    if not head.lower().rstrip().endswith(";base64"):
        return data
    try:
        return base64.b64decode(re.sub(rb"\s", b"", data) + b"==")
    except binascii.Error:
        raise PictureError("the data address is broken") from None


def _bare(reference: str) -> str:
    """A data address without its payload."""
    return re.split(r"[;,]", reference, maxsplit=1)[0][:60]


def _asset(name: str) -> str:
    return f"asset:{Path(name).stem}"


def _refuse_small(width: int | None, height: int | None) -> None:
    if small(width, height):
        raise PictureError(f"smaller than {SMALLEST} px ({width or '?'} x {height or '?'}): an icon, spacer or tracker")


def _refuse_badge(url: str) -> None:
    if _BADGE.search(url):
        raise PictureError("a badge, by its address")
    if _BEACON.search(url):
        raise PictureError("a tracker or spacer, by its address")


def _only_uses(node: LexborNode) -> bool:
    """Whether a drawing only points into a sprite, as icons do."""
    drawn = {child.tag for child in node.css("*") if child.mem_id != node.mem_id} - {"title", "desc", "g"}
    return drawn <= {"use"}
