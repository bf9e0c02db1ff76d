"""Quotations against their sources: words in quotation marks must stand there in the same order.

Case, white space, punctuation and markup may differ; a word that was changed, added or left out may not. An ellipsis or
a bracketed remark divides a quotation into pieces that must follow each other. Shorter ones than ``FEWEST_WORDS`` are
names and labels, which sources often write without the marks, so they are not looked at; titles in 《》 neither.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from showtell.index.terms import CJK
from showtell.ingest.split import sentences, word_count

FEWEST_WORDS = 3  # two Chinese or Japanese characters count as one
NEAR = 0.4  # share of a quotation's words by which it may differ from what it misquotes
SMALL = 0.2  # the same, below which the source's words may take its place
# Words that deny; "don't" is read as "don" and "t", "n'ouvrez" as "n" and "ouvrez".
DENIALS = frozenset({
    "no", "not", "never", "none", "nothing", "nobody", "neither", "nor", "without", "cannot", "t",
    "nicht", "kein", "keine", "keinen", "keinem", "keiner", "nie", "niemals", "nichts", "ohne",
    "ne", "n", "pas", "jamais", "sans", "aucun", "aucune", "ni", "rien",
    "nunca", "jamás", "sin", "ningún", "ninguna", "nada", "不", "没", "未", "勿", "别", "无", "非",
})  # fmt: skip
_DENYING = ("un", "in", "im", "ir", "il", "dis", "non")  # what makes "safe" unsafe

_QUOTED = re.compile(
    r"“([^“”„]{1,600})”|„([^„“”]{1,600})[“”]|«([^«»]{1,600})»|»([^«»]{1,600})«|「([^「」]{1,600})」|『([^『』]{1,600})』"
    rf'|(?<![^\W{CJK}])"(?=\S)([^"]{{1,600}})(?<=\S)"(?![^\W{CJK}])'
    rf"|‚([^‚‘’]{{1,600}})[‘’]|(?<![^\W{CJK}])‘([^‘]{{1,600}}?)’(?![^\W{CJK}])"
)
_WORD = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")
_GAP = re.compile(r"…|\.{3}|\[[^\[\]]*\]")


@dataclass(frozen=True, slots=True)
class QuotationFinding:
    """A quotation at ``span`` of the text, from its first to its last word.

    ``expected`` are the words of the source that it misquotes, in the quotation's case at the beginning; ``source`` is
    the index of that source; ``is_close`` says that they may stand in its place: they are as many, differ in few words
    and deny as much, so that what the text says around them still fits, and no other words are as near.
    """

    span: tuple[int, int]
    text: str
    verdict: Literal["supported", "unsupported", "contradicted"]
    expected: str | None = None
    source: int | None = None
    is_close: bool = False


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a text as they are compared, and where each stands in it."""

    text: str
    folded: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    def between(self, first: int, last: int) -> str:
        """The text from word ``first`` up to, not including, word ``last``."""
        return self.text[self.spans[first][0] : self.spans[last - 1][1]]


@dataclass(frozen=True, slots=True)
class _Near:
    """Words of a source that are ``edits`` words away from a quotation."""

    edits: int
    source: int
    text: str
    folded: tuple[str, ...]


def quoted(text: str) -> list[tuple[int, int]]:
    """The spans between quotation marks, in reading order; marks of English, German, French, Spanish, Chinese."""
    return [found.span(found.lastindex or 0) for found in _QUOTED.finditer(text)]


def check_quotations(text: str, sources: Sequence[str]) -> list[QuotationFinding]:
    """What the quotations of a text are worth, each against all the sources."""
    long = [span for span in quoted(text) if word_count(text[slice(*span)]) >= FEWEST_WORDS]
    held = [_words(source) for source in sources] if long else []
    return [_judge(quotation, held) for span in long if (quotation := _words(text, *span)).spans]


def _judge(quotation: _Words, sources: Sequence[_Words]) -> QuotationFinding:
    span = quotation.spans[0][0], quotation.spans[-1][1]
    text = quotation.text[slice(*span)]
    pieces = [_words(piece).folded for piece in _GAP.split(text)]
    for number, source in enumerate(sources):
        if _holds(source.folded, pieces):
            return QuotationFinding(span, text, "supported", source=number)
    nearest = _nearest(quotation.folded, sources) if len(pieces) == 1 else []
    if not nearest:
        return QuotationFinding(span, text, "unsupported")
    best = nearest[0]
    is_close = len({near.text for near in nearest}) == 1 and _fits(quotation.folded, best)
    expected = best.text if best.text[:1].casefold() != text[:1].casefold() else text[:1] + best.text[1:]
    return QuotationFinding(span, text, "contradicted", expected, best.source, is_close)


def _fits(quotation: Sequence[str], near: _Near) -> bool:
    """Whether a source's words may take a quotation's place, word for word."""
    if len(quotation) != len(near.folded) or near.edits > SMALL * len(quotation):
        return False
    changed = [(said, right) for said, right in zip(quotation, near.folded, strict=True) if said != right]
    flips = (said in (prefix + right, right.removeprefix(prefix)) for said, right in changed for prefix in _DENYING)
    return sum((said in DENIALS) - (right in DENIALS) for said, right in changed) == 0 and not any(flips)


def _words(text: str, start: int = 0, end: int | None = None) -> _Words:
    found = list(_WORD.finditer(text, start, len(text) if end is None else end))
    folded = tuple(unicodedata.normalize("NFKC", word[0]).casefold() for word in found)
    return _Words(text, folded, tuple(word.span() for word in found))


def _holds(source: Sequence[str], pieces: Iterable[Sequence[str]]) -> bool:
    """Whether the pieces stand in the source, one after the other."""
    said, at = f" {' '.join(source)} ", 0
    for piece in pieces:
        if piece:
            words = f" {' '.join(piece)} "
            at = said.find(words, at)
            if at < 0:
                return False
            at += len(words) - 1
    return True


def _nearest(quotation: Sequence[str], sources: Sequence[_Words]) -> list[_Near]:
    """The words of the sources' sentences that are nearest to a quotation, if any are ``NEAR``; several if equal."""
    found: list[_Near] = []
    for number, source in enumerate(sources):
        for sentence in map(_words, sentences(source.text)):
            edits, first, last = _closest(quotation, sentence.folded)
            if last > first and edits <= NEAR * len(quotation):
                found.append(_Near(edits, number, sentence.between(first, last), sentence.folded[first:last]))
    fewest = min((near.edits for near in found), default=0)
    return [near for near in found if near.edits == fewest]


def _closest(quotation: Sequence[str], said: Sequence[str]) -> tuple[int, int, int]:
    """The stretch ``[first, last)`` of words said that is fewest edits away from a quotation, and how many.

    Approximate matching by dynamic programming (Sellers, 1980); of equals the one that begins first, or most like it in
    length.
    """
    size = len(quotation)
    edits, firsts = list(range(size + 1)), [0] * (size + 1)
    best = (size, size, 0, 0)
    for last, word in enumerate(said, start=1):
        before, first_before = edits[0], firsts[0]
        edits[0], firsts[0] = 0, last
        for place, wanted in enumerate(quotation, start=1):
            options = (
                (before + (wanted != word), first_before),
                (edits[place] + 1, firsts[place]),
                (edits[place - 1] + 1, firsts[place - 1]),
            )
            before, first_before = edits[place], firsts[place]
            edits[place], firsts[place] = min(options)
        best = min(best, (edits[size], abs(last - firsts[size] - size), firsts[size], last))
    return best[0], best[2], best[3]
