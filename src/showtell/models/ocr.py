"""Words in pictures, read by RapidOCR with the weights in its wheel (PP-OCRv6, PaddleOCR's authors, Apache-2.0)."""

from __future__ import annotations

import importlib.util
import io
import threading
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, UnidentifiedImageError

from showtell.errors import MissingExtra, ModelError, PictureError
from showtell.models.base import ReadText, TextReader

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
        """The lines of text in a PNG or JPEG, from top to bottom. Raises PictureError where it cannot be decoded."""
        try:
            with Image.open(io.BytesIO(content), formats=["PNG", "JPEG"]) as picture:
                colours = np.asarray(picture.convert("RGB"))
        except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
            raise PictureError(f"no words can be read in the picture: it is broken ({error}); save it again") from None
        with self._lock:
            found = self._engine(np.ascontiguousarray(colours[:, :, ::-1]))
        lines = zip(found.txts or (), found.scores or (), strict=True)
        return [ReadText(text.strip(), float(confidence)) for text, confidence in lines if text.strip()]


def _only(folder: Path, like: str) -> str:
    files = sorted(folder.glob(like))
    if len(files) != 1:
        raise ModelError(f"there are {len(files)} files {like} in {folder}, not one; install rapidocr again")
    return str(files[0])
