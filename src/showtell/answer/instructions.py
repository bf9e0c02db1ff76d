"""Sentences of a document that give instructions to a model; they are kept from it, and the reader is told.

What counts is written in ``instructions.txt``. It is read through the tricks that hide it: invisible and compatibility
characters, look-alike letters of other scripts, broken lines.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from showtell.ingest.split import sentences

WITHOUT_SPACES = ("zh",)
# Cyrillic and Greek letters that look like Latin ones (Unicode Technical Standard 39, confusables).
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕһԁԛԝкАВЕКМНОРСТХІЈЅαονρτυικΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijshdqwkABEKMHOPCTXIJSaovptuikABEZHIKMNOPTYX"
)
_LATIN, _OTHER = re.compile("[a-zA-Z]"), re.compile("[\u0370-\u052f]")
_QUOTES = str.maketrans("’‘“”«»", '\'\'""""')
_ANNOUNCES = re.compile(r"[:：]\s*[\"']?$")


def without_instructions(text: str) -> tuple[str, tuple[str, ...]]:
    """A passage without the sentences that address a model, and these sentences, in order.

    A sentence that one of them announces by a colon goes with it.
    """
    plain, offsets = _readable(text)
    found = [(offsets[each.start()], offsets[each.end() - 1]) for kind in _patterns() for each in kind.finditer(plain)]
    if not found:
        return text, ()
    kept, removed, done = "", [], 0
    for start, end in _addressed(text, found):
        removed.append(text[start:end])
        kept = _joined(kept, text[done:start])
        done = end
    return _joined(kept, text[done:]).strip(), tuple(removed)


def _addressed(text: str, found: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans of the sentences that hold what was found, and of those that they announce."""
    at, announced = 0, False
    for sentence in sentences(text):
        start = text.index(sentence, at)
        at = start + len(sentence)
        holds = any(first < at and last >= start for first, last in found)
        if holds or announced:
            yield start, at
        announced = holds and bool(_ANNOUNCES.search(sentence))


def _readable(text: str) -> tuple[str, list[int]]:
    """The text as a reader would take it, and for each of its characters the offset in the original."""
    shown: list[str] = []
    offsets: list[int] = []
    for offset, character in enumerate(text):
        if unicodedata.category(character) in ("Cf", "Co", "Cs"):
            continue
        plain = unicodedata.normalize("NFKC", character)
        shown.append(plain)
        offsets += [offset] * len(plain)
    joined = "".join(shown).translate(_QUOTES)
    joined = re.sub(r"(?<!\n)\n(?!\n)", " ", joined)
    return re.sub(r"\w+", _in_one_script, joined), offsets


def _in_one_script(word: re.Match[str]) -> str:
    """A word that mixes Latin letters with their look-alikes, in Latin letters."""
    is_mixed = _OTHER.search(word[0]) and _LATIN.search(word[0])
    return word[0].translate(_LOOKALIKES) if is_mixed else word[0]


def _joined(before: str, after: str) -> str:
    """Two texts between which something was taken out, with the blanks of one side."""
    if not before or before.endswith("\n"):
        return before + after.lstrip()
    if after.startswith("\n"):
        return before.rstrip() + after
    return f"{before.rstrip()} {after.lstrip()}"


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """One pattern a kind and language."""
    found = []
    for line in (Path(__file__).parent / "instructions.txt").read_text(encoding="utf-8").splitlines():
        name, _, phrases = line.partition(": ")
        kind, _, language = name.partition(" ")
        if kind != "#" and phrases:
            bare = not language or language in WITHOUT_SPACES
            found.append(re.compile(phrases if bare else rf"(?<!\w)(?:{phrases})", re.IGNORECASE))
    return tuple(found)
