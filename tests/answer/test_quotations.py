"""Words in quotation marks against the passages that are said to hold them."""

from __future__ import annotations

import pytest

from showtell.answer.quotations import check_quotations, quoted

PUMP = "Rinse the filter every two weeks under cold water. Never use soap."


def verdicts(text, *sources):
    return [finding.verdict for finding in check_quotations(text, sources or (PUMP,))]


@pytest.mark.parametrize(
    "text",
    [
        'He says "never use soap" here',
        "He says “never use soap” here",
        "Er sagt „never use soap“ dort",
        "Er sagt »never use soap« dort",
        "Il dit « never use soap » là",
        "Dice «never use soap» aquí",
        "Er sagt ‚never use soap‘ dort",
        "He says ‘never use soap’ here",
        "他说「never use soap」",
        "他说『never use soap』",
        '他说"never use soap"。',
    ],
)
def test_quotation_marks_of_every_language_are_known(text):
    assert [text[start:end].strip() for start, end in quoted(text)] == ["never use soap"]
    assert verdicts(text) == ["supported"]


@pytest.mark.parametrize(
    "text",
    [
        "“never use SOAP”",  # case
        "“Never  use\nsoap!”",  # white space, punctuation
        "“Rinse the filter … Never use soap.”",  # left out
        "“Rinse the filter [...] under cold water”",
        "“Rinse [the] filter every two weeks”",  # a remark
    ],
)
def test_what_is_not_a_change_of_words_is_let_pass(text):
    assert verdicts(text) == ["supported"]


def test_typographic_signs_are_the_same_as_plain_ones():
    assert verdicts("“Don’t open the A–B valve – ever”", "Don't open the A-B valve - ever!") == ["supported"]


@pytest.mark.parametrize(
    ("text", "expected", "is_close"),
    [
        ("“Never use soap or vinegar.”", "Never use soap", False),  # two of five words
        (
            "“Rinse the filter every three weeks under cold water.”",
            "Rinse the filter every two weeks under cold water",
            True,
        ),
        ("“Rinse the filter every two months”", "Rinse the filter every two weeks", True),
        ("“Never ever use soap”", "Never use soap", False),
    ],
)
def test_a_misquotation_is_told_with_the_words_of_the_source(text, expected, is_close):
    (finding,) = check_quotations(text, ["Something else.", PUMP])
    assert (finding.verdict, finding.expected, finding.source) == ("contradicted", expected, 1)
    assert finding.is_close == is_close
    assert text[slice(*finding.span)] == finding.text == text.strip("“”.")


@pytest.mark.parametrize(
    ("quotation", "source"),
    [
        ("Do use vinegar to clean the tank", "Do not use vinegar to clean the tank"),
        ("Do not use vinegar to clean the tank", "Do use vinegar to clean the tank"),
        ("you can use vinegar to clean the tank", "You cannot use vinegar to clean the tank"),
        ("always clean the tank with plain vinegar", "Never clean the tank with plain vinegar"),
        ("it is safe to open the lid", "It is unsafe to open the lid"),
        ("rinse the filter and dry it every week", "Rinse the filter and then dry it every week"),
        ("öffnen Sie den Deckel nie vor dem Reinigen", "Öffnen Sie den Deckel stets vor dem Reinigen"),
    ],
)
def test_words_that_would_not_fit_or_turn_the_meaning_around_are_told_but_take_no_place(quotation, source):
    (finding,) = check_quotations(f"“{quotation}”", [f"Look here. {source}."])
    assert (finding.verdict, finding.is_close) == ("contradicted", False)
    assert finding.expected.casefold() == source.casefold()


def test_words_that_two_sentences_are_equally_near_to_stand_in_no_place_of_another():
    sources = ["Close the red valve before every lift.", "Close the blue valve before every lift."]
    (finding,) = check_quotations("“Close the old valve before every lift”", sources)
    assert finding.verdict == "contradicted"
    assert not finding.is_close


def test_pieces_out_of_order_and_invented_words_are_not_found():
    assert verdicts("“Never use soap … rinse the filter”") == ["unsupported"]
    assert verdicts("“Wash it in vinegar on Sundays”") == ["unsupported"]
    assert verdicts("“Never use soap”", "Rinse it.") == ["unsupported"]
    assert [finding.verdict for finding in check_quotations("“Never use soap”", [])] == ["unsupported"]


def test_chinese_is_compared_by_character():
    assert verdicts("手册说：“每两周用冷水冲洗滤芯。”", "每两周用冷水冲洗滤芯。不要使用肥皂。") == ["supported"]
    (finding,) = check_quotations("手册说：「每三周用冷水冲洗滤芯」", ["每两周用冷水冲洗滤芯。不要使用肥皂。"])
    assert (finding.verdict, finding.expected) == ("contradicted", "每两周用冷水冲洗滤芯")


def test_labels_titles_inches_and_apostrophes_are_no_quotations():
    assert verdicts("Click “Save” or “Save as”, see 《净水器使用手册》") == []
    assert verdicts('A 5" pipe and a 3" pipe of the long kind') == []
    assert verdicts("The dogs’ bowl isn’t the cats’ bowl") == []
