"""What was left out of a reply, told in one sentence a kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from showtell.answer.reply.unwrap import LONGEST

NAMES_TOLD = 5  # of each kind of drop in its warning

_TOLD = {
    "long": f"the model's reply was longer than {LONGEST} characters; the rest was left out",
    "cut": "the model's reply broke off; its unfinished last sentence was left out",
    "citation": "left out citations of passages that were not given: {}",
    "marker": "left out media that were not offered: {}",
    "again": "left out media that the model showed again: {}",
    "picture": "left out pictures of the model's own: {}",
    "markup": "left out markup of the model's own: {}",
    "address": "left out addresses that stand in no source: {}",
    "table": "left out the model's own table; tables come from the sources",
    "json": "the model's reply could not be read",
    "empty": "the model's reply was empty",
    "declined": "the model declined to answer",
    "nothing": "nothing of the model's reply could be used",
}


@dataclass(slots=True)
class Told:
    """What was left out, by kind, with names."""

    names: dict[str, dict[str, None]] = field(default_factory=dict)

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
