"""Pictures from untrusted files: told by content, measured before they are decoded, stored upright and harmless."""

from __future__ import annotations

import hashlib
import io
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

from showtell import svg
from showtell.errors import PictureError

JPEG = b"\xff\xd8"  # how such a file begins
# Of a 100-megapixel picture the decoded RGB takes 300 MB. No screen shows more than 40,000 px, no encoder needs it.
MAX_PIXELS = 100_000_000
MAX_SIDE = 40_000
MAX_BYTES = 100_000_000
MAX_FRAMES = 500
_MAX_FRAME_PIXELS = 200_000_000  # over all frames of an animation that has to be written anew

MEDIA_TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "svg": "image/svg+xml",
}
# Formats that browsers show, by Pillow's name (MPO is a JPEG with a second picture behind it); others become PNG.
_SHOWN = {"PNG": "png", "JPEG": "jpg", "MPO": "jpg", "GIF": "gif", "WEBP": "webp", "AVIF": "avif"}
_FORMATS = ["PNG", "JPEG", "GIF", "WEBP", "AVIF", "BMP", "TIFF", "ICO", "PPM", "JPEG2000"]  # none needs a program
# How a file of the format ends; bytes behind that belong to something else.
_ENDS = {"PNG": b"IEND\xaeB`\x82", "JPEG": b"\xff\xd9", "GIF": b";"}
_MARKUP = (b"<script", b"<html", b"<!doctype", b"<iframe", b"<?php", b"<body", b"<object", b"<embed", b"javascript:")
# What Pillow raises for broken files, beside its own errors, which are OSErrors.
_BROKEN = (OSError, SyntaxError, ValueError, EOFError, LookupError, TypeError, OverflowError, struct.error)


class Stored(NamedTuple):
    """The bytes to keep under ``name`` (``<sha256>.<extension>``) and the size in pixels as shown."""

    name: str
    data: bytes
    width: int
    height: int


class QuestionPicture(NamedTuple):
    """A picture to ask with: the SHA-256 of its ``content``, a PNG or JPEG, and its size in pixels as shown."""

    sha256: str
    content: bytes
    width: int
    height: int

    @property
    def name(self) -> str:
        """Under which it is kept."""
        return f"{self.sha256}.{'jpg' if self.content.startswith(JPEG) else 'png'}"


def stored(source: bytes | Path) -> Stored:
    """What to store of a picture: the original bytes when harmless, otherwise the picture written anew.

    It is written anew when its EXIF orientation turns it, when its colours are not 8-bit grey or RGB, when browsers do
    not show its format, or when the file holds something besides the picture. An SVG is always sanitised. The extension
    is that of the real type. Raises PictureError if it is broken, too large or not a picture.
    """
    data = _bytes(source)
    if svg.is_svg(data):
        clean, width, height = svg.sanitise(data)
        return Stored(_name(clean, "svg"), clean, width, height)
    with _opened(data) as picture:
        extension = _SHOWN.get(picture.format or "", "png")
        if _harmless(picture, data):
            return Stored(_name(data, extension), data, *picture.size)
        data, size = _rewritten(picture, extension)
    return Stored(_name(data, extension), data, *size)


def decode(source: bytes | Path) -> Image.Image:
    """The first frame, upright, in mode RGB on white where it is transparent.

    Raises PictureError if it is broken, too large, not a picture, or an SVG (which has no pixels).
    """
    data = _bytes(source)
    if svg.is_svg(data):
        raise PictureError("an SVG has no pixels to decode; export it as PNG")
    with _opened(data) as picture:
        return _flat(_eight_bit(_upright(picture)))


def thumbnail(source: bytes | Path, side: int = 320) -> bytes:
    """A WebP of at most ``side`` by ``side`` pixels. Raises PictureError like :func:`decode`."""
    picture = decode(source)
    picture.thumbnail((side, side))
    out = io.BytesIO()
    picture.save(out, "WEBP", quality=80)
    return out.getvalue()


def fitted(content: bytes, longest: int = 1024, max_bytes: int = 1_000_000) -> bytes:
    """A PNG or JPEG to send to a vision model: upright, its longer side at most ``longest`` pixels, no metadata.

    What came as JPEG stays one; other pictures are PNG, in which small writing stays sharp, unless that is larger than
    ``max_bytes``. Raises PictureError like :func:`decode`, or where it cannot be made as small as ``max_bytes``.
    """
    picture = decode(content)
    picture.thumbnail((longest, longest), Image.Resampling.LANCZOS)
    if not content.startswith(JPEG) and len(png := _encoded(picture, "PNG")) <= max_bytes:
        return png
    for quality in (90, 75, 50):
        if len(jpeg := _encoded(picture, "JPEG", quality=quality)) <= max_bytes:
            return jpeg
    if max(picture.size) == 1:
        raise PictureError(f"the picture cannot be made as small as {max_bytes} bytes; leave it out")
    return fitted(content, max(picture.size) // 2, max_bytes)


def question_picture(content: bytes) -> QuestionPicture:
    """A picture that comes with a question, made ready to be kept, read and shown.

    Of an animation the first frame; upright; RGB; at most 4096 pixels long and 8 MB large; no metadata, such as where
    a photo was taken. Raises PictureError where the content is too large, broken, or no picture that has pixels.
    """
    if len(content) > MAX_BYTES:
        raise PictureError(f"the picture is larger than {MAX_BYTES // 1_000_000} MB; make it smaller")
    return kept_picture(fitted(content, longest=4096, max_bytes=8_000_000))


def kept_picture(content: bytes) -> QuestionPicture:
    """A picture that was made ready before; raises PictureError where it is broken meanwhile."""
    with _opened(content) as picture:
        return QuestionPicture(hashlib.sha256(content).hexdigest(), content, *picture.size)


def fingerprint(source: bytes | Path | Image.Image) -> int:
    """A 64-bit difference hash: near-duplicates differ in a few bits (see :func:`distance`).

    Krawetz' dHash: 9 x 8 grey pixels, one bit for each that is darker than its right neighbour.
    """
    picture = source if isinstance(source, Image.Image) else decode(source)
    grey = picture.convert("L").resize((9, 8), Image.Resampling.LANCZOS).tobytes()
    bits = 0
    for row in range(8):
        for column in range(8):
            at = row * 9 + column
            bits = bits << 1 | (grey[at] < grey[at + 1])
    return bits


def distance(one: int, other: int) -> int:
    """In how many of their 64 bits two fingerprints differ; up to about 5 they show the same."""
    return (one ^ other).bit_count()


def _name(data: bytes, extension: str) -> str:
    return f"{hashlib.sha256(data).hexdigest()}.{extension}"


def _bytes(source: bytes | Path) -> bytes:
    if isinstance(source, bytes):
        return source
    try:
        if source.stat().st_size > MAX_BYTES:
            raise PictureError(f"{source.name}: larger than {MAX_BYTES // 1_000_000} MB; make the picture smaller")
        return source.read_bytes()
    except OSError as error:
        raise PictureError(f"{source.name}: cannot be read ({error.strerror}); check the file") from None


@contextmanager
def _opened(source: bytes | Path) -> Iterator[Image.Image]:
    """The picture, its header read and its size within the limits; every fault inside becomes a PictureError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # our own limit follows
            picture = Image.open(io.BytesIO(source) if isinstance(source, bytes) else source, formats=_FORMATS)
        with picture:
            width, height = picture.size
            if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE:
                raise PictureError(f"the picture is too large ({width} x {height} pixels); make it smaller")
            yield picture
    except Image.DecompressionBombError:
        raise PictureError("the picture is too large (its header declares too many pixels); make it smaller") from None
    except UnidentifiedImageError:
        raise PictureError("not a picture of a known kind; save it as PNG or JPEG") from None
    except _BROKEN as error:
        raise PictureError(f"the picture is broken ({error}); save it again") from None


def _harmless(picture: Image.Image, data: bytes) -> bool:
    ordinary = picture.format in _SHOWN and picture.mode in ("1", "L", "LA", "P", "PA", "RGB", "RGBA")
    alone = _ends_well(picture.format or "", data) and not _holds_markup(data)
    return ordinary and alone and _orientation(picture) == 1


def _holds_markup(data: bytes) -> bool:
    lower = data.lower()
    return any(mark in lower for mark in _MARKUP)


def _ends_well(kind: str, data: bytes) -> bool:
    if kind == "WEBP":
        return len(data) <= int.from_bytes(data[4:8], "little") + 9  # RIFF: 8 bytes, the size, perhaps one of padding
    return data.rstrip(b"\0\r\n").endswith(_ENDS.get(kind, b""))


def _orientation(picture: Image.Image) -> int:
    if picture.format == "PNG" and "exif" not in picture.info:
        return 1  # asking on would decode the whole picture, to look for it behind the pixels
    return int(picture.getexif().get(0x0112, 1) or 1)


def _upright(picture: Image.Image) -> Image.Image:
    picture.seek(0)
    return ImageOps.exif_transpose(picture)


def _eight_bit(picture: Image.Image) -> Image.Image:
    """Grey, RGB or RGBA with 8 bits a channel; deeper grey is scaled, not clipped."""
    if picture.mode.startswith(("I", "F")):
        values = picture.convert("F")
        bright = max(float(edge) for edge in values.getextrema() if isinstance(edge, (int, float)))
        scale = 255 / (65535 if picture.mode != "F" and bright <= 65535 else max(bright, 1e-9))
        return values.point(lambda value: value * scale + 0).convert("L")
    if picture.mode in ("L", "RGB", "RGBA"):
        return picture
    return picture.convert("RGBA" if picture.has_transparency_data else "RGB")


def _flat(picture: Image.Image) -> Image.Image:
    if picture.mode != "RGBA":
        return picture.convert("RGB")
    ground = Image.new("RGB", picture.size, "white")
    ground.paste(picture, mask=picture.getchannel("A"))
    return ground


def _rewritten(picture: Image.Image, extension: str) -> tuple[bytes, tuple[int, int]]:
    """The picture's pixels alone, written anew; an animation keeps its frames if they are within the limits."""
    out = io.BytesIO()
    frames = getattr(picture, "n_frames", 1) if extension in ("gif", "webp") else 1
    if 1 < frames <= MAX_FRAMES and frames * picture.width * picture.height <= _MAX_FRAME_PIXELS:
        size = picture.size
        first, *rest = [frame.convert("RGBA") for frame in ImageSequence.Iterator(picture)]
        timing = {"duration": picture.info.get("duration", 100), "loop": picture.info.get("loop", 0)}
        first.save(out, extension.upper(), save_all=True, append_images=rest, **timing)
        return out.getvalue(), size
    upright = _eight_bit(_upright(picture))
    if extension == "jpg":
        _bare(_flat(upright)).save(out, "JPEG", quality=92)
    else:
        _bare(upright).save(out, extension.upper(), **({"lossless": True} if extension == "webp" else {}))
    return out.getvalue(), upright.size


def _encoded(picture: Image.Image, kind: str, **options: int) -> bytes:
    out = io.BytesIO()
    _bare(picture).save(out, kind, **options)
    return out.getvalue()


def _bare(picture: Image.Image) -> Image.Image:
    """A copy without comments and other metadata, which Pillow would write again."""
    copy = Image.new(picture.mode, picture.size)
    copy.paste(picture)
    return copy
