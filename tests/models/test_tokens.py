from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from showtell.models.tokens import count_tokens, cut_to_tokens

BEARS = (
    "Polar bears are large. A male weighs 187.5 kg (413 lb) when young, approx. 450 kg later. See Fig. 3 for more.\n"
    "\n"
    "Zoo | Weight | Year\n"
    "Berlin. East | 187.5 kg (413 lb) | 2024\n"
    "2nd | 300 kg (661 lb) | 2025\n"
    "\n"
    "They swim 8 ft. (2.4 m) deep. That is all! 北极熊很大。它重187.5公斤。"
)
ENDS = [
    "large.",
    "later.",
    "more.",
    "Year",
    "2024",
    "2025",
    "deep.",
    "all!",
    "大。",
    "公斤。",
]


def test_nothing_takes_no_tokens() -> None:
    assert count_tokens("") == 0


# Counted by the tokenizer of Qwen2.5.
@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The polar bear is a large bear native to the Arctic and nearby areas.", 15),
        ("Öffnen Sie die Einstellungen und wählen Sie die gewünschte Sprache aus.", 20),
        ("北极熊是生活在北极地区的大型熊类动物。", 11),
        ("1234567 | 89,012.50 | 2026-01-31", 30),
        ("for index, value in enumerate(values):\n    total += value * weights[index]", 16),
    ],
)
def test_an_estimate_is_not_too_low_nor_twice_too_high(text: str, tokens: int) -> None:
    assert tokens <= count_tokens(text) <= 2 * tokens


def test_hostile_lengths_take_no_time() -> None:
    began = time.monotonic()
    for text in ("word 12 " * 20_000, "[" * 200_000, "\\" * 200_000, "." * 200_000, "\n" * 200_000):
        assert count_tokens(text)
        cut_to_tokens(text, 10)
    assert time.monotonic() - began < 10


def test_what_fits_is_not_changed() -> None:
    assert cut_to_tokens(BEARS, count_tokens(BEARS)) == BEARS


def test_cuts_fall_at_the_end_of_a_sentence_a_row_or_a_paragraph_alone() -> None:
    cuts = list(dict.fromkeys(cut_to_tokens(BEARS, limit) for limit in range(count_tokens(BEARS) + 1)))
    assert cuts[0] == ""
    assert len(cuts) == len(ENDS) + 1
    for cut, end in zip(cuts[1:], ENDS, strict=True):
        assert cut.endswith(end)
        assert BEARS.startswith(cut)


def test_a_number_is_not_parted_from_a_unit_on_the_next_line() -> None:
    text = "It weighs. Up to 187.5\nkg (413 lb) were measured. It sleeps."
    cuts = {cut_to_tokens(text, limit) for limit in range(count_tokens(text) + 1)}
    assert cuts == {"", "It weighs.", text.removesuffix(" It sleeps."), text}


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("1. Öffnen Sie das Menü.\n2. Warten Sie.", {"Menü.", "Sie."}),
        ("Am 5. Mai 2024 wog Dr. Bär z. B. 1 234,5 kg. Im Jahr 2024. Dann mehr.", {"kg.", "2024.", "mehr."}),
        ("Er wog 187,5. Dann mehr.", {"187,5.", "mehr."}),
        ("He said “Go!” She went (home.) All was well…", {"“Go!”", "(home.)", "well…"}),
        ("Version 3.11.2 runs. pip 24.0 does not", {"not"}),
        ("北极熊很大。它重187.5公斤；寿命25年！", {"大。", "公斤；", "年！"}),
        ("a | b. C | d\n3 | 4\n5 | 6", {"d", "4", "6"}),
    ],
)
def test_what_ends_a_sentence(text: str, ends: set[str]) -> None:
    cuts = {cut_to_tokens(text, limit) for limit in range(1, count_tokens(text) + 1)} - {""}
    assert len(cuts) == len(ends)
    assert all(any(cut.endswith(end) for end in ends) for cut in cuts)


def test_nothing_is_left_where_nothing_fits() -> None:
    assert cut_to_tokens("A long sentence that does not fit and has no end", 5) == ""
    assert cut_to_tokens(BEARS, 0) == cut_to_tokens(BEARS, -3) == ""


@given(st.text(alphabet=st.sampled_from("aB1.,!|\n (Öß北。€\ud800🐻"), max_size=80), st.integers(0, 60))
def test_a_cut_is_a_beginning_within_the_limit_and_never_inside_a_number(text: str, limit: int) -> None:
    cut = cut_to_tokens(text, limit)
    assert text.startswith(cut)
    assert count_tokens(cut) <= limit
    assert not re.match(r"\d\d", text[len(cut) - 1 : len(cut) + 1] if cut else "")
    assert cut_to_tokens(text, limit + 5).startswith(cut)
