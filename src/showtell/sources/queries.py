"""What is asked of a source: the words to search for, and the titles that they may name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from showtell.index.terms import stop_words
from showtell.ingest.inline import squeeze

MAX_QUERY = 300  # characters; the search of Wikipedia takes no more
MAX_SEARCHES = 3  # the texts beyond are looked up as titles only
MAX_GUESSES = 30  # titles that the texts may name
LONGEST_NAME = 4  # words of a title that a text may name
_SPACE_MARKS = re.compile(r"(?<!\d)[.,](?!\d)|[^\w\s.,'’-]|(?<!\w)[-'’.,]+|[-'’.,]+(?!\w)|_")
_OPERATORS = re.compile(r"\b(?:AND|OR|NOT)\b")

T = TypeVar("T")


def plain_query(text: str) -> str:
    """A text as a search for its words: without what search engines take for operators, at most 300 characters."""
    query = squeeze(_SPACE_MARKS.sub(" ", text))
    query = _OPERATORS.sub(lambda operator: operator[0].lower(), query)
    if len(query) <= MAX_QUERY:
        return query
    head = query[: MAX_QUERY + 1].rpartition(" ")[0]
    return head or query[:MAX_QUERY]


def guessed_titles(queries: Iterable[str]) -> list[str]:
    """Titles that the texts may name: runs of up to four words that neither begin nor end with a stop word.

    Of each text in turn, the longest first: as written, in lower case, as a name; the first letter is always capital.
    """
    return list(dict.fromkeys(in_turns([list(_runs(query)) for query in queries])))[:MAX_GUESSES]


def in_turns(lists: Iterable[Sequence[T]]) -> list[T]:
    """The first of each list, then the second of each, and so on."""
    every = list(lists)
    longest = max(map(len, every), default=0)
    return [values[number] for number in range(longest) for values in every if number < len(values)]


def _runs(query: str) -> Iterator[str]:
    parts = query.split(" ")
    for length in range(min(LONGEST_NAME, len(parts)), 0, -1):
        for start in range(len(parts) - length + 1):
            run = parts[start : start + length]
            if run[0].casefold() not in stop_words() and run[-1].casefold() not in stop_words():
                name = " ".join(run)
                yield name[:1].upper() + name[1:]
                yield name.capitalize()
                yield " ".join(part[:1].upper() + part[1:] for part in run)
