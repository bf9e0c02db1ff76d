"""Units of measure: what ``units.txt`` lists, read from text, and exact conversion between them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from pathlib import Path

Dimension = tuple[tuple[str, int], ...]

# SI prefixes; deci, centi and hecto are only used with metre, litre and pascal.
_SYMBOLS = {"n": -9, "µ": -6, "μ": -6, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15}
_SYMBOLS_OF_TEN = {"d": -1, "c": -2, "h": 2}
_WORDS = {"nano": -9, "micro": -6, "mikro": -6, "milli": -3, "mili": -3, "milí": -3, "kilo": 3, "kiló": 3, "mega": 6,
          "méga": 6, "giga": 9, "tera": 12, "téra": 12, "centi": -2, "centí": -2, "zenti": -2, "deci": -1, "decí": -1,
          "déci": -1, "dezi": -1, "hecto": 2, "hekto": 2}  # fmt: skip
_LENGTH: Dimension = (("m", 1),)
_SYMBOL_LENGTH = 3  # letters up to which a name is a symbol, in which case counts
_SOFT: dict[Dimension, tuple[int, ...]] = {
    (("s", 1),): (86400, 604800),
    (("month", 1),): (1, 12),
}  # day, week, month, year: "400 mg a day" is a mass too
_INCH_FOLLOWS = re.compile(  # and not the place or time of "46 in the hall", "46 in 2020"
    r"\s*(?:[(),;:/×|]|\.?\s*$|\.\s|[x–—-]\s?\d|(?:wide|long|high|deep|tall|thick|across|apart|of|when|if|and|or|to|from|but"
    r"|than|at|with|on|above|below|is|are|as|by|for)\b)"
)
_OVER = re.compile(
    r"(?:\s?/\s?|[ \u00a0\u202f](?:per|pro|par|por|je)\s)(?:(100|1000)\s)?"
    r"|[ \u00a0](?:auf|aux|sur|on|cada)\s(100|1000)\s|[ \u00a0](?:an?\s|al?\s|à\sl['’]|a\sla\s)|\s?每|(?=每)"
)
_TIMES = re.compile(r"[·⋅*]")
_POWER = re.compile(r"([²³])|\^([23])|([23])(?!\w|[.,]\d)")
_SQUARES = {"²": 2, "³": 3}


@dataclass(frozen=True, slots=True)
class Unit:
    """A value in the unit, plus ``offset``, times ``factor`` is the value in base units."""

    factor: Fraction
    dimension: Dimension
    offset: Fraction = Fraction(0)

    def __mul__(self, other: Unit) -> Unit:
        powers = dict(self.dimension)
        for base, power in other.dimension:
            powers[base] = powers.get(base, 0) + power
        return Unit(self.factor * other.factor, tuple(sorted((b, p) for b, p in powers.items() if p)))

    def __pow__(self, power: int) -> Unit:
        return Unit(self.factor**power, tuple((base, p * power) for base, p in self.dimension))


@dataclass(frozen=True, slots=True)
class UnitName:
    """A unit as it stands in a text, up to ``end``; several ``units`` where the name has several meanings."""

    units: tuple[Unit, ...]
    end: int


def convert(value: Fraction, origin: Unit, target: Unit) -> Fraction:
    """A value in another unit of the same dimension, exactly."""
    return (value + origin.offset) * origin.factor / target.factor - target.offset


def convert_difference(value: Fraction, origin: Unit, target: Unit) -> Fraction:
    """A difference of two values in another unit: 10 °C warmer is 18 °F warmer."""
    return value * origin.factor / target.factor


def read_unit(text: str, at: int) -> UnitName | None:
    """The longest unit that begins at ``at``, with what multiplies and divides it ("N·m", "kg/m³", "mg per day")."""
    found = _atom(text, at)
    if not found:
        return None
    while times := _TIMES.match(text, found.end):
        factor = _atom(text, times.end())
        if not factor:
            break
        found = UnitName(_products(found.units, factor.units), factor.end)
    over = _OVER.match(text, found.end)
    below = _atom(text, over.end()) if over else None
    if not over or not below:
        return found
    is_time = below.units[0].dimension in _SOFT
    soft = any(u.factor in _SOFT.get(u.dimension, ()) for u in below.units) or (_is_word(over.group()) and not is_time)
    if (over.group().strip() in ("a", "al") and not soft) or (over.group(2) and below.units[0].dimension != _LENGTH):
        return found
    hundred = Unit(Fraction(int(over.group(1) or over.group(2) or 1)), ())
    whole = _products(found.units, ((unit * hundred) ** -1 for unit in below.units))
    return UnitName((*whole, *found.units) if soft else whole, below.end)


def _is_word(over: str) -> bool:
    """Whether it is a "per", behind which an answer may name the lower unit elsewhere or not at all."""
    return over[:1].isspace() and over.split()[0].isalpha() and over.split()[0] < "\u2e80"


def _products(left: Iterable[Unit], right: Iterable[Unit]) -> tuple[Unit, ...]:
    return tuple(one * other for one, other in product(left, tuple(right)))


def _atom(text: str, at: int) -> UnitName | None:
    """A unit of the table at ``at``, with its exponent."""
    table, folded, lengths = _table()
    for length in lengths.get(text[at : at + 1], ()):
        end = at + length
        if end > len(text):
            continue
        name = text[at:end]
        units = table.get(name) or folded.get(name.casefold())
        if units and not _goes_on(text, end) and not (name == "in" and not _INCH_FOLLOWS.match(text, end)):
            return _raised(text, UnitName(units, end))
    return None


def _raised(text: str, found: UnitName) -> UnitName:
    power = _POWER.match(text, found.end)
    if not power or any(unit.dimension != _LENGTH for unit in found.units):
        return found
    exponent = _SQUARES.get(power.group(1)) or int(power.group(2) or power.group(3))
    return UnitName(tuple(unit**exponent for unit in found.units), power.end())


def _goes_on(text: str, end: int) -> bool:
    """Whether a name of letters is cut off in the middle of a longer word."""
    last, after = text[end - 1], text[end : end + 1]
    if not last.isalpha() or last >= "\u2e80":
        return False
    return (after.isalpha() and after < "\u2e80") or after == "_" or (after.isdecimal() and after not in "23")


Names = Mapping[str, tuple[Unit, ...]]


@lru_cache(maxsize=1)
def _table() -> tuple[Names, Names, Mapping[str, tuple[int, ...]]]:
    """Units by name, by name in any case, and the lengths of names by first letter, longest first."""
    table: dict[str, tuple[Unit, ...]] = {}
    prefixed: dict[str, tuple[Unit, ...]] = {}
    for line in (Path(__file__).parent / "units.txt").read_text(encoding="utf-8").splitlines():
        size, _, names = line.partition(" = ")
        if not names or size.startswith("#"):
            continue
        units = tuple(_size(part) for part in size.split(" / "))
        for name in names.split(", "):
            plain = name.removeprefix("~").rstrip(".")  # a full stop may be the sentence's
            table[plain] = tuple(dict.fromkeys((*table.get(plain, ()), *units)))
            prefixed |= dict(_with_prefixes(plain, units)) if name[0] == "~" else {}
    table["in"] = table["inch"]
    table = prefixed | table
    spellings = Counter(name.casefold() for name in table)
    folded: dict[str, tuple[Unit, ...]] = {}
    for name, units in table.items():
        if len(name) > _SYMBOL_LENGTH or (len(name) == _SYMBOL_LENGTH and spellings[name.casefold()] == 1):
            folded.setdefault(name.casefold(), units)
    table |= {
        name.upper(): units
        for name, units in table.items()
        if name.islower() and name.isascii() and len(name) == 2 and name.upper() not in table
    }
    lengths: dict[str, set[int]] = {}
    for name in table:
        for initial in (name[0], name[0].lower(), name[0].upper()):
            lengths.setdefault(initial, set()).add(len(name))
    return table, folded, {initial: tuple(sorted(each, reverse=True)) for initial, each in lengths.items()}


def _size(written: str) -> Unit:
    """``1/60 kg m-1 s-2 ; 0`` as a unit."""
    size, _, offset = written.partition(" ; ")
    factor, *bases = size.split()
    unit = Unit(Fraction(factor), ())
    for base in bases:
        name, power = re.fullmatch(r"(.*?)(-?\d*)", base).groups()  # type: ignore[union-attr]
        unit *= Unit(Fraction(1), ((name, int(power or 1)),))
    return Unit(unit.factor, unit.dimension, Fraction(offset or 0))


def _with_prefixes(name: str, units: tuple[Unit, ...]) -> Iterator[tuple[str, tuple[Unit, ...]]]:
    symbol = len(name) <= _SYMBOL_LENGTH and name not in ("bit",)
    prefixes = dict(_SYMBOLS if symbol or name in ("bit", "mol", "bar") else {})
    if not symbol:
        prefixes |= _WORDS
    if name in ("m", "L", "l", "Pa"):
        prefixes |= _SYMBOLS_OF_TEN
    for prefix, exponent in prefixes.items():
        factor = Fraction(10) ** exponent
        yield prefix + (name if symbol else name.casefold()), tuple(Unit(u.factor * factor, u.dimension) for u in units)
