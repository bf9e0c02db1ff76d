"""What was left out of a reply, told in one sentence a kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from showtell.answer.reply.unwrap import LONGEST

NAMES_TOLD = 5  # of each kind of drop in its warning

_TOLD = {
    "long": f"the model's reply was longer than {LONGEST} characters; the rest was left out",
    "cut": "the model's reply broke off; its unfinished last sentence was left out",
    "citation": "the model made up citations; left out: {}",
    "marker": "the model named media that it was not offered; left out: {}",
    "again": "the model showed again what it had shown; left out: {}",
    "picture": "the model put in pictures of its own; left out: {}",
    "markup": "the model wrote markup of its own; left out: {}",
    "address": "the model gave addresses that stand in no source; left out: {}",
    "table": "the model drew its own table; it was left out, for tables come from the sources",
    "json": "the model's reply could not be read",
    "empty": "the model's reply was empty",
    "declined": "the model declined to answer",
    "nothing": "nothing of the model's reply could be used",
}


@dataclass(slots=True)
class Told:
    """What was left out, by kind, with names."""

    names: dict[str, dict[str, None]] = field(default_factory=dict)

    def has(self, kind: str) -> bool:
        """Whether something of this kind was left out."""
        return kind in self.names

    def note(self, kind: str, name: str = "") -> None:
        """Keep that something of this kind was left out; ``name`` is what the model called it."""
        short = " ".join(name.split())
        self.names.setdefault(kind, {})[short if len(short) <= 80 else short[:79] + "…"] = None

    def sentences(self) -> tuple[str, ...]:
        """One plain sentence a kind."""
        return tuple(_TOLD[kind].format(_listed(list(names))) for kind, names in self.names.items())


def _listed(names: Sequence[str]) -> str:
    more = len(names) - NAMES_TOLD
    return ", ".join(names[:NAMES_TOLD]) + (f" and {more} more" if more > 0 else "")
