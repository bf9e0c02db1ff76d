"""Which seconds of a video are played."""

from __future__ import annotations

import random
import time

import pytest

from showtell.answer.segment import LONGEST, REACH, best_segment
from showtell.types import Moment


def talk(scores: list[float], each: float = 5.0) -> list[Moment]:
    return [Moment(n * each, (n + 1) * each, f"sentence {n}", score) for n, score in enumerate(scores)]


def peaked(at: slice, count: int = 60) -> list[Moment]:
    scores = [0.1 + 0.02 * (n % 3) for n in range(count)]
    scores[at] = [0.7] * len(scores[at])
    return talk(scores)


@pytest.mark.parametrize("at", [slice(28, 33), slice(0, 5), slice(55, 60)], ids=["middle", "beginning", "end"])
def test_a_stretch_that_fits_is_found_where_it_lies(at: slice) -> None:
    segment = best_segment(peaked(at))
    assert segment
    gold = (at.start * 5.0, at.stop * 5.0)
    shared = min(segment.end, gold[1]) - max(segment.start, gold[0])
    assert shared / (max(segment.end, gold[1]) - min(segment.start, gold[0])) > 0.5


def test_no_moments_no_segment() -> None:
    assert best_segment([]) is None


def test_one_moment_is_the_segment() -> None:
    (moment,) = moments = talk([0.4])
    segment = best_segment(moments)
    assert segment
    assert (segment.start, segment.end, segment.moments) == (0.0, 5.0, (moment,))


@pytest.mark.parametrize("count", [2, 7, 100])
def test_where_all_fit_alike_some_of_it_is_played(count: int) -> None:
    segment = best_segment(talk([0.3] * count))
    assert segment
    assert 0 <= segment.start < segment.end <= min(count * 5.0, segment.start + LONGEST)


def test_a_lone_sentence_is_weaker_than_a_stretch() -> None:
    scores = [0.1] * 80
    scores[10] = 0.75
    scores[50:56] = [0.6, 0.65, 0.6, 0.65, 0.6, 0.6]
    segment = best_segment(talk(scores))
    assert segment
    assert 230 <= segment.start < segment.end <= 300


def test_the_order_of_the_moments_does_not_matter() -> None:
    moments = peaked(slice(20, 26))
    mixed = random.Random(1).sample(moments, len(moments))
    assert best_segment(mixed) == best_segment(moments)


def test_moments_may_overlap() -> None:
    moments = [Moment(m.start, m.end + 4.0, m.text, m.score) for m in peaked(slice(20, 26))]
    segment = best_segment(moments)
    assert segment
    assert segment.start <= 110 <= segment.end
    assert (segment.start, segment.end) == (segment.moments[0].start, max(m.end for m in segment.moments))


def test_a_moment_that_holds_all_others_still_ends_the_segment() -> None:
    moments = [Moment(0.0, 60.0, "all of it", 0.9), *talk([0.1, 0.9, 0.9, 0.1])]
    segment = best_segment(moments)
    assert segment
    assert segment.start < segment.end
    assert all(segment.start <= m.start and m.end <= segment.end for m in segment.moments)


def test_moments_of_no_length_are_no_fault() -> None:
    segment = best_segment([Moment(5.0, 5.0, "now", 0.5), Moment(5.0, 5.0, "now", 0.4), Moment(9.0, 9.0, "then", 0.1)])
    assert segment
    assert 5.0 <= segment.start <= segment.end <= 9.0


def test_no_segment_is_too_long_or_far_from_its_peak() -> None:
    segment = best_segment(talk([0.1] * 40 + [0.8] * 100 + [0.1] * 40))
    assert segment
    assert segment.end - segment.start <= LONGEST
    assert segment.end - segment.start <= 2 * REACH + 5


def test_one_long_moment_is_played_whole() -> None:
    segment = best_segment([Moment(0, 10, "a", 0.1), Moment(10, 200, "a long one", 0.9), Moment(200, 210, "b", 0.1)])
    assert segment
    assert (segment.start, segment.end) == (10, 200)


def test_five_thousand_moments_are_quick() -> None:
    dice = random.Random(3)
    moments = talk([dice.random() for _ in range(5000)], each=3.0)
    began = time.monotonic()
    assert best_segment(moments)
    assert time.monotonic() - began < 1
