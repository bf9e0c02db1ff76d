"""Does a screenshot find its original? ``python -m benchmarks.screenshots [FOLDER] [--strangers FOLDER] [--every N]``

Every Nth distinct picture of the first folder (default: ``../shared/corpus`` beside the checkout) is spoiled in several
ways and looked for among all of them. Strangers are drawn here: diagrams, pages of text, gradients, windows; those of
the second folder, such as photographs, come on top. Then the time of a question among 1,000 and 10,000 pictures.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import io
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from showtell.likeness import SAME, Gallery, Likeness, likeness
from showtell.pictures import decode

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"
KINDS = {".png", ".jpg", ".jpeg", ".gif", ".webp"}
WORDS = ("settings", "report", "data", "create a", "workspace", "segment", "metric", "filter", "panel", "table")
WORDS += ("export", "share", "account", "window", "step", "press", "button", "menu", "select an", "option", "page")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path, default=CORPUS)
    parser.add_argument("--strangers", type=Path)
    parser.add_argument("--every", type=int, default=2)
    chosen = parser.parse_args()
    kept, milliseconds = looked_at(originals(chosen.folder))
    gallery, size = gallery_of(kept), sum(len(seen.windows) + len(seen.copy) for _, seen in kept.values()) / len(kept)
    print(f"{len(kept)} pictures: {milliseconds:.1f} ms and {size:.0f} bytes each; {SAME} and more is the same")
    for name, spoil in SPOILED.items():
        print(report(name, gallery, kept, spoil, chosen.every))
    for kind, pictures in strangers(chosen.strangers):
        best = sorted((best_score(gallery, picture) for picture in pictures), reverse=True)
        taken = sum(score >= SAME for score in best)
        print(f"strangers, {kind} ({len(best)}): {taken} taken for one of them; highest {best[0]:.2f}")
    others = [best_score(gallery, content, but=name) for name, (content, _) in list(kept.items())[:: chosen.every]]
    alike = sum(score >= SAME for score in others)
    print(f"its own left out: {alike} of {len(others)} taken for another; median {np.median(others):.2f}")
    for count in (len(kept), 1_000, 10_000):
        print(f"a question among {count}: {question_ms(kept, count):.0f} ms")


def originals(folder: Path) -> dict[str, bytes]:
    """The distinct pictures below a folder, by hash, in the order of their paths."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in KINDS:
            content = path.read_bytes()
            found.setdefault(hashlib.sha256(content).hexdigest(), content)
    return found


def looked_at(pictures: dict[str, bytes]) -> tuple[dict[str, tuple[bytes, Likeness]], float]:
    """Those that have a likeness, with it, and the milliseconds of the processor that each took."""
    began = time.process_time()
    seen = {name: (content, likeness(content)) for name, content in pictures.items()}
    milliseconds = (time.process_time() - began) * 1000 / max(1, len(pictures))
    return {name: (content, found) for name, (content, found) in seen.items() if found}, milliseconds


def gallery_of(kept: dict[str, tuple[bytes, Likeness]]) -> Gallery:
    """The gallery of all of them."""
    seen = {name: found for name, (_, found) in kept.items()}
    sizes = [(each.width, each.height) for each in seen.values()]
    return Gallery(list(seen), sizes, b"".join(each.windows for each in seen.values()), lambda name: seen[name].copy)


def ranks(
    gallery: Gallery, kept: dict[str, tuple[bytes, Likeness]], spoil: Callable[[Image.Image], bytes], every: int
) -> list[tuple[bool, float]]:
    """Of every so manieth picture, spoiled: whether its original comes first, and with what score it comes, else 0."""
    found = []
    for name, (content, _) in list(kept.items())[::every]:
        hits = gallery.nearest(spoil(decode(content)))
        own = [hit.score for hit in hits if hit.asset == name]
        found.append((bool(hits) and hits[0].asset == name, own[0] if own else 0.0))
    return found


def report(name: str, gallery: Gallery, kept: dict[str, tuple[bytes, Likeness]], spoil: Callable, every: int) -> str:  # type: ignore[type-arg]
    """One line on one way to spoil pictures."""
    found = ranks(gallery, kept, spoil, every)
    first = sum(is_first for is_first, _ in found) / len(found)
    scores = [score for _, score in found]
    sure = sum(score >= SAME for score in scores) / len(found)
    return f"{name:28} own first {first:.3f}, sure {sure:.3f}, lowest {min(scores):.2f}, median {np.median(scores):.2f}"


def best_score(gallery: Gallery, content: bytes, but: str = "") -> float:
    """The highest score that any stored picture but this one has."""
    return max((hit.score for hit in gallery.nearest(content) if hit.asset != but), default=0.0)


def question_ms(kept: dict[str, tuple[bytes, Likeness]], count: int, questions: int = 12) -> float:
    """Milliseconds of a question among so many pictures, those beyond the real ones being the real ones shuffled."""
    chance = np.random.default_rng(1)
    real = list(kept.values())
    seen = [found for _, found in real]
    rows = [np.frombuffer(each.windows, dtype=np.int8).reshape(16, -1) for each in seen]
    while len(seen) < count:
        number = int(chance.integers(len(real)))
        seen.append(real[number][1])
        rows.append(rows[number][:, chance.permutation(rows[number].shape[1])])
    sizes = [(each.width, each.height) for each in seen]
    names = [str(number) for number in range(count)]
    gallery = Gallery(names, sizes, b"".join(row.tobytes() for row in rows), lambda name: seen[int(name)].copy)
    asked = [as_screenshot(decode(content)) for content, _ in real[:: max(1, len(real) // questions)]]
    began = time.perf_counter()
    for content in asked:
        gallery.nearest(content)
    return (time.perf_counter() - began) * 1000 / len(asked)


# ------------------------------------------------------------------------------------------- what users' pictures lack
def png(picture: Image.Image) -> bytes:
    """As a PNG."""
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=1)
    return out.getvalue()


def jpeg(picture: Image.Image, quality: int = 60) -> bytes:
    """As a JPEG."""
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=quality)
    return out.getvalue()


def cropped(picture: Image.Image, left: float, top: float, right: float, bottom: float) -> Image.Image:
    """Without these shares of its sides."""
    width, height = picture.size
    box = round(width * left), round(height * top), round(width * (1 - right)), round(height * (1 - bottom))
    return picture.crop(box)


def scaled(picture: Image.Image, factor: float) -> Image.Image:
    """Made smaller."""
    size = max(1, round(picture.width * factor)), max(1, round(picture.height * factor))
    return picture.resize(size, Image.Resampling.BICUBIC)


def as_screenshot(picture: Image.Image) -> bytes:
    """Scaled to 70%, without 5% at each side, as a JPEG of quality 60."""
    return jpeg(cropped(scaled(picture, 0.7), 0.05, 0.05, 0.05, 0.05))


def _under_a_dialog(picture: Image.Image) -> bytes:
    dark = Image.blend(picture, Image.new("RGB", picture.size, "black"), 0.5)
    width, height = dark.size
    draw = ImageDraw.Draw(dark)
    draw.rectangle((width * 0.35, height * 0.35, width * 0.65, height * 0.6), fill="white", outline="grey")
    draw.text((width * 0.4, height * 0.45), "Are you sure?", fill="black")
    return png(dark)


def _under_a_cursor(picture: Image.Image) -> bytes:
    marked = picture.copy()
    x, y = marked.width * 0.4, marked.height * 0.6
    arrow = [(x, y), (x, y + 24), (x + 7, y + 17), (x + 17, y + 17)]
    ImageDraw.Draw(marked).polygon(arrow, fill="white", outline="black")
    return png(marked)


def _in_a_browser(picture: Image.Image) -> bytes:
    width, height = picture.size
    around = Image.new("RGB", (round(width * 1.1), round(height * 1.25)), (222, 225, 230))
    draw = ImageDraw.Draw(around)
    draw.rectangle((width * 0.1, height * 0.03, width * 0.9, height * 0.09), fill="white")
    draw.text((width * 0.12, height * 0.04), "https://example.org/app", fill="black")
    around.paste(picture, (round(width * 0.05), round(height * 0.2)))
    return png(around)


SPOILED: dict[str, Callable[[Image.Image], bytes]] = {
    "70%, JPEG 60, 5% a side off": as_screenshot,
    "70%": lambda picture: png(scaled(picture, 0.7)),
    "50%": lambda picture: png(scaled(picture, 0.5)),
    "JPEG 60": jpeg,
    "5% a side off": lambda picture: png(cropped(picture, 0.05, 0.05, 0.05, 0.05)),
    "10% a side off": lambda picture: png(cropped(picture, 0.1, 0.1, 0.1, 0.1)),
    "2, 10, 8 and 0% off": lambda picture: png(cropped(picture, 0.02, 0.1, 0.08, 0)),
    "15% off at the left": lambda picture: png(cropped(picture, 0.15, 0, 0, 0)),
    "dimmed, under a dialog": _under_a_dialog,
    "under a cursor": _under_a_cursor,
    "in a browser's window": _in_a_browser,
    "left half": lambda picture: png(cropped(picture, 0, 0, 0.5, 0)),
    "lower half, 70%, JPEG 60": lambda picture: jpeg(scaled(cropped(picture, 0, 0.5, 0, 0), 0.7)),
    "some 60% by 60% of it": lambda picture: png(cropped(picture, 0.27, 0.1, 0.13, 0.3)),
}


# ------------------------------------------------------------------------------------------------------------ strangers
def strangers(folder: Path | None = None, each: int = 15, seed: int = 7) -> Iterator[tuple[str, list[bytes]]]:
    """Drawn pictures by kind, as many of ``each``, and those of a folder."""
    chance = random.Random(seed)
    for kind, draw in {"diagrams": diagram, "text": page, "gradients": gradient, "windows": window}.items():
        yield kind, [png(draw(chance)) for _ in range(each)]
    if folder:
        yield folder.name, list(originals(folder).values())


@functools.cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _words(chance: random.Random, count: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(count))


def diagram(chance: random.Random) -> Image.Image:
    """Labelled boxes and lines between them."""
    picture = Image.new("RGB", (chance.randint(500, 1200), chance.randint(350, 800)), "white")
    draw, middles = ImageDraw.Draw(picture), []
    for _ in range(chance.randint(4, 9)):
        x, y = chance.randint(10, picture.width - 160), chance.randint(10, picture.height - 70)
        fill = chance.choice(["#def", "#fed", "#efe", "white"])
        draw.rectangle((x, y, x + 150, y + 50), outline="black", fill=fill, width=2)
        draw.text((x + 8, y + 15), _words(chance, 2), fill="black", font=_font(14))
        middles.append((x + 75, y + 25))
    draw.line(middles, fill="black", width=2)
    return picture


def page(chance: random.Random) -> Image.Image:
    """Lines of text with headings between them."""
    picture = Image.new("RGB", (chance.choice([600, 800, 1000]), chance.choice([500, 900, 1200])), "white")
    draw, size, y = ImageDraw.Draw(picture), chance.choice([12, 14, 18, 22]), 30
    while y < picture.height - 30:
        is_heading = chance.random() < 0.1
        font = _font(size * 3 // 2 if is_heading else size)
        words = _words(chance, 3 if is_heading else picture.width // (size * 4))
        draw.text((30, y), words.title() if is_heading else words, fill=(40, 40, 40), font=font)
        y += size * (5 if chance.random() < 0.12 else 3) // 2
    return picture


def gradient(chance: random.Random) -> Image.Image:
    """One colour running into another."""
    width, height = chance.randint(300, 1000), chance.randint(300, 800)
    one, other = (np.array([chance.randint(0, 255) for _ in "rgb"]) for _ in range(2))
    along, down = np.linspace(0, chance.random(), width), np.linspace(0, chance.random(), height)
    share = along[None, :, None] + down[:, None, None]
    return Image.fromarray(np.clip(one + (other - one) * share / share.max(), 0, 255).astype("uint8"))


def window(chance: random.Random) -> Image.Image:
    """A program's window: a bar, perhaps a menu, and labels, fields, buttons and tables."""
    width, height = chance.choice([(1280, 720), (1024, 768), (800, 600), (1440, 900), (600, 400)])
    picture = Image.new("RGB", (width, height), "#f5f5f5")
    draw, left, y = ImageDraw.Draw(picture), chance.choice([0, 180, 240]), 60
    draw.rectangle((0, 0, width, 40), fill=chance.choice(["#223", "#1473e6", "#eee", "#333"]))
    draw.text((12, 10), _words(chance, 2).title(), fill="white", font=_font(18))
    draw.rectangle((0, 40, left, height), fill="#e8e8ee")
    for line in range(12 if left else 0):
        draw.text((16, 60 + line * 34), _words(chance, 2), fill="black", font=_font(14))
    while y < height - 80:
        y += chance.choice([_label, _field, _buttons, _table])(draw, chance, (left + 20, y, width - 40))
    return picture


def _label(draw: ImageDraw.ImageDraw, chance: random.Random, place: tuple[int, int, int]) -> int:
    x, y, _ = place
    draw.text((x, y), _words(chance, chance.randint(3, 9)), fill="black", font=_font(15))
    return 30


def _field(draw: ImageDraw.ImageDraw, chance: random.Random, place: tuple[int, int, int]) -> int:
    x, y, right = place
    draw.rectangle((x, y, right - chance.randint(0, 260), y + 30), outline="#888", fill="white")
    draw.text((x + 8, y + 7), _words(chance, 2), fill="#555", font=_font(13))
    return 44


def _buttons(draw: ImageDraw.ImageDraw, chance: random.Random, place: tuple[int, int, int]) -> int:
    x, y, _ = place
    for left in range(x, x + 130 * chance.randint(1, 3), 130):
        draw.rounded_rectangle((left, y, left + 110, y + 34), 8, fill="#1473e6")
        draw.text((left + 20, y + 8), chance.choice(WORDS), fill="white", font=_font(14))
    return 50


def _table(draw: ImageDraw.ImageDraw, chance: random.Random, place: tuple[int, int, int]) -> int:
    x, y, right = place
    rows = chance.randint(3, 7)
    for row in range(rows):
        top = y + row * 26
        draw.rectangle((x, top, right, top + 26), outline="#ccc", fill="white" if row % 2 else "#f0f4ff")
        for column in range(4):
            at = x + 10 + column * (right - x) // 4
            draw.text((at, top + 6), chance.choice(WORDS), fill="black", font=_font(13))
    return rows * 26 + 16


if __name__ == "__main__":
    main()
