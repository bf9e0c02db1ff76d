"""The JSON value in a model's reply, which may be wrapped in words, slightly wrong, or cut off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic_core import from_json

MOST_CHARACTERS = 200_000  # what stands behind them is not read
MOST_DEPTH = 100
_MOST_STARTS = 50  # brackets at which no value began

_FENCE = re.compile(r"```[ \t]*\w*[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
# A string runs to its end or, cut off, to that of the text: so that no text makes the search go back and forth.
_STRING = r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)'
_BRACKET_OR_STRING = re.compile(rf"{_STRING}|[\[\]{{}}]", re.DOTALL)
_COMMA_OR_STRING = re.compile(rf"{_STRING}|,(?=\s*[\]}}])", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f]")
_CLOSING = {"[": "]", "{": "}"}


def parse_json(text: str) -> Any | None:
    """The longest JSON object or array in the text, or the text itself if it is a JSON value; None if there is none.

    Words and Markdown fences around it, a comma behind the last item and bare line breaks in a string are forgiven. Of
    a value that is cut off, what stands there is given. What is nested deeper than 100, and what stands behind the
    first 200,000 characters, is not read. Nothing is raised.
    """
    text = text[:MOST_CHARACTERS].encode("utf-8", "ignore").decode("utf-8")  # without lone surrogates
    try:
        return _strict(text.strip())
    except ValueError:
        pass
    found = [pair for part in (*_FENCE.findall(text), text) for pair in _values(part)]
    return max(found, key=lambda pair: pair[0], default=(0, None))[1]


def _values(text: str) -> Iterator[tuple[int, Any]]:
    """The length of each outermost object or array that can be read, and its value."""
    at, misses = 0, 0
    while misses < _MOST_STARTS and (start := _next_bracket(text, at)) is not None:
        end = _end_of_value(text, start)
        value = None if end is None else _read(text[start:end])
        if value is None:
            misses += 1
            at = start + 1
        else:
            at = end or len(text)
            yield at - start, value


def _next_bracket(text: str, at: int) -> int | None:
    places = [place for place in (text.find("{", at), text.find("[", at)) if place >= 0]
    return min(places, default=None)


def _end_of_value(text: str, start: int) -> int | None:
    """Where the bracket at ``start`` is closed, or the text's end where it is cut off; None if it does not match."""
    awaited: list[str] = []
    for found in _BRACKET_OR_STRING.finditer(text, start):
        mark = found.group()
        if mark in _CLOSING:
            awaited.append(_CLOSING[mark])
            if len(awaited) > MOST_DEPTH:
                return None
        elif mark in ("]", "}"):
            if awaited.pop() != mark:
                return None
            if not awaited:
                return found.end()
    return len(text)


def _read(text: str) -> Any | None:
    """The value of a text that begins with a bracket; what it lacks at its end is left out. None if it is no JSON."""
    mended = _COMMA_OR_STRING.sub(_mended, text)
    try:
        return _strict(mended)
    except ValueError:
        pass
    try:
        return from_json(mended, allow_inf_nan=False, allow_partial="trailing-strings") or None
    except ValueError:
        return None


def _strict(text: str) -> Any:
    return from_json(text, allow_inf_nan=False)


def _mended(found: re.Match[str]) -> str:
    """A comma with nothing behind it left out, control characters in a string escaped."""
    return "" if found.group() == "," else _CONTROL.sub(lambda mark: f"\\u{ord(mark.group()):04x}", found.group())
