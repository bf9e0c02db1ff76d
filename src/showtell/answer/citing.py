"""Citation marks in a claim's text: ``[k]`` is passage number k, from 1, of the claim's own passages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from showtell.types import Claim, Passage

_MARK = re.compile(r"\\.|(?P<ticks>`+)(?!`)[\s\S]{1,2000}?(?<!`)(?P=ticks)(?!`)|(?P<space> ?)\[(?P<number>\d{1,4})\]")

_STOP = re.compile(r"[.!?:;。！？：；…]+[\"”’»」』)*_]*$")


def cited(text: str) -> tuple[int, ...]:
    """The numbers of the marks in a text, in order, each once; code and escaped brackets hold none."""
    return tuple(dict.fromkeys(int(found["number"]) for found in _MARK.finditer(text) if found["number"]))


def renumbered(text: str, numbers: Mapping[int, int]) -> str:
    """The text with each mark's number replaced; a mark without a new number goes."""

    def replaced(found: re.Match[str]) -> str:
        if not found["number"]:
            return found[0]
        number = numbers.get(int(found["number"]))
        return f"{found['space']}[{number}]" if number else ""

    return _MARK.sub(replaced, text)


def unmarked(text: str) -> str:
    """The text without marks."""
    return renumbered(text, {})


def cite(sentence: str, numbers: Sequence[int]) -> str:
    """The sentence with these marks alone, before its full stop."""
    plain = unmarked(sentence).rstrip()
    stop = _STOP.search(plain)
    words, end = (plain[: stop.start()], stop[0]) if stop else (plain, "")
    return words + "".join(f" [{number}]" for number in numbers) + end


def claim_of(text: str, passages: Sequence[Passage], score: float = 0.0) -> Claim:
    """The claim of a text whose marks count a list of passages from 1."""
    used = [number for number in cited(text) if number <= len(passages)]
    own = {number: place for place, number in enumerate(used, start=1)}
    return Claim(renumbered(text, own), tuple(passages[number - 1] for number in used), score)


def marked(claim: Claim, numbers: Mapping[int, int]) -> str:
    """The claim's text with the numbers given by passage id; passages that it does not mark are marked at its end."""
    inside = cited(claim.text)
    own = {place: numbers[passage.id] for place, passage in enumerate(claim.passages, start=1)}
    behind = [number for place, number in own.items() if place not in inside]
    return renumbered(claim.text, own) + "".join(f" [{number}]" for number in dict.fromkeys(behind))
