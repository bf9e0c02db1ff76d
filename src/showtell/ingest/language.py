"""The language of a text, where nothing declares it."""

from __future__ import annotations

FEWEST = 30  # bytes of UTF-8 that a guess needs; a Chinese character has three
MOST = 4000  # characters looked at


def detect(text: str) -> str:
    """An ISO 639-1 code, or "" where there is too little text to tell."""
    sample = text[:MOST]
    if len(sample.encode()) < FEWEST:
        return ""
    from py3langid import classify  # its model takes half a second to load

    return str(classify(sample)[0])
