"""Draw the clip of the sample handbook and its captions: ``python tools/make_handbook_clip.py`` (needs ffmpeg).

The clip and its captions are committed; run this only after changing the drawing. 48 seconds, silent, ten pictures a
second, 640 x 360. Everything that moves is read off a table of key times below.
"""

from __future__ import annotations

import math
import random
import subprocess
from itertools import pairwise
from pathlib import Path

from make_handbook_figures import cone, counter, filter_paper, kettle, scale, server
from sketch import COFFEE, COFFEE_DARK, INK, MUTED, RED, WATER, WATER_DARK, WHITE, Sheet, curve

CLIPS = Path(__file__).resolve().parents[1] / "src" / "showtell" / "handbook" / "clips"
RATE, LENGTH, SIZE = 10, 48.0, (640, 360)

CAPTIONS = [
    (0.0, 2.5, "You need a cone, a paper filter, a server, a scale and a kettle."),
    (2.5, 5.0, "The recipe: 20 grams of coffee and 320 grams of water."),
    (5.0, 7.5, "Fold the filter along its seam and set it into the cone."),
    (7.5, 10.5, "Rinse the paper with hot water, and pour that water away."),
    (10.5, 13.0, "Tip in 20 grams of coffee, ground like table salt."),
    (13.0, 15.5, "Shake the bed level and tare the scale."),
    (15.5, 19.0, "The bloom: start the timer and pour 60 grams of water."),
    (19.0, 23.5, "Wait until 0:45. The bed swells and lets its gas out."),
    (23.5, 27.5, "First pour: slow circles from the middle outwards."),
    (27.5, 32.5, "Stop at 200 grams, and let the water sink until 1:45."),
    (32.5, 37.5, "Second pour: the same circles, up to 320 grams by 2:10."),
    (37.5, 40.0, "Swirl the cone once, so that the bed ends up flat."),
    (40.0, 44.0, "Let it run dry. The last drop falls at about three minutes."),
    (44.0, 48.0, "Lift the cone off, swirl the server, and serve."),
]
STAGES = [
    (0, "What you need"),
    (5, "Filter"),
    (10.5, "Coffee"),
    (15.5, "Bloom"),
    (23.5, "First pour"),
    (32.5, "Second pour"),
    (37.5, "Drawdown"),
    (44, "Serve"),
]

# (second of the clip, value)
CLOCK = [(15.5, 0), (18.5, 12), (23.5, 45), (27.5, 75), (32.5, 105), (37.0, 130), (40, 145), (44, 182)]
GRAMS = [(15.5, 0), (18.5, 60), (23.5, 60), (27.5, 200), (32.5, 200), (37.0, 320)]
PAPER_HEIGHT = [(5.0, -190), (6.8, 0)]
BED = [(11.0, 0.0), (12.8, 1.0)]
SLURRY = [(15.5, 0.36), (18.5, 0.5), (23.5, 0.36), (27.5, 0.86), (32.5, 0.46), (37.0, 0.9), (43.5, 0.36)]
SERVER = [(17, 0.0), (23.5, 0.05), (32.5, 0.36), (37, 0.46), (43.5, 0.7)]
RINSE = [(8.0, 0.0), (9.0, 0.16), (9.6, 0.16), (10.3, 0.0)]
LIFT = [(44.3, 0), (45.6, -420)]
KETTLE = [
    (7.2, 420),
    (7.8, 0),
    (9.0, 0),
    (9.6, 420),
    (15.0, 420),
    (15.6, 0),
    (18.5, 0),
    (19.2, 420),
    (23.0, 420),
    (23.6, 0),
    (27.5, 0),
    (28.2, 420),
    (32.0, 420),
    (32.6, 0),
    (37.0, 0),
    (37.6, 420),
]
POURS = [(7.8, 9.0), (15.6, 18.5), (23.6, 27.5), (32.6, 37.0)]


def at(keys: list[tuple[float, float]], t: float) -> float:
    """The value at second ``t``, straight between two key times, level before the first and after the last."""
    if t <= keys[0][0]:
        return keys[0][1]
    for (a, low), (b, high) in pairwise(keys):
        if t <= b:
            return low + (high - low) * (t - a) / (b - a)
    return keys[-1][1]


def contents(s: Sheet, x: float, y: float, t: float) -> None:
    """What lies in the cone: the bed, and the water above it."""
    inside = [(depth, 100 - 86 / 140 * (depth + 6)) for depth in range(0, 134, 2)]

    def fill(share: float, colour: str) -> None:
        wall = [(d, w - 1) for d, w in inside if d >= 134 * (1 - share)]
        if len(wall) > 1:
            s.shape([(x - w, y + d) for d, w in wall] + [(x + w, y + d) for d, w in reversed(wall)], colour, None)

    bed = 0.6 * at(BED, t)
    if t > 15.5:
        fill(max(bed, at(SLURRY, t) + 0.24), "#a67c55")
    fill(bed, COFFEE)
    if 17 < t < 23.5:
        dice = random.Random(int(t * 5))  # noqa: S311 - a drawing
        for _ in range(12):
            r = dice.uniform(2.5, 6)
            s.disc(
                (x + dice.uniform(-52, 52), y + 134 * (1 - bed) - dice.uniform(0, 12)),
                (r, r),
                "#e7c9a0",
                COFFEE_DARK,
                1,
            )


def brew(s: Sheet, t: float) -> None:
    """The apparatus at second ``t``."""
    x, y, lift = 300.0, 140.0, at(LIFT, t)
    sway = 6 * math.sin(t * 16) if 13.2 < t < 14.4 or 37.8 < t < 39 else 0.0
    counter(s, 460)
    clock = int(at(CLOCK, t))
    scale(
        s,
        x,
        402,
        210,
        f"{at(GRAMS, t):.0f} g" if t > 14.4 or t < 11 else f"{20 * at(BED, t):.0f} g",
        f"{clock // 60}:{clock % 60:02d}",
    )
    turn = 8 * math.sin(t * 9) if t > 45.8 else 0.0
    server(s, x + turn, 402, at(RINSE, t) if t < 11 else at(SERVER, t), WATER if t < 11 else COFFEE_DARK)
    if at(SERVER, t) > 0.02 and t < 43.6 and int(t * 10) % 4 < 3:
        s.line([(x, 298), (x, 402 - 100 * at(SERVER, t))], COFFEE_DARK, 3)
    cone(s, x + sway, y + lift, None, -1, paper=t >= 6.8)
    if 5 <= t < 6.8:
        filter_paper(s, x, y + at(PAPER_HEIGHT, t))
    if lift > -300:
        contents(s, x + sway, y + lift, t)
    if 10.9 < t < 12.8:
        dice = random.Random(int(t * 10))  # noqa: S311 - a drawing
        for _ in range(26):
            s.disc((x + dice.uniform(-16, 16), dice.uniform(20, 180)), (3, 3), COFFEE_DARK, None)
    pouring = any(first <= t <= last for first, last in POURS)
    circle = 26 * math.sin(t * 3.2) if pouring and t > 23 else 0.0
    tip = x + 32 + at(KETTLE, t) + circle
    if pouring:
        surface = y + 134 * (1 - max(0.6 * at(BED, t), at(SLURRY, t) + 0.24 if t > 15.5 else 0.1))
        s.line(curve([(tip, 94), (tip - 12, 112), (tip - 14, surface)]), WATER_DARK, 7)
    if at(KETTLE, t) < 420:
        kettle(s, tip + 112, 196, -22)


def board(s: Sheet, t: float) -> None:
    """The right half: stage, clock of the brew, water poured; and the caption at the foot."""
    stage = [name for first, name in STAGES if first <= t][-1]
    s.box((640, 290), (290, 146), WHITE, MUTED, 16)
    s.text((785, 322), stage, 30, RED, bold=True)
    clock = int(at(CLOCK, t))
    s.text((785, 366), f"{clock // 60}:{clock % 60:02d}" if t >= 15.5 else "20 g : 320 g", 34, INK, bold=True)
    s.box((666, 396), (238, 16), "#e9e2d6", None, 8)
    if at(GRAMS, t) > 8:
        s.box((666, 396), (238 * at(GRAMS, t) / 320, 16), WATER_DARK, None, 8)
    s.shape([(0, 482), (960, 482), (960, 540), (0, 540)], INK, None)
    for first, last, line in CAPTIONS:
        if first <= t < last:
            s.text((480, 511), line, 27, WHITE)


def names(s: Sheet, t: float) -> None:
    """The names of the parts, shown at the beginning, and a cup at the end."""
    if t < 5:
        for label, where, target in (
            ("cone", (520, 190), (392, 170)),
            ("server", (520, 340), (378, 362)),
            ("scale", (520, 430), (404, 436)),
        ):
            s.label(where, label, target)
    if t > 45.6:
        for i, dx in enumerate((-18, 6, 30)):
            rise = 8 * math.sin(t * 4 + i)
            s.line(
                curve([(290 + dx, 270 + rise), (282 + dx, 248 + rise), (294 + dx, 228 + rise), (286 + dx, 204 + rise)]),
                MUTED,
                4,
            )


def frame(t: float) -> bytes:
    """One picture as raw RGB."""
    sheet = Sheet(960, 540, scale=1, smooth=2)
    for draw in (brew, names, board):
        draw(sheet, t)
    return sheet.image(SIZE).tobytes()


def stamp(seconds: float) -> str:
    """Seconds as WebVTT writes them."""
    return f"00:{int(seconds) // 60:02d}:{seconds % 60:06.3f}"


def main() -> None:
    """Write ``pour-over.webm`` and ``pour-over.vtt``."""
    cues = [f"{stamp(first)} --> {stamp(last)}\n{line}\n" for first, last, line in CAPTIONS]
    (CLIPS / "pour-over.vtt").write_text("\n".join(["WEBVTT\n", *cues]), encoding="utf-8")
    command = [
        "ffmpeg",
        "-loglevel",
        "error",
        "-y",
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-s",
        f"{SIZE[0]}x{SIZE[1]}",
    ]
    command += ["-r", str(RATE), "-i", "-", "-an", "-c:v", "libvpx-vp9", "-crf", "36", "-b:v", "0", "-g", "50"]
    command += [
        "-pix_fmt",
        "yuv420p",
        "-fflags",
        "+bitexact",
        "-flags:v",
        "+bitexact",
        "-threads",
        "1",
        str(CLIPS / "pour-over.webm"),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as encoder:  # noqa: S603 - arguments are fixed
        if encoder.stdin is None:
            raise RuntimeError("ffmpeg takes no pictures")
        for number in range(round(LENGTH * RATE)):
            encoder.stdin.write(frame(number / RATE))
    if encoder.returncode:
        raise SystemExit("ffmpeg could not write the clip")


if __name__ == "__main__":
    main()
