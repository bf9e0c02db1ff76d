"""Draw the figures of the sample handbook: ``python tools/make_handbook_figures.py [NAME...]``.

The pictures are committed; run this only after changing a drawing. The same code always gives the same pictures.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable
from pathlib import Path

from sketch import (
    COFFEE,
    COFFEE_DARK,
    CREMA,
    GREEN,
    INK,
    MILK,
    MUTED,
    PANEL,
    PAPER,
    RED,
    STEEL,
    STEEL_DARK,
    STEEL_LIGHT,
    WATER,
    WATER_DARK,
    WHITE,
    Point,
    Sheet,
    arc,
    curve,
    rotated,
)

FIGURES = Path(__file__).resolve().parents[1] / "src" / "showtell" / "handbook" / "figures"


# ------------------------------------------------------------------------------------------------ things on the bench
def counter(s: Sheet, y: float) -> None:
    """The wooden board that everything stands on."""
    s.box((20, y), (s.width - 40, 16), "#c79a6b", INK, 6)
    for x in range(60, s.width - 80, 130):
        s.line([(x, y + 8), (x + 60, y + 8)], "#a97e52", 1.5)


def panel(s: Sheet, at: Point, size: Point) -> None:
    """A quiet field for one of several pictures beside each other."""
    s.box(at, size, PANEL, None, 16)


def scale(s: Sheet, x: float, y: float, width: float, grams: str, clock: str = "") -> None:
    """A scale whose plate lies at ``y``; ``x`` is its middle."""
    s.box((x - width / 2 + 12, y), (width - 24, 9), STEEL_DARK, INK, 4)
    s.box((x - width / 2, y + 9), (width, 50), STEEL_LIGHT, INK, 10)
    s.box((x - width / 2 + 14, y + 18), (width - 28, 32), "#243036", INK, 6)
    if clock:
        s.text((x - width / 4, y + 34), clock, 22, "#9ff0d0", bold=True)
        s.text((x + width / 4 - 6, y + 34), grams, 22, "#9ff0d0", bold=True)
    else:
        s.text((x, y + 34), grams, 24, "#9ff0d0", bold=True)


def portafilter(s: Sheet, x: float, y: float, coffee: str | None = COFFEE, spouts: bool = True) -> None:
    """Seen from the side, the middle of its rim at (x, y), the handle to the right."""
    s.shape([(x + 66, y + 12), (x + 108, y + 16), (x + 108, y + 30), (x + 66, y + 34)], STEEL, INK)
    s.box((x + 106, y + 9), (118, 28), "#4a352a", INK, 14)
    if spouts:
        for side in (-1, 1):
            pipe = curve([(x, y + 52), (x + side * 20, y + 66), (x + side * 24, y + 88)])
            s.line(pipe, INK, 15)
            s.line(pipe, STEEL, 9)
    s.shape([(x - 62, y + 12), (x + 62, y + 12), (x + 50, y + 56), (x - 50, y + 56)], STEEL, INK)
    s.box((x - 72, y), (144, 16), STEEL_LIGHT, INK, 5)
    if coffee:
        s.shape(curve([(x - 62, y), (x - 30, y - 13), (x + 5, y - 17), (x + 36, y - 11), (x + 62, y)]), coffee, INK)


def cup(s: Sheet, x: float, y: float, size: float = 1.0, fill: str = CREMA) -> None:
    """A cup that stands at ``y``; the drink shows at its rim."""
    w, h = 46 * size, 62 * size
    s.line(arc(x + w * 0.92, y - h * 0.55, 20 * size, 18 * size, -80, 95), INK, 10 * size)
    s.line(arc(x + w * 0.92, y - h * 0.55, 20 * size, 18 * size, -80, 95), WHITE, 5 * size)
    body = [(x - w, y - h), *curve([(x - w, y - h), (x - w * 0.9, y - h * 0.4), (x - w * 0.5, y)])]
    body += [*curve([(x + w * 0.5, y), (x + w * 0.9, y - h * 0.4), (x + w, y - h)])]
    s.shape(body, WHITE, INK)
    s.disc((x, y - h), (w, 9 * size), fill, INK)


def kettle(s: Sheet, x: float, y: float, tilt: float = 0) -> None:
    """A gooseneck kettle standing at (x, y), its spout to the left; tilted about the tip of the spout."""
    tip = (x - 112, y - 104)

    def turn(points: list[Point]) -> list[Point]:
        return rotated(points, tilt, tip)

    neck = turn(curve([(x - 48, y - 26), (x - 78, y - 40), (x - 84, y - 84), (x - 112, y - 104)]))
    s.line(neck, INK, 17)
    s.line(neck, STEEL, 11)
    handle = turn(curve([(x + 36, y - 108), (x + 86, y - 104), (x + 90, y - 60), (x + 78, y - 18)]))
    s.line(handle, INK, 17)
    s.line(handle, "#4a352a", 11)
    s.shape(turn([(x - 40, y - 112), (x + 40, y - 112), (x + 62, y), (x - 62, y)]), STEEL, INK)
    s.shape(turn([(x - 28, y - 100), (x - 18, y - 100), (x - 34, y - 14), (x - 48, y - 14)]), STEEL_LIGHT, None)
    s.shape(turn([(x - 42, y - 124), (x + 42, y - 124), (x + 42, y - 110), (x - 42, y - 110)]), STEEL_LIGHT, INK)
    knob = turn([(x, y - 132)])[0]
    s.disc(knob, (10, 9), "#4a352a", INK)


def cone(s: Sheet, x: float, y: float, bed: str | None = COFFEE, handle: int = 1, paper: bool = True) -> None:
    """A pour-over cone in section, 60 degrees wide; (x, y) is the middle of its upper edge."""
    ear = [(x + handle * px, y + py) for px, py in arc(104, 40, 26, 24, -100, 100)]
    s.line(ear, INK, 12)
    s.line(ear, WHITE, 6)
    s.shape([(x - 112, y), (x + 112, y), (x + 24, y + 146), (x - 24, y + 146)], WHITE, INK)
    if paper:
        filter_paper(s, x, y)
    if bed:
        s.shape(
            [
                (x - 61, y + 56),
                *curve([(x - 61, y + 56), (x, y + 50), (x + 61, y + 56)]),
                (x + 14, y + 133),
                (x - 14, y + 133),
            ],
            bed,
            None,
        )
    s.box((x - 70, y + 144), (140, 12), WHITE, INK, 5)


def filter_paper(s: Sheet, x: float, y: float) -> None:
    """The paper as it lies in a cone at (x, y)."""
    s.shape([(x - 100, y - 6), (x + 100, y - 6), (x + 14, y + 134), (x - 14, y + 134)], "#f7f1e6", MUTED, 2)


def server(s: Sheet, x: float, y: float, level: float = 0.5, drink: str = COFFEE_DARK) -> None:
    """A glass server standing at ``y``, filled to ``level`` of its height of 110."""
    outer = curve([(x - 44, y - 112), (x - 48, y - 88), (x - 84, y - 50), (x - 80, y - 6), (x - 70, y)])
    outer += curve([(x + 70, y), (x + 80, y - 6), (x + 84, y - 50), (x + 48, y - 88), (x + 44, y - 112)])
    s.line(curve([(x + 50, y - 88), (x + 96, y - 90), (x + 112, y - 56), (x + 100, y - 26), (x + 82, y - 24)]), INK, 9)
    s.shape(outer, "#f1f7f8", None)
    if level > 0:
        top = y - 100 * level
        s.shape([(px, py) for px, py in outer if py >= top], drink, None)
    s.shape(outer, None, INK)
    s.line([(x - 62, y - 46), (x - 66, y - 22)], WHITE, 4)


def grounds(s: Sheet, at: Point, radius: Point, size: float, count: int, seed: int) -> None:
    """Crumbs of coffee of about ``size`` scattered over an ellipse."""
    dice = random.Random(seed)  # noqa: S311 - a drawing
    for _ in range(count):
        angle, r = dice.uniform(0, math.tau), math.sqrt(dice.random())
        x, y = at[0] + radius[0] * r * math.cos(angle), at[1] + radius[1] * r * math.sin(angle)
        turn, corners = dice.uniform(0, 90), dice.randint(5, 7)
        crumb = [
            (
                x + size / 2 * dice.uniform(0.7, 1.15) * math.cos(math.tau * i / corners + turn),
                y + size / 2 * dice.uniform(0.6, 1.1) * math.sin(math.tau * i / corners + turn),
            )
            for i in range(corners)
        ]
        s.shape(crumb, dice.choice([COFFEE, COFFEE_DARK, "#8d5f3f", "#65402a"]), None)


# --------------------------------------------------------------------------------------------------------- the figures
def bench(s: Sheet) -> None:
    """The whole bench with the names of its things."""
    counter(s, 340)
    s.box((58, 118), (190, 222), STEEL, INK, 14)
    s.box((58, 118), (190, 62), STEEL_LIGHT, INK, 14)
    s.disc((96, 149), (17, 17), WHITE, INK)
    s.line([(96, 149), (104, 139)], RED, 3)
    for x in (140, 172, 204):
        s.disc((x, 149), (9, 9), "#4a352a", INK)
    s.box((74, 180), (158, 128), "#5b4638", INK, 6)
    s.box((112, 180), (82, 24), STEEL_LIGHT, INK, 4)
    s.box((106, 204), (94, 12), STEEL, INK, 4)
    s.box((196, 203), (74, 15), "#4a352a", INK, 7)
    for x in (144, 162):
        s.line([(x, 216), (x, 232)], INK, 7)
        s.line([(x, 216), (x, 232)], STEEL, 3)
    cup(s, 153, 306, 0.72)
    s.box((68, 308), (170, 18), STEEL_DARK, INK, 5)
    s.shape([(306, 92), (394, 92), (376, 158), (324, 158)], "#e9dcc6", INK)
    grounds(s, (350, 130), (25, 20), 9, 60, 4)
    s.box((300, 84), (100, 12), "#4a352a", INK, 5)
    s.box((316, 158), (68, 20), STEEL_DARK, INK, 5)
    s.box((310, 178), (80, 146), STEEL, INK, 12)
    s.box((300, 222), (18, 30), "#4a352a", INK, 5)
    s.box((298, 322), (104, 18), STEEL_DARK, INK, 6)
    s.disc((350, 216), (15, 15), STEEL_LIGHT, INK)
    scale(s, 500, 280, 156, "0.0 g", "0:00")
    server(s, 500, 280, 0.35)
    s.box((440, 166), (120, 10), WHITE, INK, 4)
    s.shape([(418, 62), (582, 62), (520, 166), (480, 166)], WHITE, INK)
    s.line(curve([(576, 72), (604, 74), (610, 96), (590, 110), (554, 110)]), INK, 5)
    s.shape([(426, 54), (574, 54), (564, 62), (436, 62)], "#f7f1e6", MUTED, 2)
    kettle(s, 730, 340)
    s.text((153, 84), "Espresso machine", 18, bold=True)
    s.text((350, 58), "Grinder", 18, bold=True)
    s.text((500, 30), "Cone on server and scale", 18, bold=True)
    s.text((732, 184), "Kettle", 18, bold=True)


def step_dose(s: Sheet) -> None:
    """Weigh the dose in the portafilter."""
    counter(s, 320)
    scale(s, 330, 261, 230, "18.0 g")
    s.box((276, 236), (108, 25), "#e3b98a", INK, 6)
    portafilter(s, 330, 150)
    grounds(s, (330, 108), (22, 22), 6, 26, 2)
    s.arrow([(330, 40), (330, 80)], RED, 4)
    s.text((330, 26), "grind into the basket", 18)
    s.label((632, 278), "press TARE first", (448, 292))
    s.label((110, 130), "wipe it dry", (262, 160))
    s.label((120, 292), "18.0 g (0.63 oz)", (232, 294))


def basket(s: Sheet, x: float, y: float, top: list[Point]) -> None:
    """A basket in section, 180 wide, with the coffee's surface given from left to right."""
    s.shape([(x - 90, y), (x + 90, y), (x + 78, y + 110), (x - 78, y + 110)], WHITE, None)
    s.shape([*curve(top), (x + 76, y + 107), (x - 76, y + 107)], COFFEE, None)
    s.line([(x - 104, y), (x - 90, y), (x - 78, y + 110), (x + 78, y + 110), (x + 90, y), (x + 104, y)], INK, 4)
    for i in range(-5, 6):
        s.line([(x + i * 13, y + 107), (x + i * 13, y + 113)], WHITE, 3)


def step_level(s: Sheet) -> None:
    """Grounds heaped and grounds stirred flat, in section."""
    panel(s, (24, 24), (326, 332))
    panel(s, (370, 24), (326, 332))
    basket(s, 187, 170, [(99, 208), (130, 190), (160, 142), (190, 122), (222, 150), (250, 208), (274, 218)])
    for x, y, r in ((150, 196, 13), (196, 164, 17), (216, 222, 14), (168, 248, 12)):
        s.disc((x, y), (r, r * 0.8), COFFEE_DARK, None)
    s.arrow(curve([(112, 96), (106, 150), (112, 196)]), WATER_DARK, 4)
    s.arrow(curve([(262, 96), (268, 150), (262, 200)]), WATER_DARK, 4)
    s.text((187, 82), "water takes the edge", 16, WATER_DARK)
    s.cross((56, 56))
    s.text((187, 56), "heaped, clumpy", 19, bold=True)
    s.text((187, 324), "runs unevenly", 17, MUTED)
    basket(s, 533, 170, [(446, 192), (490, 191), (533, 192), (580, 191), (620, 192)])
    s.box((515, 84), (36, 40), "#4a352a", INK, 8)
    for dx in (-11, 0, 11):
        s.line([(533 + dx, 124), (533 + dx * 1.7, 258)], STEEL_DARK, 2)
    s.arrow(curve([(588, 128), (612, 142), (590, 160), (560, 150)]), RED, 4)
    s.tick((402, 56))
    s.text((533, 56), "stirred, flat", 19, bold=True)
    s.text((533, 324), "stir down to the bottom, 10 s", 17, MUTED)


def tamper(s: Sheet, x: float, y: float, tilt: float) -> None:
    """A tamper whose foot stands at (x, y)."""
    parts = [
        ([(x - 86, y - 22), (x + 86, y - 22), (x + 86, y), (x - 86, y)], STEEL),
        ([(x - 30, y - 22), (x - 14, y - 56), (x + 14, y - 56), (x + 30, y - 22)], STEEL_LIGHT),
        (
            curve(
                [
                    (x - 13, y - 56),
                    (x - 34, y - 86),
                    (x - 30, y - 116),
                    (x, y - 128),
                    (x + 30, y - 116),
                    (x + 34, y - 86),
                    (x + 13, y - 56),
                ]
            ),
            "#4a352a",
        ),
    ]
    for points, colour in parts:
        s.shape(rotated(points, tilt, (x, y)), colour, INK)


def step_tamp(s: Sheet) -> None:
    """A straight tamp beside a tilted one."""
    panel(s, (24, 24), (326, 332))
    panel(s, (370, 24), (326, 332))
    basket(s, 187, 204, [(101, 232), (140, 232), (187, 232), (230, 232), (273, 232)])
    tamper(s, 187, 232, 0)
    s.arrow([(187, 60), (187, 96)], RED, 6)
    s.tick((56, 56))
    s.text((82, 128), "15 kg", 19, RED, bold=True)
    s.text((82, 150), "(33 lb)", 15, RED)
    s.text((187, 336), "straight: even resistance", 17, MUTED)
    basket(s, 533, 204, [(449, 216), (490, 225), (533, 236), (580, 247), (616, 257)])
    tamper(s, 530, 236, 13)
    s.arrow([(592, 66), (578, 102)], RED, 6)
    s.cross((402, 56))
    s.text((533, 336), "tilted: water takes the thin side", 17, MUTED)


def step_pull(s: Sheet) -> None:
    """The shot runs into a cup on the scale."""
    counter(s, 372)
    s.box((210, 30), (240, 46), STEEL, INK, 10)
    s.box((240, 74), (180, 26), STEEL_LIGHT, INK, 5)
    portafilter(s, 330, 100, None)
    scale(s, 330, 313, 240, "36.0 g", "28 s")
    for side in (-1, 1):
        s.line([(330 + side * 24, 188), (330 + side * 19, 240)], COFFEE_DARK, 5)
    cup(s, 330, 313, 1.05)
    s.label((122, 54), "group, 93 °C (199 °F)", (228, 54))
    s.label((120, 215), "first drops: 5 to 8 s", (304, 205))
    s.label((594, 250), "crema", (352, 249))
    s.label((594, 344), "stop at 34 g (1.2 oz)", (438, 346))


def taste_compass(s: Sheet) -> None:
    """From sour to bitter, and which way to turn the collar."""
    left, right, y = 90, 630, 190
    stops = [(201, 178, 63), (214, 165, 84), (122, 142, 82), (140, 94, 62), (84, 51, 31)]
    for i in range(180):
        t = i / 179 * 4
        a, b = stops[min(3, int(t))], stops[min(3, int(t)) + 1]
        f = t - min(3, int(t))
        colour = "#" + "".join(f"{round(p + (q - p) * f):02x}" for p, q in zip(a, b, strict=True))
        s.shape(
            [
                (left + 3 * i, y - 22),
                (left + 3 * i + 3.2, y - 22),
                (left + 3 * i + 3.2, y + 22),
                (left + 3 * i, y + 22),
            ],
            colour,
            None,
        )
    s.box((left, y - 22), (right - left, 44), None, INK, 4)
    s.shape([(360, y - 30), (348, y - 50), (372, y - 50)], GREEN, INK, 2)
    for x, words, note in (
        (150, "SOUR", "thin, sharp"),
        (360, "BALANCED", "sweet, long"),
        (570, "BITTER", "drying, harsh"),
    ):
        s.text((x, y - 88), words, 22, bold=True)
        s.text((x, y - 64), note, 16, MUTED)
    s.arrow([(120, y + 58), (322, y + 58)], RED, 6)
    s.arrow([(600, y + 58), (398, y + 58)], RED, 6)
    s.text((221, y + 86), "grind finer", 20, RED, bold=True)
    s.text((499, y + 86), "grind coarser", 20, RED, bold=True)
    s.text((221, y + 112), "shot runs 3 to 5 s longer per mark", 15, MUTED)
    s.text((499, y + 112), "shot runs 3 to 5 s shorter per mark", 15, MUTED)
    s.text((360, 42), "The taste compass", 24, bold=True)


def pitcher(s: Sheet, x: float, y: float, tilt: float, foam: float, surface: float) -> None:
    """A milk pitcher in section, standing at (x, y), with a layer of foam on the milk."""

    def turn(points: list[Point]) -> list[Point]:
        return rotated(points, tilt, (x, y - 90))

    handle = turn(curve([(x + 78, y - 150), (x + 132, y - 146), (x + 134, y - 60), (x + 86, y - 34)]))
    s.line(handle, INK, 14)
    s.line(handle, STEEL, 8)
    wall = turn([(x - 108, y - 196), (x - 76, y - 172), (x - 92, y), (x + 92, y), (x + 76, y - 172)])
    s.shape(wall[1:], WHITE, None)

    def across(depth: float) -> list[Point]:
        sides = ((wall[1], wall[2]), (wall[4], wall[3]))
        return [(ax + (bx - ax) * (depth - ay) / (by - ay), depth) for (ax, ay), (bx, by) in sides]

    top, below = across(y - surface), across(y - surface + foam)
    s.shape([top[0], top[1], wall[3], wall[2]], MILK, None)
    s.shape([top[0], top[1], below[1], below[0]], "#ead9bd", None)
    s.line(wall, INK, 5)


def milk_stretch(s: Sheet) -> None:
    """The wand's tip lets air in."""
    pitcher(s, 340, 350, 0, 22, 118)
    wand = curve([(470, 30), (452, 90), (420, 170), (396, 243)])
    s.line(wand, INK, 17)
    s.line(wand, STEEL, 11)
    s.disc((394, 247), (9, 10), STEEL_DARK, INK)
    dice = random.Random(6)  # noqa: S311 - a drawing
    for _ in range(34):
        s.disc((dice.uniform(268, 410), dice.uniform(237, 253)), (dice.uniform(2, 5),) * 2, WHITE, MUTED, 1)
    for dx, dy in ((-26, 22), (-10, 32), (14, 28)):
        s.arrow([(394, 256), (394 + dx, 256 + dy)], WATER_DARK, 3)
    s.label((590, 214), "tip just under the surface", (402, 246))
    s.label((122, 232), "small bubbles go in", (282, 244))
    s.label((592, 300), "1 cm (0.4 in) from the wall", (411, 268))
    s.text((130, 44), "Stretching", 25, bold=True)
    s.text((130, 74), "5 to 8 s, to 37 °C (99 °F)", 17, MUTED)
    s.text((340, 376), "sound: short, quiet hisses", 17, RED)


def milk_roll(s: Sheet) -> None:
    """The wand's tip is deep and the milk turns."""
    pitcher(s, 340, 340, -14, 16, 128)
    wand = curve([(420, 16), (388, 90), (368, 170), (362, 258)])
    s.line(wand, INK, 17)
    s.line(wand, STEEL, 11)
    s.disc((362, 264), (9, 10), STEEL_DARK, INK)
    s.arrow(curve([(376, 284), (372, 310), (336, 318), (296, 308), (276, 276), (288, 250), (336, 246)]), WATER_DARK, 5)
    s.arrow(curve([(346, 284), (330, 290), (312, 276)]), WATER_DARK, 4)
    s.label((596, 268), "tip deep: no more air", (371, 264))
    s.label((120, 250), "the milk turns", (277, 268))
    s.text((130, 44), "Rolling", 25, bold=True)
    s.text((130, 74), "until 60 °C (140 °F)", 17, MUTED)
    s.text((340, 384), "sound: almost none", 17, RED)


def cone_parts(s: Sheet) -> None:
    """Filter, cone, server and scale, one above the other."""
    s.dashed([(330, 40), (330, 470)], MUTED, 2)
    s.shape([(240, 36), (420, 36), (330, 150)], "#f7f1e6", INK)
    s.shape([(240, 36), (420, 36), (412, 46), (248, 46)], WHITE, MUTED, 2)
    s.line([(420, 36), (330, 150)], MUTED, 5)
    cone(s, 330, 176, None)
    s.line(arc(330, 310, 46, 46, -122, -58), RED, 3)
    s.text((330, 246), "60°", 20, RED, bold=True)
    server(s, 330, 448, 0)
    scale(s, 330, 452, 200, "0.0 g", "0:00")
    s.label((560, 76), "paper filter", (352, 96))
    s.label((106, 90), "glued seam", (396, 66))
    s.label((560, 250), "cone", (402, 258))
    s.label((110, 330), "base: sits on the server", (262, 326))
    s.label((560, 400), "server, 0.6 L (20 fl oz)", (402, 412))
    s.label((106, 488), "scale, 0.1 g", (232, 486))


def fold_filter(s: Sheet) -> None:
    """Three steps from flat paper to cone."""
    for i, words in enumerate(("1  find the seam", "2  fold it over", "3  open the cone")):
        panel(s, (20 + 232 * i, 24), (216, 292))
        s.text((128 + 232 * i, 288), words, 18, bold=True)
    for x in (128, 360):
        s.shape([(x, 232), *arc(x, 98, 80, 30, 180, 360, 24)], WHITE, INK)
    s.shape([(208, 98), (222, 110), (142, 242), (128, 232)], "#e8d8bd", INK, 2)
    s.label((92, 46), "seam", (206, 120))
    s.shape([(440, 98), (360, 232), (420, 96)], "#e8d8bd", INK, 2)
    s.arrow(curve([(456, 120), (458, 150), (446, 172), (410, 178)]), RED, 4)
    s.shape([(510, 110), (674, 110), (592, 238)], WHITE, INK)
    s.disc((592, 110), (82, 26), "#f1e4cd", INK)
    s.line([(674, 110), (592, 238)], MUTED, 6)
    s.arrow(curve([(560, 62), (544, 70), (530, 86)]), RED, 4)
    s.arrow(curve([(624, 62), (640, 70), (654, 86)]), RED, 4)


def bloom(s: Sheet) -> None:
    """The first pour: the bed swells."""
    counter(s, 392)
    scale(s, 280, 333, 210, "60 g", "0:45")
    s.box((230, 310), (100, 23), "#f1f7f8", INK, 6)
    s.box((222, 300), (116, 12), WHITE, INK, 5)
    cone(s, 280, 144, COFFEE, -1)
    s.line(curve([(312, 100), (298, 118), (296, 160), (296, 196)]), WATER_DARK, 7)
    s.shape(
        curve([(219, 200), (238, 178), (262, 188), (282, 174), (306, 188), (326, 178), (341, 200), (280, 214)]),
        "#8d5f3f",
        INK,
        2,
    )
    dice = random.Random(12)  # noqa: S311 - a drawing
    for _ in range(16):
        r = dice.uniform(3, 7)
        s.disc((dice.uniform(236, 326), dice.uniform(182, 200)), (r, r), "#e7c9a0", COFFEE_DARK, 1.2)
    for x in (246, 276, 322):
        s.arrow([(x, 168), (x + 4, 128)], MUTED, 2.5)
    kettle(s, 424, 204, -22)
    s.label((100, 126), "gas escapes", (244, 150))
    s.label((84, 250), "bed swells", (226, 192))
    s.label((586, 206), "60 g (2.1 oz) at 94 °C (201 °F)", (298, 150))
    s.label((560, 366), "wait until 0:45", (378, 366))


def spiral_pour(s: Sheet) -> None:
    """The way of the water, seen from above."""
    x, y = 300, 200
    s.disc((x, y), (170, 170), WHITE, INK)
    s.disc((x, y), (154, 154), "#f4d8cf", None)
    s.disc((x, y), (122, 122), COFFEE, COFFEE_DARK)
    turns = [(t / 60 * math.tau / 2.2, 8 + t * 0.9) for t in range(112)]
    s.arrow([(x + r * math.cos(a * 2.2), y + r * math.sin(a * 2.2)) for a, r in turns], "#d8eef5", 6)
    s.disc((x, y), (7, 7), RED, WHITE, 2)
    s.label((590, 110), "keep out: 1 cm (0.4 in)", (424, 136))
    s.label((576, 200), "start in the middle", (x, y))
    s.label((584, 290), "slow circles, then back", (394, 240))
    s.text((590, 340), "seen from above", 16, MUTED)


def blind_basket(s: Sheet) -> None:
    """Baskets with and without holes."""
    panel(s, (24, 24), (326, 312))
    panel(s, (370, 24), (326, 312))
    for x, name in ((187, "normal basket"), (533, "blind basket")):
        s.shape(
            [(x - 108, 112), (x + 108, 112), (x + 92, 216), *arc(x, 216, 92, 30, 0, 180, 24), (x - 92, 216)], STEEL, INK
        )
        s.disc((x, 112), (116, 40), STEEL_LIGHT, INK)
        s.disc((x, 116), (100, 32), STEEL_DARK, INK, 2)
        s.text((x, 306), name, 19, bold=True)
    for row in range(-3, 4):
        for column in range(-6, 7):
            px, py = 187 + column * 14 + (row % 2) * 7, 118 + row * 7.5
            if ((px - 187) / 92) ** 2 + ((py - 118) / 27) ** 2 < 1:
                s.disc((px, py), (3, 2), INK, None)
    s.shape(curve([(486, 126), (508, 108), (534, 100), (560, 109), (580, 126), (534, 138)]), WHITE, MUTED, 2)
    s.label((533, 52), "3 g (0.1 oz) detergent", (534, 110))
    s.label((187, 52), "holes: for coffee", (187, 112))
    s.text((533, 270), "no holes", 17, RED)


def brush_group(s: Sheet) -> None:
    """Brush screen and gasket from below."""
    s.box((170, 28), (380, 60), STEEL, INK, 12)
    s.shape([(230, 88), (490, 88), (490, 128), *arc(360, 128, 130, 34, 0, 180, 40), (230, 128)], STEEL_LIGHT, INK)
    s.disc((360, 128), (130, 34), STEEL, INK)
    s.disc((360, 130), (114, 29), "#4a4a4a", INK, 2)
    s.disc((360, 131), (94, 23), STEEL_LIGHT, INK, 2)
    for row in range(-2, 3):
        for column in range(-6, 7):
            if (column / 6.4) ** 2 + (row / 2.6) ** 2 < 1:
                s.disc((360 + column * 13, 131 + row * 7.5), (2.4, 1.8), INK, None)
    s.disc((360, 131), (6, 5), STEEL_DARK, INK, 2)
    handle = curve([(420, 352), (408, 290), (412, 226)])
    s.line(handle, INK, 26)
    s.line(handle, RED, 20)
    s.box((376, 190), (76, 38), "#4a352a", INK, 8)
    for i in range(13):
        s.line([(382 + i * 5.4, 190), (380 + i * 5.8, 152)], INK, 2.2)
    for x, y in ((292, 186), (316, 214), (284, 246), (308, 278), (294, 320)):
        s.shape(curve([(x, y - 12), (x - 6, y), (x, y + 7), (x + 6, y), (x, y - 12)]), WATER, WATER_DARK, 2)
    s.arrow(arc(412, 262, 66, 20, 190, 2), RED, 4)
    s.label((96, 176), "screen", (294, 134))
    s.label((620, 110), "rubber gasket", (466, 128))
    s.label((96, 270), "a little water", (280, 248))
    s.label((590, 310), "brush in circles", (470, 284))


def descale_tank(s: Sheet) -> None:
    """Acid into the tank, filter out of it."""
    counter(s, 348)
    s.box((240, 50), (210, 298), "#eef6f8", INK, 16)
    s.shape([(243, 200), (447, 200), (447, 334), (436, 345), (254, 345), (243, 334)], WATER, None)
    s.box((240, 50), (210, 298), None, INK, 16)
    for i, words in enumerate(("2 L", "", "1 L", "")):
        y = 74 + i * 63
        s.line([(450, y), (450 - (34 if words else 18), y)], INK, 3)
        s.text((396, y - 14), words, 18, bold=True)
    s.label((584, 200), "fill to 1 L (34 fl oz)", (440, 200))
    s.line([(70, 150), (152, 176)], INK, 12)
    s.line([(70, 150), (152, 176)], STEEL, 7)
    s.disc((176, 184), (34, 18), STEEL, INK)
    s.shape(curve([(146, 182), (160, 164), (178, 158), (196, 166), (206, 186), (176, 196)]), WHITE, MUTED, 2)
    s.arrow(curve([(206, 150), (248, 96), (300, 104), (318, 170)]), RED, 4)
    s.text((118, 234), "20 g (0.7 oz)", 18, bold=True)
    s.text((118, 258), "citric acid", 17, MUTED)
    s.box((560, 268), (60, 80), WHITE, INK, 10)
    s.box((574, 254), (32, 16), STEEL_DARK, INK, 4)
    for y in (290, 304, 318):
        s.line([(572, y), (608, y)], WATER_DARK, 3)
    s.arrow(curve([(458, 290), (500, 262), (546, 280)]), RED, 4)
    s.text((590, 236), "filter out first", 17)


def channels(s: Sheet) -> None:
    """An even flow beside one with jets."""
    panel(s, (24, 24), (326, 352))
    panel(s, (370, 24), (326, 352))
    for x in (187, 533):
        s.box((x - 92, 84), (184, 26), STEEL, INK, 6)
        s.shape([(x - 80, 110), (x + 80, 110), (x + 72, 146), (x - 72, 146)], STEEL_LIGHT, INK)
    cone_flow = curve([(121, 150), (150, 180), (176, 206), (182, 250), (183, 330)])
    cone_flow += curve([(191, 330), (192, 250), (198, 206), (224, 180), (253, 150)])
    s.shape(cone_flow, CREMA, COFFEE_DARK, 2.5)
    for dx in (-26, 0, 26):
        s.line(curve([(187 + dx, 154), (187 + dx * 0.5, 190), (187 + dx * 0.1, 232)]), COFFEE, 3)
    flow = curve([(474, 150), (486, 178), (500, 200), (506, 250), (508, 330)])
    flow += curve([(515, 330), (515, 250), (520, 204), (536, 180), (548, 150)])
    s.shape(flow, "#e2bd83", COFFEE_DARK, 2.5)
    for line in ([(580, 148), (610, 176), (632, 236), (638, 320)], [(594, 148), (636, 164), (668, 204), (676, 262)]):
        s.line(curve(line), "#c99454", 3.5)
    for x, y in ((660, 232), (628, 270), (648, 300), (676, 286), (436, 250)):
        s.disc((x, y), (4, 5), "#c99454", None)
    s.line(curve([(480, 148), (452, 170), (440, 214)]), "#c99454", 3.5)
    s.tick((56, 56))
    s.cross((402, 56))
    s.text((187, 56), "even flow", 19, bold=True)
    s.text((533, 56), "channels", 19, bold=True)
    s.text((187, 354), "one cone, hazel brown", 17, MUTED)
    s.text((533, 354), "thin jets, pale stripes", 17, MUTED)


def grind_sizes(s: Sheet) -> None:
    """Six grinds under the magnifier, 20 pixels to a millimetre."""
    samples = [
        ("Turkish", 0.1),
        ("Espresso", 0.3),
        ("Pour-over", 0.6),
        ("Filter mach.", 0.75),
        ("French press", 1.0),
        ("Cold brew", 1.2),
    ]
    for i, (name, size) in enumerate(samples):
        x, y = 68 + i * 116.5, 140
        s.disc((x, y), (52, 52), WHITE, None)
        grain = size * 20
        grounds(s, (x, y), (46 - grain / 2, 46 - grain / 2), grain, round(2600 / grain**1.55), i)
        s.disc((x, y), (54, 54), None, INK, 4)
        s.line([(x - 10, 216), (x + 10, 216)], RED, 4)
        s.text((x, 244), name, 17, bold=True)
        s.text((x, 268), f"{size:g} mm", 16, MUTED)
    s.text((46, 48), "finer", 18, RED, bold=True)
    s.arrow([(620, 48), (86, 48)], RED, 3)
    s.text((664, 48), "coarser", 18, RED, bold=True)
    s.text((360, 300), "red bar: 1 mm (0.04 in)", 15, MUTED)


# ------------------------------------------------------------------------------------------------------------ as SVG
def svg(width: int, height: int, parts: list[str]) -> str:
    """A drawing of lines and words that scales without loss."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    body = "\n".join([f'<rect width="{width}" height="{height}" fill="{PAPER}"/>', *parts])
    return f'{head} font-family="Helvetica, Arial, sans-serif" fill="{INK}">\n{body}\n</svg>\n'


def words(x: float, y: float, text: str, size: int = 16, extra: str = 'text-anchor="middle"') -> str:
    """One line of text in SVG."""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" {extra}>{text}</text>'


def hardness() -> str:
    """The scale of water hardness, 2 pixels to 1 mg/L."""
    fields = [
        (0, 50, "#cfe8f1", "soft"),
        (50, 100, "#a9cfa9", "good"),
        (100, 180, "#ecd9a8", "medium"),
        (180, 300, "#e0ab8f", "hard: chalky cup"),
    ]
    parts = [words(360, 44, "Water hardness", 22, 'text-anchor="middle" font-weight="bold"')]
    for low, high, colour, name in fields:
        box = f'x="{60 + 2 * low}" y="72" width="{2 * (high - low)}" height="60"'
        parts.append(f'<rect {box} fill="{colour}" stroke="{INK}" stroke-width="2"/>')
        parts.append(words(60 + low + high, 108, name))
    for mark in (0, 50, 100, 180, 300):
        parts.append(f'<path d="M{60 + 2 * mark} 132v12" stroke="{INK}" stroke-width="2"/>')
        parts.append(words(60 + 2 * mark, 166, f"{mark} mg/L" if mark == 300 else f"{mark}"))
        parts.append(words(60 + 2 * mark, 188, f"{mark / 17.8:.2g} °dH", 13, f'text-anchor="middle" fill="{MUTED}"'))
    for first, last, colour in ((50, 100, GREEN), (120, 300, RED)):
        line = f'stroke="{colour}" stroke-width="5" stroke-linecap="round"'
        parts.append(f'<path d="M{60 + 2 * first} 214H{60 + 2 * last}" {line}/>')
    parts.append(words(262, 242, "our target: 50 to 100 mg/L", 16, f'text-anchor="end" fill="{GREEN}"'))
    parts.append(words(300, 242, "above 120 mg/L: limescale builds up quickly", 16, f'fill="{RED}"'))
    return svg(720, 268, parts)


def freshness() -> str:
    """Taste over days since roasting; 15 pixels to a day."""

    def x(day: float) -> float:
        return 70 + 15 * day

    parts = [words(360, 40, "When are the beans at their best?", 22, 'text-anchor="middle" font-weight="bold"')]
    for first, last, y, colour, name in (
        (4, 21, 268, WATER_DARK, "filter: day 4 to 21"),
        (8, 28, 294, COFFEE, "espresso: day 8 to 28"),
    ):
        parts.append(
            f'<path d="M{x(first):g} {y}H{x(last):g}" stroke="{colour}" stroke-width="12" stroke-linecap="round"/>'
        )
        parts.append(words(x(last) + 14, y + 5, name, 15, f'fill="{colour}"'))
    parts.append(f'<path d="M70 70V220H680" fill="none" stroke="{INK}" stroke-width="2.5"/>')
    for day in range(0, 41, 5):
        parts.append(
            f'<path d="M{x(day):g} 220v7" stroke="{INK}" stroke-width="2"/>' + words(x(day), 244, str(day), 13)
        )
    curves = [
        (
            WATER_DARK,
            f"M{x(0)} 190C{x(3)} 150 {x(4)} 92 {x(9)} 88C{x(16)} 84 {x(20)} 104 {x(26)} 134S{x(36)} 184 {x(40)} 190",
        ),
        (
            COFFEE,
            f"M{x(0)} 208C{x(5)} 190 {x(7)} 104 {x(14)} 96C{x(21)} 90 {x(26)} 104 {x(31)} 140S{x(37)} 196 {x(40)} 204",
        ),
    ]
    parts += [f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="4"/>' for colour, path in curves]
    parts.append(f'<path d="M{x(14):g} 80H{x(40):g}" stroke="{RED}" stroke-width="3.5" stroke-dasharray="9 7"/>')
    parts.append(words(x(31), 72, "frozen on day 14: stays as it is", 15, f'text-anchor="middle" fill="{RED}"'))
    parts.append(words(40, 150, "taste", 15, f'text-anchor="middle" fill="{MUTED}" transform="rotate(-90 40 150)"'))
    parts.append(words(375, 326, "days since roasting", 15, f'text-anchor="middle" fill="{MUTED}"'))
    return svg(720, 340, parts)


DRAWINGS: dict[str, tuple[Callable[[Sheet], None], int, int]] = {
    "bench": (bench, 840, 376),
    "step-dose": (step_dose, 720, 380),
    "step-level": (step_level, 720, 380),
    "step-tamp": (step_tamp, 720, 380),
    "step-pull": (step_pull, 720, 420),
    "taste-compass": (taste_compass, 720, 360),
    "milk-stretch": (milk_stretch, 720, 400),
    "milk-roll": (milk_roll, 720, 400),
    "cone-parts": (cone_parts, 720, 530),
    "fold-filter": (fold_filter, 720, 340),
    "bloom": (bloom, 720, 420),
    "spiral-pour": (spiral_pour, 720, 400),
    "blind-basket": (blind_basket, 720, 360),
    "brush-group": (brush_group, 720, 380),
    "descale-tank": (descale_tank, 720, 380),
    "channels": (channels, 720, 400),
    "grind-sizes": (grind_sizes, 720, 320),
}
CHARTS: dict[str, Callable[[], str]] = {"hardness": hardness, "freshness": freshness}


def main() -> None:
    """Draw the figures named on the command line, or all."""
    FIGURES.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[1:] or [*DRAWINGS, *CHARTS]
    for name in wanted:
        if name in CHARTS:
            (FIGURES / f"{name}.svg").write_text(CHARTS[name](), encoding="utf-8")
            continue
        draw, width, height = DRAWINGS[name]
        sheet = Sheet(width, height)
        draw(sheet)
        sheet.save(FIGURES / f"{name}.png")


if __name__ == "__main__":
    main()
