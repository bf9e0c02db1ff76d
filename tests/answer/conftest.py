"""Small libraries written for one test, and ways to read an answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from showtell.library import Library
from showtell.render.limited import parse
from showtell.types import Answer, FigurePart, TextPart

Made = Callable[..., Library]


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    """``made({"a.md": "# A"}, pictures=["a.png"])`` is a library of these files; ``encoder`` as in the settings."""
    opened: list[Library] = []

    def make(files: Mapping[str, str], pictures: Sequence[str] = (), *, words_alone: bool = False) -> Library:
        docs = tmp_path / "docs"
        for seed, name in enumerate(pictures):
            draw(docs / name, seed)
        for name, text in files.items():
            (docs / name).parent.mkdir(parents=True, exist_ok=True)
            (docs / name).write_text(text, encoding="utf-8")
        library = Library.open(tmp_path / "library", encoder=str(tmp_path / "none") if words_alone else None)
        opened.append(library)
        if library.warnings and not words_alone:
            pytest.skip(library.warnings[0])
        assert {result.status for result in library.add(docs)} == {"added"}
        return library

    yield make
    for library in opened:
        library.close()


def draw(path: Path, seed: int, size: tuple[int, int] = (240, 160)) -> None:
    """A picture that no other seed gives."""
    path.parent.mkdir(parents=True, exist_ok=True)
    picture, dice = Image.new("RGB", size, "white"), random.Random(seed)
    for _ in range(6):
        corner = dice.randrange(size[0] // 2), dice.randrange(size[1] // 2)
        colour = (dice.randrange(256), dice.randrange(256), dice.randrange(256))
        ImageDraw.Draw(picture).ellipse((*corner, corner[0] + size[0] // 3, corner[1] + size[1] // 3), fill=colour)
    picture.save(path)


def vtt(*cues: tuple[int, int, str]) -> str:
    """A subtitle file."""
    lines = [f"{_clock(start)} --> {_clock(end)}\n{text}\n" for start, end, text in cues]
    return "\n".join(["WEBVTT\n", *lines])


def _clock(seconds: int) -> str:
    return f"00:{seconds // 60:02}:{seconds % 60:02}.000"


def shown(answer: Answer) -> list[str]:
    """What a reader meets, in order: text without its citations, and media as ``<type ref>``."""
    return [
        f"<{part.media.block.type} {part.media.block.ref}>" if isinstance(part, FigurePart) else bare(part)
        for part in answer.parts
    ]


def bare(part: TextPart) -> str:
    """A text part without its citations."""
    marks = "".join(f" [{number}]" for number in part.citations)
    assert part.text.endswith(marks)
    return part.text.removesuffix(marks)


def plain(part: TextPart) -> str:
    """The words of a text part, without label, markup and citations."""
    runs = [run for block in parse(part.text, part.citations) for run in block.runs]
    return " ".join("".join(run.text for run in runs if run.citation is None).split())


def texts(answer: Answer) -> list[TextPart]:
    return [part for part in answer.parts if isinstance(part, TextPart)]


def figures(answer: Answer) -> list[FigurePart]:
    return [part for part in answer.parts if isinstance(part, FigurePart)]


def refs(answer: Answer) -> list[str]:
    return [part.media.block.ref for part in figures(answer)]
