"""A small drawing board over Pillow: all is drawn four times too large and scaled down, so that edges are smooth.

Text is set in the font that Pillow itself carries (basic Latin and the degree sign), so that the same pictures come out
on every machine. Coordinates are logical pixels; a sheet of scale 2 has twice as many real ones.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

Point = tuple[float, float]

PAPER, PANEL = "#fbf6ec", "#f3e7d3"
INK, MUTED = "#3b2a20", "#8a7666"
STEEL, STEEL_DARK, STEEL_LIGHT = "#cfd4d6", "#98a3a8", "#eceff0"
COFFEE, COFFEE_DARK, CREMA = "#7a4f33", "#54331f", "#d49a55"
WATER, WATER_DARK = "#b5dbe8", "#3d8ba6"
RED, GREEN, WHITE, MILK = "#c8553d", "#4d8a5b", "#ffffff", "#fffaf0"
SMOOTH = 4


def curve(points: Sequence[Point], steps: int = 16) -> list[Point]:
    """A smooth line through ``points`` (Catmull-Rom)."""
    padded = [points[0], *points, points[-1]]
    line: list[Point] = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        for step in range(steps):
            t = step / steps
            line.append((_blend(a[0], b[0], c[0], d[0], t), _blend(a[1], b[1], c[1], d[1], t)))
    return [*line, points[-1]]


def _blend(a: float, b: float, c: float, d: float, t: float) -> float:
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t**3)


def arc(x: float, y: float, rx: float, ry: float, first: float, last: float, steps: int = 48) -> list[Point]:
    """Points of an ellipse from ``first`` to ``last`` degrees, clockwise from three o'clock."""
    angles = [math.radians(first + (last - first) * i / steps) for i in range(steps + 1)]
    return [(x + rx * math.cos(angle), y + ry * math.sin(angle)) for angle in angles]


def rotated(points: Sequence[Point], degrees: float, about: Point) -> list[Point]:
    """``points`` turned clockwise by ``degrees`` round ``about``."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    ox, oy = about
    return [(ox + (x - ox) * cos - (y - oy) * sin, oy + (x - ox) * sin + (y - oy) * cos) for x, y in points]


class Sheet:
    """One picture in the making."""

    def __init__(self, width: int, height: int, scale: int = 2, smooth: int = SMOOTH) -> None:
        self.width, self.height, self.scale = width, height, scale
        self._k = scale * smooth
        self._image = Image.new("RGB", (width * self._k, height * self._k), PAPER)
        self._draw = ImageDraw.Draw(self._image)

    def line(self, points: Sequence[Point], colour: str = INK, width: float = 3) -> None:
        """An open line with round ends and joints."""
        scaled = self._scaled(points)
        stroke = max(1, round(width * self._k))
        self._draw.line(scaled, fill=colour, width=stroke)
        r = stroke / 2
        for x, y in scaled:
            self._draw.ellipse((x - r, y - r, x + r, y + r), fill=colour)

    def shape(self, points: Sequence[Point], fill: str | None, outline: str | None = INK, width: float = 3) -> None:
        """A closed area, with an outline unless it is None."""
        if fill:
            self._draw.polygon(self._scaled(points), fill=fill)
        if outline:
            self.line([*points, points[0]], outline, width)

    def box(self, at: Point, size: Point, fill: str | None, outline: str | None = INK, radius: float = 8) -> None:
        """A rectangle with round corners, ``at`` its upper left corner."""
        (x, y), (w, h), r = at, size, min(radius, size[0] / 2, size[1] / 2)
        corners = [(x + w - r, y + r, 270), (x + w - r, y + h - r, 0), (x + r, y + h - r, 90), (x + r, y + r, 180)]
        self.shape([p for cx, cy, a in corners for p in arc(cx, cy, r, r, a, a + 90, 10)], fill, outline)

    def disc(self, at: Point, radius: Point, fill: str | None, outline: str | None = INK, width: float = 3) -> None:
        """An ellipse round ``at``."""
        self.shape(arc(*at, *radius, 0, 360, 72)[:-1], fill, outline, width)

    def dashed(self, points: Sequence[Point], colour: str = MUTED, width: float = 2, dash: float = 8) -> None:
        """A dashed line of straight pieces."""
        for (ax, ay), (bx, by) in itertools.pairwise(points):
            length = math.hypot(bx - ax, by - ay)
            for i in range(math.ceil(length / (2 * dash))):
                s, e = 2 * i * dash / length, min(1.0, (2 * i + 1) * dash / length)
                ends = [(ax + (bx - ax) * s, ay + (by - ay) * s), (ax + (bx - ax) * e, ay + (by - ay) * e)]
                self.line(ends, colour, width)

    def arrow(self, points: Sequence[Point], colour: str = RED, width: float = 4) -> None:
        """A line with a filled head at its end."""
        (ax, ay), (bx, by) = points[-2], points[-1]
        angle, size = math.atan2(by - ay, bx - ax), 4 * width
        back = (bx - size * 0.7 * math.cos(angle), by - size * 0.7 * math.sin(angle))
        self.line([*points[:-1], back], colour, width)
        wings = [(bx - size * math.cos(angle + s), by - size * math.sin(angle + s)) for s in (0.45, -0.45)]
        self.shape([(bx, by), *wings], colour, colour, 1)

    def text(
        self, at: Point, words: str, size: float = 18, colour: str = INK, anchor: str = "mm", bold: bool = False
    ) -> None:
        """One line of text; ``anchor`` as Pillow writes it ("lm": left, middle)."""
        font = ImageFont.load_default(round(size * self._k))
        stroke = round(size * self._k / 38) if bold else 0
        self._draw.text(self._scaled([at])[0], words, colour, font, anchor, stroke_width=stroke, stroke_fill=colour)

    def label(self, at: Point, words: str, target: Point, anchor: str = "mm") -> None:
        """A name with a leader line that ends in a dot on ``target``; the line starts beside the words."""
        w = ImageFont.load_default(round(17 * self._k)).getlength(words) / self._k
        middle = at[0] + {"l": w / 2, "m": 0, "r": -w / 2}[anchor[0]]
        dx, dy = target[0] - middle, target[1] - at[1]
        sideways = abs(dx) > abs(dy) + w / 2
        start = (middle + math.copysign(w / 2 + 6, dx), at[1]) if sideways else (middle, at[1] + math.copysign(14, dy))
        self.line([start, target], MUTED, 1.6)
        self.disc(target, (4, 4), RED, PAPER, 1.2)
        self.text(at, words, 17, anchor=anchor)

    def tick(self, at: Point, size: float = 16) -> None:
        """A green disc with a tick: this way."""
        self.disc(at, (size, size), GREEN, None)
        x, y = at
        points = [(x - 0.45 * size, y), (x - 0.1 * size, y + 0.38 * size), (x + 0.48 * size, y - 0.36 * size)]
        self.line(points, WHITE, size / 4.5)

    def cross(self, at: Point, size: float = 16) -> None:
        """A red disc with a cross: not this way."""
        self.disc(at, (size, size), RED, None)
        x, y, r = *at, 0.38 * size
        self.line([(x - r, y - r), (x + r, y + r)], WHITE, size / 4.5)
        self.line([(x - r, y + r), (x + r, y - r)], WHITE, size / 4.5)

    def image(self, size: tuple[int, int] | None = None) -> Image.Image:
        """The picture at its real size, or at ``size``."""
        return self._image.resize(size or (self.width * self.scale, self.height * self.scale), Image.Resampling.LANCZOS)

    def save(self, path: Path, colours: int = 128) -> None:
        """Write a PNG of at most ``colours`` colours; flat drawings lose nothing by it."""
        palette = self.image().quantize(colours, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        palette.save(path, optimize=True)

    def _scaled(self, points: Sequence[Point]) -> list[Point]:
        return [(x * self._k, y * self._k) for x, y in points]
