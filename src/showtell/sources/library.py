"""The user's own library as a source beside others: of its documents only the sections that a search finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from showtell.index.search import Searcher
from showtell.index.store import Scope
from showtell.sources.base import FoundPage
from showtell.types import Document, Passage, Section

PASSAGES = 24  # of each search


class LibraryPages:
    """A ``Source`` over a library, for one question."""

    name = "library"
    language = ""
    requests = 0
    warnings: Sequence[str] = ()

    def __init__(self, searcher: Searcher, scope: Scope | None = None) -> None:
        self._searcher = searcher
        self._scope = scope or Scope()
        self._found: dict[str, dict[int, Passage]] = {}

    def search(self, texts: Sequence[str], limit: int = 10) -> list[FoundPage]:
        """The documents that hold what fits any of the texts, best first."""
        pages: dict[str, FoundPage] = {}
        for text in texts:
            for hit in self._searcher.passages(self._searcher.query(text, self._scope), PASSAGES):
                passage = hit.passage
                self._found.setdefault(passage.document, {}).setdefault(passage.section_id, passage)
                page = FoundPage(passage.title, passage.document, passage.text, hit.score)
                if passage.document not in pages or page.score > pages[passage.document].score:
                    pages[passage.document] = page
        return sorted(pages.values(), key=lambda page: -page.score)[:limit]

    def documents(self, pages: Sequence[FoundPage]) -> Iterator[Document]:
        """The documents, each with the sections that were found, in their order."""
        store = self._searcher.store
        for page in pages:
            found = self._found.get(page.url, {})
            sections = tuple(section for _, section in sorted(store.sections(list(found)).items()))
            if sections:
                first = next(iter(found.values()))
                yield Document(
                    f"library:{page.url}", page.url, page.title, first.language, sections,
                    url=first.url, licence=first.licence, revision=first.revision,
                    files={name: str(store.assets / name) for name in _assets(sections)},
                )  # fmt: skip


def _assets(sections: Sequence[Section]) -> Iterator[str]:
    for section in sections:
        for block in section.blocks:
            if name := getattr(block, "asset", None):
                yield name
