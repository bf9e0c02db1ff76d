"""How models phrase what is no answer, and what they call things; the phrases stand in ``phrases.txt``."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

WITHOUT_SPACES = ("zh",)


@cache
def phrase(kind: str) -> re.Pattern[str]:
    """One pattern of all languages for a kind of phrase."""
    found = []
    for line in (Path(__file__).parent / "phrases.txt").read_text(encoding="utf-8").splitlines():
        name, _, phrases = line.partition(": ")
        named, _, language = name.partition(" ")
        if named == kind:
            found.append(f"(?:{phrases})" if language in ("", *WITHOUT_SPACES) else rf"(?<!\w)(?:{phrases})")
    return re.compile("|".join(found), re.IGNORECASE)
