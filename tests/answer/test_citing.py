"""Citation marks: read, renumbered, and set before the full stop."""

from __future__ import annotations

from dataclasses import replace

import pytest

from showtell.answer.citing import blocks, cite, cited, claims_of, marked, renumbered, unmarked
from showtell.types import Claim, Figure, Passage


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


def test_a_block_becomes_its_sentences_with_what_each_cites() -> None:
    offered = [passage(11), passage(12), passage(13)]
    claims = claims_of("  2. Open it [3]. Close it [1][3].", offered)
    assert [claim.text for claim in claims] == ["  2. Open it.", "Close it."]
    assert [[each.id for each in claim.passages] for claim in claims] == [[13], [11, 13]]
    assert [claim.follows for claim in claims] == [False, True]


def test_a_quotation_of_two_sentences_stays_whole() -> None:
    claims = claims_of('It says: "Stop now. Then wait." Go on.', [])
    assert [claim.text for claim in claims] == ['It says: "Stop now. Then wait."', "Go on."]


def test_a_code_block_stays_whole() -> None:
    (claim,) = claims_of("```\nrun a. Then b.\n```", [])
    assert claim.text == "```\nrun a. Then b.\n```"


TOOL = replace(
    passage(7), text="To reset the pump, run this:\npump stop --now\npump reset --hard\nThen run pump start."
)


@pytest.mark.parametrize(
    ("code", "holds"),
    [
        ("pump stop --now\n  pump  reset --hard", True),
        ("$ pump start", True),
        ("pump start  # and wait", True),
        ("pump reset --soft", False),
        ("pump", True),
        ("pump res", False),
        ("# pump erase", False),
    ],
)
def test_a_code_block_cites_the_passage_that_holds_its_lines_as_they_are(code: str, holds: bool) -> None:
    (claim,) = claims_of(f"```bash\n{code}\n```", [passage(1), TOOL])
    assert claim.passages == ((TOOL,) if holds else ())


def test_the_marks_of_a_code_block_stand_on_a_line_behind_it() -> None:
    text = "```\npump start[1]\n```"
    assert cite(text, [2, 3]) == f"{text}\n[2] [3]"
    assert cite(text, []) == text
    (claim,) = claims_of(f"{text}\n[2]", [passage(1), passage(2)])
    assert (claim.text, [each.id for each in claim.passages]) == (text, [2])


def test_each_sentence_is_marked_unless_all_have_one_source() -> None:
    offered = [passage(11), passage(12)]
    ((mixed, _),) = blocks(claims_of("Open it [1]. Close it [1][2].", offered))
    assert marked(mixed, {11: 5, 12: 6}) == "Open it [5]. Close it [5] [6]."
    ((same, _),) = blocks(claims_of("Open it [2]. Close it [2].", offered))
    assert marked(same, {12: 6}) == "Open it. Close it [6]."
    ((chinese, _),) = blocks(claims_of("打开盖子 [1]。 关上 [2]。", offered))
    assert marked(chinese, {11: 1, 12: 2}) == "打开盖子 [1]。关上 [2]。"


def test_a_figure_ends_its_block_in_the_middle_of_a_paragraph() -> None:
    claims = claims_of("Open it [1]. Rinse it [1]. Close it [1].", [passage(1)])
    figure = Figure(None, 1, "", 0.0, passage(1))  # type: ignore[arg-type]
    assert [(len(block), own) for block, own in blocks(claims, [figure])] == [(2, [figure]), (1, [])]


def test_an_extract_is_marked_behind_its_last_character() -> None:
    extract = Claim("Open it.", (passage(1), passage(2)), section_id=4, position=0)
    assert marked([extract], {1: 1, 2: 2}) == "Open it. [1] [2]"


def test_numbers_beyond_the_passages_never_become_citations() -> None:
    assert claims_of("Open it [4].", [passage(1)])[0].passages == ()
