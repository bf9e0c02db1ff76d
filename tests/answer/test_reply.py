"""What is read of a model's raw reply, and what is not."""

from __future__ import annotations

import json
import re
import time

import pytest
from hypothesis import given, settings, strategies

from showtell.answer.reply import Marker, Reply, read_reply
from showtell.render.limited import parse

PASSAGES = [
    "Rinse the filter every two weeks. The manual is at https://pump.example.test/manual today.",
    "Never use soap. Call torch.nn.Linear or write to help@pump.example.test.",
    "Store the pump indoors.",
]


def read(text: str) -> Reply:
    return read_reply(text, PASSAGES, ["M1", "M2"])


def pieces(text: str) -> list[str]:
    """Texts, and markers as ``<id>``."""
    return [f"<{piece.id}>" if isinstance(piece, Marker) else piece for piece in read(text).pieces]


# ------------------------------------------------------------------------------------------------------------ citations
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rinse it [1].", "Rinse it [1]."),
        ("Rinse it. [1] Never use soap.[2][3]", "Rinse it [1]. Never use soap [2] [3]."),
        ("[1] Rinse it. [2] Never use soap.", "Rinse it [1]. Never use soap [2]."),
        ("Rinse it [1, 2]. Dry it [1; 3]. Store it [2 and 3].", "Rinse it [1] [2]. Dry it [1] [3]. Store it [2] [3]."),
        ("Rinse it [1-3].", "Rinse it [1] [2] [3]."),
        ("Rinse it【1】. Dry it 【2†source】.", "Rinse it [1]. Dry it [2]."),
        ("Rinse it [Passage 1]. Dry it [passages 1 and 2].", "Rinse it [1]. Dry it [1] [2]."),
        ("Rinse it (Passage 1). Dry it (see [2]). Done ([3]).", "Rinse it [1]. Dry it [2]. Done [3]."),
        ("Rinse it [^1]. Dry it [[2]].", "Rinse it [1]. Dry it [2]."),
        ("Rinse it [1](https://pump.example.test/manual).", "Rinse it [1]."),
        ("According to passage 2, soap is bad.", "Soap is bad [2]."),
        ('It says: "Never use soap." [2] Rinse it [1].', 'It says: "Never use soap" [2]. Rinse it [1].'),
        ("Rinse it [1]^. Dry it ^[2].", "Rinse it [1]. Dry it [2]."),
        ("Rinse it ¹. Dry it.² An area of 5 m².", "Rinse it [1]. Dry it [2]. An area of 5 m²."),
        ("Rinse it [S1], dry it [P2]. See the [manual][3].", "Rinse it [1], dry it [2]. See the manual [3]."),
        ("清洗过滤器。[1]不要用肥皂[2]。", "清洗过滤器[1]。不要用肥皂[2]。"),
        ("Rinse it.\n\n[1]", "Rinse it [1]."),
        ("Turn knob (1) to the left [1].", "Turn knob (1) to the left [1]."),
        (r"Press \[2\] first [1].", r"Press \[2\] first [1]."),
        ("Read `a[2]` first [1].", "Read `a[2]` first [1]."),
    ],
)
def test_citations_are_met_in_every_form(text: str, expected: str) -> None:
    assert pieces(text) == [expected]


def test_numbers_of_no_passage_vanish_and_are_told() -> None:
    reply = read("Rinse it [1][9]. Dry it [0]. Store it [2-7].")
    assert reply.pieces == ("Rinse it [1]. Dry it. Store it [2] [3].",)
    assert any("[9]" in warning and "[0]" in warning for warning in reply.warnings)


# -------------------------------------------------------------------------------------------------------------- markers
@pytest.mark.parametrize(
    "form",
    ["[[M1]]", "[[media:M1]]", "{{M1}}", "{{media:M1}}", "[[m1]]", "[[ M 1 ]]", "![M1](m1.png)", "![[M1]]", "`[[M1]]`",
     "[[media:M1|The filter]]", "[M1]", "[M1](m1.png)"],
)  # fmt: skip
def test_markers_are_met_in_every_form(form: str) -> None:
    assert pieces(f"Rinse it [1].\n\n{form}\n\nDry it [2].") == ["Rinse it [1].", "<M1>", "Dry it [2]."]


def test_a_marker_divides_a_paragraph_behind_its_sentence() -> None:
    text = "Open the lid [1]. As shown in [[M1]], turn the filter [1]. Then rinse it [2]."
    assert pieces(text) == ["Open the lid [1].", "<M1>", "Turn the filter [1]. Then rinse it [2]."]


def test_a_marker_stays_with_its_step() -> None:
    text = "1. Open the lid [1].\n   [[M2]]\n2. Rinse it [1].\n\n[[M1]]\n\n3. Close it [2]."
    assert pieces(text) == ["1. Open the lid [1].", "<M2>", "2. Rinse it [1].", "<M1>", "3. Close it [2]."]


def test_steps_go_on_behind_a_marker_that_stands_apart() -> None:
    text = "1. Open the lid [1].\n\n[[M1]]\n2. Rinse it [1].\n\nDry it [1].\n3. Close it [2]."
    assert pieces(text) == ["1. Open the lid [1].", "<M1>", "2. Rinse it [1].", "Dry it [1].", "3. Close it [2]."]


@pytest.mark.parametrize("name", ["M12", "M1b", "M1.png", "image_3", "figure", "fig:1", "x-7"])
def test_a_corrupted_marker_vanishes_and_is_told(name: str) -> None:
    reply = read(f"Rinse it [1].\n\n[[{name}]]\n\nDry it [1].")
    assert reply.pieces == ("Rinse it [1].", "Dry it [1].")
    assert reply.warnings == (f"the model named media that it was not offered; left out: {name}",)


def test_a_single_bracket_is_a_marker_where_it_has_the_form_of_those_offered() -> None:
    reply = read("Rinse it with [M9] and [F2] keys [1].")
    assert reply.pieces == (r"Rinse it with and \[F2\] keys [1].",)
    assert read_reply("Press [M9] [1].", [*PASSAGES, "M9 is the reset key."]).pieces == (r"Press \[M9\] [1].",)


@pytest.mark.parametrize(
    "mark", ["[a][1]", "[1] [a]", "[1] [^a]", "[1][^note]", "[1] [ii]", "【source】 [1]", "[citation needed] [1]"]
)
def test_footnotes_of_the_models_own_vanish_and_are_told(mark: str) -> None:
    reply = read(f"Rinse it {mark}. Never use soap [2].")
    assert reply.pieces == ("Rinse it [1]. Never use soap [2].",)
    assert any("made up citations" in warning for warning in reply.warnings)


def test_a_mark_of_a_medium_vanishes_where_none_was_offered() -> None:
    reply = read_reply("Rinse it [M1].", PASSAGES)
    assert (reply.pieces, reply.misnames) == (("Rinse it.",), True)


@pytest.mark.parametrize("key", ["[F2]", "[y]", "[a]", "[Save]", "[Documents]", "[M2] now"])
def test_keys_and_buttons_in_brackets_stay(key: str) -> None:
    (piece,) = read_reply(f"Press {key}.", PASSAGES, is_whole=True).pieces
    assert str(piece).replace("\\", "") == f"Press {key}."


@pytest.mark.parametrize("form", ["![M1]({0})", "[M1]({0})", "Do.\n[1]: {0}", "Do.\n[^1]: {0}"])
def test_the_address_of_a_marker_or_footnote_is_told(form: str) -> None:
    assert read("Rinse it [1].\n\n" + form.format("https://evil.test/a")).warnings == (
        "the model gave addresses that stand in no source; left out: https://evil.test/a",
    )
    assert read("Rinse it [1].\n\n[1]: https://pump.example.test/manual").warnings == ()


def test_what_was_not_offered_or_is_shown_already_vanishes_and_is_told() -> None:
    reply = read("Rinse it [1].\n\n[[M1]] [[M9]] {{media:m01}} [[M1]]\n\n![M7](x.png)")
    assert reply.pieces == ("Rinse it [1].", Marker("M1"))
    told = " ".join(reply.warnings)
    assert all(name in told for name in ("M9", "m01", "M1", "M7"))


def test_brackets_that_mark_nothing_stay() -> None:
    assert pieces("Test it with [[ -f x ]] and {{ name }} [1].") == [
        r"Test it with \[\[ -f x \]\] and {{ name }} [1].",
    ]


# ---------------------------------------------------------------------------------------------------- addresses, markup
def test_no_link_is_ever_made() -> None:
    text = (
        "Rinse it, see [the manual](https://pump.example.test/manual) [1]. "
        "<https://pump.example.test/manual> tells [1]. "
        "[x](javascript:alert(1)) [1]. Or [b]: http://evil.example.test [1]."
    )
    for piece in read(text).pieces:
        assert isinstance(piece, str)
        assert not any(run.link for block in parse(piece, {1, 2, 3}) for run in block.runs)


def test_an_address_stays_only_where_a_passage_holds_it() -> None:
    reply = read(
        "It is at https://pump.example.test/manual [1]. Or at https://pump.example.test/ [1]. Go to evil.com now."
    )
    assert reply.pieces == ("It is at https://pump.example.test/manual [1]. Or at … [1].",)
    assert any("evil.com" in warning and "https://pump.example.test/" in warning for warning in reply.warnings)


def test_names_with_dots_are_no_addresses() -> None:
    text = "Call torch.nn.Linear in main.py with os.path.join and v1.2.3, e.g. settings.json [2]."
    assert pieces(text) == [text]


@pytest.mark.parametrize(
    "markup",
    ["<script>alert(1)</script>", "<img src=x onerror=alert(2)>", "<svg onload=alert(3)><g/></svg>",
     "<style>a{}</style>", '<iframe src="https://x.example.test"></iframe>', "<video src=a.mp4>no video</video>",
     "![a](b.png)", "<!-- a -->",
     '<a href="javascript:alert(1)"></a>', '<img src="x" ', "<b onclick=alert(1)></b>"],
)  # fmt: skip
def test_markup_and_pictures_vanish_and_are_told(markup: str) -> None:
    reply = read(f"Rinse it {markup} now [1].")
    assert reply.pieces == ("Rinse it now [1].",)
    assert reply.warnings


def test_placeholders_and_code_stay() -> None:
    assert pieces("Replace <your-name> in `<b>` where a < b [1].") == [
        r"Replace \<your-name> in `<b>` where a < b [1]."
    ]
    assert pieces("Type [1]:\n\n```html\n<b>[1]</b>\n```") == ["Type [1]:", "```html\n<b>[1]</b>\n```"]


@pytest.mark.parametrize(
    "table",
    ["| A | B |\n|---|---|\n| 1 | 41 |", "A | B\n--|--\n1 | 41", "| A | 41 |", "A\tB\n1\t41",
     "+---+----+\n| A | 41 |\n+---+----+",
     "<table><tr><td>41</td></tr></table>", "│ A │ 41 │\n├───┼────┤", "```\n| A | 41 |\n| 1 | 2 |\n```"],
)  # fmt: skip
def test_a_table_of_the_model_vanishes_and_is_told(table: str) -> None:
    reply = read(f"The pads need this [1].\n{table}\n\nNever use soap [2].")
    assert reply.pieces == ("The pads need this [1].", "Never use soap [2].")
    assert any("table" in warning for warning in reply.warnings)


# --------------------------------------------------------------------------------------------------------------- blocks
def test_blocks_are_limited_markdown() -> None:
    text = (
        "# Cleaning\n\n> Rinse *it* **well** [1].\n\n* Open\n  - the lid [1]\n\n---\n\n1) One [1].\n1) Two [2].\n\n"
        "| not a | table |\n\n## Nothing here\n\n## Sources\n- [1] Pump, Filter\n- [2] Pump"
    )
    assert pieces(text) == [
        "**Cleaning**", "Rinse *it* **well** [1].", "- Open", "  - the lid [1]", "1. One [1].", "2. Two [2].",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "between", ["\n\n", "\r\n\r\n", " \n \n", "\n\u00a0\n", "\n\u3000\n", "<br><br>", "<br>\n<br>\n"]
)
def test_a_blank_line_parts_paragraphs_that_end_without_a_full_stop(between: str) -> None:
    assert pieces(f"Rinse the filter [1]{between}Never use soap [2]") == ["Rinse the filter [1]", "Never use soap [2]"]


@pytest.mark.parametrize(
    "lines",
    [
        ["Weight: 3 kg", "Height: 4 cm", "Colour: red [1]"],
        ["**Weight**: 3 kg", "**Height:** 4 cm [1]", "It is small."],
        ["It has these sizes", "Poids : 3 kg", "Hauteur : 4 cm", "It is small."],
        ["重量：3公斤", "高度：4厘米"],
        ["a) Rinse it", "b) Dry it"],
        ["(1) Rinse it", "(2) Dry it"],
        ["Part | Weight", "Pump | 3 kg"],
        ["Rinse the filter [1]", "Never use soap [2]"],
    ],
)
def test_lines_that_are_evidently_separate_stay_so(lines: list[str]) -> None:
    assert pieces("\n".join(lines)) == lines


@pytest.mark.parametrize(
    "lines",
    [
        ["Rinse the filter, which", "is small. Note: never use", "soap."],
        ["Rinse the filter [1]", "and dry it [2]."],
        ["Use `ls | wc` here", "and `a | b` there."],
        ["Open the lid.", "Rinse the filter."],
    ],
)
def test_other_lines_are_one_paragraph(lines: list[str]) -> None:
    assert pieces("\n".join(lines)) == [" ".join(lines)]


def test_sentences_are_said_once_but_steps_may_come_again() -> None:
    assert pieces("Rinse it [1]. Rinse it [2]. Dry it [1]. **Rinse** it.") == ["Rinse it [1]. Dry it [1]."]
    steps = "1. Click **Next** [1].\n2. Choose a name [1].\n3. Click **Next** [1]."
    assert pieces(steps) == steps.split("\n")


def test_what_only_looks_like_markdown_is_escaped() -> None:
    reply = read(r"\# 5 \*a\* and &lt;script&gt; [1].")
    (block,) = parse(str(reply.pieces[0]), {1})
    assert "".join(run.text for run in block.runs) == "# 5 *a* and <script> [1]."
    assert not any(run.italic for run in block.runs)


def test_hidden_characters_go() -> None:
    assert pieces("Ri\u200bnse\u202e it\x00\ue000 now\U000e0041 [1].\x1b[31m") == ["Rinse it now [1]."]


# ------------------------------------------------------------------------------------------------------------- wrapping
@pytest.mark.parametrize(
    "text",
    [
        "Sure! Here is the answer based on the passages:\n\nRinse it [1].",
        "**Answer:** Rinse it [1].\n\nI hope this helps! Let me know if you have questions.",
        "Based on the provided passages, rinse it [1].",
        "Question: How?\nAnswer: Rinse it [1].",
        "<think>The passage [[M1]] says [2].</think>\nRinse it [1].",
        "The user wants [2] it.</think>\nRinse it [1].",
        "Rinse it [1].<|im_end|>\n<|im_start|>user\nAnd then?",
        "<|im_start|>assistant\nRinse it [1].</s>",
        '<passage n="1">Rinse the filter</passage>\nRinse it [1].',
        "Rinse it [1].\n\nSources:\n[1] Pump",
        "Rinse it [1].\n\n[^1]: Pump, Filter",
        "Hier ist die Antwort:\nRinse it [1].",
        "Voici la réponse :\nRinse it [1].",
        "Aquí está la respuesta:\nRinse it [1].",
        "以下是答案：\nRinse it [1].",
    ],
)
def test_only_the_answer_is_left(text: str) -> None:
    assert pieces(text) == ["Rinse it [1]."]


@pytest.mark.parametrize(
    "value",
    [
        {"answer": "Rinse it [1]. Dry it [2]."},
        {"answer": [{"text": "Rinse it [1]. Dry it [2].", "media": None}]},
        {"paragraphs": ["Rinse it [1]. Dry it [2]."]},
        {"result": {"response": "Rinse it [1]. Dry it [2].", "confidence": 0.9}},
        ["Rinse it [1]. Dry it [2]."],
    ],
)
def test_json_is_salvaged(value: object) -> None:
    for text in (
        json.dumps(value),
        f"```json\n{json.dumps(value, indent=1)}\n```",
        f"Here it is:\n{json.dumps(value)}",
    ):
        assert pieces(text) == ["Rinse it [1]. Dry it [2]."]


def test_json_with_citations_and_media_of_its_own() -> None:
    value = {"steps": ["Open it", "Rinse it"], "media": ["M2", "M9"]}
    assert pieces(json.dumps(value)) == ["1. Open it", "2. Rinse it", "<M2>"]
    assert pieces('{"media": "M1", "text": "Rinse it.", "citations": [1, 7]}') == ["Rinse it [1].", "<M1>"]


def test_json_that_breaks_off_or_says_nothing_is_never_shown() -> None:
    assert pieces('{"answer": [{"text": "Rinse it [1].", "media": "M1"}, {"text": "Never use so') == [
        "Rinse it [1].",
        "<M1>",
    ]
    for text in ('{"answer": "Rinse the fil', '{"foo": 3}', '{"', '{"a": [', "{}"):
        reply = read(text)
        assert reply.pieces == ()
        assert reply.warnings


# -------------------------------------------------------------------------------------------------------------- endings
def test_an_unfinished_sentence_is_dropped_and_told() -> None:
    reply = read("Rinse the filter [1]. Never use so")
    assert reply.pieces == ("Rinse the filter [1].",)
    assert any("broke off" in warning for warning in reply.warnings)


@pytest.mark.parametrize("text", ["Press OK", "- Open the lid\n- Rinse the filter", "1. Open [1]\n2. Close [2]"])
def test_what_needs_no_full_stop_stays(text: str) -> None:
    assert pieces(text) == text.split("\n")


def test_an_endless_reply_is_cut_behind_a_sentence() -> None:
    reply = read(" ".join(f"Rinse it {number} times [1]." for number in range(10_000)))
    (said,) = reply.pieces
    assert isinstance(said, str)
    assert 6_000 < len(said) <= 8_000
    assert re.search(r"times \[1\]\.?$", said)
    assert len(reply.warnings) == 1


@pytest.mark.parametrize(
    "text",
    ["NO ANSWER", "no answer.", "**NO_ANSWER**", "NO ANSWER\n\nThe passages are about pumps.",
     '{"answer": "NO ANSWER"}',
     "The passages do not mention prices.", "I'm sorry, but the provided passages don't contain that information.",
     "There is no information about prices in the passages. A pump usually costs 50 euros.",
     "Die Passagen enthalten keine Angaben zum Preis.", "Les passages ne mentionnent pas le prix.",
     "Los pasajes no mencionan el precio.", "这些段落没有提到价格。", "The passages do not mention prices [1]."],
)  # fmt: skip
def test_the_model_may_say_that_there_is_no_answer(text: str) -> None:
    reply = read(text)
    assert reply.says_no_answer
    assert reply.pieces == ()


def test_a_remark_beside_an_answer_is_no_missing_answer() -> None:
    reply = read("Rinse it every two weeks [1]. The passages do not mention prices. NO ANSWER")
    assert not reply.says_no_answer
    assert reply.pieces == ("Rinse it every two weeks [1]. The passages do not mention prices.",)


@pytest.mark.parametrize(
    "text",
    ["I'm sorry, but I can't help with that.", "I cannot assist with that request.",
     "As an AI language model, I must decline.",
     "Als KI-Sprachmodell kann ich das nicht beantworten.", "Je suis désolé, je ne peux pas répondre.",
     "Lo siento, no puedo ayudar con eso.", "抱歉，我无法回答。"],
)  # fmt: skip
def test_a_refusal_is_no_answer_and_no_missing_answer(text: str) -> None:
    reply = read(text)
    assert (reply.pieces, reply.says_no_answer) == ((), False)
    assert reply.warnings == ("the model declined to answer",)


@pytest.mark.parametrize("text", ["", " \n", "...", "<think>Hmm", "[[M1]]", "![a](b)", "# Filter", "```\n```"])
def test_nothing_is_told(text: str) -> None:
    reply = read(text)
    assert reply.pieces == ()
    assert reply.warnings


def test_a_citation_behind_a_code_block_is_the_codes() -> None:
    assert pieces("Never use soap [2].\n\n```\npump start\n```\n[1]\n\nRinse it [1].") == [
        "Never use soap [2].",
        "```\npump start\n```\n[1]",
        "Rinse it [1].",
    ]


# -------------------------------------------------------------------------------------------------------------- hostile
UNITS = (
    "[", "![", "[[", "{{", "[[M1]]", "[1", "(Passage 1", "|", "| a |\n", "\\", "`", "``a`", "<", "<a b=", "<script>",
    "<!--", "<think>", "</think>", "<|im_end|>", "> ", "- ", "1. ", "# a\n", "*", "**a", "_a*", "~~~\n", "a.", "a@",
    "http://", "data:a/", "&amp;", "\u200b", "。", "Sources:\n", '{"a":', '[{"text":"a"},', "see [[M1]] ", "├",
    "<passage n=1>", "[^1]: x\n", "1,2,",
)  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_hostile_replies_take_no_long_time(unit: str) -> None:
    for text in (unit * (100_000 // len(unit)), "Rinse it [1]. " + unit * (100_000 // len(unit))):
        began = time.process_time()
        reply = read(text)
        assert time.process_time() - began < 3
        assert all(len(piece) < 40_000 for piece in reply.pieces if isinstance(piece, str))


BITS = (
    "[1]", "[9]", "[[M1]]", "[[M7]]", "{{m2}}", "`", "```\n", "**", "*", "_", "\n", "\n\n", "- ", "1. ", "| a |", "<b>",
    "<script>", "</script>", "](http://e.example.test)", "[", "]", "(", ")", "!", ".", " ", "Rinse it", "\\", "&lt;",
    "# ", "> ", "https://e.example.test/a", "。", '"', "\u200b",
)  # fmt: skip


@settings(max_examples=300, deadline=None, database=None)
@given(strategies.lists(strategies.sampled_from(BITS), max_size=40).map("".join))
def test_any_text_gives_offered_media_once_and_no_link(text: str) -> None:
    reply = read(text)
    markers = [piece.id for piece in reply.pieces if isinstance(piece, Marker)]
    assert sorted(set(markers)) == sorted(markers)
    assert set(markers) <= {"M1", "M2"}
    for piece in reply.pieces:
        if isinstance(piece, str):
            runs = [run for block in parse(piece, {1, 2, 3}) for run in block.runs]
            assert piece.strip()
            assert not any(run.link for run in runs)
            assert "example.test" not in "".join(run.text for run in runs)
