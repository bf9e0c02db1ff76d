"""Where the quantities of a text stand: the words around each, by which a number of an answer finds its like."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

from showtell.answer.quantities import Quantity, read_quantities
from showtell.answer.quantities.numerals import decimal_mark, voice, words
from showtell.answer.quantities.scanning import blank
from showtell.answer.quantities.units import Unit, read_unit

WINDOW = 14  # words to each side of a number that tell what it is about
REACH = 40  # words to each side that are looked through for the words that are a number's own
RUN = 4  # neighbours to each side that may be the same, word for word
BREAK = 2  # words that a comma, a bracket, an "and" counts for
IN_HEADER = 3  # words that a column's header is away from its cells
VALUE = "="  # begins what stands for another quantity among the words
SHARED = 0.3  # worth of words that lead to several numbers, for the first of them


@dataclass(frozen=True, slots=True)
class Place:
    """A quantity in its sentence.

    ``words`` are those around, by distance (negative: before), other quantities by their value ("=12"); ``own`` those
    that belong to it rather than to a number that it could be taken for, by worth; ``before`` and ``after`` its very
    neighbours, nearest first.
    """

    index: int
    quantity: Quantity
    words: Mapping[str, int]
    own: Mapping[str, float]
    before: tuple[str, ...]
    after: tuple[str, ...]
    sentence: int
    all_words: frozenset[str]

    @property
    def code(self) -> str:
        """The nearest code around: "h20"."""
        codes = [stem for stem in self.words if is_code(stem)]
        return min(codes, key=lambda stem: (abs(self.words[stem]), stem), default="")


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A text and its places; ``pairs`` are the indexes of "187.5 kg" and "413 lb" in ``187.5 kg (413 lb)``."""

    text: str
    language: str
    mark: str
    places: tuple[Place, ...]
    pairs: tuple[tuple[int, int], ...]
    frequencies: Mapping[str, int]
    partners: Mapping[int, int] = field(default_factory=dict)


@lru_cache(maxsize=64)
def read_places(text: str, language: str) -> PlacedText:
    """The places of a text; ``language`` is guessed where it is ""."""
    plain = blank(text)
    language = language[:2].lower() or voice(plain)
    quantities, headers = _with_headers(plain, read_quantities(text, language))
    pairs = tuple(_pairs(plain, quantities))
    partners = dict(pairs) | {second: first for first, second in pairs}
    places, frequencies = _places(plain, quantities, partners, headers)
    return PlacedText(text, language, decimal_mark(plain, language), places, pairs, frequencies, partners)


def stem(word: str) -> str:
    """A word without its ending, about."""
    word = word.casefold()
    for _ in range(2):
        word = word[:-1] if len(word) > 3 and word[-1] in "sne" else word
    return word[:7]


def is_code(word: str) -> bool:
    """Whether an element of a sentence is a code; other digits do not stand among its words."""
    return word[0] != VALUE and any(letter.isdecimal() for letter in word)


def dimensions(quantity: Quantity) -> set[object]:
    """What its units measure."""
    return {unit.dimension for unit in quantity.units}


def alike(one: Quantity, other: Quantity) -> bool:
    """Whether both have the same unit."""
    return bool(set(one.units) & set(other.units)) or (not one.units and not other.units)


# --------------------------------------------------------------------------------------------------------------- pairs
_PAIRED = re.compile(
    r"\.?\s*(?:[(（\[=≈/]|,?\s(?:or|oder|ou|o|bzw\.|i\.e\.,?|also)\s|或|即)\s*"
    r"(?:about|approximately|approx\.|around|roughly|or|ca\.|etwa|rund|ungefähr|environ|unos|aproximadamente"
    r"|约|大约|[~≈])?\s*"
)


def _pairs(text: str, quantities: Sequence[Quantity]) -> Iterator[tuple[int, int]]:
    """Neighbours in two units of one dimension; of two ranges the ends."""
    runs: list[range] = []
    at = 0
    while at < len(quantities):
        end, first = at + 1, quantities[at]
        while end < len(quantities) and quantities[end].group == first.group >= 0 and alike(first, quantities[end]):
            end += 1
        runs.append(range(at, end))
        at = end
    for left, right in pairwise(runs):
        one, other = quantities[left[-1]], quantities[right[0]]
        near = len(left) == len(right) and _PAIRED.fullmatch(text, one.end, other.start)
        if near and one.units and other.units and dimensions(one) & dimensions(other) and not alike(one, other):
            yield from zip(left, right, strict=True)


# -------------------------------------------------------------------------------------------------------------- tables
_BARE = re.compile(r"(?:[(\[（|/]|\b(?:in|en)\b)\s?(?=[^\W\d_]|[°%$€£])")


@lru_cache(maxsize=64)
def bare_units(text: str) -> frozenset[Unit]:
    """Units that stand in a text by themselves: "Weight (kg)"."""
    found = (read_unit(text, mark.end()) for mark in _BARE.finditer(text))
    return frozenset(unit for name in found if name for unit in name.units)


def _with_headers(text: str, quantities: Sequence[Quantity]) -> tuple[list[Quantity], dict[int, str]]:
    """The quantities with the unit of their column, where a table's header names it, and the header of each."""
    cells: dict[int, str] = {}
    placed = list(quantities)
    if "|" not in text:
        return placed, cells
    columns = list(_columns(text))
    at = 0
    for number, quantity in enumerate(placed):
        while at < len(columns) and columns[at][1] <= quantity.start:
            at += 1
        if at < len(columns) and columns[at][0] <= quantity.start:
            header = cells[number] = columns[at][2]
            units = tuple(bare_units(header))
            if units and quantity.kind == "number":
                placed[number] = replace(quantity, kind="measure", units=units)
    return placed, cells


def _columns(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and header of the cells of every table; its first row is the header."""
    lines: list[tuple[int, str]] = []
    start = 0
    for line in text.split("\n"):
        lines.append((start, line))
        start += len(line) + 1
    for is_table, rows in groupby(lines, key=lambda row: "|" in row[1]):
        if not is_table:
            continue
        (_, first), *rest = rows
        headers = first.split("|")
        for begin, line in rest:
            for header, cell in zip(headers, line.split("|"), strict=False):
                yield begin, begin + len(cell), header
                begin += len(cell) + 1


# ----------------------------------------------------------------------------------------------------------- sentences
_SENTENCE_END = re.compile(  # "5 m. The", but not "z. B." or "J. Smith"
    r"(?:(?<![.\s(]\w)|(?<=\d[ \u00a0\u202f]\w))[.!?;](?=\s|$)|[。！？；]|\n"
)
_SEPARATOR = re.compile(r"[,:;()\[\]|，：；（）、—]")
_COMMA = re.compile(r"[,;|，；、—]")
_TOKEN = re.compile(r"[\u2e80-\u2fff\u3040-\u9fff]|(?:(?![\u2e80-\u9fff])[^\W\d_])+")

_HAN_PAIR = re.compile(r"[\u3040-\u9fff]{2}")  # what a Chinese word is, more often than one letter


class _Element(NamedTuple):
    """A word, or the quantity ``number`` as "#" and, among the words of others, as ``value``."""

    stem: str
    number: int
    start: int
    end: int
    value: str = ""

    @property
    def word(self) -> str:
        """What it is among the words of a number."""
        return self.value or self.stem


@dataclass(frozen=True, slots=True)
class _Sentence:
    """Elements; each one's position, which counts words and separators; whether it follows a comma or is an "and"."""

    elements: Sequence[_Element]
    positions: Sequence[int]
    cuts: Sequence[bool]


def _places(
    text: str, quantities: Sequence[Quantity], partners: Mapping[int, int], headers: Mapping[int, str]
) -> tuple[tuple[Place, ...], dict[str, int]]:
    """The places of the quantities, and in how many sentences each word stands."""
    places: list[Place] = []
    frequencies: Counter[str] = Counter()
    for count, elements in enumerate(_sentences(text, _elements(text, quantities))):
        all_words = frozenset(element.word for element in elements)
        frequencies.update(all_words)
        found = [at for at, element in enumerate(elements) if element.number >= 0]
        sentence = _measured(text, elements) if found else _Sentence((), (), ())
        for at in found:
            number = elements[at].number
            header = [stem(m.group()) for m in _TOKEN.finditer(headers.get(number, ""))]
            around = _around(sentence, at, partners.get(number, number)) | dict.fromkeys(header, IN_HEADER)
            own = dict(_own(sentence, at, quantities, partners)) | dict.fromkeys(header, 1.0)
            before, after = _neighbours(sentence, at)
            words_ = all_words.union(header)
            places.append(Place(number, quantities[number], around, own, before, after, count, words_))
    return tuple(places), frequencies


def _elements(text: str, quantities: Sequence[Quantity]) -> Iterator[_Element]:
    at, group = 0, -1
    for number, quantity in enumerate(quantities):
        if not quantity.group == group >= 0:  # the "to" of a range is no word
            yield from _words(text, at, quantity.start)
        mask = str(quantity.keys[0][0]) if quantity.kind == "code" else "#"
        yield _Element(mask, number, quantity.start, quantity.end, _value(quantity))
        at, group = max(at, quantity.end), quantity.group
    yield from _words(text, at, len(text))


def _value(quantity: Quantity) -> str:
    """What the same quantity has in any writing."""
    if quantity.units:
        unit = quantity.units[0]
        base = (quantity.readings[0].value + unit.offset) * unit.factor
        return f"{VALUE}{float(base):.6g}{''.join(name for name, _ in unit.dimension)}"
    if quantity.readings and quantity.kind == "number":
        return f"{VALUE}{float(quantity.readings[0].value):.6g}"
    return "" if quantity.kind == "code" else f"{VALUE}{quantity.keys[0]}"


def _words(text: str, start: int, end: int) -> Iterator[_Element]:
    for m in _TOKEN.finditer(text, start, end):
        word = _HAN_PAIR.match(text, m.start(), end) or m
        yield _Element(stem(word.group()), -1, m.start(), m.end())


def _sentences(text: str, elements: Iterable[_Element]) -> Iterator[list[_Element]]:
    ends = iter([*(m.end() for m in _SENTENCE_END.finditer(text)), len(text) + 1])
    end = next(ends)
    sentence: list[_Element] = []
    for element in elements:
        while element.start >= end:
            if sentence and sentence[-1].end <= end:
                yield sentence
                sentence = []
            end = next(ends)
        sentence.append(element)
    if sentence:
        yield sentence


def _measured(text: str, elements: Sequence[_Element]) -> _Sentence:
    """A sentence with the positions of its elements."""
    lists = words().sets["lists"]
    positions: list[int] = []
    cuts: list[bool] = []
    position, end = 0, elements[0].start
    for element in elements:
        between = text[end : element.start].strip()
        is_list = element.stem in lists
        position += 1 + BREAK * (is_list or bool(between and _SEPARATOR.search(between)))
        positions.append(position)
        cuts.append(is_list or bool(between and _COMMA.search(between)))
        end = element.end
    return _Sentence(elements, positions, cuts)


def _around(sentence: _Sentence, at: int, partner: int) -> dict[str, int]:
    """The words around by their distance, without the other unit; of one that stands twice the nearer."""
    around: dict[str, int] = {}
    for other in range(max(0, at - WINDOW), min(len(sentence.elements), at + WINDOW + 1)):
        element, distance = sentence.elements[other], sentence.positions[other] - sentence.positions[at]
        word = element.word
        if (
            distance
            and (element.number < 0 or element.number != partner)
            and abs(around.get(word, 999)) > abs(distance)
        ):
            around[word] = distance
    return around


def _neighbours(sentence: _Sentence, at: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Up to RUN neighbours to each side, nearest first, with the commas between and the sentence's bounds."""
    before, after = [","] if sentence.cuts[at] else [], []
    for other in range(at - 1, max(-1, at - RUN - 1), -1):
        before += [sentence.elements[other].stem] + [","] * sentence.cuts[other]
    for other in range(at + 1, min(len(sentence.elements), at + RUN + 1)):
        after += [","] * sentence.cuts[other] + [sentence.elements[other].stem]
    if at < RUN:
        before.append("^")
    if at + RUN >= len(sentence.elements) - 1:
        after.append("$")
    return tuple(before[:RUN]), tuple(after[:RUN])


def _own(
    sentence: _Sentence, at: int, quantities: Sequence[Quantity], partners: Mapping[int, int]
) -> Iterator[tuple[str, float]]:
    """The words of a number by worth.

    Between two numbers like each other those up to the first comma are the left one's, those from the last comma on
    the right one's; words that lead to several numbers are the first's, but worth less.
    """
    elements, cuts = sentence.elements, sentence.cuts
    number = elements[at].number

    def first_rival(places: range) -> int | None:
        others = ((other, elements[other].number) for other in places if elements[other].number >= 0)
        return next((o for o, n in others if partners.get(number) != n and _could_be(quantities, number, n)), None)

    left = first_rival(range(at - 1, max(-1, at - REACH - 1), -1))
    right = first_rival(range(at + 1, min(len(elements), at + REACH + 1)))
    first = max(0, at - REACH) if left is None else left + 1
    last = min(len(elements), at + REACH + 1) if right is None else right
    if left is not None:
        first = next((other for other in range(at - 1, first - 1, -1) if cuts[other]), first)
    is_clause = first == at  # "On 3 May 1953, it was first climbed; …"
    cut = next((other for other in range(at + 1 + is_clause, last) if cuts[other]), last)
    is_short = right is not None and (right + 1 == len(elements) or cuts[right + 1])  # "95 mg of caffeine, tea 47 mg"
    for other in range(first, at):
        if elements[other].number < 0 or is_code(elements[other].stem):
            yield elements[other].stem, SHARED if left is None and right is not None else 1.0
    for other in range(at + 1, cut if right is not None else last):
        if elements[other].number < 0 or is_code(elements[other].stem):
            yield elements[other].stem, 1.0 if other < cut and not is_short else SHARED


def _could_be(quantities: Sequence[Quantity], one: int, other: int) -> bool:
    """Whether two quantities are of one kind, and not of one range or list."""
    a, b = quantities[one], quantities[other]
    if a.kind != b.kind or a.group == b.group >= 0:
        return False
    return bool(dimensions(a) & dimensions(b)) if a.kind == "measure" else is_year(a) == is_year(b)


def is_year(quantity: Quantity) -> bool:
    """Whether a number may be a year."""
    readings = quantity.readings
    return (
        quantity.kind == "number" and quantity.digits[1] - quantity.digits[0] == 4 and 1000 <= readings[0].value <= 2200
    )
