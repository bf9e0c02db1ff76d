from __future__ import annotations

import time
from pathlib import Path

import pytest

from showtell.index.search import Searcher, fuse
from showtell.index.store import Scope, Store

from .conftest import BagOfWords, document


@pytest.fixture
def searcher(tmp_path: Path, encoder: BagOfWords) -> Searcher:
    store = Store(tmp_path / "library", create=True)
    store.put(document("lamp.md", "Turn the green lamp on.", "Clean the glass weekly."))
    store.put(document("pump.md", "The pump carries water.", "Grease its bearing each year."))
    store.put(document("泵.md", "清洗滤网，然后接通电源。", language="zh"))
    return Searcher(store, encoder)


def test_the_passage_that_answers_comes_first(searcher: Searcher) -> None:
    best = searcher.passages(searcher.query("When do I grease the bearing?"))[0]
    assert best.passage.text.startswith("Grease")
    assert best.lexical > 0
    assert best.dense > 0


def test_no_evidence_no_hits(searcher: Searcher) -> None:
    assert searcher.passages(searcher.query("zxqv wvut")) == []


def test_chinese_is_found_by_its_bigrams(searcher: Searcher) -> None:
    assert searcher.passages(searcher.query("怎么清洗滤网？"))[0].passage.document == "泵.md"


def test_media_are_found_by_their_words(searcher: Searcher) -> None:
    hits = searcher.media(searcher.query("a picture of the lamp"))
    assert hits[0].media.document == "lamp.md"


def test_scope_holds_in_both_rankings(searcher: Searcher) -> None:
    hits = searcher.passages(searcher.query("green lamp", Scope(("pump.md",))))
    assert {hit.passage.document for hit in hits} <= {"pump.md"}


def test_words_alone_find_without_an_encoder(searcher: Searcher) -> None:
    lexical = Searcher(searcher.store, None)
    assert lexical.passages(lexical.query("bearing"))[0].passage.text.startswith("Grease")


def test_what_was_added_meanwhile_is_found_and_what_was_removed_is_not(searcher: Searcher) -> None:
    searcher.passages(searcher.query("lamp"))
    searcher.store.put(document("kite.md", "Kites need wind."))
    searcher.store.remove(["lamp.md"])
    assert searcher.passages(searcher.query("kite wind"))[0].passage.document == "kite.md"
    assert all(hit.passage.document != "lamp.md" for hit in searcher.passages(searcher.query("green lamp")))


@pytest.mark.parametrize("harm", ["none", "missing", "damaged", "stale"])
def test_the_vector_file_is_only_a_copy(searcher: Searcher, harm: str) -> None:
    expected = searcher.passages(searcher.query("grease the bearing"))
    searcher.save()
    (file,) = searcher.store.folder.glob("passage_vectors-*")
    if harm == "missing":
        file.unlink()
    elif harm == "damaged":
        file.write_bytes(b"rubbish")
    elif harm == "stale":
        searcher.store.put(document("kite.md", "Kites need wind."))
        searcher.store.remove(["kite.md"])
    again = Searcher(Store(searcher.store.folder), searcher.encoder)
    assert [hit.passage.id for hit in again.passages(again.query("grease the bearing"))] == [
        hit.passage.id for hit in expected
    ]


def test_fusion_keeps_the_order_of_agreeing_rankings() -> None:
    fused = fuse({1: 9.0, 2: 3.0}, {1: 0.8, 2: 0.5, 3: 0.05})
    assert sorted(fused, key=fused.__getitem__, reverse=True) == [1, 2]


def test_an_endless_word_is_not_looked_into(searcher: Searcher) -> None:
    began = time.process_time()
    assert searcher.passages(searcher.query("a" * 200_000 + " lamp"))
    assert time.process_time() - began < 10  # seconds; it took gigabytes
