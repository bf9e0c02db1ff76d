"""Pictures from strangers: told by content, refused when too large, stored upright and without anything active."""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from showtell import pictures
from showtell.errors import PictureError


def encoded(picture: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def gradient(width: int = 160, height: int = 120) -> Image.Image:
    return Image.linear_gradient("L").resize((width, height)).convert("RGB")


@pytest.mark.parametrize(
    ("kind", "extension"),
    [("PNG", "png"), ("JPEG", "jpg"), ("GIF", "gif"), ("WEBP", "webp"), ("BMP", "png"), ("TIFF", "png")],
)
def test_the_extension_is_that_of_the_real_type(kind: str, extension: str, tmp_path: Path) -> None:
    path = tmp_path / "picture.txt"
    path.write_bytes(encoded(gradient(), kind))
    stored = pictures.stored(path)
    assert stored.name.endswith(f".{extension}")
    assert (stored.width, stored.height) == (160, 120)
    assert (stored.data == path.read_bytes()) == (kind not in ("BMP", "TIFF"))


def test_orientation_is_applied(tmp_path: Path) -> None:
    picture = Image.new("RGB", (200, 100), "blue")
    picture.paste("red", (0, 0, 20, 100))
    exif = Image.Exif()
    exif[0x0112] = 6  # the left edge is the top
    stored = pictures.stored(encoded(picture, "JPEG", exif=exif))
    assert (stored.width, stored.height) == (100, 200)
    upright = Image.open(io.BytesIO(stored.data))
    top = upright.convert("RGB").getpixel((50, 5))
    assert isinstance(top, tuple)
    assert top[0] > 200 > 60 > top[2]
    assert upright.getexif().get(0x0112, 1) == 1


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_what_stands_behind_a_picture_is_cut_off(kind: str) -> None:
    stored = pictures.stored(encoded(gradient(), kind) + b"<html><script>alert(1)</script></html>")
    assert b"script" not in stored.data
    assert Image.open(io.BytesIO(stored.data)).size == (160, 120)


def test_markup_in_a_comment_is_not_stored() -> None:
    stored = pictures.stored(encoded(gradient(), "GIF", comment=b"<script>alert(1)</script>"))
    assert b"script" not in stored.data
    stored = pictures.stored(encoded(gradient(), "JPEG", comment=b"<script>alert(1)</script>"))
    assert b"script" not in stored.data


def test_an_animation_keeps_its_frames_when_written_anew() -> None:
    frames = [Image.new("RGB", (60, 40), colour) for colour in ("red", "green", "blue")]
    animation = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=80)
    assert getattr(Image.open(io.BytesIO(pictures.stored(animation + b"<html>x").data)), "n_frames", 1) == 3
    assert pictures.decode(animation).getpixel((5, 5)) == (255, 0, 0)


def test_cmyk_is_not_inverted_and_deep_grey_not_clipped() -> None:
    cmyk = pictures.decode(pictures.stored(encoded(Image.new("CMYK", (40, 40), (0, 255, 255, 0)), "JPEG")).data)
    red = cmyk.getpixel((20, 20))
    assert isinstance(red, tuple)
    assert red[0] > 200 > 60 > max(red[1:])
    deep = Image.new("I;16", (40, 40), 32768)
    grey = Image.open(io.BytesIO(pictures.stored(encoded(deep, "PNG")).data)).convert("RGB").getpixel((1, 1))
    assert grey == pytest.approx((128, 128, 128), abs=2)


def test_transparency_is_shown_on_white() -> None:
    assert pictures.decode(encoded(Image.new("RGBA", (40, 40), (0, 0, 0, 0)), "PNG")).getpixel((1, 1)) == (
        255,
        255,
        255,
    )


@pytest.mark.parametrize(("width", "height"), [(60_000, 60_000), (41_000, 10), (11_000, 11_000)])
def test_a_huge_picture_is_refused_by_its_header(width: int, height: int) -> None:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    with pytest.raises(PictureError, match="too large"):
        pictures.stored(bomb)


@pytest.mark.parametrize(
    "data", [b"", b"hello", b"%PDF-1.4", b"%!PS-Adobe-3.0 EPSF-3.0\n", encoded(gradient(), "PNG")[:200]]
)
def test_what_is_no_whole_picture_is_an_error(data: bytes) -> None:
    with pytest.raises(PictureError):
        pictures.stored(data)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match="cannot be read"):
        pictures.stored(tmp_path / "gone.png")


def test_near_duplicates_have_near_fingerprints() -> None:
    picture = gradient()
    same = pictures.decode(encoded(picture.resize((320, 240)), "JPEG", quality=60))
    other = picture.rotate(180)
    one = pictures.fingerprint(picture)
    assert pictures.distance(one, pictures.fingerprint(same)) <= 5
    checks = Image.new("RGB", (160, 120))
    checks.paste("white", (0, 0, 80, 60))
    checks.paste("white", (80, 60, 160, 120))
    assert pictures.distance(pictures.fingerprint(checks), pictures.fingerprint(other)) > 5
    assert 0 <= one < 2**64


def test_thumbnails_fit_their_side() -> None:
    assert Image.open(io.BytesIO(pictures.thumbnail(encoded(gradient(), "PNG"), 80))).size == (80, 60)


# ------------------------------------------------------------------------------------------------------------------ SVG
SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {}>{}</svg>'


@pytest.mark.parametrize(
    ("kind", "modes"),
    [
        ("PNG", "1 L LA P RGB RGBA I;16"),
        ("JPEG", "1 L RGB CMYK YCbCr"),
        ("GIF", "L P RGB RGBA"),
        ("WEBP", "L RGB RGBA"),
        ("TIFF", "1 L LA P RGB RGBA CMYK YCbCr"),
    ],
)
def test_any_picture_is_fitted_for_a_model(kind: str, modes: str) -> None:
    for mode in modes.split():
        picture = gradient(1000, 500).convert("L")
        deep = picture.convert("I").point(lambda value: value * 257).convert("I;16")
        content = encoded(deep if mode == "I;16" else picture.convert(mode), kind)
        fitted = Image.open(io.BytesIO(pictures.fitted(content, longest=500)))
        assert (fitted.format, fitted.mode, fitted.size) == ("JPEG" if kind == "JPEG" else "PNG", "RGB", (500, 250))
        dark, bright = (sum(fitted.convert("L").crop((0, y, 500, y + 10)).tobytes()) / 5000 for y in (0, 240))
        assert dark < 30 < 225 < bright, mode


def test_a_fitted_picture_is_upright_and_tells_nothing_of_its_maker() -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = 6, "Maker"
    content = pictures.fitted(encoded(gradient(2000, 1000), "JPEG", exif=exif))
    assert Image.open(io.BytesIO(content)).size == (512, 1024)
    assert b"Maker" not in content


def test_a_small_picture_is_not_enlarged_and_a_thin_one_not_lost() -> None:
    for size, shown in {(3, 2): (3, 2), (30_000, 4): (1024, 1)}.items():
        assert Image.open(io.BytesIO(pictures.fitted(encoded(gradient(*size), "PNG")))).size == shown


def test_the_first_frame_of_an_animation_is_fitted() -> None:
    frames = [Image.new("RGB", (60, 40), colour) for colour in ("red", "blue")]
    fitted = Image.open(io.BytesIO(pictures.fitted(encoded(frames[0], "GIF", save_all=True, append_images=frames[1:]))))
    assert fitted.getpixel((5, 5)) == (255, 0, 0)


@pytest.mark.parametrize("max_bytes", [200_000, 20_000, 1_000])
def test_a_fitted_picture_is_within_its_bytes(max_bytes: int) -> None:
    noise = Image.effect_noise((800, 600), 90)
    fitted = pictures.fitted(encoded(noise, "PNG"), max_bytes=max_bytes)
    assert len(fitted) <= max_bytes
    assert Image.open(io.BytesIO(fitted)).format == "JPEG"


@pytest.mark.parametrize("content", [b"", b"no picture", encoded(gradient(), "JPEG")[:900], b"<svg xmlns='x'/>"])
def test_what_cannot_be_fitted_is_an_error(content: bytes) -> None:
    with pytest.raises(PictureError):
        pictures.fitted(content)
    with pytest.raises(PictureError, match="as small as 10 bytes"):
        pictures.fitted(encoded(gradient(), "PNG"), max_bytes=10)


@pytest.mark.parametrize(
    ("inside", "gone"),
    [
        ("<script>alert(1)</script>", b"alert"),
        ('<rect onclick="alert(1)"/>', b"alert"),
        ('<a xlink:href="javascript:alert(1)"><text>word</text></a>', b"alert"),
        ('<image href="https://e.test/a.png"/>', b"e.test"),
        ('<image href="data:image/svg+xml;base64,AAAA"/>', b"svg+xml"),
        ('<use href="other.svg#a"/>', b"other"),
        ("<foreignObject><div>html</div></foreignObject>", b"html"),
        ("<style>@import url(https://e.test/a.css); rect{fill:red}</style>", b"e.test"),
        ('<rect style="fill:url(https://e.test/a)"/>', b"e.test"),
        ('<rect style="fill:\\75rl(https://e.test/a)"/>', b"e.test"),
        ('<rect fill="url(//e.test/a)"/>', b"e.test"),
        ('<animate attributeName="href" to="javascript:alert(1)"/>', b"alert"),
        ("<style>rect{background:image-set('https://e.test/a.png' 1x)}</style>", b"e.test"),
    ],
)
def test_nothing_active_or_foreign_stays_in_an_svg(inside: str, gone: bytes) -> None:
    stored = pictures.stored(SVG.format("width='90' height='50'", inside + "<circle r='4'/>").encode())
    assert gone not in stored.data
    assert b"<circle" in stored.data
    assert (stored.name[-4:], stored.width, stored.height) == (".svg", 90, 50)
    assert pictures.stored(stored.data).data == stored.data


def test_what_a_drawing_needs_stays() -> None:
    drawing = SVG.format(
        'viewBox="0 0 40 20"',
        "<style>.a{fill:url(#g)}</style><defs><linearGradient id='g'/></defs>"
        "<rect class='a' fill='url(#g)'/><use xlink:href='#r'/><text>a &lt; b</text>",
    )
    data = pictures.stored(drawing.encode()).data
    for kept in (b".a{fill:url(#g)}", b'fill="url(#g)"', b'href="#r"', b"a &lt; b", b'viewBox="0 0 40 20"'):
        assert kept in data


@pytest.mark.parametrize(
    ("attributes", "size"),
    [
        ("width='2in' height='1in'", (192, 96)),
        ("viewBox='0 0 40 20'", (40, 20)),
        ("width='80' viewBox='0 0 40 20'", (80, 40)),
        ("width='100%' viewBox='0,0,40,20'", (40, 20)),
        ("", (300, 150)),
    ],
)
def test_the_size_of_a_drawing(attributes: str, size: tuple[int, int]) -> None:
    stored = pictures.stored(SVG.format(attributes, "").encode())
    assert (stored.width, stored.height) == size


@pytest.mark.parametrize(
    "data",
    [
        b'<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg">&b;</svg>',
        b'<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg">&x;</svg>',
        b"<svg><g></svg>",
        b"<svg" + b"><g" * 100_000 + b">",
        b'<?xml version="1.0" encoding="nonsense"?><svg/>',
    ],
)
def test_hostile_or_broken_drawings_are_refused(data: bytes) -> None:
    with pytest.raises(PictureError):
        pictures.stored(data)


def test_a_question_picture_is_upright_rgb_and_without_metadata() -> None:
    picture = Image.new("RGB", (200, 100), "blue")
    picture.paste("red", (0, 0, 20, 100))
    exif = Image.Exif()
    exif[0x0112] = 6  # the left edge is the top
    exif[0x010E] = "taken at home"
    asked = pictures.question_picture(encoded(picture, "JPEG", exif=exif))
    assert (asked.width, asked.height) == (100, 200)
    assert asked.sha256 == hashlib.sha256(asked.content).hexdigest()
    upright = Image.open(io.BytesIO(asked.content))
    assert (upright.format, upright.mode, upright.size, len(upright.getexif())) == ("JPEG", "RGB", (100, 200), 0)
    top = upright.getpixel((50, 5))
    assert isinstance(top, tuple)
    assert top[0] > 200 > 60 > top[2]


def test_a_question_picture_is_the_first_frame() -> None:
    frames = [Image.new("RGB", (40, 40), colour) for colour in ("red", "green", "blue")]
    asked = pictures.question_picture(encoded(frames[0], "GIF", save_all=True, append_images=frames[1:]))
    shown = Image.open(io.BytesIO(asked.content))
    assert (shown.format, getattr(shown, "n_frames", 1)) == ("PNG", 1)
    assert shown.getpixel((5, 5)) == (255, 0, 0)


def test_a_question_picture_in_print_colours_becomes_rgb() -> None:
    asked = pictures.question_picture(encoded(Image.new("CMYK", (40, 40), (0, 255, 255, 0)), "JPEG"))
    shown = Image.open(io.BytesIO(asked.content))
    assert shown.mode == "RGB"
    red, green, blue = shown.getpixel((5, 5))  # type: ignore[misc]
    assert red > 200 > 90 > max(green, blue)


def test_a_question_picture_is_bounded() -> None:
    asked = pictures.question_picture(encoded(gradient(9000, 300), "PNG"))
    assert (asked.width, asked.height) == (4096, 137)
    noise = Image.effect_noise((3000, 2500), 90).convert("RGB")
    asked = pictures.question_picture(encoded(noise, "PNG"))
    assert len(asked.content) <= 8_000_000
    assert (asked.width, asked.height) == (3000, 2500)


def test_what_cannot_be_asked_with_is_named_in_one_line() -> None:
    whole = encoded(gradient(), "PNG")
    huge = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    header = whole[:8] + struct.pack(">I", 13) + b"IHDR" + huge + struct.pack(">I", zlib.crc32(b"IHDR" + huge))
    cases = {
        b"": "not a picture",
        b"hello": "not a picture",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>": "SVG",
        whole[: len(whole) // 2]: "broken",
        header + whole[33:]: "too large",
        b"\0" * (pictures.MAX_BYTES + 1): "larger than 100 MB",
    }
    for content, told in cases.items():
        with pytest.raises(PictureError, match=told) as caught:
            pictures.question_picture(content)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"])
def test_a_question_picture_may_be_of_any_kind_and_keeps_its_hash(kind: str) -> None:
    content = encoded(gradient(), kind)
    one, other = pictures.question_picture(content), pictures.question_picture(content)
    assert one == other
    assert pictures.question_picture(one.content).width == 160
