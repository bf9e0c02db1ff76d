"""Questions to begin with: headings of the library that lead back to their own sections, those with media first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from showtell.library import Library
from showtell.types import Passage

MOST = 6
LOOKED_AT = 4  # passages of each document
TRIED = 24
LONGEST = 90  # characters
_IS_QUESTION = re.compile(r"[?？؟]\s*$")
_NUMBERING = re.compile(r"^[\d.()\s]+")


def suggestions(library: Library) -> list[str]:
    """Up to six headings, each of which finds its own section first.

    Those in the language of most documents come first, and of these the ones that are questions.
    """
    store, languages = library.store, library.store.languages()
    most = max(languages, key=lambda code: languages[code], default="")
    passages = store.passages(store.first_passages(LOOKED_AT)).values()
    with_media = {media.section_id for media in store.section_media([each.section_id for each in passages]).values()}
    headings: dict[str, Passage] = {}
    for passage in passages:
        headings.setdefault(_heading(passage), passage)

    def rank(heading: str) -> tuple[bool, bool, bool]:
        found = headings[heading]
        return found.language != most, not _IS_QUESTION.search(heading), found.section_id not in with_media

    wanted = sorted(filter(_is_telling, headings), key=rank)
    return _first(MOST, (text for text in _spread(wanted, headings)[:TRIED] if _finds(library, text, headings[text])))


def _heading(passage: Passage) -> str:
    last = passage.section[-1] if passage.section else passage.title
    return " ".join(_NUMBERING.sub("", last).split())


def _is_telling(heading: str) -> bool:
    """Whether it is more than a word such as "Overview", which says nothing outside its document."""
    return len(heading) <= LONGEST and (len(heading.split()) > 1 or not heading.isascii()) and len(heading) > 3


def _spread(wanted: list[str], headings: dict[str, Passage]) -> list[str]:
    """The same, the first of each document before the second of any."""
    turn: dict[str, int] = {}
    turns: dict[str, int] = {}
    for heading in wanted:
        document = headings[heading].document
        turns[heading] = turn[document] = turn.get(document, -1) + 1
    return sorted(wanted, key=turns.__getitem__)


def _finds(library: Library, text: str, passage: Passage) -> bool:
    hits = library.search(text, 1)
    return bool(hits) and hits[0].passage.section_id == passage.section_id


def _first(count: int, texts: Iterator[str]) -> list[str]:
    return [text for _, text in zip(range(count), texts, strict=False)]
