"""Stored pictures are found by their looks: by a like picture, by words, and only with the encoder that saw them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from PIL import Image

from showtell.errors import PictureError
from showtell.index.looks import Looks
from showtell.index.search import Searcher
from showtell.index.store import Store
from showtell.library import Added, Library
from showtell.models.base import ImageEncoder
from showtell.models.clip import load_image_encoder
from tests.models.conftest import tiny_model as tiny_model  # a fixture
from tests.models.tiny_clip import COLOURS, TinyClip, encoded, noise, plain, write_clip, write_colour_clip


@pytest.fixture
def tiny(tmp_path: Path) -> TinyClip:
    return write_clip(tmp_path / "tiny")


@pytest.fixture
def colours(tmp_path: Path) -> TinyClip:
    return write_colour_clip(tmp_path / "colours")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A page that shows six pictures."""
    return page(tmp_path / "docs", {f"noise{seed}": noise(seed, 160, 100) for seed in range(6)})


@pytest.fixture
def lamps(tmp_path: Path) -> Path:
    """A page that shows a picture of each colour."""
    return page(tmp_path / "docs", {word: plain(colour) for word, colour in COLOURS.items()})


def page(folder: Path, pictures: Mapping[str, Image.Image]) -> Path:
    folder.mkdir()
    for name, picture in pictures.items():
        picture.save(folder / f"{name}.png")
    shown = "\n\n".join(f"Picture\n\n![]({name}.png)" for name in pictures)
    (folder / "page.md").write_text(f"# Lamps\n\n{shown}\n")
    return folder


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Library]:
    """The library, by words alone, with the image encoder of a folder or without."""

    def library(model: TinyClip | None = None, **settings: object) -> Library:
        chosen = {"encoder": str(tmp_path / "nowhere"), "encoder_threads": 1, "cache": tmp_path / "cache"} | settings
        return Library.open(tmp_path / "library", image_encoder=str(model.folder) if model else None, **chosen)

    return library


def told(results: list[Added]) -> list[str]:
    return [warning for result in results if result.name == "pictures" for warning in result.warnings]


def shown(library: Library, asset: str) -> str:
    """The name of the file that is stored as this asset."""
    media = next(iter(library.store.media_of_asset(asset).values()))
    return Path(media.block.source).name  # type: ignore[union-attr]


def found(library: Library, picture: Image.Image | None, text: str | None = None, limit: int = 5) -> list[str]:
    content = encoded(picture) if picture else None
    return [shown(library, hit.asset) for hit in library.searcher.pictures_by_looks(content, text, limit)]


# -------------------------------------------------------------------------------------------------------------- found
def test_a_picture_is_its_own_nearest(opened, docs, tiny):
    library = opened(tiny)
    assert told(list(library.add(docs))) == []
    for path in docs.glob("*.png"):
        first, second = library.searcher.pictures_by_looks(path.read_bytes(), None, 2)
        assert shown(library, first.asset) == path.name
        assert second.score < first.score == pytest.approx(1, abs=1e-5)


def test_a_scaled_and_recompressed_picture_is_found(opened, docs, tiny):
    library = opened(tiny)
    list(library.add(docs))
    smaller = noise(1, 160, 100).resize((110, 69))
    (first,) = library.searcher.pictures_by_looks(encoded(smaller, "JPEG"), None, 1)
    assert shown(library, first.asset) == "noise1.png"


@pytest.mark.parametrize("word", list(COLOURS))
def test_words_find_the_picture_that_shows_what_they_say(opened, lamps, colours, word):
    library = opened(colours)
    list(library.add(lamps))
    assert found(library, None, f"a {word} lamp", 1) == [f"{word}.png"]
    assert found(library, plain(COLOURS[word]), None, 1) == [f"{word}.png"]


def test_a_picture_and_words_are_searched_together(opened, lamps, colours):
    library = opened(colours)
    list(library.add(lamps))
    assert set(found(library, plain(COLOURS["red"]), "a green lamp", 2)) == {"red.png", "green.png"}
    assert found(library, None, "") == found(library, None) == []


def test_what_is_no_picture_is_told(opened, docs, tiny):
    library = opened(tiny)
    list(library.add(docs))
    with pytest.raises(PictureError):
        library.searcher.pictures_by_looks(b"not a picture", None)


# ------------------------------------------------------------------------------------------------------- kept in step
def test_without_the_setting_nothing_is_kept_or_found(opened, docs):
    library = opened()
    assert told(list(library.add(docs))) == []
    assert found(library, noise(1)) == []
    assert library.searcher.looks.warnings == ()
    assert library.store.select("SELECT * FROM looks") == []


def test_the_setting_may_come_later(opened, docs, tiny):
    with opened() as library:
        list(library.add(docs))
    library = opened(tiny)
    (warning,) = library.searcher.looks.warnings
    assert "6 were not looked at yet; mend with: showtell refresh" in warning
    assert {result.status for result in library.refresh()} == {"unchanged"}
    assert library.searcher.looks.warnings == ()
    assert found(library, noise(1, 160, 100), limit=1) == ["noise1.png"]


def test_each_picture_is_looked_at_once(opened, docs, tiny):
    library = opened(tiny)
    list(library.add(docs))
    generation = library.store.generation
    assert library.searcher.looks.complete() == 0
    assert found(library, noise(1))
    assert library.store.generation == generation


def test_pictures_that_come_and_go_are_found_and_no_more(opened, docs, tiny):
    library = opened(tiny)
    list(library.add(docs))
    new = noise(9, 160, 100)
    assert len(found(library, new, limit=9)) == 6
    new.save(docs / "new.png")
    (docs / "more.md").write_text("# More\n\nA lamp.\n\n![](new.png)\n")
    list(library.refresh())
    assert found(library, new, limit=1) == ["new.png"]
    (docs / "more.md").unlink()
    (docs / "new.png").unlink()
    list(library.refresh())
    assert len(found(library, new, limit=9)) == 6
    assert library.store.select("SELECT count(*) FROM looks")[0][0] == 6


def test_a_broken_picture_is_looked_at_once_and_left_out(opened, docs, tiny):
    with opened() as library:
        list(library.add(docs))
    (hit,) = library.store.select("SELECT name FROM assets ORDER BY name LIMIT 1")
    (library.store.assets / hit[0]).write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    library = opened(tiny)
    assert library.searcher.looks.complete() == 6
    assert library.searcher.looks.complete() == 0
    assert len(found(library, noise(1), limit=9)) == 5


def test_a_picture_whose_file_is_away_is_looked_at_when_it_is_back(opened, docs, tiny):
    with opened() as library:
        list(library.add(docs))
    library = opened(tiny)
    path = next(library.store.assets.iterdir())
    content = path.read_bytes()
    path.unlink()
    assert library.searcher.looks.complete() == 5
    path.write_bytes(content)
    assert library.searcher.looks.complete() == 1


# --------------------------------------------------------------------------------------------- another, or no encoder
def test_vectors_of_another_encoder_are_told_and_not_used(opened, docs, tiny, colours):
    with opened(tiny) as library:
        list(library.add(docs))
    library = opened(colours)
    (warning,) = library.searcher.looks.warnings
    assert "were made by tiny@" in warning
    assert "not by colours@" in warning
    assert "set image_encoder to tiny, or make them anew with: showtell refresh --rebuild" in warning
    assert found(library, None, "a red lamp") == []
    noise(9, 160, 100).save(docs / "new.png")
    (docs / "more.md").write_text("# More\n\nA lamp.\n\n![](new.png)\n")
    assert told(list(library.refresh())) == [warning]
    with opened(tiny) as first:
        assert found(first, noise(1, 160, 100), limit=1) == ["noise1.png"]
        assert "1 were not looked at yet" in first.searcher.looks.warnings[0]


def test_a_rebuild_makes_the_vectors_anew(opened, lamps, tiny, colours, tiny_model):
    encoder = str(tiny_model("encoder").folder)
    with opened(tiny, encoder=encoder) as library:
        list(library.add(lamps))
    library = opened(colours, encoder=encoder)
    assert told(list(library.refresh(rebuild=True))) == []
    assert str(library.store.meta("image_encoder")).startswith("colours@")
    assert found(library, None, "a red lamp", 1) == ["red.png"]


def test_the_same_weights_in_another_folder_are_the_same_encoder(opened, docs, tiny, tmp_path):
    with opened(tiny) as library:
        list(library.add(docs))
    library = opened(write_clip(tmp_path / "moved"))
    assert library.searcher.looks.warnings == ()
    assert found(library, noise(1, 160, 100), limit=1) == ["noise1.png"]


def test_missing_weights_are_a_warning(opened, docs, tiny):
    (tiny.folder / "model.safetensors").unlink()
    library = opened(tiny)
    results = list(library.add(docs))
    assert "added" in {result.status for result in results}
    assert "failed" not in {result.status for result in results}
    (warning,) = told(results)
    assert warning.startswith("pictures are not found by their looks: ")
    assert "lacks model.safetensors" in warning
    assert found(library, noise(1)) == []
    library.searcher.looks.forget()  # as a rebuild does
    assert library.searcher.looks.warnings == (warning,)


def test_a_rebuild_without_weights_keeps_what_is_there(opened, docs, tiny):
    with opened(tiny) as library:
        list(library.add(docs))
    (tiny.folder / "model.safetensors").rename(tiny.folder / "away")
    opened(tiny).searcher.looks.forget()
    (tiny.folder / "away").rename(tiny.folder / "model.safetensors")
    assert found(opened(tiny), noise(1, 160, 100), limit=1) == ["noise1.png"]


def test_a_library_that_may_only_be_read_finds_what_was_looked_at(opened, docs, tiny):
    library = opened(tiny)
    list(library.add(docs))
    library.store.writable = False
    assert library.searcher.looks.complete() == 0
    assert found(library, noise(1, 160, 100), limit=1) == ["noise1.png"]


def test_a_library_of_an_earlier_version_is_brought_up_to_date(opened, docs, tiny, tmp_path):
    with opened() as library:
        list(library.add(docs))
    with sqlite3.connect(tmp_path / "library" / "library.sqlite") as db:
        db.execute("DROP TABLE looks")
        db.execute("PRAGMA user_version = 3")
    db.close()

    def load() -> ImageEncoder:
        return load_image_encoder(str(tiny.folder), cache=tmp_path / "cache")

    store = Store(tmp_path / "library")
    searcher = Searcher(store, None, looks=Looks(store, load))
    assert searcher.pictures_by_looks(encoded(noise(1)), None) == []
    assert searcher.looks.complete() == 6
    assert len(searcher.pictures_by_looks(encoded(noise(1)), None)) == 5
