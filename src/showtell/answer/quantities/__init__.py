"""Quantities in text: numbers with their units, dates, times of day, ratios and codes, in five languages' writings.

Whatever may be read in several ways (``1,234``) keeps its readings, likeliest first; what is no quantity of the text
(list labels, citation marks, addresses, "step 3") is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from showtell.answer.quantities.numerals import Reading, decimal_mark, voice, words
from showtell.answer.quantities.scanning import Kind, Quantity, Scanner, blank, compound
from showtell.answer.quantities.units import read_unit

__all__ = ["Quantity", "read_quantities"]


def read_quantities(text: str, language: str = "") -> list[Quantity]:
    """The quantities of a text in reading order; ``language`` ("de", "en-US") is guessed where it is not given."""
    plain = blank(text)
    language = language[:2].lower() or voice(plain)
    found = [_unasked(quantity, text) for quantity in Scanner(plain, language, decimal_mark(plain, language)).scan()]
    return [quantity for quantity in _joined(plain, _shared(plain, found)) if quantity.kind != "reference"]


def _unasked(quantity: Quantity, text: str) -> Quantity:
    """A formula, "CO₂", supports the same in other digits, but a source may name it in words."""
    is_formula = quantity.kind == "code" and _LOWERED.search(text, quantity.start, quantity.end)
    return replace(quantity, weak=True) if is_formula else quantity


# ------------------------------------------------------------------------------------------- ranges, lists, "8 ft 1 in"
_LOWERED = re.compile("[₀-₉]")
_BETWEEN = 16  # characters at most between the numbers of a range or list
_NEAR = 6  # characters at most between "8 ft" and "1 in"
_TIMES = ((("s", 1),), (("month", 1),))
_CUSTOMARY = (12, 16)  # inches in a foot, ounces in a pound
_JOINS = re.compile(r"[.,]?\s*(?:and|et|y|und|e)?\s*")


def _link(text: str, left: Quantity, right: Quantity) -> str:
    """ "range", "list" or "comma" where two quantities stand in one; "" where they do not."""
    if right.start - left.end > _BETWEEN:
        return ""
    gap = text[left.end : right.start].strip().casefold()
    if gap in words().sets["lists"]:
        return "list"
    return "comma" if gap in (",", "、") else "range" if gap in words().sets["connectors"] or gap == "±" else ""


def _shared(text: str, found: Sequence[Quantity]) -> list[Quantity]:
    """The quantities with the unit that a range or list names only once, and their group."""
    shared = list(found)
    ends_list = False
    for at in range(len(shared) - 2, -1, -1):
        left, right = shared[at], shared[at + 1]
        link = _link(text, left, right)
        ends_list = link in ("range", "list") or (link == "comma" and ends_list)
        if not link or not ends_list:
            continue
        group = right.group if right.group >= 0 else at + 1
        shared[at + 1] = replace(right, group=group)
        shared[at] = replace(_inherit(left, right, link), group=group)
    for at, (left, right) in enumerate(pairwise(shared)):
        left = shared[at]  # as changed by the round before
        if left.group < 0 or left.group != right.group or right.kind != "number":
            continue
        if left.kind == "reference":  # "steps 3 to 5"
            shared[at + 1] = replace(right, kind="reference")
        elif left.kind == "measure" and _is_money(left):  # "$5–10 million"
            shared[at + 1] = replace(right, kind="measure", units=left.units)
            shared[at] = replace(left, readings=_scaled(left, right))
    begins: dict[int, int] = {}
    for quantity in shared:
        begins.setdefault(quantity.group, quantity.start)
    return [_per_unit(text, q, begins[q.group] if q.group >= 0 else q.start) for q in shared]


def _inherit(left: Quantity, right: Quantity, link: str) -> Quantity:
    leads = right.units and right.start < right.digits[0]  # "2019 to $4.8 million"
    if right.kind == "reference" or left.kind == "reference" or leads:
        return left
    if left.kind == "number" and right.kind == "clock" and link == "range" and _is_hour(left):  # "9 bis 17:30 Uhr"
        half = "a" if right.keys[0][3] == "a" else ""
        return replace(left, kind="clock", keys=((int(left.readings[0].value), 0, 0, half),), readings=())
    if left.kind != "number" or right.kind not in ("measure", "number") or left.weak:
        return left
    kind: Kind = "measure" if right.units else "number"
    return replace(
        left,
        kind=kind,
        units=right.units,
        readings=_scaled(left, right),
        noun=left.noun or right.noun,
        loose=link != "range",
    )


def _is_hour(quantity: Quantity) -> bool:
    value = quantity.readings[0].value
    return value.denominator == 1 and 0 <= value <= 24


def _scaled(left: Quantity, right: Quantity) -> tuple[Reading, ...]:
    """The left readings, also in the right's millions: "3 to 5 million"."""
    scale = right.readings[0].scale
    if scale == 1 or left.readings[0].scale != 1:
        return left.readings
    return (*(Reading(r.value * scale, r.step * scale, scale) for r in left.readings), *left.readings)


def _is_money(quantity: Quantity) -> bool:
    return (
        len(quantity.units[0].dimension) == 1
        and quantity.units[0].dimension[0][0].isupper()
        and len(quantity.units[0].dimension[0][0]) == 3
    )


def _per_unit(text: str, quantity: Quantity, begin: int) -> Quantity:
    """每升50毫克 is 50 mg a litre; ``begin`` is where its range or list begins."""
    each = text.rfind("每", max(0, begin - 8), begin)
    below = read_unit(text, each + 1) if each >= 0 and quantity.kind == "measure" else None
    if text[max(0, begin - 3) : begin].rstrip("约为达").endswith("时速") and (hour := read_unit("h", 0)):
        below = replace(hour, end=begin)
    between = text[below.end : begin].replace(" ", "") if below else ""
    if not below or below.end > begin or (between and not between.isalpha()):
        return quantity
    return replace(quantity, units=(*(u * b**-1 for u in quantity.units for b in below.units), *quantity.units))


def _joined(text: str, found: Sequence[Quantity]) -> list[Quantity]:
    """The quantities with neighbours like "8 ft 1 in" and "1 h 30 min" put together."""
    joined: list[Quantity] = []
    for quantity in found:
        if joined and _continues(text, joined[-1], quantity):
            joined[-1] = compound((*(joined[-1].parts or (joined[-1],)), quantity))
        else:
            joined.append(quantity)
    return joined


def _continues(text: str, left: Quantity, right: Quantity) -> bool:
    """Whether a smaller unit of the same dimension follows a whole number of a larger one."""
    if not (left.kind == right.kind == "measure") or right.parts or right.start - left.end > _NEAR:
        return False
    large = (left.parts or (left,))[-1]
    one, other = large.units[0], right.units[0]
    ratio = one.factor / other.factor
    if one.dimension != other.dimension or ratio <= 1 or ratio.denominator != 1:
        return False
    if large.readings[0].value.denominator != 1 or not _JOINS.fullmatch(text, left.end, right.start):
        return False
    if not text[left.end : right.start].strip():
        return right.readings[0].value >= 0
    return 0 <= right.readings[0].value < ratio and (one.dimension in _TIMES or ratio in _CUSTOMARY)
