"""Sentences of a written draft go to the passages that say so."""

from __future__ import annotations

import numpy as np

from showtell.answer.attribute import attribute
from showtell.answer.citing import claims_of
from showtell.types import Claim, Passage

FILTER = "Rinse the filter every two weeks under cold water. Never use soap."
WINTER = "Before the first frost, open the drain screw and store the pump indoors."


def passage(number: int, text: str) -> Passage:
    return Passage(number, number, "pump.html", "Garden pump", ("Garden pump",), text, 0, 1)


OFFERED = [passage(1, FILTER), passage(2, WINTER)]


def attributed(*texts: str) -> list[Claim]:
    """By words alone."""
    return attribute([claim for text in texts for claim in claims_of(text, OFFERED)], OFFERED, None, {})


def sources(claim: Claim) -> list[int]:
    return [each.id for each in claim.passages]


def test_what_the_model_cited_stays() -> None:
    (claim,) = attributed("Rinse the filter every two weeks [1].")
    assert sources(claim) == [1]


def test_sentences_without_citations_get_them() -> None:
    claims = attributed("Rinse the filter every two weeks under cold water. Store the pump indoors.")
    assert [sources(claim) for claim in claims] == [[1], [2]]


def test_a_mark_covers_the_sentences_that_lead_to_it() -> None:
    claims = attributed("Look after it well. Never use soap [1].", "Be careful.")
    assert [sources(claim) for claim in claims] == [[1], [1], []]


def test_what_no_passage_says_stays_without_a_source() -> None:
    (claim,) = attributed("Visit our shop for free vouchers now.")
    assert sources(claim) == []


def test_a_citation_of_the_wrong_passage_is_moved() -> None:
    (claim,) = attributed("Open the drain screw before the first frost [1].")
    assert sources(claim) == [2]


def test_a_citation_across_languages_is_left_alone() -> None:
    (claim,) = attributed("Spülen Sie den Filter alle zwei Wochen unter kaltem Wasser [1].")
    assert sources(claim) == [1]


def test_meaning_counts_beside_words() -> None:
    vectors = {1: np.array([1.0, 0.0], np.float32), 2: np.array([0.0, 1.0], np.float32)}

    def encode(texts: list[str]) -> list[np.ndarray]:
        return [np.array([0.0, 1.0], np.float32) for _ in texts]

    (claim,) = attribute([Claim("Keep it in a warm indoor place.", ())], OFFERED, encode, vectors)  # type: ignore[arg-type]
    assert sources(claim) == [2]


def test_nothing_offered_leaves_the_claims() -> None:
    claims = [Claim("Never use soap.", ())]
    assert attribute(claims, [], None, {}) == claims
