"""What a newcomer is offered to ask."""

from __future__ import annotations

from showtell.index.terms import question_language
from showtell.library import Library
from showtell.web.suggestions import suggestions


def test_questions_in_the_library_s_own_language_come_first(handbook: Library):
    offered = suggestions(handbook)
    assert len(offered) == 6
    assert offered[0].endswith("?")
    assert question_language(offered[0]) == "en"
    assert all(handbook.ask(text).status == "answered" for text in offered)
