"""Limited Markdown: what of a text part is kept, and what cannot be active."""

from __future__ import annotations

import pytest

from showtell.render.limited import Run, parse, signed


def runs(text, *citations, marks=()):
    return [run for block in parse(text, citations, marks) for run in block.runs]


def test_only_the_parts_own_numbers_are_citations():
    assert runs("x [1] y [2]", 1) == [Run("x "), Run("[1]", citation=1), Run(" y [2]")]


def test_a_citation_before_brackets_is_no_link():
    assert runs("[1](http://x.org)", 1) == [Run("[1]", citation=1), Run("(http://x.org)")]


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "a.md", "//x.org", "http:"]
)
def test_a_link_to_anything_but_the_web_leaves_its_words(address):
    assert runs(f"[word]({address})") == [Run("word")]


def test_a_picture_leaves_its_alt_text():
    assert runs("a ![alt](http://x.org/i.png) b") == [Run("a "), Run("alt"), Run(" b")]


@pytest.mark.parametrize("text", ["[1]: where it stands", "# of rows", "a\n---", "5.", "<b>x</b>", "    indented"])
def test_no_sentence_of_a_document_is_swallowed(text):
    said = "".join(block.label + "".join(run.text for run in block.runs) for block in parse(text))
    assert "".join(said.split()) == "".join(text.split())


def test_lists_keep_their_label_and_depth():
    blocks = parse("3. Open\n   - this\n") + parse("   - that") + parse("      - and that")
    assert [(block.label, block.depth) for block in blocks] == [("3.", 1), ("•", 2), ("•", 2), ("•", 3)]


def test_a_marked_span_is_marked_through_its_styles():
    text = "It weighs **386 lb** now."
    marked = [run for run in runs(text, marks=[(text.index("386"), text.index("386") + 6)]) if run.marked]
    assert marked == [Run("386 lb", bold=True, marked=True)]


def test_marked_spans_may_overlap_and_a_citation_inside_is_part_of_the_stretch():
    text = "Send **all 12** parts [1] away. Stay."
    marked = runs(text, 1, marks=[(0, text.index(" Stay")), (text.index("12"), text.index("12") + 2)])
    assert "".join(run.text for run in marked if run.marked) == "Send all 12 parts [1] away."
    assert "".join(run.text for run in signed(marked)) == "Send all 12 parts [1] away. (?) Stay."
    apart = runs("a 12 b 34", marks=[(2, 4), (7, 9)])
    assert "".join(run.text for run in signed(apart)) == "a 12 (?) b 34 (?)"
