"""SVG without anything active: parsed by expat, filtered by a list of what may stay, written anew.

What is kept is geometry, text, gradients, filters and local styles. Scripts, event handlers, animation, foreign
objects, links and every reference that leaves the file are left out; a document that declares entities is refused.
"""

from __future__ import annotations

import re
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from showtell.errors import PictureError

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
MAX_BYTES = 10_000_000
MAX_ELEMENTS = 200_000
MAX_DEPTH = 256  # browsers give up on deeper trees themselves

_NAMES = """
    svg g defs symbol use switch title desc path rect circle ellipse line polyline polygon text tspan textPath
    image style linearGradient radialGradient stop clipPath mask pattern marker filter feBlend feColorMatrix
    feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight
    feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology
    feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence
"""
_ELEMENTS = frozenset(_NAMES.split())
_TRANSPARENT = frozenset({"a"})  # left out, its contents kept
_DATA_PICTURE = re.compile(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+\Z")
# Addresses that leave the file, and the ways in which CSS can spell one.
_LEAVES = re.compile(r"url\s*\((?!\s*['\"]?#)|image(-set)?\s*\(|src\s*\(|@|expression|javascript:|\\|//", re.I)
_AT_RULES = re.compile(r"/\*.*?\*/|@(import|charset|namespace)[^;{}]*;|@font-face\s*\{[^{}]*\}", re.I | re.S)
_LENGTH = re.compile(r"\s*\+?([0-9]*\.?[0-9]+(?:e[+-]?\d+)?)\s*(px|pt|pc|mm|cm|in|em|rem)?\s*\Z", re.I)
_NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+(?:e[+-]?\d+)?", re.I)
# CSS pixels in a unit (CSS Values 4, section 6.2; an em taken as the usual 16 px).
_UNIT = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "mm": 3.7795, "cm": 37.795, "in": 96.0, "em": 16.0, "rem": 16.0}


def is_svg(data: bytes) -> bool:
    """Whether the bytes begin as an SVG document does, by content and not by name."""
    head = re.sub(rb"\A\xef\xbb\xbf|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(\[.*?\])?\s*>", b"", data[:4096], flags=re.S)
    return re.match(rb"\s*<(\w+:)?svg[\s>/]", head) is not None


def sanitise(data: bytes) -> tuple[bytes, int, int]:
    """Return a harmless, well-formed copy of an SVG with its width and height in CSS pixels.

    Raises PictureError if the document is too large, too deep, not well-formed, no SVG, or declares entities.
    """
    if len(data) > MAX_BYTES:
        raise PictureError(f"the SVG is larger than {MAX_BYTES // 1_000_000} MB; make it smaller or export it as PNG")
    writer = _Writer()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = writer.start
    parser.EndElementHandler = writer.end
    parser.CharacterDataHandler = writer.characters
    parser.EntityDeclHandler = _refuse_entity
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:  # an unknown encoding is a LookupError
        raise PictureError(f"the SVG is not well-formed ({error}); export it again") from None
    if writer.size is None:
        raise PictureError("the file holds XML but no SVG; export the picture again")
    return "".join(writer.pieces).encode(), *writer.size


def length(value: str | None) -> float | None:
    """A CSS length in pixels, or None where it is relative to what stands around it or no length at all."""
    match = _LENGTH.match(value or "")
    return float(match[1]) * _UNIT[(match[2] or "").lower()] if match else None


def measure(attributes: dict[str, Any]) -> tuple[int, int]:
    """Width and height in pixels from ``width``, ``height`` and ``viewBox``; else 300 x 150, as browsers do."""
    width, height = length(attributes.get("width")), length(attributes.get("height"))
    box = [
        float(number) for number in re.findall(r"[-+]?[0-9]*\.?[0-9]+(?:e[+-]?\d+)?", attributes.get("viewBox") or "")
    ]
    across, down = box[2:] if len(box) == 4 and box[2] > 0 and box[3] > 0 else (300.0, 150.0)
    if width is None and height is None:
        width, height = across, down
    elif width is None:
        width = (height or 0) * across / down
    elif height is None:
        height = width * down / across
    return _pixels(width), _pixels(height or 0)


def _pixels(value: float) -> int:
    return max(1, round(min(value, 1_000_000)))


def _refuse_entity(*_: Any) -> None:
    raise PictureError("the SVG declares entities, which can blow up memory; export it as plain SVG or PNG")


class _Writer:
    """Takes expat's events and writes what may stay."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.size: tuple[int, int] | None = None
        self._open: list[str] = []  # names as written; "" for an element that is not written
        self._hidden = 0  # elements open whose whole content is left out
        self._style: list[str] = []
        self._count = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MAX_ELEMENTS or len(self._open) >= MAX_DEPTH:
            raise PictureError("the SVG has too many or too deeply nested elements; export it as PNG")
        namespace, _, tag = name.rpartition(" ")
        first = not self._open
        if first and (tag != "svg" or namespace not in ("", SVG)):
            raise PictureError("the file holds XML but no SVG; export the picture again")
        known = namespace in ("", SVG) and not self._hidden
        written = tag if known and tag in _ELEMENTS else ""
        self._open.append(written)
        if not written:
            self._hidden += not (known and tag in _TRANSPARENT)
            self._open[-1] = "" if known and tag in _TRANSPARENT else "-"
            return
        if first:
            self.size = measure(attributes)
            attributes = attributes | {"xmlns": SVG}
        kept = "".join(f" {key}={quoteattr(value)}" for key, value in _kept(attributes))
        self.pieces.append(f"<{tag}{kept}>")

    def end(self, _: str) -> None:
        tag = self._open.pop()
        if tag == "-":
            self._hidden -= 1
        elif tag == "style":
            self.pieces.append(escape(_harmless_css("".join(self._style))) + "</style>")
            self._style.clear()
        elif tag:
            self.pieces.append(f"</{tag}>")

    def characters(self, text: str) -> None:
        if self._hidden:
            return
        if self._open and self._open[-1] == "style":
            self._style.append(text)
        else:
            self.pieces.append(escape(text))


def _kept(attributes: dict[str, str]) -> list[tuple[str, str]]:
    kept = {}
    for name, value in attributes.items():
        namespace, _, local = name.rpartition(" ")
        if local == "href" and namespace in ("", XLINK):
            if value.strip().startswith("#") or _DATA_PICTURE.match(value.strip()):
                kept["href"] = value.strip()
        elif namespace or local.lower().startswith("on") or local in ("base", "target", "ping", "src"):
            continue
        elif local == "xmlns" or not _LEAVES.search(value):
            kept[local] = value
    return list(kept.items())


def _harmless_css(css: str) -> str:
    css = _AT_RULES.sub("", css)
    return "" if _LEAVES.search(re.sub(r"@(media|keyframes|supports)\b", "", css, flags=re.I)) else css
