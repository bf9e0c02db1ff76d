"""A source's number written in the manner of the answer's: its unit, decimals, marks and date format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from showtell.answer.numbers.places import PlacedText, alike
from showtell.answer.quantities import Quantity
from showtell.answer.quantities.numerals import THIN, words
from showtell.answer.quantities.scanning import Key
from showtell.answer.quantities.units import convert

MOST_DECIMALS = 6
_GROUPED = re.compile(rf"\d[.,{THIN}]\d{{3}}(?!\d)")


def write_like(
    quantity: Quantity, answer: PlacedText, right: Quantity | None, origin: PlacedText | None, value: Fraction | None
) -> str | None:
    """What should stand in place of the quantity's ``digits``; None where that is not clear.

    ``right`` is the source's quantity in ``origin``; without one, ``value`` is the number in the quantity's unit.
    """
    written = answer.text[slice(*quantity.digits)]
    if not right or not origin:
        return None if value is None else _number_like(quantity, value, quantity.readings[0].step, answer, written)
    there = origin.text[slice(*right.digits)]
    if (right.parts and not quantity.parts) or quantity.roman != right.roman:
        return None
    if quantity.roman:
        return there
    if right.kind == "date" and quantity.kind == "number":
        return None if right.keys[0][0] is None else str(right.keys[0][0])
    if quantity.kind == "date":
        return _date_like(written, quantity.keys[0], right) if right.kind == "date" else None
    if not (quantity.readings and right.readings) or quantity.kind not in ("number", "measure"):
        return there if _shape(there) == _shape(written) else None
    if quantity.spelled and quantity.readings[0].scale != 1:
        return None  # "a dozen"
    if quantity.spelled:
        return _spell(right.readings[0].value, answer.language) if alike(quantity, right) else None
    same_manner = alike(quantity, right) and answer.mark == origin.mark and not (right.spelled or right.parts)
    if same_manner and not quantity.parts and (answer.language == origin.language or there.isdecimal()):
        return there
    found = _in_unit_of(quantity, right)
    return _number_like(quantity, found[0], found[1], answer, written + there) if found else None


def _shape(written: str) -> str:
    return re.sub(r"\d+", "0", written)


def _in_unit_of(quantity: Quantity, right: Quantity) -> tuple[Fraction, Fraction] | None:
    """The right value in the quantity's unit, and the worth of its last digit."""
    reading, step = right.readings[0], quantity.readings[0].step
    if alike(quantity, right):
        return reading.value, reading.step
    pairs = [(u, o) for u in quantity.units for o in right.units if u.dimension == o.dimension]
    return (convert(reading.value, pairs[0][1], pairs[0][0]), step) if len(pairs) == 1 else None


def _number_like(quantity: Quantity, value: Fraction, step: Fraction, answer: PlacedText, habit: str) -> str | None:
    """The value in the quantity's scale and parts, grouped where ``habit`` is."""
    if quantity.parts:
        shown = list(_parts_like(quantity, value, answer))
        return None if None in shown else "".join(part for part in shown if part)
    return _digits(
        value / quantity.readings[0].scale,
        step / quantity.readings[0].scale,
        answer,
        _GROUPED.search(habit) is not None,
    )


def _digits(number: Fraction, step: Fraction, answer: PlacedText, grouped: bool) -> str | None:
    places = 0
    while places < MOST_DECIMALS and step < Fraction(1, 10**places):
        places += 1
    count = round(abs(number) * 10**places)
    if number and not count:
        return None
    digits = f"{count:0{places + 1}d}"
    whole, decimals = (digits[:-places], digits[-places:]) if places else (digits, "")
    mark = answer.mark or "."
    if grouped:
        group = "\u202f" if answer.language == "fr" else "," if mark == "." else "."
        whole = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", group, whole)
    return ("−" if number < 0 else "") + whole + (mark + decimals if decimals else "")


def _parts_like(quantity: Quantity, value: Fraction, answer: PlacedText) -> Iterator[str | None]:
    """A length in the feet and inches of the answer, with what stands between."""
    left, at = value * quantity.units[0].factor, quantity.start
    for part in quantity.parts:
        factor, step = part.units[0].factor, part.readings[0].step
        is_last = part is quantity.parts[-1]
        number = round(left / factor / step) * step if is_last else Fraction(left // factor)
        left -= number * factor
        yield answer.text[at : part.digits[0]]
        yield _digits(number, step, answer, grouped=False)
        at = part.digits[1]
    yield answer.text[at : quantity.end]


def _spell(value: Fraction, language: str) -> str | None:
    if language == "zh":
        return "零一两三四五六七八九十"[int(value)] if value.denominator == 1 and 1 < value <= 10 else None
    return next((word for word, n in words().numbers.get(language, {}).items() if n == value > 1), None)


# --------------------------------------------------------------------------------------------------------------- dates
def _date_like(written: str, key: Key, right: Quantity) -> str | None:
    """The right date in the manner of the written one, if both name the same of year, month and day."""
    wanted = right.keys[0]
    if len(right.keys) > 1 or [part is None for part in key] != [part is None for part in wanted]:
        return None
    if re.fullmatch(r"[\d./-]+", written):
        return _numeric_date(written, key, wanted)
    year, month, day = wanted
    shown = re.sub(r"(?<!\d)\d{4}(?!\d)", str(year), written)
    shown = re.sub(r"(?<!\d)\d{1,2}(?!\d)(?!\s?月)", str(day), shown)
    if "月" in shown:
        return re.sub(r"\d+(?=\s?月)", str(month), shown)
    return shown if month == key[1] else _with_month(shown, int(str(key[1])) - 1, int(str(month)) - 1)


def _numeric_date(written: str, key: Key, wanted: Key) -> str | None:
    numbers = re.findall(r"\d+", written)
    year_first = len(numbers[0]) == 4
    if int(numbers[1]) != key[1]:
        return None
    fields = iter(wanted if year_first else wanted[::-1])
    return re.sub(
        r"\d+", lambda found: f"{next(fields):0{len(found.group())}d}"[-max(2, len(found.group())) :], written
    )


def _with_month(written: str, month: int, right: int) -> str | None:
    """The date with another month's name in its language."""
    for names in words().month_names.values():
        for name in names[month]:
            found = re.search(rf"(?<![^\W\d_]){name}(?![^\W\d_])", written, re.IGNORECASE)
            if found:
                other = names[right][0].capitalize() if found.group()[0].isupper() else names[right][0]
                return written[: found.start()] + other + written[found.end() :]
    return None
