"""Answers built by hand for the renderers, with pictures drawn here and a clip of coloured seconds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image as Picture
from PIL import ImageDraw

from showtell.types import (
    Answer,
    Check,
    Citation,
    Cue,
    FigurePart,
    Image,
    Media,
    MediaBlock,
    Nearest,
    Question,
    Table,
    TextPart,
    Video,
)

HOSTILE = (
    "<script>alert(1)</script>",
    '" onerror="alert(1)" x="',
    "' autofocus onfocus='alert(1)",
    "](javascript:alert(1))",
    "[go](javascript:alert(1)) [on](data:text/html,x) <javascript:alert(1)> ![p](http://tracker.invalid/p.png)",
    "</style></title></textarea><img src=x onerror=alert(1)>",
    "--><svg onload=alert(1)>",
    "\x1b[31mred\x1b]8;;http://evil.invalid\x07link\x1b]8;;\x07\x9b2J\x00\x07",
    "user\u202egnp.exe\u2066x\u2069",
    "\ud800 lone",
    "a | b\n| --- |\n# not a heading\n```",
    "[1](http://evil.invalid) [1]: http://evil.invalid",
    "//evil.invalid/i.png",
    "${style} $script {0} %s",
    "long " * 20_000,
)


@dataclass
class Shelf:
    """Assets in a folder; ``find`` is what the renderers are given."""

    folder: Path
    drawn: int = 0

    def find(self, name: str) -> Path | None:
        path = self.folder / name
        return path if path.is_file() else None

    def picture(self, width: int = 800, height: int = 450, colour: str = "#3d6b8e") -> str:
        """Draw a window with a menu and return its asset name."""
        self.drawn += 1
        picture = Picture.new("RGB", (width, height), "#eef1f4")
        pen = ImageDraw.Draw(picture)
        pen.rectangle((0, 0, width, height // 9), fill=colour)
        for row in range(5):
            top = height // 5 + row * height // 7
            pen.rounded_rectangle((width // 16, top, width // 4, top + height // 14), 6, fill="#cfd8df")
            pen.rounded_rectangle((width // 3, top, width - width // 16, top + height // 14), 6, fill="#ffffff")
        pen.rounded_rectangle(
            (width // 3, height // 5, width // 2, height // 5 + height // 14), 6, outline="#c2410c", width=4
        )
        name = f"{self.drawn:064x}.png"
        picture.save(self.folder / name)
        return name


def media(block: MediaBlock, document: str = "admin/privacy.md", section: str = "Privacy reporting") -> Media:
    return Media("m", 1, document, "Privacy", ("Privacy", section), 1, block)


def figure(block: MediaBlock, *citations: int, **fields: Any) -> FigurePart:
    return replace(FigurePart(media(block), citations, "stands under this step", 0.7), **fields)


def answer(*parts: TextPart | FigurePart, **fields: Any) -> Answer:
    """An answer of these parts; every source they cite is quoted."""
    cited = tuple(
        Citation(number, "admin/privacy.md", "Privacy", ("Privacy", "Privacy reporting"), f"Quoted passage {number}.")
        for number in sorted({number for part in parts for number in part.citations})
    )
    plain = Answer(Question("How do I report?"), "answered", "high", "showtell", "extractive", parts, cited)
    return replace(plain, **fields)


def hostile(words: str, asset: str | None = None) -> Answer:
    """An answer in which a document says ``words`` wherever it has a say."""
    section = ("Privacy", words)
    image = Image(words, words, words, words, words, asset, 800, 450)
    film = Video(words, words, words, words, 1.0, 2.0, words, words, cues=(Cue(1, 2, words),))
    table = Table((words, "b"), ((words, words), ("1", "2")), words, words)
    blocks: tuple[MediaBlock, ...] = (image, replace(image, asset=None), film, table)
    said = {"before": words, "after": words, "credit": words, "licence": words, "generated": words}
    shown = [
        FigurePart(Media("m", 1, words, words, section, 1, b, **said, generated_by=words), (1,), words, 1)
        for b in blocks
    ]
    return answer(
        TextPart(f"{words} [1]", (1,)),
        TextPart(f"1. **{words}** `{words}`"),
        *shown,
        question=Question(words),
        confidence=f"low: {words}",
        model=words,
        citations=(Citation(1, words, words, section, words, words, words, words),),
        checks=(Check("number", "contradicted", 0, (0, len(words)), words, words, 1, "marked"),),
        nearest=(Nearest(words, words, section, 0.1),),
        warnings=(words,),
    )


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


@pytest.fixture
def made() -> SimpleNamespace:
    """The makers above, for tests that cannot import from here."""
    return SimpleNamespace(media=media, figure=figure, answer=answer, hostile=hostile)


@pytest.fixture(params=HOSTILE, ids=range(len(HOSTILE)))
def words(request: pytest.FixtureRequest) -> str:
    """What a hostile document might say."""
    return str(request.param)
