"""Attribute: each sentence of a written draft to the passage that it comes from.

MuRAR (§2.2) gives a snippet to its closest passage by cosine, at 0.6 or more. Here a sentence that the model itself
cited stays where it is unless another passage is far closer, and closeness counts words as well as the cosine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from showtell.index.terms import question_language, stop_words, terms, words
from showtell.models.base import Vectors
from showtell.types import Claim, Passage

Encode = Callable[[Sequence[str]], Sequence[Vectors] | None]

CLOSE = 0.45  # closeness from which a sentence that cites nothing belongs to a passage
FAR_CLOSER = 0.25  # by which another passage must be closer than the one that the model cited


def attribute(
    claims: Sequence[Claim], passages: Sequence[Passage], encode: Encode | None, vectors: Mapping[int, Vectors]
) -> list[Claim]:
    """The claims, one a sentence, each with a passage where one says so.

    ``encode`` gives unit vectors of sentences, ``vectors`` those of passages by id; without them words alone count.
    """
    said = [claim.text for claim in claims]
    found = encode(said) if encode and said else None
    encoded = [None] * len(said) if found is None else found
    attributed = []
    for claim, vector in zip(claims, encoded, strict=True):
        closeness = _closeness(claim.text, vector, passages, vectors)
        attributed.append(
            replace(claim, passages=_sources(claim, passages, closeness), score=max(closeness, default=0.0))
        )
    return _inherited(attributed)


def _sources(claim: Claim, passages: Sequence[Passage], closeness: Sequence[float]) -> tuple[Passage, ...]:
    """What the claim cites, unless another passage is far closer; the closest passage where it cites nothing."""
    if not passages:
        return claim.passages
    best = max(range(len(passages)), key=lambda n: (closeness[n], -n))
    own = [closeness[passages.index(passage)] for passage in claim.passages]
    if own and closeness[best] - max(own) <= FAR_CLOSER:
        return claim.passages
    if own and not _same_tongue(claim.text, passages[best]):
        return claim.passages
    return (passages[best],) if own or closeness[best] >= CLOSE else ()


def _inherited(claims: Sequence[Claim]) -> list[Claim]:
    """The claims, of which one without a source takes that of the next in its block: a mark covers what leads to it."""
    inherited: list[Claim] = []
    for claim in reversed(claims):
        after = inherited[-1] if inherited and inherited[-1].follows else None
        inherited.append(replace(claim, passages=claim.passages or (after.passages if after else ())))
    return inherited[::-1]


def _same_tongue(piece: str, passage: Passage) -> bool:
    asked, held = question_language(piece), question_language(passage.text)
    return not asked or not held or asked == held


def _closeness(
    sentence: str, vector: Vectors | None, passages: Sequence[Passage], vectors: Mapping[int, Vectors]
) -> list[float]:
    """How close each passage is to a sentence, about 0 to 1: the mean of cosine and share of its words."""
    content = _content(sentence)
    shares = [len(content & set(terms(_whole(passage)))) / len(content) if content else 0.0 for passage in passages]
    if vector is None:
        return shares
    cosines = [float(vectors[p.id] @ vector) if p.id in vectors else 0.0 for p in passages]
    return [(cosine + share) / 2 for cosine, share in zip(cosines, shares, strict=True)]


def _content(sentence: str) -> set[str]:
    return set(terms(" ".join(word for word in words(sentence) if word.casefold() not in stop_words())))


def _whole(passage: Passage) -> str:
    return " ".join([passage.title, *passage.section, passage.text])
