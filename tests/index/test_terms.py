from __future__ import annotations

import pytest

from showtell.index.terms import query_terms, terms


def test_inflected_words_meet() -> None:
    assert terms("running filters") == terms("run filter")


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("指示灯变绿", "示灯"),
        ("お茶の手引き", "手引"),
        ("Ёмкость", "емкост"),
        ("Φίλτρο", "φιλτρ"),
        ("المرشح", "المرشح"),
        ("הברגים", "הברגים"),
        ("한국어 안내", "국어"),
    ],
)
def test_no_script_is_stripped(text: str, term: str) -> None:
    assert any(found.startswith(term[:3]) for found in terms(text, "xx"))


def test_a_single_character_of_a_language_without_spaces_is_a_term() -> None:
    assert terms("茶") == ["茶"]


def test_identifiers_are_found_whole_and_by_part() -> None:
    assert {"search_term", "search", "term"} <= set(terms("search_term"))
    assert {"crash", "event"} <= set(terms("a.CrashEvent"))


def test_a_question_keeps_its_content_words_only() -> None:
    assert query_terms("How do I change the filter?") == [("chang",), ("filter",)]


def test_a_question_of_stop_words_keeps_them() -> None:
    assert query_terms("Who are you?")


def test_words_are_spelled_in_every_language_of_the_library() -> None:
    (spellings,) = query_terms("Häuser", ("en", "de"))
    assert set(terms("Haus", "de")) <= set(spellings)
