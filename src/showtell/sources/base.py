"""What showtell asks of a place that is not its library: to be searched, and to give its pages as Documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from showtell.types import Document


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page that a search found; ``url`` is its address within the source, and names its Document.

    ``lead`` is plain text: its first paragraphs where the source gives them, else what surrounds the words found.
    ``via`` is the redirect or the disambiguation page that led to it, "" if none did. An ``ambiguous`` page only
    lists what its title can mean: it is shown to the user, and no Document is made of it.
    """

    title: str
    url: str
    lead: str = ""
    score: float = 0.0
    via: str = ""
    ambiguous: bool = False


class Source(Protocol):
    """A place to search, for one question: it counts what that question asked of it.

    ``language`` is the code of the one that it is written in, "" where that is not known; ``requests`` how many
    requests went out; ``warnings`` what could not be had although the rest could.
    """

    name: str
    language: str

    @property
    def requests(self) -> int:
        """Requests that went out so far."""
        ...

    @property
    def warnings(self) -> Sequence[str]:
        """What could not be had, one line each."""
        ...

    def search(self, texts: Sequence[str], limit: int = 10) -> list[FoundPage]:
        """The pages that fit any of the texts, best first, each once; none if none fits."""
        ...

    def documents(self, pages: Sequence[FoundPage]) -> Iterator[Document]:
        """The pages as Documents, in order; ambiguous ones and those that cannot be had are left out."""
        ...
