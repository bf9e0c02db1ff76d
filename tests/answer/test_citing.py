"""Citation marks: read, renumbered, and set before the full stop."""

from __future__ import annotations

import pytest

from showtell.answer.citing import cite, cited, claim_of, marked, renumbered, unmarked
from showtell.types import Passage


def passage(number: int) -> Passage:
    return Passage(number, number, "pump.html", "Pump", ("Pump",), f"text {number}", 0, 1)


def test_marks_in_code_and_escaped_brackets_are_no_citations() -> None:
    text = r"Set `a[1]` to \[2\] and save [3], then [3] again [4]."
    assert cited(text) == (3, 4)
    assert unmarked(text) == r"Set `a[1]` to \[2\] and save, then again."


def test_a_mark_without_a_new_number_goes() -> None:
    assert renumbered("Open it [1]. Close it [2][9].", {1: 3, 2: 1}) == "Open it [3]. Close it [1]."


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Open the lid.", "Open the lid [2]."),
        ("Open the lid [7].", "Open the lid [2]."),
        ("Is it open?", "Is it open [2]?"),
        ("打开盖子。", "打开盖子 [2]。"),
        ('It says "open."', 'It says "open [2]."'),
        ("Press **Save**", "Press **Save** [2]"),
        ("It ends with `code`", "It ends with `code` [2]"),
    ],
)
def test_a_citation_stands_before_the_full_stop(sentence: str, expected: str) -> None:
    assert cite(sentence, [2]) == expected


def test_a_claim_counts_its_own_passages_and_is_numbered_for_its_answer() -> None:
    offered = [passage(11), passage(12), passage(13)]
    claim = claim_of("Open it [3]. Close it [1][3].", offered)
    assert claim.text == "Open it [1]. Close it [2][1]."
    assert [each.id for each in claim.passages] == [13, 11]
    assert marked(claim, {11: 5, 13: 6}) == "Open it [6]. Close it [5][6]."


def test_a_passage_without_a_mark_is_marked_at_the_end() -> None:
    claim = claim_of("Open it [1].", [passage(1)])
    extract = type(claim)("Open it.", (passage(1), passage(2)))
    assert marked(extract, {1: 1, 2: 2}) == "Open it. [1] [2]"


def test_numbers_beyond_the_passages_never_become_citations() -> None:
    assert claim_of("Open it [4].", [passage(1)]).passages == ()
