"""Stored pictures are found by their looks, also those of libraries that an earlier version made."""

from __future__ import annotations

import random
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.screenshots import as_screenshot, png, window

from showtell.errors import PictureError
from showtell.index.likenesses import Likenesses
from showtell.index.search import Searcher
from showtell.index.store import DocumentRow, Store
from showtell.likeness import SAME
from showtell.pictures import decode
from showtell.types import Image, Section
from tests.index.conftest import document

CHANCE = random.Random(3)
PICTURES = {f"{number:064x}.png": png(window(CHANCE)) for number in range(4)}
FIRST, *OTHERS = PICTURES


def showing(name: str, asset: str, *others: str, content: bytes | None = None) -> DocumentRow:
    """A document whose image is this asset; it holds the other assets as well."""
    row = document(name, "Press the button.")
    text, image, table = row.sections[0].blocks
    assert isinstance(image, Image)
    section = Section(row.sections[0].path, (text, replace(image, asset=asset), table))
    files = {each: PICTURES.get(each, b"") for each in others} | {asset: content or PICTURES[asset]}
    return replace(row, sections=(section,), assets=files)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "library", create=True)
    store.put(showing("one", FIRST, *OTHERS))
    return store


def test_a_screenshot_finds_the_media_that_show_it(store: Store) -> None:
    store.put(showing("two", FIRST))
    best = Searcher(store, None).nearest_pictures(as_screenshot(decode(PICTURES[FIRST])))[0]
    assert best.asset == FIRST
    assert best.score >= SAME
    found = list(store.media_of_asset(best.asset).values())
    assert [(media.document, media.block.asset) for media in found if isinstance(media.block, Image)] == [
        ("one", FIRST),
        ("two", FIRST),
    ]
    assert store.media_of_asset(OTHERS[0]) == {}  # held, but not shown


def test_each_picture_is_looked_at_once(store: Store) -> None:
    likenesses = Likenesses(store)
    assert [likenesses.complete(), likenesses.complete()] == [4, 0]
    generation = store.generation
    likenesses.nearest(PICTURES[FIRST])
    assert store.generation == generation


def test_pictures_that_come_and_go_are_found_and_no_more(store: Store) -> None:
    searcher = Searcher(store, None)
    new = png(window(random.Random(9)))
    name = f"{9:064x}.png"
    assert all(hit.asset != name for hit in searcher.nearest_pictures(new))
    store.put(showing("two", name, content=new))
    assert searcher.nearest_pictures(new)[0].asset == name
    store.remove(["two"])
    assert all(hit.asset != name for hit in searcher.nearest_pictures(new))
    store.sweep()
    assert store.select("SELECT asset FROM likenesses WHERE asset = ?", name) == []
    assert searcher.nearest_pictures(PICTURES[FIRST])[0].asset == FIRST


def test_what_has_no_looks_is_passed_over(store: Store) -> None:
    broken, drawing, film = (f"{20 + n:064x}{ending}" for n, ending in enumerate((".png", ".svg", ".mp4")))
    row = showing("two", FIRST)
    rest = {broken: PICTURES[FIRST][:500], drawing: b"<svg xmlns='http://www.w3.org/2000/svg'/>", film: b"film"}
    store.put(replace(row, assets={**row.assets, **rest}))
    likenesses = Likenesses(store)
    assert likenesses.complete() == 5
    assert likenesses.complete() == 0
    assert likenesses.nearest(PICTURES[FIRST])[0].asset == FIRST


def test_a_picture_whose_file_is_away_is_looked_at_when_it_is_back(store: Store) -> None:
    path = store.assets / FIRST
    path.unlink()
    likenesses = Likenesses(store)
    assert likenesses.complete() == 3
    path.write_bytes(PICTURES[FIRST])
    assert likenesses.nearest(PICTURES[FIRST])[0].asset == FIRST


def test_a_library_of_an_earlier_version_is_brought_up_to_date(store: Store) -> None:
    store.close()
    with sqlite3.connect(store.folder / "library.sqlite") as db:
        db.execute("DROP TABLE likenesses")
        db.execute("DROP TABLE looks")
        db.execute("PRAGMA user_version = 2")
    db.close()
    upgraded = Store(store.folder)
    assert [media.document for media in upgraded.media_of_asset(FIRST).values()] == ["one"]
    assert Searcher(upgraded, None).nearest_pictures(PICTURES[FIRST])[0].asset == FIRST


def test_a_library_without_pictures_finds_none_and_says_what_is_no_picture(tmp_path: Path) -> None:
    searcher = Searcher(Store(tmp_path / "library", create=True), None)
    assert searcher.nearest_pictures(PICTURES[FIRST]) == []
    with pytest.raises(PictureError):
        searcher.nearest_pictures(b"not a picture")


def test_a_library_that_may_only_be_read_finds_what_was_looked_at(store: Store) -> None:
    Likenesses(store).complete()
    store.put(showing("two", FIRST, content=PICTURES[FIRST]))
    store.writable = False
    likenesses = Likenesses(store)
    assert likenesses.complete() == 0
    assert likenesses.nearest(PICTURES[FIRST])[0].asset == FIRST
