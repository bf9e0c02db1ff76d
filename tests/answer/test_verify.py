"""Answers against the passages that they cite: what is repaired, what is marked, what is left alone."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

import pytest

from showtell.answer.numbers import NumberFinding
from showtell.answer.verify import verify
from showtell.render.limited import parse
from showtell.types import Citation, FigurePart, Image, Media, TextPart, as_json

PUMP = Citation(
    1, "pump.html", "Garden pump", ("Filter", "Model X200"),
    "Rinse the filter every two weeks under cold water. Never use soap. Replace the seal after 400 hours.",
)  # fmt: skip
HOIST = Citation(
    2, "hoist.html", "Hoist", ("Limits",), "The hoist lifts up to 187.5 kg (413 lb). Check the hook first."
)
BOTH = (PUMP, HOIST)
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")


def presence(text, sources, language=""):
    """A number is supported where a source has it; "386 lb" beside a source's "413 lb" is contradicted."""
    found = []
    for match in re.finditer(r"386 lb|(?<!\w)\d+(?:\.\d+)?", text):
        holding = [n for n, source in enumerate(sources) if match[0] in _NUMBER.findall(source)]
        paired = [n for n, source in enumerate(sources) if "413 lb" in source]
        if match[0] == "386 lb" and paired:
            found.append(NumberFinding(match.span(), match[0], "contradicted", "413 lb", paired[0]))
        else:
            verdict = "supported" if holding else "unsupported"
            found.append(NumberFinding(match.span(), match[0], verdict, None, holding[0] if holding else None))
    return found


@dataclass
class Asked:
    """A support rule that gives one cosine and remembers what it was asked."""

    cosine: float | None = None
    sentences: list[str] = field(default_factory=list)

    def __call__(self, sentence, passages):
        self.sentences.append(sentence)
        return self.cosine


def checked(*texts, citations=BOTH, support=None, question="", language="en"):
    numbers = {each.number for each in citations}
    parts = [
        TextPart(text, tuple(dict.fromkeys(int(n) for n in re.findall(r"(?<!\\)\[(\d)\]", text) if int(n) in numbers)))
        for text in texts
    ]
    return verify(
        parts, citations, support=support or Asked(), language=language, question=question, numbers=presence
    )  # fmt: skip


def failed(verified, kind=None):
    return [check for check in verified.checks if check.verdict != "supported" and (kind is None or check.kind == kind)]


def texts(verified):
    return [part.text for part in verified.parts]


# ------------------------------------------------------------------------------------------------------------- numbers
@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("It lifts 187.5 kg (386 lb) [2].", "It lifts 187.5 kg (413 lb) [2]."),
        ("It lifts **187.5 kg (386 lb)**. [2]", "It lifts **187.5 kg (413 lb)**. [2]"),
        ("- It lifts 187.5 kg (**386** lb) [2].", "- It lifts 187.5 kg (**413** lb) [2]."),
        ("It lifts [386 lb](https://x.org/386) [2].", "It lifts [413 lb](https://x.org/386) [2]."),
        ("It lifts 386 lb \\[3\\], so 386 lb [2].", "It lifts 413 lb \\[3\\], so 413 lb [2]."),
    ],
)
def test_a_number_that_the_source_corrects_is_repaired_and_told(text, repaired):
    verified = checked(text)
    assert texts(verified) == [repaired]
    for check in failed(verified, "number"):
        if check.text == "386 lb":
            assert (check.text, check.expected, check.verdict) == ("386 lb", "413 lb", "contradicted")
            assert (check.action, check.citation) == ("repaired", 2)
            assert verified.parts[0].text[slice(*check.span)].replace("*", "") == "413 lb"


def test_spans_after_a_repair_are_of_the_new_text():
    def longer(text, sources, language=""):
        rulings = {
            "9 lb": ("contradicted", "1,000 pounds", 0),
            "77": ("unsupported", None, None),
            "1,000 pounds": ("supported", None, 0),
        }
        return [
            NumberFinding(match.span(), match[0], *rulings[match[0]]) for match in re.finditer("|".join(rulings), text)
        ]

    part = TextPart("First 9 lb, then 77, then 9 lb and 77 [2].", (2,))
    verified = verify([part], BOTH, support=Asked(0.9), numbers=longer)
    assert texts(verified) == ["First 1,000 pounds, then 77, then 1,000 pounds and 77 [2]."]
    found = [(verified.parts[0].text[slice(*check.span)], check.action) for check in verified.checks]
    assert found == [("1,000 pounds", "repaired"), ("77", "marked")] * 2


def test_code_is_never_changed_and_a_repair_keeps_markup_whole():
    verified = checked("Set `386 lb` [2].", "It lifts **386** *lb* [2].", "It lifts 38**6 lb** [2].")
    assert texts(verified) == ["Set `386 lb` [2].", "It lifts **413** *lb* [2].", "It lifts 38**6 lb** [2]."]
    assert [check.action for check in failed(verified, "number")] == ["marked", "repaired", "marked"]


def test_a_number_that_the_source_has_in_another_place_is_marked_and_not_changed():
    jar = Citation(
        1, "jar.md", "Cold brew", (), "Close the jar and leave it for 14 days. Drink the brew within 5 days."
    )

    def misled(text, sources, language=""):
        wrong = "Close" in text and "5 days" in text
        verdict = ("contradicted", "14 days") if wrong else ("supported", None)
        return [NumberFinding(match.span(), match[0], *verdict, 0) for match in re.finditer(r"\d+ days", text)]

    part = TextPart("Close the jar and leave it for 5 days [1].", (1,))
    verified = verify([part], [jar], support=Asked(), numbers=misled)
    (check,) = verified.checks
    assert (check.expected, check.action, verified.parts[0]) == ("14 days", "marked", part)


def test_a_repair_that_would_not_pass_itself_is_not_made_nor_told():
    def invented(text, sources, language=""):
        return [NumberFinding(found.span(), found[0], "contradicted", "9 lb") for found in re.finditer(r"\d+ lb", text)]

    verified = verify([TextPart("It lifts 8 lb [2].", (2,))], BOTH, support=Asked(), numbers=invented)
    assert [(check.verdict, check.expected, check.action) for check in failed(verified)] == [
        ("unsupported", None, "marked")
    ]


def test_list_labels_citations_and_link_targets_are_no_numbers():
    verified = checked("12. Rinse the filter [1], see [the hoist](https://x.org/77) [2].", "  - Never use soap [1].")
    assert [check for check in verified.checks if check.kind == "number"] == []


def test_numbers_may_stand_in_headings():
    series = Citation(1, "pump.html", "Pumps", ("Series 200",), "Rinse the filter every two weeks under cold water.")
    assert failed(checked("Rinse the filter of a series 200 pump every two weeks [1].", citations=(series,))) == []


def test_what_only_another_passage_says_is_marked():
    (check,) = failed(checked("Check the hook first after 400 hours [2].", "Never use soap [1]."))
    assert (check.text, check.verdict, check.citation, check.action) == ("400", "unsupported", 2, "marked")


def test_the_sources_of_a_sentence_are_those_it_cites_else_those_of_its_block():
    assert failed(checked("Replace the seal after 400 hours. [1] The hoist lifts up to 187.5 kg. [2]")) == []
    (check,) = failed(checked("The hoist lifts up to 187.5 kg [2]. Replace the seal after 187.5 hours [1]."))
    assert (check.text, check.citation) == ("187.5", 1)
    assert failed(checked("Replace the seal after 400 hours. The hoist lifts up to 187.5 kg [1][2].")) == []
    assert failed(checked("Replace the seal after 400 hours.", "The hoist lifts up to 187.5 kg [2].")) == []


def test_a_number_that_the_question_brings_needs_no_source_unless_one_speaks_against_it():
    asked = "I have 3 pumps with 12 bar; how often do I rinse the filters?"
    assert failed(checked("Rinse the filter of your 3 pumps [1].", question=asked)) == []
    rival = Citation(1, "pump.html", "Pump", (), "The pump delivers 4 bar. Rinse its filter weekly.")
    verified = checked("The pump delivers 12 bar [1].", citations=(rival,), question=asked)
    assert [check.text for check in failed(verified)] == ["12"]


# ---------------------------------------------------------------------------------------------------------- quotations
def test_a_misquotation_is_marked_with_what_the_source_says():
    verified = checked('The manual says: "Never use soap or vinegar." [1]')
    (check,) = failed(verified)
    assert (check.kind, check.verdict, check.action) == ("quotation", "contradicted", "marked")
    assert (check.text, check.expected, check.citation) == ("Never use soap or vinegar", "Never use soap", 1)
    assert verified.parts[0].text[slice(*check.span)] == check.text


def test_one_wrong_word_in_a_quotation_is_repaired():
    verified = checked("It says “rinse the **filter** every three weeks under cold water” [1].")
    assert texts(verified) == ["It says “rinse the **filter** every two weeks under cold water” [1]."]
    (check,) = failed(verified)
    assert (check.kind, check.action, check.citation) == ("quotation", "repaired", 1)


def test_a_misquotation_that_denies_what_the_source_says_is_marked():
    tank = Citation(1, "tank.md", "Tank", (), "Do not use vinegar to clean the tank of the pump.")
    text = "Vinegar is fine: it says “Do use vinegar to clean the tank of the pump” [1]."
    verified = checked(text, citations=[tank])
    assert texts(verified) == [text]
    assert [check.action for check in failed(verified, "quotation")] == ["marked"]


def test_a_quotation_of_two_sentences_is_one():
    verified = checked("It says: “Rinse the filter every two weeks under cold water. Never use soap.” [1]")
    assert failed(verified) == []
    assert [check.verdict for check in verified.checks if check.kind == "quotation"] == ["supported"]


def test_titles_of_sources_and_words_of_the_question_may_be_quoted():
    asked = "What does “filter alarm number nine” mean?"
    assert failed(checked("See “Garden pump > Filter”: never use soap [1].", question=asked)) == []
    assert failed(checked("“Filter alarm number nine” means: rinse the filter [1].", question=asked)) == []


# ------------------------------------------------------------------------------------------------------------- support
def test_a_sentence_without_support_is_marked_as_a_whole():
    verified = checked("Rinse the filter under cold water [1]. Send **all parts** to the paint shop downtown [1].")
    (check,) = failed(verified)
    assert (check.kind, check.verdict, check.action, check.citation) == ("support", "unsupported", "marked", 1)
    assert check.text == "Send all parts to the paint shop downtown."
    assert verified.parts[0].text[slice(*check.span)] == "Send **all parts** to the paint shop downtown [1]."


def test_the_encoder_is_asked_only_where_words_leave_a_doubt():
    support = Asked(0.7)
    verified = checked(
        "Never use soap on the filter [1]. Detergent would harm the mesh, says the maker [1].", support=support
    )
    assert support.sentences == ["Detergent would harm the mesh, says the maker."]
    assert failed(verified) == []


@pytest.mark.parametrize(
    "text",
    [
        "Follow these steps, one after another, without any haste:",
        "Here you go.",
        "Would you like to know how to paint the fountain?",
        "**Painting a garden fountain**",
    ],
)
def test_what_claims_nothing_needs_no_support(text):
    assert failed(checked(text, "Never use soap [1].")) == []


TOOL = Citation(1, "tool.md", "Tool", (), "To reset it, run:\npump stop --now\npump reset --hard\nThen run pump start.")


def test_a_line_of_code_that_no_source_has_is_marked():
    block = "```bash\n$ pump stop --now\npump erase --all\nrm -rf /var/pump\n\npump start\n```"
    for text in (block, block + "\n[1]"):
        verified = checked("Reset it, run this [1]:", text, citations=[TOOL])
        (check,) = failed(verified)
        assert (check.kind, check.part, check.action) == ("support", 1, "marked")
        assert text[slice(*check.span)] == check.text == "pump erase --all\nrm -rf /var/pump"
        assert texts(verified)[1] == text


def test_code_that_stands_in_its_source_is_let_pass():
    assert failed(checked("```\npump stop --now\npump reset --hard\n}\n```\n[1]", citations=[TOOL])) == []
    assert failed(checked("```\npump reset --har\n```\n[1]", citations=[TOOL]))


def test_what_only_the_question_says_is_a_claim_all_the_same():
    asked = "Does the pump have a solar panel on its roof?"
    (check,) = failed(checked("Yes, it has a solar panel on its roof [1].", question=asked))
    assert check.kind == "support"


def test_text_without_any_source_is_marked():
    (check,) = failed(checked("VISIT pumps-free.example.test NOW", citations=()))
    assert (check.kind, check.text) == ("support", "VISIT pumps-free.example.test NOW")


@pytest.mark.parametrize(
    "text",
    [
        "Spülen Sie den Filter alle zwei Wochen unter kaltem Wasser [1]. Nehmen Sie keine Seife [1].",
        "Rincez le filtre toutes les deux semaines à l'eau froide [1].",
        "Enjuague el filtro cada dos semanas con agua fría [1].",
        "每两周用冷水冲洗滤芯，不要使用肥皂 [1]。",
    ],
)
def test_another_language_than_the_sources_is_not_called_unsupported(text):
    verified = checked(text, language="", support=Asked(0.0))
    assert failed(verified) == []
    assert len(verified.warnings) == 1


def test_numbers_are_checked_in_another_language_too():
    (check,) = failed(checked("Tauschen Sie die Dichtung nach 500 Stunden, nicht später [1].", language="de"))
    assert (check.kind, check.text) == ("number", "500")


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        (
            "Spülen Sie den Filter alle zwei Wochen unter kaltem Wasser. Nehmen Sie niemals Seife.",
            "Der Filter wird alle zwei Wochen mit kaltem Wasser gespült [1].",
            "Bringen Sie das Gerät zur Lackiererei in der Hauptstadt [1].",
        ),
        (
            "Rincez le filtre toutes les deux semaines à l'eau froide. N'utilisez jamais de savon.",
            "Le filtre doit être rincé toutes les deux semaines à l'eau froide [1].",
            "Apportez votre appareil chez le peintre de la capitale [1].",
        ),
        (
            "Enjuague el filtro cada dos semanas con agua fría. No use nunca jabón.",
            "El filtro se enjuaga cada dos semanas con agua fría [1].",
            "Lleve el aparato al taller de pintura de la capital [1].",
        ),
        (
            "每两周用冷水冲洗滤芯。不要使用肥皂。",
            "滤芯要每两周用冷水冲洗一次 [1]。",
            "请把整个机器送到首都的油漆店修理 [1]。",
        ),
    ],
)
def test_support_is_judged_in_the_languages_of_users(passage, true, false):
    source = Citation(1, "a.md", "", (), passage)
    assert failed(checked(true, citations=(source,), language="")) == []
    assert [check.kind for check in failed(checked(false, citations=(source,), language=""))] == ["support"]


# ----------------------------------------------------------------------------------------------------------- the whole
def test_figures_are_left_alone_and_parts_keep_their_place():
    image = Image("386 lb.png", "/386 lb.png", "386 lb")
    figure = FigurePart(Media("m", 1, "a.md", "A", (), 0, image), (2,), "stands there", 0.5)
    text = TextPart("It lifts 386 lb [2].", (2,))
    verified = verify([figure, text], BOTH, support=Asked(), numbers=presence)
    assert verified.parts[0] is figure
    assert [check.part for check in verified.checks] == [1]


def test_checks_are_json_as_the_contract_says():
    verified = checked("It lifts 187.5 kg (386 lb) [2].")
    assert json.loads(json.dumps(as_json(verified.checks)))[-1] == {
        "kind": "number", "verdict": "contradicted", "part": 0, "span": [19, 25], "text": "386 lb",
        "expected": "413 lb", "citation": 2, "action": "repaired",
    }  # fmt: skip


def test_every_span_can_be_marked_without_harm_to_the_text():
    text = (
        "**Send** \\[3\\] *all* `parts 77` to [our shop](https://x.org/) downtown, at 99 [1]. \\*Free\\* paint for all!"
    )
    verified = checked(text)
    spans = [check.span for check in failed(verified)]
    assert len(spans) >= 4

    def runs(marks):
        return [run for block in parse(text, (1,), marks) for run in block.runs]

    def styled(marks):
        return [(c, run.bold, run.italic, run.code, run.link, run.citation) for run in runs(marks) for c in run.text]

    assert styled(spans) == styled(())
    assert all(any(run.marked for run in runs([span])) for span in spans)


def test_an_answer_with_the_default_rules_catches_the_published_misprint():
    lion = Citation(1, "lion.html", "Lion", (), "The lion weighs 187.5 kg (413 lb), its mate 174.9 kg (386 lb).")
    verified = verify(
        [TextPart("The lion weighs 187.5 kg (386 lb) [1].", (1,))], [lion], support=Asked(), language="en"
    )
    assert texts(verified) == ["The lion weighs 187.5 kg (413 lb) [1]."]
    assert [check.text for check in failed(verified)] == ["386 lb"]


BAKE = "Bake the bread in the oven for {0}."


@pytest.mark.parametrize(
    ("said", "held", "repaired"),
    [
        ("20–45 minutes", "20–40 minutes", "20–40 minutes"),
        ("20 to 45 minutes", "20–40 minutes", "20 to 40 minutes"),
        ("between 20 and 45 minutes", "20–40 minutes", "between 20 and 40 minutes"),
        ("15 to 20 minutes", "20–40 minutes", "20 to 40 minutes"),
        ("15 to 20 minutes", "between 20 and 40 minutes", "20 to 40 minutes"),
        ("30–45 minutes", "between 20 and 40 minutes", "20–40 minutes"),
        ("30–45 minutes", "20 to 40 minutes", "20–40 minutes"),
        ("20–45 minutes", "20 minutes", None),
        ("30–45 minutes", "20 minutes", None),
        ("15 to 20 minutes", "20 minutes", None),
        ("between 20 and 45 minutes", "20 minutes", None),
        ("20 or 45 minutes", "20 minutes", None),
        ("45 minutes", "20–40 minutes", None),
        ("45 minutes", "between 20 and 40 minutes", None),
        ("45 minutes", "20 minutes", "20 minutes"),
    ],
)
def test_a_range_is_repaired_as_a_whole_or_marked(said, held, repaired):
    source = Citation(1, "bread.md", "Bread", (), BAKE.format(held))
    verified = verify([TextPart(BAKE.format(said) + " [1]", (1,))], [source], support=Asked(), language="en")
    assert texts(verified) == [BAKE.format(repaired or said) + " [1]"]
    assert {check.action for check in failed(verified)} == {"repaired" if repaired else "marked"}


@pytest.mark.parametrize(
    ("said", "held", "repaired"),
    [
        ("20 x 45 cm", "20 x 40 cm", "20 x 40 cm"),
        ("20 × 45 × 3 cm", "20 × 40 × 3 cm", "20 × 40 × 3 cm"),
        ("20 x 45 cm", "20 cm", None),
        ("20 ± 5 cm", "20 ± 2 cm", "20 ± 2 cm"),
    ],
)
def test_sizes_are_repaired_as_a_whole_or_marked(said, held, repaired):
    source = Citation(1, "board.md", "Board", (), f"The old board measures {held}.")
    verified = verify([TextPart(f"The old board measures {said} [1].", (1,))], [source], support=Asked(), language="en")
    assert texts(verified) == [f"The old board measures {repaired or said} [1]."]
    assert failed(verified)


def test_a_range_of_which_markup_bars_one_half_is_not_repaired_in_the_other():
    source = Citation(1, "bread.md", "Bread", (), BAKE.format("20–40 minutes"))
    text = BAKE.format("`30`–45 minutes") + " [1]"
    verified = verify([TextPart(text, (1,))], [source], support=Asked(), language="en")
    assert texts(verified) == [text]
    assert {check.action for check in failed(verified)} == {"marked"}


def test_extracts_raise_no_alarm(handbook):
    library = handbook
    for question in ("How do I descale the boiler?", "Welche Mahlung für die French Press?", "What does a bloom do?"):
        answer = library.ask(question)
        verified = verify(answer.parts, answer.citations, support=Asked(), question=question)
        assert (failed(verified), verified.warnings, verified.parts) == ([], (), answer.parts)
