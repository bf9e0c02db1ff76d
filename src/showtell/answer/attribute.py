"""Attribute: each sentence of a written draft to the passage that it comes from.

MuRAR (§2.2) gives a snippet to its closest passage by cosine, at 0.6 or more. Here a sentence that the model itself
cited stays where it is unless another passage is far closer, and closeness counts words as well as the cosine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from showtell.answer.citing import cite, cited, claim_of, unmarked
from showtell.index.terms import is_cjk, question_language, stop_words, terms, words
from showtell.ingest.split import sentences
from showtell.models.base import Vectors
from showtell.types import Claim, Passage

Encode = Callable[[Sequence[str]], Sequence[Vectors] | None]

CLOSE = 0.45  # closeness from which a sentence that cites nothing belongs to a passage
FAR_CLOSER = 0.25  # by which another passage must be closer than the one that the model cited


def attribute(
    claims: Sequence[Claim], passages: Sequence[Passage], encode: Encode | None, vectors: Mapping[int, Vectors]
) -> list[Claim]:
    """The claims, each sentence with a passage where one says so.

    ``encode`` gives unit vectors of sentences, ``vectors`` those of passages by id; without them words alone count.
    """
    said = [sentences(claim.text) for claim in claims]
    flat = [unmarked(sentence) for each in said for sentence in each]
    found = encode(flat) if encode and flat else None
    encoded = iter([None] * len(flat) if found is None else found)
    attributed = []
    for claim, pieces in zip(claims, said, strict=True):
        scored = [_closeness(unmarked(piece), next(encoded), passages, vectors) for piece in pieces]
        attributed.append(_attributed(claim, pieces, scored, passages))
    return attributed


def _attributed(
    claim: Claim, pieces: Sequence[str], scored: Sequence[Sequence[float]], passages: Sequence[Passage]
) -> Claim:
    """The claim with its sentences' marks set: kept, moved to a far closer passage, or found where there was none."""
    if not pieces or not passages:
        return claim
    place = {passage.id: number for number, passage in enumerate(passages)}
    own = [place[passage.id] for passage in claim.passages]
    chosen: list[list[int]] = []
    for piece, closeness in zip(pieces, scored, strict=True):
        best = max(range(len(passages)), key=lambda n: (closeness[n], -n))
        kept = [own[k - 1] for k in cited(piece)]
        if (
            kept
            and closeness[best] - max(closeness[n] for n in kept) > FAR_CLOSER
            and _same_tongue(piece, passages[best])
        ):
            kept = [best]
        if not kept and not claim.passages and closeness[best] >= CLOSE:
            kept = [best]
        chosen.append(kept)
    if all(each == chosen[0] for each in chosen):  # one source for all: one mark, at the end
        chosen = [[]] * (len(chosen) - 1) + [chosen[0]]
    marked = [cite(piece, [n + 1 for n in numbers]) for piece, numbers in zip(pieces, chosen, strict=True)]
    text = "".join(_gap(before) + piece for before, piece in zip(["", *marked], marked, strict=False))
    return claim_of(_leading(claim.text) + text, passages, max(map(max, scored)))


def _gap(before: str) -> str:
    return "" if not before or is_cjk(before[-2:-1]) or before[-1] in "。！？" else " "


def _leading(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


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
