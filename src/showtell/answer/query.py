"""What a question asks for besides its subject: steps, a table, a picture, a video.

Cue words stand in ``cues.txt``, in the languages that users ask in. A question without any asks for text, and for
media only where the sources put them beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

WITHOUT_SPACES = ("zh", "ja", "ko")


@dataclass(frozen=True, slots=True)
class Intent:
    """The kinds of evidence that a question's words ask for."""

    steps: bool = False
    table: bool = False
    image: bool = False
    video: bool = False


def read_intent(question: str) -> Intent:
    """The intent that a question's cue words show."""
    return Intent(**{kind: bool(_cues()[kind].search(question)) for kind in ("steps", "table", "image", "video")})


def asks_several(question: str) -> bool:
    """Whether a question seems to ask about several things."""
    return bool(_cues()["several"].search(question)) or len(re.findall(r"[?？]", question)) > 1


@lru_cache(maxsize=1)
def _cues() -> Mapping[str, re.Pattern[str]]:
    """One pattern a kind, of all languages."""
    patterns: dict[str, list[str]] = {}
    for line in (Path(__file__).parent / "cues.txt").read_text(encoding="utf-8").splitlines():
        name, _, cues = line.partition(": ")
        kind, _, language = name.partition(" ")
        if kind != "#":
            patterns.setdefault(kind, []).append(cues if language in WITHOUT_SPACES else rf"\b(?:{cues})\b")
    return {kind: re.compile("|".join(each), re.IGNORECASE) for kind, each in patterns.items()}
