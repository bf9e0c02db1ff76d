"""Words in pictures, read by RapidOCR with the weights in its wheel (PP-OCRv6, PaddleOCR's authors, Apache-2.0)."""

from __future__ import annotations

import importlib.util
import io
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from showtell.errors import MissingExtra, ModelError, PictureError
from showtell.models.base import ReadText, TextReader

THINNEST = 8  # pixels of a side below which nothing can be read
LONGEST = 3  # times its width that a picture is read whole
NARROW = 300  # pixels of the shorter side below which a long picture is taken for a line
MOST_PIXELS = 6000  # of a line
MOST_PIECES = 4  # of a long picture, each twice as long as wide
_WEIGHTS = {"Det": "*_det_*.onnx", "Cls": "*_cls_*.onnx", "Rec": "*_rec_*.onnx"}  # of its three steps


def load_reader(threads: int | None = None) -> TextReader:
    """The reader, with so many threads (None: as many as there are processors). It reads Chinese and Latin script.

    Raises MissingExtra when it is not installed, ModelError when its weights are not where they belong.
    """
    return RapidReader(require_rapidocr() / "models", threads)


def require_rapidocr() -> Path:
    """RapidOCR's folder. Raises MissingExtra when it is not installed."""
    found = importlib.util.find_spec("rapidocr")
    if found is None or found.origin is None:
        raise MissingExtra("reading words in pictures needs RapidOCR; install it with: pip install 'showtell[ocr]'")
    return Path(found.origin).parent


class RapidReader:
    """RapidOCR's three steps: find lines, turn those that stand on their heads, read them."""

    def __init__(self, weights: Path, threads: int | None = None) -> None:
        """The weights lie in this folder. Raises ModelError when they do not."""
        # Without a path RapidOCR fetches weights that it misses.
        chosen: dict[str, Any] = {f"{step}.model_path": _only(weights, like) for step, like in _WEIGHTS.items()}
        chosen |= {"Global.log_level": "critical", "EngineConfig.onnxruntime.intra_op_num_threads": threads or -1}
        from rapidocr import RapidOCR

        self._engine: Any = RapidOCR(params=chosen)
        self._lock = threading.Lock()  # a reading changes the engine's settings

    def read(self, content: bytes) -> list[ReadText]:
        """The lines of text in a PNG or JPEG, from top to bottom. Raises PictureError where it cannot be read.

        Of a picture far longer than wide, such as a scrolled page, only the beginning is read.
        """
        try:
            with Image.open(io.BytesIO(content), formats=["PNG", "JPEG"]) as picture:
                colours = np.asarray(picture.convert("RGB"))
        except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
            raise PictureError(f"no words can be read in the picture: it is broken ({error}); save it again") from None
        return [line for piece in _pieces(colours) for line in self._lines(piece)]

    def _lines(self, colours: NDArray[np.uint8]) -> list[ReadText]:
        try:
            with self._lock:
                found = self._engine(np.ascontiguousarray(colours[:, :, ::-1]))
        except Exception as error:  # it has errors of many kinds, of OpenCV and onnxruntime besides its own
            raise PictureError(f"no words can be read in the picture ({type(error).__name__}); crop it") from error
        lines = zip(found.txts or (), found.scores or (), strict=True)
        return [ReadText(text.strip(), float(confidence)) for text, confidence in lines if text.strip()]


def _pieces(colours: NDArray[np.uint8]) -> Iterator[NDArray[np.uint8]]:
    """The picture in pieces that are read in bounded time: RapidOCR scales the shorter side up to 736 pixels."""
    tall, wide = colours.shape[:2]
    short, long = sorted((tall, wide))
    if short < THINNEST:
        return
    if long <= LONGEST * short:
        yield colours
    elif short < NARROW:  # a line of text: with white beside it
        missing = long // LONGEST - short
        beside = ((0, missing), (0, 0), (0, 0)) if tall < wide else ((0, 0), (0, missing), (0, 0))
        yield np.pad(colours[:MOST_PIXELS, :MOST_PIXELS], beside, constant_values=255)
    else:
        for first in range(0, min(long, MOST_PIECES * 2 * short), 2 * short):
            yield colours[first : first + 2 * short] if tall > wide else colours[:, first : first + 2 * short]


def _only(folder: Path, like: str) -> str:
    files = sorted(folder.glob(like))
    if len(files) != 1:
        raise ModelError(f"there are {len(files)} files {like} in {folder}, not one; install rapidocr again")
    return str(files[0])
