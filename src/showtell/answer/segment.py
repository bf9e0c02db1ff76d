"""Which seconds of a video answer a question: the stretch of its transcript that fits best.

Each moment is scored by its cosine, smoothed twice, narrowly and widely, so that neither a lone sentence nor a vague
neighbourhood wins. From the peak, the segment is the run of moments whose scores above a threshold sum to most
(maximum-sum segment). Measured on ``benchmarks/lectures``; fixed windows reached 0.29 to 0.31 (``docs/LOG.md``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from showtell.types import Moment

NARROW, WIDE = 6.0, 15.0  # seconds, standard deviations of the two Gaussians
SHORT = 300.0  # seconds; in a video shorter than this both are narrower in proportion
RISE = 0.45  # share of the way from the median to the peak that a moment of the segment reaches
REACH = 60.0  # seconds from the peak within which a segment begins and ends
LONGEST = 90.0  # seconds

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Segment:
    """The seconds ``start`` to ``end`` of a video, and the moments in them."""

    start: float
    end: float
    moments: tuple[Moment, ...]


def best_segment(moments: Sequence[Moment]) -> Segment | None:
    """The segment that fits best; None without moments, or where none stands out."""
    if not moments:
        return None
    moments = sorted(moments, key=lambda m: (m.start + m.end, m.start))
    starts, ends = np.array([m.start for m in moments]), np.array([m.end for m in moments])
    raw = np.array([m.score for m in moments])
    scale = min(1.0, float(ends.max() - starts.min()) / SHORT)
    wide, narrow = (_standard(_smooth(raw, starts, ends, width * scale)) for width in (WIDE, NARROW))
    scores = wide + narrow
    peak = int(np.argmax(scores))
    threshold = np.median(scores) + RISE * (scores[peak] - np.median(scores))
    near = np.flatnonzero(np.abs(starts - starts[peak]) <= REACH)
    first, last = _densest((scores - threshold) * (ends - starts), starts, ends, near)
    return Segment(float(starts[first]), float(ends[last]), tuple(moments[first : last + 1]))


def _smooth(values: Scores, starts: Scores, ends: Scores, width: float) -> Scores:
    """Gaussian means over time, ``width`` seconds the standard deviation, each moment weighing by its length."""
    middles, lengths = (starts + ends) / 2, np.maximum(ends - starts, 0.1)
    low = np.searchsorted(middles, middles - 4 * width)
    high = np.searchsorted(middles, middles + 4 * width, side="right")
    smoothed = np.empty_like(values)
    for at, (first, last) in enumerate(zip(low, high, strict=True)):
        weights = np.exp(-0.5 * ((middles[first:last] - middles[at]) / width) ** 2) * lengths[first:last]
        smoothed[at] = weights @ values[first:last] / weights.sum()
    return smoothed


def _standard(values: Scores) -> Scores:
    spread = float(values.std())
    centred: Scores = values - values.mean()
    return centred / spread if spread > 1e-9 else centred


def _densest(gains: Scores, starts: Scores, ends: Scores, near: NDArray[np.intp]) -> tuple[int, int]:
    """First and last of the run of moments ``near`` the peak with the largest sum of gains, none over LONGEST."""
    best, found = -np.inf, (int(near[0]), int(near[0]))
    for at, first in enumerate(near):
        total = 0.0
        for last in near[at:]:
            if ends[last] - starts[first] > LONGEST and last > first:
                break
            total += float(gains[last])
            if total > best:
                best, found = total, (int(first), int(last))
    return found
