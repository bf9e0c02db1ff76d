"""What text stands in: lists, which number their items, and items, quotes and notes, which give it a kind."""

from __future__ import annotations

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from showtell.types import TextKind

_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)


@dataclass(slots=True)
class Scope:
    """What text stands in: a list (which numbers its items) or an item, quote or note (which gives a kind)."""

    kind: TextKind | None = None
    label: str = ""
    is_list: bool = False
    number: int = 1
    step: int = 1
    form: str = ""  # the list's type: "1", "a", "A", "i", "I", or "" for bullets


def list_scope(node: LexborNode) -> Scope:
    """The scope of a list; an ordered one starts, counts and numbers as its attributes say."""
    scope = Scope(is_list=True)
    if node.tag == "ol":
        attributes = node.attributes
        backwards = "reversed" in attributes
        scope.form = attributes.get("type") or "1"
        scope.step = -1 if backwards else 1
        scope.number = _whole(attributes.get("start"), _items(node) if backwards else 1)
    return scope


def item_scope(node: LexborNode, around: Scope | None) -> Scope:
    """The scope of an item in the list ``around``, which counts on."""
    if around is None or not around.form:
        return Scope("item", "•")
    number = _whole(node.attributes.get("value"), around.number)
    around.number = number + around.step
    return Scope("step", f"{_numeral(number, around.form)}.")


def _items(node: LexborNode) -> int:
    count, child = 0, node.first_child
    while child is not None:
        count += child.tag == "li"
        child = child.next
    return count


def _whole(written: str | None, otherwise: int) -> int:
    return int(written) if written and re.fullmatch(r"\s*-?\d{1,9}\s*", written, re.ASCII) else otherwise


def _numeral(number: int, form: str) -> str:
    """A list's number as the list's type shows it."""
    if form in ("a", "A") and number > 0:
        letters = ""
        while number:
            number, rest = divmod(number - 1, 26)
            letters = chr(ord(form) + rest) + letters
        return letters
    if form in ("i", "I") and 0 < number < 4000:
        roman = ""
        for value, sign in _ROMAN:
            roman += sign * (number // value)
            number %= value
        return roman if form == "i" else roman.upper()
    return str(number)
