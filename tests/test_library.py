"""The life of documents in a library: added, added again, removed, refreshed. By words alone, without weights."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from showtell.errors import LibraryError, ModelError
from showtell.library import Added, Library


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    write(folder / "guide/lamp.md", "# Lamp\n\nTurn the brass lamp on.\n\n![The lamp](../lamp.png)\n")
    write(folder / "guide/pump.md", "# Pump\n\nGrease the pump each year.\n")
    write(folder / "index.md", "# Index\n\nStart here, at the beginning.\n")
    Image.new("RGB", (90, 60), "gold").save(folder / "lamp.png")
    return folder


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with opened(tmp_path) as library:
        yield library


def opened(tmp_path: Path) -> Library:
    return Library.open(tmp_path / "library", encoder=str(tmp_path / "no-encoder"))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def told(results: Iterator[Added]) -> dict[str, str]:
    return {result.name: result.status for result in results}


def names(library: Library) -> list[str]:
    return [document.name for document in library.documents()]


ALL = ["guide/lamp.md", "guide/pump.md", "index.md"]


# ---------------------------------------------------------------------------------------------------------------- add
def test_adding_twice_changes_nothing(library: Library, docs: Path) -> None:
    assert told(library.add(docs)) == dict.fromkeys(ALL, "added")
    before = library.store.counts()
    assert told(library.add(docs)) == dict.fromkeys(ALL, "unchanged")
    assert library.store.counts() == before


def test_the_way_a_path_is_written_makes_no_other_document(
    library: Library, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(library.add(docs))
    monkeypatch.chdir(docs / "guide")
    assert set(told(library.add("..", ".", docs / "guide" / ".." / "index.md")).values()) == {"unchanged"}
    assert names(library) == ALL


def test_a_changed_document_is_replaced(library: Library, docs: Path) -> None:
    list(library.add(docs))
    write(docs / "index.md", "# Index\n\nA zebra stands here.\n")
    assert told(library.add(docs))["index.md"] == "replaced"
    assert library.search("zebra")
    assert not library.search("beginning")


def test_a_file_of_an_added_folder_keeps_its_name_when_it_is_added_by_itself(library: Library, docs: Path) -> None:
    list(library.add(docs))
    write(docs / "guide/lamp.md", "# Lamp\n\nThe lamp is broken.\n\n![The lamp](../lamp.png)\n")
    assert told(library.add(docs / "guide/lamp.md")) == {"guide/lamp.md": "replaced"}
    assert names(library) == ALL


def test_a_folder_inside_an_added_one_adds_nothing_twice(library: Library, docs: Path) -> None:
    list(library.add(docs))
    write(docs / "guide/new.md", "# New\n\nA new page.\n")
    assert told(library.add(docs / "guide"))["guide/new.md"] == "added"
    assert names(library) == sorted([*ALL, "guide/new.md"])


def test_a_folder_around_an_added_one_takes_its_documents_over(library: Library, docs: Path) -> None:
    (first, _) = library.add(docs / "guide")
    assert (first.name, first.images) == ("lamp.md", 0), "the picture lies outside the folder"
    assert told(library.add(docs)) == {"guide/lamp.md": "replaced", "guide/pump.md": "replaced", "index.md": "added"}
    assert names(library) == ALL
    assert library.documents()[0].images == 1


def test_two_folders_may_hold_files_of_the_same_name(library: Library, docs: Path, tmp_path: Path) -> None:
    write(tmp_path / "other/index.md", "# Other\n\nAnother beginning.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n")
    list(library.add(docs, tmp_path / "other"))
    other = str(tmp_path / "other/index.md")
    assert names(library) == sorted([*ALL, other])
    media = library.store.section_media(range(1, 50)).values()
    assert f"{other}#table:1" in [item.block.ref for item in media]


def test_a_document_whose_stored_picture_is_gone_is_read_again(library: Library, docs: Path) -> None:
    list(library.add(docs))
    shutil.rmtree(library.store.assets)
    assert told(library.add(docs))["guide/lamp.md"] == "replaced"
    assert len(list(library.store.assets.iterdir())) == 1


def test_many_small_documents_are_told_in_order(library: Library, docs: Path) -> None:
    for number in range(150):
        write(docs / f"many/{number:03}.md", f"# Page {number}\n\nPage {number} of many.\n" if number % 7 else "")
    results = [result.name for result in library.add(docs / "many")]
    assert results == sorted(results)
    assert len(results) == 150


# -------------------------------------------------------------------------------------------------------------- remove
@pytest.mark.parametrize("wanted", ["guide", "guide/", "{docs}/guide"])
def test_removing_a_folder_takes_all_below_it(library: Library, docs: Path, wanted: str) -> None:
    list(library.add(docs))
    assert library.remove(wanted.format(docs=docs)) == 2
    assert names(library) == ["index.md"]
    assert not list(library.store.assets.iterdir())


def test_an_unknown_name_removes_nothing(library: Library, docs: Path) -> None:
    list(library.add(docs))
    with pytest.raises(LibraryError, match=r"gui, so nothing was removed; see: showtell list"):
        library.remove("index.md", "gui")
    assert names(library) == ALL


# ------------------------------------------------------------------------------------------------------------- refresh
def test_refresh_reads_what_changed_adds_what_is_new_and_removes_what_is_gone(library: Library, docs: Path) -> None:
    list(library.add(docs))
    write(docs / "guide/pump.md", "# Pump\n\nThe pump needs no grease.\n")
    write(docs / "guide/new.md", "# New\n\nA new page.\n")
    (docs / "index.md").unlink()
    found = told(library.refresh())
    assert found == {
        "index.md": "removed",
        "guide/lamp.md": "unchanged",
        "guide/new.md": "added",
        "guide/pump.md": "replaced",
    }
    assert names(library) == ["guide/lamp.md", "guide/new.md", "guide/pump.md"]


@pytest.mark.parametrize("emptied", [False, True], ids=["gone", "an empty mount point"])
def test_refresh_keeps_the_documents_of_a_disk_that_is_away(library: Library, docs: Path, emptied: bool) -> None:
    list(library.add(docs))
    docs.rename(docs.with_name("elsewhere"))
    if emptied:
        docs.mkdir()
    (result,) = library.refresh()
    assert result.status == "skipped"
    assert "showtell remove" in result.error
    assert names(library) == ALL
    assert library.remove(str(docs)) == 3


def test_refresh_of_a_single_file(library: Library, docs: Path) -> None:
    list(library.add(docs / "index.md", docs / "guide/pump.md"))
    write(docs / "index.md", "# Index\n\nA zebra stands here.\n")
    (docs / "guide/pump.md").unlink()
    assert sorted(told(library.refresh()).values()) == ["removed", "replaced"]


def test_refresh_knows_a_file_that_no_walk_meets(library: Library, docs: Path) -> None:
    list(library.add(docs))
    list(library.add(docs / "lamp.png"))
    write(docs / ".hidden/note.md", "# Note\n\nA hidden note.\n")
    list(library.add(docs / ".hidden/note.md"))
    write(docs / ".hidden/note.md", "# Note\n\nA zebra hides.\n")
    found = told(library.refresh())
    assert (found[".hidden/note.md"], found["lamp.png"]) == ("replaced", "unchanged")


def test_rebuilding_without_an_encoder_is_refused(library: Library, docs: Path) -> None:
    list(library.add(docs))
    with pytest.raises(ModelError):
        list(library.refresh(rebuild=True))
