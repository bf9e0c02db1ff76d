from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from showtell.errors import LibraryDamaged, LibraryError, LibraryTooNew
from showtell.index.store import Scope, Store
from showtell.types import as_json

from .conftest import document

PNG = "1" * 64 + ".png"


def test_what_is_put_comes_back(tmp_path: Path) -> None:
    store = Store(tmp_path / "library", create=True)
    store.put(document("lamp.md", "Turn the lamp on.", "Clean it weekly."))
    (listed,) = store.documents()
    assert (listed.name, listed.passages, listed.images, listed.tables, listed.videos) == ("lamp.md", 2, 1, 1, 0)
    passage = next(p for p in store.passages([1, 2]).values() if "weekly" in p.text)
    assert passage.section == ("lamp.md", "Part 1")
    (media,) = store.section_media([1]).values()
    assert media.block.source == "/docs/lamp.md/a.png"
    assert store.sections([1])[1].blocks[2].rows == (("1", "2"),)


def test_a_picture_keeps_its_own_credit_and_licence(tmp_path: Path) -> None:
    store = Store(tmp_path / "library", create=True)
    page = document("tomato", "Red fruit.")
    own = replace(page.sections[0].blocks[1], credit="A. Painter", licence="CC0")
    sections = (replace(page.sections[0], blocks=(page.sections[0].blocks[0], own)), *page.sections[1:])
    store.put(replace(page, sections=sections, licence="CC BY-SA 4.0"))
    (media,) = store.section_media([1]).values()
    assert (media.credit, media.licence) == ("A. Painter", "CC0")
    assert as_json(media)["licence"] == "CC0"


def test_adding_again_replaces_text_terms_vectors_and_media(tmp_path: Path) -> None:
    store = Store(tmp_path / "library", create=True)
    store.put(document("lamp.md", "Turn the lamp on.", "Clean it weekly."))
    store.put(document("lamp.md", "Throw the torch away."))
    assert store.counts() == (1, 1, 1)
    assert store.match_passages(["weekli"], 9) == {}
    assert len(store.match_passages(["torch"], 9)) == 1
    assert len(store.vector_ids("passage_vectors")) == len(store.vector_ids("media_vectors")) == 1


def test_removing_takes_text_vectors_media_and_unneeded_assets(tmp_path: Path) -> None:
    store = Store(tmp_path / "library", create=True)
    shared_asset = {PNG: b"picture"}
    store.put(document("a.md", "One.", assets=shared_asset))
    store.put(document("b.md", "Two.", assets=shared_asset))
    store.remove(["a.md"])
    assert store.sweep() == 0, "the other document still needs the asset"
    store.remove(["b.md"])
    assert store.sweep() == 1
    assert not list(store.assets.iterdir())
    assert store.counts() == (0, 0, 0)
    assert store.vector_ids("passage_vectors") == []


def test_the_same_name_from_two_folders_stays_two_documents(tmp_path: Path) -> None:
    store = Store(tmp_path / "library", create=True)
    store.put(document("README.md", "One."))
    store.put(replace(document("README.md", "Two."), source="/other/README.md"))
    assert [each.name for each in store.documents()] == ["/other/README.md", "README.md"]


def test_scope_limits_by_folder_and_language(tmp_path: Path) -> None:
    store = Store(tmp_path / "library", create=True)
    store.put(document("guide/a.md", "A lamp."))
    store.put(document("guide2/b.md", "A lamp."))
    store.put(document("guide/c.md", "A lamp.", language="de"))
    found = store.match_passages(["lamp"], 9, Scope(("guide",)))
    assert {store.passages([i])[i].document for i in found} == {"guide/a.md", "guide/c.md"}
    found = store.match_passages(["lamp"], 9, Scope(("guide/",), "de"))
    assert {store.passages([i])[i].document for i in found} == {"guide/c.md"}


def test_a_failing_document_leaves_nothing_behind(tmp_path: Path) -> None:
    store = Store(tmp_path / "library", create=True)
    store.put(document("a.md", "One."))
    broken = document("a.md", "Changed.", "More.")
    broken = replace(broken, media=(*broken.media, replace(broken.media[0], section=99)))
    with pytest.raises(IndexError):
        store.put(broken)
    assert store.match_passages(["one"], 9)
    assert not store.match_passages(["chang"], 9)


def test_two_processes_write_at_the_same_time(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]);"
        "from index.conftest import document; from showtell.index.store import Store;"
        "store = Store(Path(sys.argv[2]), create=True);"
        "[store.put(document(f'{sys.argv[3]}-{n}.md', f'Text {n}.', 'More.')) for n in range(30)]"
    )
    tests = str(Path(__file__).resolve().parents[1])
    command = [sys.executable, "-c", script, tests, str(tmp_path / "library")]
    running = [subprocess.Popen([*command, name]) for name in ("a", "b")]
    assert [process.wait(60) for process in running] == [0, 0]
    assert Store(tmp_path / "library").counts() == (60, 120, 60)


def test_no_library_there(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="showtell add"):
        Store(tmp_path / "none")


def test_a_damaged_library_says_so_and_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "library.sqlite").write_bytes(b"this is no database, " * 500)
    before = (tmp_path / "library.sqlite").read_bytes()
    with pytest.raises(LibraryDamaged, match="damaged"):
        Store(tmp_path)
    assert (tmp_path / "library.sqlite").read_bytes() == before


def test_a_newer_library_is_refused(tmp_path: Path) -> None:
    Store(tmp_path, create=True).close()
    with sqlite3.connect(tmp_path / "library.sqlite") as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(LibraryTooNew, match="later showtell"):
        Store(tmp_path)


def test_a_read_only_library_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "library", create=True)
    store.put(document("a.md", "One lamp."))
    store.close()
    if os.geteuid() == 0:  # permissions do not bind root; ask for what a user would see
        monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.W_OK)
    else:
        (tmp_path / "library").chmod(0o555)
    store = Store(tmp_path / "library")
    assert store.match_passages(["lamp"], 9)
    with pytest.raises(LibraryError, match="read-only"):
        store.put(document("b.md", "Two."))
