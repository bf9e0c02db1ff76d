"""Words in pictures are read, and what is missing for that is named."""

from __future__ import annotations

import io
import logging
import shutil
import sys
import time
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from showtell.errors import MissingExtra, ModelError, PictureError
from showtell.models.base import TextReader
from showtell.models.ocr import RapidReader, load_reader
from showtell.pictures import question_picture


def encoded(picture: Image.Image, kind: str = "PNG") -> bytes:
    out = io.BytesIO()
    picture.save(out, kind)
    return out.getvalue()


def dialog() -> Image.Image:
    """An error as a program shows it."""
    picture = Image.new("RGB", (640, 240), "#f4f4f4")
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(20)
    draw.rectangle((0, 0, 640, 36), fill="#223344")
    draw.text((12, 6), "Backup failed", fill="white", font=font)
    draw.text((40, 80), "The disk is full. Error code 0x80070070", fill="black", font=font)
    draw.text((40, 120), "Free some space and try again.", fill="black", font=font)
    draw.rounded_rectangle((480, 180, 600, 220), 8, fill="#1473e6")
    draw.text((512, 188), "Retry", fill="white", font=font)
    return picture


@pytest.fixture(scope="module")
def reader() -> TextReader:
    return load_reader(threads=1)


def test_the_words_of_an_error_dialog_come_out_in_order(reader: TextReader, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        lines = reader.read(encoded(dialog()))
    assert [line.text for line in lines] == [
        "Backup failed",
        "The disk is full. Error code 0x80070070",
        "Free some space and try again.",
        "Retry",
    ]
    assert all(0.9 < line.confidence <= 1 for line in lines)
    assert "Backup" not in caplog.text


def test_a_photo_that_lies_on_its_side_is_read_upright(reader: TextReader) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    out = io.BytesIO()
    dialog().transpose(Image.Transpose.ROTATE_90).save(out, "JPEG", quality=85, exif=exif)
    lines = reader.read(question_picture(out.getvalue()).content)
    assert "Backup failed" in [line.text for line in lines]


def test_grey_transparent_and_tiny_pictures_can_be_read(reader: TextReader) -> None:
    assert "Retry" in [line.text for line in reader.read(encoded(dialog().convert("L")))]
    assert "Retry" in [line.text for line in reader.read(encoded(dialog().convert("RGBA")))]
    assert reader.read(encoded(Image.new("RGB", (1, 1)))) == []
    assert reader.read(encoded(Image.new("RGB", (300, 200), "white"))) == []


def test_what_is_no_picture_is_an_error(reader: TextReader) -> None:
    whole = encoded(dialog())
    for content in (b"", b"words", whole[: len(whole) // 2]):
        with pytest.raises(PictureError, match="no words can be read"):
            reader.read(content)


def test_without_the_extra_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    with pytest.raises(MissingExtra, match=r"pip install 'showtell\[ocr\]'"):
        load_reader()


def test_weights_that_are_missing_are_not_fetched(tmp_path: Path) -> None:
    import rapidocr

    folder = Path(rapidocr.__file__).parent / "models"
    for path in folder.glob("*_cls_*.onnx"):
        shutil.copy(path, tmp_path)
    with pytest.raises(ModelError, match=r"0 files \*_det_\*\.onnx"):
        RapidReader(tmp_path)


@pytest.mark.parametrize("size", [(2000, 6), (30, 2000), (20, 20_000), (20_000, 20), (400, 12_000), (1, 1)])
def test_pictures_of_extreme_forms_are_read_in_bounded_time(reader: TextReader, size: tuple[int, int]) -> None:
    began = time.process_time()
    assert reader.read(encoded(Image.new("RGB", size, "white"))) == []
    assert time.process_time() - began < 30  # seconds; they took minutes and gigabytes before pictures were cut


def test_a_long_line_and_the_beginning_of_a_long_page_are_read(reader: TextReader) -> None:
    font = ImageFont.load_default(28)
    line, page = Image.new("RGB", (1400, 44), "white"), Image.new("RGB", (500, 3000), "white")
    words = "The water filter has to be changed before the next start of the machine today"
    ImageDraw.Draw(line).text((10, 4), words, fill="black", font=font)
    ImageDraw.Draw(page).text((20, 200), "Filter blocked", fill="black", font=font)
    ImageDraw.Draw(page).text((20, 1400), "Rinse it twice", fill="black", font=font)
    for picture, wanted in ((line, {"filter", "machine"}), (page, {"blocked", "Rinse"})):
        assert wanted <= set(" ".join(each.text for each in reader.read(encoded(picture))).split())
