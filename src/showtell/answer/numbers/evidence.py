"""The quantities of the sources, and how well each one's place fits that of an answer's quantity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from showtell.answer.numbers.places import SHARED, VALUE, Place, PlacedText, bare_units, dimensions, stem
from showtell.answer.quantities import Quantity
from showtell.answer.quantities.numerals import words
from showtell.answer.quantities.units import Unit
from showtell.index.terms import stop_words

COMPARED = 60_000  # pairs of quantities that are compared; beyond, values are looked up …
MOST_IN_LIST = 8  # numbers of a list that are looked at to each side
FEW = 4  # … and so many places of each are looked at
RUN_WORTH = 0.6  # of each same neighbour, beside the words around
COMMON = 0.2  # worth of a language's commonest words
LEADING = 0.8  # worth of a word that leads to several numbers of the answer, but to one of the source
CROSSED = 0.8  # worth of a word on the other side of the number
CROSSING = 0.5  # worth of the words by which each of two numbers is known for the other's


@dataclass(frozen=True, slots=True)
class Seen:
    """A place of the source number ``source``."""

    place: Place
    source: int

    @property
    def quantity(self) -> Quantity:
        """What stands there."""
        return self.place.quantity


class Evidence:
    """All places of the sources, and how telling each word is."""

    def __init__(self, texts: Sequence[PlacedText], asked: int) -> None:
        """Texts to be compared with ``asked`` quantities."""
        self.texts = texts
        self.seen = [Seen(place, number) for number, text in enumerate(texts) for place in text.places]
        self.frequencies: Counter[str] = Counter()
        for text in texts:
            self.frequencies.update(text.frequencies)
        self.by_kind: dict[object, list[Seen]] = {}
        exact = asked * len(self.seen) > COMPARED
        for seen in self.seen:
            keys = _exact_keys(seen.quantity) if exact else (_FOUND_BY[seen.quantity.kind], *dimensions(seen.quantity))
            for key in keys:
                self.by_kind.setdefault(key, []).append(seen)
        self.exact = exact
        self.most = FEW if exact else COMPARED

    def candidates(self, quantity: Quantity) -> list[Seen]:
        """The places that a quantity may be compared with; where there are very many, only those that say the same."""
        found: dict[tuple[int, int], Seen] = {}
        keys = _exact_keys(quantity) if self.exact else (*_LOOKS_FOR[quantity.kind], *dimensions(quantity))
        for key in keys:
            for seen in self.by_kind.get(key, ())[: self.most]:
                found.setdefault((seen.source, seen.place.index), seen)
        return [found[key] for key in sorted(found)]

    def partner(self, seen: Seen) -> Seen | None:
        """The other unit beside a place."""
        text = self.texts[seen.source]
        partner = text.partners.get(seen.place.index)
        return None if partner is None else Seen(text.places[partner], seen.source)

    def group(self, seen: Seen) -> list[Seen]:
        """The other numbers of a place's range or list."""
        places, at = self.texts[seen.source].places, seen.place.index
        near = places[max(0, at - MOST_IN_LIST) : at + MOST_IN_LIST]
        return [Seen(p, seen.source) for p in near if p.quantity.group == seen.quantity.group and p.index != at]

    def worth(self, word: str) -> float:
        """How telling a word is: less, the more sentences have it; a language's commonest words hardly."""
        return COMMON if word in common_words() else 1 / (1 + 0.2 * (self.frequencies[word] - 1))

    def score(self, place: Place, seen: Seen) -> float:
        """How much the words around two numbers are the same; "187.5 kg (413 lb)" counts as one."""
        partner = self.partner(seen)
        return max(self._score(place, seen.place), self._score(place, partner.place) if partner else 0.0)

    def run(self, place: Place, seen: Seen) -> int:
        """How many neighbours to both sides are the same, word for word."""
        partner = self.partner(seen)
        return max(run(place, seen.place), run(place, partner.place) if partner else 0)

    def _score(self, place: Place, other: Place) -> float:
        total = 0.0
        for word, distance in place.words.items():
            there = other.words.get(word)
            if there is not None:
                side = 1.0 if (distance < 0) == (there < 0) else CROSSED
                total += self.worth(word) * side * 4 / (4 + max(abs(distance), abs(there)))
        return total + RUN_WORTH * run(place, other)

    def coverage(self, place: Place, seen: Seen) -> float:
        """The share of the telling words around a number that the source's sentence has."""
        telling = [word for word in place.words if word not in empty_words() and word[0] != VALUE]
        return sum(word in seen.place.all_words for word in telling) / len(telling) if telling else 0.0

    def only(self, place: Place, seen: Seen, other: Seen) -> float:
        """The worth of the words around a number that stand in one sentence of the sources and not in another."""
        alone = seen.place.all_words - other.place.all_words
        return self._sum(word for word in place.words if word in alone and word[0] != VALUE)

    def own(self, place: Place, seen: Seen, other: Seen) -> float:
        """The worth of a number's own words that are one place's own and not another's of the same sentence."""
        mine, others = seen.place.own, other.place.own
        leading = closest = 0.0
        for word, worth in place.own.items():
            if word not in mine or word in others or word in empty_words():
                continue
            if mine[word] > SHARED:
                closest += self.worth(word) * (1.0 if worth > SHARED else LEADING)
            else:
                leading += self.worth(word) * SHARED
        return closest + min(SHARED, leading)

    def crosses(self, one: Place, other: Place, first: Seen, second: Seen) -> bool:
        """Whether of two numbers of an answer each has the words that the source has for the other, and none for it."""
        said, also = _apart(one.own, other.own)
        here, there = _apart(first.place.own, second.place.own)
        crossing = said & there, also & here
        return not (said & here or also & there) and all(self._sum(words_) >= CROSSING for words_ in crossing)

    def _sum(self, found: Iterable[str]) -> float:
        return sum(self.worth(word) for word in found if word not in empty_words())

    def in_one_language(self, one: Seen, other: Seen) -> bool:
        """Whether two places' sources have one language, so that words can tell between them."""
        return self.texts[one.source].language == self.texts[other.source].language

    def has_bare_unit(self, units: Iterable[Unit], source: int) -> bool:
        """Whether a unit stands by itself in a source."""
        return any(unit in bare_units(self.texts[source].text) for unit in units)


def _apart(one: Iterable[str], other: Iterable[str]) -> tuple[set[str], set[str]]:
    """The telling words of each of two numbers that are not the other's."""
    mine, others = (set(words_) - empty_words() for words_ in (one, other))
    return mine - others, others - mine


# What a quantity is found by, beside its dimensions, and what each kind looks for.
_FOUND_BY = {
    "measure": "measure",
    "number": "number",
    "date": "date",
    "clock": "clock",
    "ratio": "clock",
    "code": "code",
}
_LOOKS_FOR = {
    "measure": ("number",), "number": ("number", "measure", "date"), "date": ("date", "number"), "clock": ("clock",),
    "ratio": ("clock",), "code": ("code",),
}  # fmt: skip


def _exact_keys(quantity: Quantity) -> Iterator[object]:
    """What quantities that say the same have in common."""
    yield from (key[:2] for key in quantity.keys)
    yield from (reading.value for reading in quantity.readings)
    for unit in quantity.units:
        yield from ((unit.dimension, (reading.value + unit.offset) * unit.factor) for reading in quantity.readings)


@lru_cache(maxsize=1)
def common_words() -> frozenset[str]:
    """The commonest words of all languages, "#" and the bounds of a sentence."""
    voices = (*words().voices.values(), words().sets["articles"])
    return frozenset({"#", "^", "$", *(stem(word) for voice_ in voices for word in voice_)})


@lru_cache(maxsize=1)
def empty_words() -> frozenset[str]:
    """Those, and all words that carry a sentence but not its subject: they do not tell two numbers apart."""
    return common_words() | {stem(word) for word in stop_words()}


_NO_WORDS = frozenset("#,^$")


def run(one: Place, other: Place) -> int:
    """How many neighbours of two places are the same, one after the other; 0 where no word is among them."""
    before, after = same_run(one.before, other.before), same_run(one.after, other.after)
    same = (*one.before[:before], *one.after[:after])
    return len(same) if any(word not in _NO_WORDS for word in same) else 0


def same_run(one: Sequence[str], other: Sequence[str]) -> int:
    """How many are the same from the first on."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
