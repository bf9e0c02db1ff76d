"""A reader beside a writer: what it reads is of one generation, however long it takes."""

from __future__ import annotations

import threading
from pathlib import Path

from showtell.library import Library


def test_a_reader_sees_one_generation_until_it_is_done(tmp_path: Path):
    (tmp_path / "tea.md").write_text("# Tea\n\nLet it steep for 4 minutes.\n")
    with Library.open(tmp_path / "library") as library:
        list(library.add(tmp_path / "tea.md"))
        (name,) = [each.name for each in library.documents()]
        with library.store.reading():
            before = library.store.generation
            writer = threading.Thread(target=library.remove, args=(name,))
            writer.start()
            writer.join()
            assert library.store.generation == before
            assert library.search("How long does tea steep?")
            with library.store.reading():
                assert len(library.documents()) == 1
        assert not library.documents()
        assert not library.search("How long does tea steep?")


def test_what_a_reader_writes_itself_it_reads(tmp_path: Path):
    with Library.open(tmp_path / "library") as library:
        with library.store.reading():
            library.store.set_meta("colour", "green")
            assert library.store.meta("colour") == "green"
        library.store.set_meta("colour", "red")
        assert library.store.meta("colour") == "red"
