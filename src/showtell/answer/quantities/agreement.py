"""Whether two quantities say the same: in another writing, another unit, or rounded to the digits shown."""

from __future__ import annotations

from fractions import Fraction

from showtell.answer.quantities import Quantity
from showtell.answer.quantities.numerals import Reading
from showtell.answer.quantities.scanning import Key
from showtell.answer.quantities.units import Unit, convert, convert_difference

SLIGHT = Fraction(3, 1000)  # relative error of a rounding that needs no "about"
ROUGH = Fraction(4, 100)  # … and of one that has it
NEAR = Fraction(15, 1000)  # … and of one to a single digit
COARSE = Fraction(1, 10)  # … and of a conversion whose last digit is worth much


def agrees(answer: Quantity, source: Quantity, differs: bool = False) -> int:
    """3 the same, 2 by conversion, 1 by rounding or without its unit, 0 not at all; ``differs``: of differences."""
    if answer.kind in ("number", "measure") and source.kind in ("number", "measure"):
        return _agree_in_value(answer, source, differs)
    if "date" in (answer.kind, source.kind):
        return _agree_in_date(answer, source)
    if "clock" in (answer.kind, source.kind) and "measure" in (answer.kind, source.kind):
        return _agree_in_value(answer, source, differs)
    if answer.kind == source.kind == "clock":
        return 3 * any(_same_time(a, b) for a in answer.keys for b in source.keys)
    return 3 * any(a[:2] == b[:2] for a in answer.keys for b in source.keys)


def _same_time(one: Key, other: Key) -> bool:
    """Times of day; one without its half of the day meets both."""
    if one[1:3] != other[1:3]:
        return False
    if one[0] == other[0]:
        return not one[3] or not other[3] or one[3] == other[3]
    sure, unsure = (one, other) if one[3] else (other, one)
    hours = int(str(sure[0])), int(str(unsure[0]))
    return bool(sure[3]) and not unsure[3] and (hours[0] - hours[1] == 12 or hours == (0, 12))


def _agree_in_date(answer: Quantity, source: Quantity) -> int:
    if answer.kind == source.kind:
        pairs = ((a, s) for a in answer.keys for s in source.keys)
        return 3 * any(all(x is None or x == y for x, y in zip(a, s, strict=True)) for a, s in pairs)
    date, number = (answer, source) if answer.kind == "date" else (source, answer)
    if number.kind != "number":
        return 0
    whole = all(key[1:] == (None, None) for key in date.keys) or date is source
    return 2 * (whole and any(key[0] == number.readings[0].value for key in date.keys))


def _agree_in_value(answer: Quantity, source: Quantity, differs: bool) -> int:
    if not answer.units or not source.units:
        same = any(a.value == s.value for a in answer.readings for s in source.readings)
        both = answer.units == source.units or answer.loose or source.loose
        close = both and any(_rounds(s, a, answer.hedged) for a in answer.readings for s in source.readings)
        return (3 if both else 1) if same else int(close)
    best = 0
    for unit in answer.units:
        for other in source.units:
            if unit.dimension == other.dimension and best < 3:
                best = max(best, _agree_in_unit(answer, unit, source, other, differs))
    return best


def _agree_in_unit(answer: Quantity, unit: Unit, source: Quantity, other: Unit, differs: bool) -> int:
    if unit == other:
        if any(a.value == s.value for a in answer.readings for s in source.readings):
            return 3
        return int(any(_rounds(s, a, answer.hedged) for a in answer.readings for s in source.readings))
    for reading in source.readings:
        exact = [convert(reading.value, other, unit)]
        if differs and unit.offset != other.offset:
            exact.append(convert_difference(reading.value, other, unit))
        if any(_is_rounded(value, a, answer.hedged) for value in exact for a in answer.readings):
            return 2
    return 0


def _rounds(source: Reading, answer: Reading, hedged: bool) -> bool:
    """Whether the answer is the source's number with fewer digits, near enough to stand for it."""
    error = abs(source.value - answer.value)
    if not source.value or not answer.value or error > abs(source.value) * (ROUGH if hedged else SLIGHT):
        return False
    if answer.step > source.step and error <= answer.step / 2:
        return True
    return hedged and _is_rounder(answer, source) and error <= _hedged_step(answer) / 2


def _is_rounded(exact: Fraction, answer: Reading, hedged: bool) -> bool:
    """Whether the answer is an exact number, rounded to the digits that it shows."""
    error = abs(exact - answer.value)
    if not answer.value:
        return not exact
    if error <= answer.step / 2:
        return error <= abs(exact) * COARSE or answer.step < 1 or (error <= Fraction(1, 2) and abs(exact) > 4)
    if error > (_hedged_step(answer) if hedged else _round_step(answer)) / 2:
        return False
    return error <= abs(exact) * (ROUGH if hedged else SLIGHT)


def _round_step(reading: Reading) -> Fraction:
    """The worth of one in the last digit that is not 0."""
    step = reading.step
    while reading.value and (reading.value / (step * 10)).denominator == 1:
        step *= 10
    return step


def _is_rounder(answer: Reading, source: Reading) -> bool:
    """Whether it has fewer digits that tell, and more than one unless it is very near."""
    is_near = abs(source.value - answer.value) <= abs(source.value) * NEAR
    return _round_step(answer) > source.step and (_digits(answer) > 1 or is_near)


def _hedged_step(reading: Reading) -> Fraction:
    """As ``_round_step``; who says "about 45" may count in fives."""
    step = _round_step(reading)
    return step * 5 if (reading.value / step) % 5 == 0 and _digits(reading) > 1 else step


def _digits(reading: Reading) -> int:
    """How many digits tell."""
    return len(str(abs(reading.value / _round_step(reading)).__floor__()))


def is_as_exact(answer: Quantity, stated: Quantity) -> bool:
    """Whether a converted number and the one that a source states are one number in different precision."""
    step = max(answer.readings[0].step, _round_step(stated.readings[0]))
    return abs(answer.readings[0].value - stated.readings[0].value) <= step / 2
