"""What a picture looks like, in about 4 kB: finds the picture that a screenshot shows, scaled, cropped or recompressed.

Pictures of the same application look alike from afar, so this has two stages. From afar: how many edges run across and
along in the cells of several windows of the picture (its whole, its middle, halves, quarters), compared by cosine;
this finds candidates. Near: the edges of a small grey copy, laid over each other at the best place and scale.

Laying over is orientation correlation (Fitch, Kadyrov, Christmas and Kittler, BMVC 2002): gradients as complex
numbers whose length saturates, so that a shadow, a highlight or a bright dialog does not outweigh the rest.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from showtell.pictures import decode
from showtell.types import PictureHit

Floats = NDArray[np.float32]
Box = tuple[float, float, float, float]  # left, top, right, bottom, as shares of the picture

# From it on two pictures show the same. Screenshots of 206 pictures of help sites score 0.68 or more with their own,
# drawn and photographed strangers at most 0.49 with any (``python -m benchmarks.screenshots``, docs/LOG.md).
SAME = 0.55
SMALLEST = 32  # pixels of a side below which a picture is an icon, and like many others

_AREA = 16_384  # pixels of the grey copy, whatever its form
_LONGEST = 512
_CELLS = 6  # cells of a window, across and along
_WEAK = 2.0  # grey levels a pixel at which a gradient is half as long as the steepest
_LITTLE = 10.0  # sum of squared gradients that makes nothing of pictures that hold hardly more
_CANDIDATES, _FINALISTS = 12, 5
_BEHIND = 0.25  # by how much a finalist may be behind the best candidate
_STRETCH = 1.25  # by how much the form of two windows that may show the same differs
_COARSE = (0.88, 0.92, 0.96, 1.0, 1.04, 1.08, 1.13)
_FINE = (0.98, 0.99, 1.0, 1.01, 1.02)


def _grid(side: float) -> list[Box]:
    """Nine windows of this side, at the corners, edges and middle."""
    starts = (0.0, (1 - side) / 2, 1 - side)
    return [(left, top, left + side, top + side) for left in starts for top in starts]


_WHOLE: Box = (0.0, 0.0, 1.0, 1.0)
_HALVES: list[Box] = [(0.0, 0.0, 0.5, 1.0), (0.5, 0.0, 1.0, 1.0), (0.0, 0.0, 1.0, 0.5), (0.0, 0.5, 1.0, 1.0)]
_STRIPS: list[Box] = [(0.0, 0.0, 0.75, 1.0), (0.25, 0.0, 1.0, 1.0), (0.0, 0.0, 1.0, 0.75), (0.0, 0.25, 1.0, 1.0)]
# What a stored picture may be asked for, and what a picture asked with may show of it.
_STORED = [_WHOLE, (0.05, 0.05, 0.95, 0.95), (0.1, 0.1, 0.9, 0.9), *_HALVES, *_grid(0.5)]
_ASKED = [_WHOLE, *_grid(0.9), *_grid(0.8), *_grid(0.7), *_STRIPS]


@dataclass(frozen=True, slots=True)
class Likeness:
    """``windows`` are the rows of ``(16, 72)`` int8; ``copy`` is a grey JPEG of ``width`` by ``height`` pixels."""

    width: int
    height: int
    windows: bytes
    copy: bytes


def likeness(content: bytes) -> Likeness | None:
    """What to keep of a picture to find it again, or None of an icon or of one that shows nothing.

    Raises PictureError like :func:`showtell.pictures.decode`.
    """
    grey = decode(content).convert("L")
    if min(grey.size) < SMALLEST:
        return None
    copy = _sized(grey, _AREA)
    if _energy(_field(copy)).sum() < _LITTLE:
        return None
    rows = _windows(copy, _STORED)
    longest = np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-9)
    jpeg = io.BytesIO()
    copy.save(jpeg, "JPEG", quality=80)
    return Likeness(*copy.size, np.rint(rows * (127 / longest)).astype(np.int8).tobytes(), jpeg.getvalue())


class Gallery:
    """Pictures among which the ones like a given picture are found."""

    def __init__(
        self,
        assets: Sequence[str],
        sizes: Iterable[tuple[int, int]],
        windows: bytes,
        copy: Callable[[str], bytes | None],
    ) -> None:
        """The parts of their :class:`Likeness`, those of all joined; ``copy`` gives the one of an asset when needed,
        None where it is gone meanwhile.
        """
        self._assets = assets
        self._copy = copy
        self._sizes = np.array(list(sizes), dtype=np.float32).reshape(-1, 2)
        rows = np.frombuffer(windows, dtype=np.int8).astype(np.float32).reshape(-1, 2 * _CELLS**2)
        self._rows = _normed(rows)

    def nearest(self, content: bytes, limit: int = 5) -> list[PictureHit]:
        """The pictures most like this one, the best first; few have a score, and none where it shows nothing.

        A picture may show a part of a stored one, down to about half, or hold it with little around it.
        Raises PictureError where the content is no picture.
        """
        asked = _sized(decode(content).convert("L"), 4 * _AREA)
        if not self._assets or min(asked.size) < SMALLEST // 2 or _energy(_field(asked)).sum() < _LITTLE:
            return []
        found = []
        for number, scale in self._candidates(asked):
            jpeg = self._copy(self._assets[number])
            if jpeg is None:
                continue
            with Image.open(io.BytesIO(jpeg)) as picture:
                copy = picture.convert("L")
            half = _scaled(copy, 0.5)
            score, factor = _laid_over(half, asked, [scale * 0.5 * step for step in _COARSE])
            found.append((score, number, factor * 2, copy))
        found.sort(key=lambda each: (-each[0], each[1]))
        scored = [
            PictureHit(self._assets[number], min(1.0, _laid_over(copy, asked, [scale * step for step in _FINE])[0]))
            for score, number, scale, copy in found[: max(limit, _FINALISTS)]
            if score > found[0][0] - _BEHIND
        ]
        return sorted(scored, key=lambda each: (-each.score, each.asset))[:limit]

    def _candidates(self, asked: Image.Image) -> list[tuple[int, float]]:
        """The pictures most like it from afar, each with the scale at which it is to be laid over its copy."""
        stored, shown = _extents(_STORED), _extents(_ASKED)
        pixels = self._sizes[:, None] * stored  # of each window of each copy
        form = (pixels[..., 0] / pixels[..., 1])[..., None] / (asked.width / asked.height * shown[:, 0] / shown[:, 1])
        cosines = (self._rows @ _windows(asked, _ASKED).T).reshape(form.shape)
        cosines[np.abs(np.log(form)) > math.log(_STRETCH)] = -1
        flat = cosines.reshape(len(self._assets), -1)
        best = flat.argmax(axis=1)
        score = flat[np.arange(len(best)), best]
        order = [int(number) for number in np.argsort(-score, kind="stable")[:_CANDIDATES] if score[number] > 0]
        found = []
        for number in order:
            window, part = divmod(int(best[number]), len(_ASKED))
            width, height = pixels[number, window] / (shown[part] * asked.size)
            found.append((number, math.sqrt(width * height)))
        return found


def _extents(boxes: Sequence[Box]) -> Floats:
    return np.array([(right - left, bottom - top) for left, top, right, bottom in boxes], dtype=np.float32)


def _sized(grey: Image.Image, area: int) -> Image.Image:
    """Made smaller to about ``area`` pixels, its form kept."""
    scale = min(1.0, math.sqrt(area / (grey.width * grey.height)), _LONGEST * math.sqrt(area / _AREA) / max(grey.size))
    return _scaled(grey, scale)


def _scaled(grey: Image.Image, scale: float) -> Image.Image:
    size = max(4, round(grey.width * scale)), max(4, round(grey.height * scale))
    return grey if size == grey.size else grey.resize(size, Image.Resampling.BILINEAR, reducing_gap=3.0)


def _windows(grey: Image.Image, boxes: Sequence[Box]) -> Floats:
    """How many edges run across and along in the cells of each window: ``(len(boxes), 72)``, rows of length 1."""
    small = _sized(grey, _AREA)
    parts = []
    for slope in np.gradient(np.asarray(small, dtype=np.float32)):
        steep = Image.fromarray(np.abs(slope) / (np.abs(slope) + _WEAK))
        cells = [
            np.asarray(steep.resize((_CELLS, _CELLS), Image.Resampling.BOX, box=_pixels(box, small))).ravel()
            for box in boxes
        ]
        rows = np.array(cells, dtype=np.float32)
        parts.append(rows - rows.mean(axis=1, keepdims=True))
    joined = np.concatenate(parts, axis=1)
    return _normed(joined)


def _normed(rows: Floats) -> Floats:
    normed: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return normed


def _pixels(box: Box, picture: Image.Image) -> Box:
    left, top, right, bottom = box
    return left * picture.width, top * picture.height, right * picture.width, bottom * picture.height


def _laid_over(copy: Image.Image, asked: Image.Image, scales: Sequence[float]) -> tuple[float, float]:
    """The best score of ``asked``, at one of these scales, anywhere over ``copy``, and that scale.

    The score is the normalised correlation. Of the one that lies within the other, or nearly so, all counts, also what
    sticks out.
    """
    field, most = _field(copy), max(scales)
    shape = (
        _fast(copy.height + max(4, math.ceil(asked.height * most))),
        _fast(copy.width + max(4, math.ceil(asked.width * most))),
    )
    energy = _energy(field)
    spectrum = np.fft.fft2(field, shape)
    of_energy, of_area = np.fft.rfft2(energy, shape), np.fft.rfft2(np.ones_like(energy), shape)

    def score(scale: float) -> float:
        other = _field(_scaled(asked, scale))
        own = _energy(other)
        product = np.fft.ifft2(spectrum * np.fft.fft2(other, shape).conj()).real
        met = np.fft.irfft2(of_energy * np.fft.rfft2(np.ones_like(own), shape).conj(), shape) * own.sum()
        held = np.fft.irfft2(of_area * np.fft.rfft2(own, shape).conj(), shape) * energy.sum()
        return float((product / (np.sqrt(np.maximum(np.minimum(met, held), 0)) + _LITTLE)).max())

    return max((score(scale), scale) for scale in scales)


def _field(grey: Image.Image) -> NDArray[np.complex64]:
    """The gradient of each pixel, slightly smoothed, as a complex number shorter than 1."""
    down, right = np.gradient(_smooth(np.asarray(grey, dtype=np.float32)))
    slope = (right + 1j * down).astype(np.complex64)
    shortened: NDArray[np.complex64] = slope / (np.abs(slope) + np.float32(_WEAK))
    return shortened


def _smooth(values: Floats) -> Floats:
    """Each pixel mixed with its neighbours, by 1-2-1 in both directions."""
    wide = np.pad(values, 1, mode="edge")
    tall = wide[:, :-2] + 2 * wide[:, 1:-1] + wide[:, 2:]
    mixed: Floats = (tall[:-2] + 2 * tall[1:-1] + tall[2:]) / np.float32(16)
    return mixed


def _energy(field: NDArray[np.complex64]) -> Floats:
    return field.real**2 + field.imag**2


def _fast(length: int) -> int:
    """The next length whose only prime factors are 2, 3 and 5, for which a Fourier transform is quick."""
    rest = length
    for prime in (2, 3, 5):
        while rest % prime == 0:
            rest //= prime
    return length if rest == 1 else _fast(length + 1)
