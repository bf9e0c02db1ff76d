"""Keywords out of replies in every form that models write; statements are none."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from showtell.answer.keywords import MOST, Keywords, is_sentence, read_keywords

# The replies of Phi-3.5-vision that the published article prints.
PRINTED = {
    "tomato plant, tomato plant height": ("tomato plant", "tomato plant height"),
    "polar bear, weight": ("polar bear", "weight"),
    "lion, weight, average weight": ("lion", "weight", "average weight"),
}
DESERT = (
    "There are no fish visible in the image provided. The image shows a desert landscape with sand dunes. Therefore, "
    "the search keywords related to the image content would be more appropriate for a desert or dune-related topic."
)
SETS = [
    ("tomato plant", "tomato plant height"),
    ("Panthera leo melanochaita", "average weight", "Southern Africa"),
    ("The Lord of the Rings", "running time"),
    ("Boeing 747-8", "wingspan"),
    ("3.5 mm jack", "diameter"),
    ("lion's mane", "length of the hair"),
    ("Eisbär", "Gewicht der Männchen"),
    ("oso polar", "peso medio de los machos"),
    ("ours blanc", "poids d'un mâle"),
    ("orso polare", "peso medio"),
    ("urso-polar", "peso médio"),
    ("белый медведь", "вес самца"),
    ("ホッキョクグマ", "オスの体重"),
    ("북극곰", "수컷의 몸무게"),
    ("北极熊", "雄性体重"),
]
FORMS = {
    "commas": lambda k: ", ".join(k),
    "commas and a full stop": lambda k: ", ".join(k) + ".",
    "semicolons": lambda k: "; ".join(k),
    "bars": lambda k: " | ".join(k),
    "slashes": lambda k: " / ".join(k),
    "ideographic commas": lambda k: "、".join(k) + "。",
    "wide commas": lambda k: "，".join(k),
    "lines": lambda k: "\n".join(k),
    "lines apart": lambda k: "\n\n".join(k),
    "numbers": lambda k: "\n".join(f"{n}. {each}" for n, each in enumerate(k, 1)),
    "numbers in one line": lambda k: " ".join(f"{n}. {each}" for n, each in enumerate(k, 1)),
    "brackets": lambda k: "\n".join(f"{n}) {each}" for n, each in enumerate(k, 1)),
    "brackets around": lambda k: " ".join(f"({n}) {each}" for n, each in enumerate(k, 1)),
    "bullets": lambda k: "\n".join(f"- {each}" for each in k),
    "stars": lambda k: "\n".join(f"* **{each}**" for each in k),
    "dots": lambda k: " • ".join(k),
    "quotes": lambda k: ", ".join(f'"{each}"' for each in k),
    "curly quotes": lambda k: "\n".join(f"“{each}”" for each in k),
    "quotes alone": lambda k: " ".join(f'"{each}"' for each in k),
    "guillemets": lambda k: ", ".join(f"«{each}»" for each in k),
    "corners": lambda k: "".join(f"「{each}」" for each in k),
    "code": lambda k: ", ".join(f"`{each}`" for each in k),
    "square brackets": lambda k: ", ".join(f"[{each}]" for each in k),
    "prefix": lambda k: "Keywords: " + ", ".join(k),
    "bold prefix": lambda k: "**Search keywords:** " + ", ".join(k),
    "German prefix": lambda k: "Suchbegriffe: " + ", ".join(k),
    "French prefix": lambda k: "Mots-clés : " + ", ".join(k),
    "Spanish prefix": lambda k: "Palabras clave: " + ", ".join(k),
    "Italian prefix": lambda k: "Parole chiave: " + ", ".join(k),
    "Portuguese prefix": lambda k: "Palavras-chave: " + ", ".join(k),
    "Russian prefix": lambda k: "Ключевые слова: " + ", ".join(k),
    "Chinese prefix": lambda k: "搜索关键词：" + "、".join(k),
    "Japanese prefix": lambda k: "キーワード：" + "、".join(k),
    "Korean prefix": lambda k: "검색 키워드: " + ", ".join(k),
    "heading": lambda k: "## Keywords\n\n" + "\n".join(f"- {each}" for each in k),
    "prefix above": lambda k: "Keywords:\n" + "\n".join(k),
    "prefixes": lambda k: "\n".join(f"Keyword {n}: {each}" for n, each in enumerate(k, 1)),
    "preamble": lambda k: (
        "Sure! Here are the search keywords:\n\n" + "\n".join(f"{n}. {e}" for n, e in enumerate(k, 1))
    ),
    "closing words": lambda k: "\n".join(f"- {e}" for e in k) + "\n\nThese keywords help you to find the right pages.",
    "closing words behind commas": lambda k: ", ".join(k) + "\n\nThese keywords help you to find the right pages.",
    "picture told first": lambda k: "The image shows what is asked about.\n\nKeywords: " + ", ".join(k),
    "the question first": lambda k: "Question: How large is it?\nKeywords: " + ", ".join(k),
    "explained": lambda k: "\n".join(f"{n}. {e} - to find the page that has the answer" for n, e in enumerate(k, 1)),
    "thoughts": lambda k: "<think>It may be a plant, or not.</think>\n" + ", ".join(k) + "<|end|>",
    "tags": lambda k: "<keywords>" + ", ".join(k) + "</keywords>",
    "fence": lambda k: "```\n" + "\n".join(k) + "\n```",
    "JSON": lambda k: json.dumps({"keywords": k, "statement": ""}),
    "JSON in a fence": lambda k: "```json\n" + json.dumps({"keywords": k}, ensure_ascii=False, indent=1) + "\n```",
    "JSON list": lambda k: json.dumps(k, ensure_ascii=False),
    "JSON text": lambda k: json.dumps({"keywords": ", ".join(k)}),
    "JSON objects": lambda k: json.dumps({"searches": [{"keyword": each} for each in k]}),
    "Python": lambda k: str({"keywords": list(k), "statement": ""}),
    "and": lambda k: ", ".join(k[:-1]) + f", and {k[-1]}",
    "twice": lambda k: ", ".join([*k, *(each.upper() for each in k)]),
}
STATEMENTS = [
    DESERT,
    DESERT.replace("desert landscape", "desert \nlandscape").replace("image content", "image \ncontent"),
    "No fish.",
    "No fish visible in the image. It shows a desert.",
    "I'm sorry, but I can't see any image.",
    "The image does not contain any fish, plants, or water.",
    "Auf dem Bild sind keine Fische zu sehen. Es zeigt eine Wüste.",
    "Il n'y a pas de poisson dans l'image.",
    "No hay peces en la imagen. La imagen muestra un desierto.",
    "Nell'immagine non ci sono pesci.",
    "Não há peixes na imagem.",
    "На изображении нет рыбы. Показана пустыня.",
    "图片中没有鱼。图片显示的是沙漠景观。",
    "画像に魚は写っていません。砂漠の風景です。",
    "이미지에 물고기가 없습니다. 사막 풍경입니다.",
]  # fmt: skip


@pytest.mark.parametrize(("reply", "texts"), PRINTED.items())
def test_the_printed_replies(reply: str, texts: tuple[str, ...]) -> None:
    assert read_keywords(reply) == Keywords(texts)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("texts", SETS, ids=lambda texts: texts[0])
def test_the_same_keywords_in_every_form(form: str, texts: tuple[str, ...]) -> None:
    assert read_keywords(FORMS[form](list(texts))) == Keywords(texts)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_gives_no_keywords(statement: str) -> None:
    found = read_keywords(statement)
    assert found.texts == ()
    assert found.statement.split() == statement.split()


@pytest.mark.parametrize(
    "wrap", [json.dumps, lambda said: json.dumps({"keywords": [], "statement": said}), "- {}".format]
)
def test_a_statement_in_another_form_is_one_too(wrap) -> None:
    assert read_keywords(wrap(DESERT)) == Keywords((), DESERT)


@pytest.mark.parametrize(
    ("reply", "texts"),
    [
        ("tomato, plant, height, size, leaf", ("tomato", "plant", "height")),
        ("Boeing 747, 1,500 m runway", ("Boeing 747", "1,500 m runway")),
        ("Washington, D.C.", ("Washington", "D.C.")),
        ('"Washington, D.C.", population', ("Washington, D.C.", "population")),
        ("lion (Panthera leo, male), weight", ("lion (Panthera leo, male)", "weight")),
        ("Star Wars: A New Hope, cast", ("Star Wars: A New Hope", "cast")),
        ("AC/DC, members", ("AC/DC", "members")),
        ("C#, .NET", ("C#", ".NET")),
        ("Mt. Everest, height", ("Mt. Everest", "height")),
        ("7. Sinfonie Beethoven", ("7. Sinfonie Beethoven",)),
        ("Le Mans", ("Le Mans",)),
        ("The Beatles, members", ("The Beatles", "members")),
        ("La hauteur de la plante, tomate", ("La hauteur de la plante", "tomate")),
        ("How tall is a tomato plant?", ("How tall is a tomato plant",)),
        ("#tomato #height", ("tomato", "height")),
        ("- tomato plant, tomato height", ("tomato plant", "tomato height")),
        ('I would search for "polar bear" and "polar bear weight".', ("polar bear", "polar bear weight")),
        ("Tomato plant. Tomato height.", ("Tomato plant", "Tomato height")),
        (
            "average weight of adult male lions in Southern Africa",
            ("average weight of adult male lions in Southern Africa",),
        ),
        ("列奥纳多·达·芬奇，出生", ("列奥纳多·达·芬奇", "出生")),
    ],
)
def test_what_belongs_together_stays_together(reply: str, texts: tuple[str, ...]) -> None:
    assert read_keywords(reply).texts == texts


@pytest.mark.parametrize(
    "reply", ["", "  \n ", "...", "None", "N/A.", "Keywords:", "[]", "{}", "- \n- ", '{"keywords": []}']
)
def test_a_reply_that_says_nothing_gives_neither(reply: str) -> None:
    assert read_keywords(reply) == Keywords(())


@given(st.text(max_size=400) | st.text(alphabet=" ,;.:\n-*\"'()[]{}1abの。、", max_size=200))
@example("¡_🄍")
@settings(max_examples=300, deadline=None)
def test_any_reply_gives_a_few_short_lines_or_a_statement(reply: str) -> None:
    found = read_keywords(reply)
    assert len(found.texts) <= MOST
    assert not (found.texts and found.statement)
    assert len({text.casefold() for text in found.texts}) == len(found.texts)
    assert all(text == " ".join(text.split()) and any(map(str.isalnum, text)) for text in found.texts)


@pytest.mark.parametrize("unit", ["(", '"', "“", "a, ", "a: ", "1. a ", "search ", "- ", "<a", "a ", "の"])
def test_a_reply_without_end_is_read_in_time(unit: str) -> None:
    began = time.perf_counter()
    found = read_keywords(unit * 50_000)
    assert time.perf_counter() - began < 2
    assert sum(map(len, found.texts)) < 1000


def test_a_sentence_is_told_by_its_form() -> None:
    assert all(map(is_sentence, ["There are no fish.", "Tomato plants typically grow to 1–3 meters in height."]))
    assert not any(map(is_sentence, ["", "weight", "Height of tomato plants.", "La Paz", "how tall are tomato plants"]))
