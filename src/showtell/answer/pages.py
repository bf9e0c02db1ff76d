"""What was read of other sources for one question, in a store of its own that is searched like a library.

A long article has hundreds of passages and few that matter, so words choose first, and only what they choose is
encoded: an answer from a page of 500 kB waits for some dozens of texts, not for all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from showtell.errors import SourceError
from showtell.index.descriptions import Reply
from showtell.index.search import Searcher
from showtell.index.store import Store
from showtell.ingest.rows import media_rows, passage_text, rows
from showtell.ingest.split import split
from showtell.models.base import Encoder, Reranker
from showtell.types import Document

BY_WORDS = 24  # passages of all pages that are encoded for the words that they share with the searches
FIRST = 2  # passages of each page that are encoded all the same: its lead and its infobox
MOST_MEDIA = 60  # whose own words are encoded


class Pages:
    """Documents read for one question; :attr:`searcher` finds in them."""

    def __init__(self, encoder: Encoder | None, reranker: Reranker | None, passage_words: int) -> None:
        self._folder = TemporaryDirectory(prefix="showtell-")
        self._words = passage_words
        self.searcher = Searcher(Store(Path(self._folder.name), create=True), encoder, reranker)
        self.read: dict[str, Document] = {}
        self.warnings: list[str] = []

    def add(self, documents: Iterable[Document], searches: Sequence[str]) -> int:
        """Store the documents that are new, and encode what the searches need of all; returns how many are new."""
        new = [document for document in documents if document.source not in self.read]
        for document in new:
            self.read[document.source] = document
            digest = hashlib.sha256(document.source.encode()).hexdigest()
            (row,) = rows([(split(document, self._words), document.source, digest)], None)
            try:
                self.searcher.store.put(row)
            except SourceError as error:  # a picture of the library is gone meanwhile
                self.warnings.append(str(error))
        if self.searcher.encoder:
            self._encode(searches)
        return len(new)

    def close(self) -> None:
        """Forget everything."""
        self.searcher.store.close()
        self._folder.cleanup()

    def _encode(self, searches: Sequence[str]) -> None:
        store, encoder = self.searcher.store, self.searcher.encoder
        assert encoder is not None  # noqa: S101 (add made sure)
        worth: dict[int, None] = {}
        for text in searches:
            found = self.searcher.by_words(self.searcher.query(text), BY_WORDS)
            worth |= dict.fromkeys(found[: max(1, BY_WORDS // len(searches))])
        worth |= dict.fromkeys(store.first_passages(FIRST))
        known = set(store.vector_ids("passage_vectors"))
        passages = store.passages([id_ for id_ in worth if id_ not in known])
        texts = [passage_text(each.title, each.section, each.text) for each in passages.values()]
        if texts:
            store.put_passage_vectors(dict(zip(passages, encoder.encode(texts), strict=True)))
        sections = list({passage.section_id for passage in passages.values()})
        told = set(store.vector_ids("media_vectors"))
        media = [row for row in store.section_media(sections) if row not in told][:MOST_MEDIA]
        if media:
            store.replace_media(media_rows(store, {row: Reply("", "", "") for row in media}, encoder))
