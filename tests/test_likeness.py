"""A screenshot finds the picture that it shows, and a picture of something else finds none."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from benchmarks import screenshots
from PIL import Image, ImageDraw

from showtell.errors import PictureError
from showtell.likeness import SAME, Gallery, Likeness, likeness
from showtell.pictures import decode


def gallery(pictures: Mapping[str, bytes]) -> Gallery:
    kept, _ = screenshots.looked_at(dict(pictures))
    return screenshots.gallery_of(kept)


@pytest.fixture(scope="module")
def windows() -> dict[str, bytes]:
    """Twelve windows of one program."""
    chance = random.Random(1)
    return {f"window {number}": screenshots.png(screenshots.window(chance)) for number in range(12)}


@pytest.mark.parametrize("name", screenshots.SPOILED)
def test_a_spoiled_picture_finds_its_original(name: str, windows: dict[str, bytes]) -> None:
    stored = gallery(windows)
    for own, content in list(windows.items())[:3]:
        best = stored.nearest(screenshots.SPOILED[name](decode(content)))[0]
        assert best.asset == own
        assert best.score >= SAME


def test_another_picture_of_the_same_kind_is_not_the_same(windows: dict[str, bytes]) -> None:
    *others, own = windows.items()
    assert all(hit.score < SAME for hit in gallery(dict(others)).nearest(own[1]))


def test_the_best_come_first_and_no_more_than_asked_for(windows: dict[str, bytes]) -> None:
    names = list(windows)
    twice = windows | {"again": screenshots.SPOILED["under a cursor"](decode(windows[names[0]]))}
    hits = gallery(twice).nearest(windows[names[0]], limit=2)
    assert [hit.asset for hit in hits] == [names[0], "again"]
    assert 1 >= hits[0].score > hits[1].score >= SAME
    assert len(gallery(twice).nearest(windows[names[0]], limit=1)) == 1


def test_transparent_animated_and_palette_pictures_are_known_again(windows: dict[str, bytes]) -> None:
    content = windows["window 0"]
    picture = decode(content)
    clear = picture.convert("RGBA")
    clear.putalpha(Image.new("L", picture.size, 255))
    for other in (clear, picture.convert("P"), picture.convert("L")):
        best = gallery(windows).nearest(screenshots.png(other))[0]
        assert (best.asset, best.score >= SAME) == ("window 0", True)


def test_icons_and_pictures_that_show_nothing_have_no_likeness() -> None:
    chance = random.Random(2)
    icon = screenshots.window(chance).resize((24, 24))
    assert likeness(screenshots.png(icon)) is None
    assert likeness(screenshots.png(Image.new("RGB", (600, 400), "teal"))) is None


def test_a_picture_that_shows_nothing_finds_nothing(windows: dict[str, bytes]) -> None:
    stored = gallery(windows)
    for size in [(600, 400), (1, 1), (5000, 2)]:
        assert stored.nearest(screenshots.png(Image.new("RGB", size, "white"))) == []
    assert gallery({}).nearest(windows["window 0"]) == []


def test_very_long_and_very_wide_pictures_are_known_again() -> None:
    pictures = {}
    for name, size in {"wide": (3000, 120), "long": (150, 4000)}.items():
        picture = Image.new("RGB", size, "white")
        draw, chance = ImageDraw.Draw(picture), random.Random(name)
        for _ in range(60):
            x, y = chance.randint(0, size[0]), chance.randint(0, size[1])
            draw.rectangle((x, y, x + chance.randint(5, 90), y + chance.randint(5, 60)), outline="black", fill="gold")
        pictures[name] = screenshots.png(picture)
    stored = gallery(pictures)
    for name, content in pictures.items():
        best = stored.nearest(screenshots.as_screenshot(decode(content)))[0]
        assert (best.asset, best.score >= SAME) == (name, True)


def test_what_is_no_picture_is_an_error(windows: dict[str, bytes]) -> None:
    with pytest.raises(PictureError):
        likeness(b"not a picture")
    with pytest.raises(PictureError):
        gallery(windows).nearest(b"not a picture")


def test_a_picture_that_is_gone_meanwhile_is_passed_over(windows: dict[str, bytes]) -> None:
    seen = likeness(windows["window 0"])
    assert isinstance(seen, Likeness)
    empty = Gallery(["window 0"], [(seen.width, seen.height)], seen.windows, lambda _: None)
    assert empty.nearest(windows["window 0"]) == []


def test_a_likeness_is_small(windows: dict[str, bytes]) -> None:
    seen = [likeness(content) for content in windows.values()]
    assert max(len(each.windows) + len(each.copy) for each in seen if each) < 10_000


def test_screenshots_of_real_help_pages(shared: Path) -> None:
    """The goal: of at least 60 pictures 95% find their own first, and none of 60 strangers is taken for one of them."""
    kept, _ = screenshots.looked_at(screenshots.originals(shared / "corpus"))
    stored = screenshots.gallery_of(kept)
    found = screenshots.ranks(stored, kept, screenshots.as_screenshot, every=3)
    assert len(found) >= 60
    assert sum(first and score >= SAME for first, score in found) / len(found) >= 0.95
    drawn = [picture for _, pictures in screenshots.strangers(each=15) for picture in pictures]
    assert len(drawn) == 60
    assert [score for picture in drawn if (score := screenshots.best_score(stored, picture)) >= SAME] == []
