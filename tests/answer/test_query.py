"""What a question asks for besides its subject."""

from __future__ import annotations

import time

import pytest

from showtell.answer.query import Intent, read_intent

STEPS, TABLE, IMAGE, VIDEO = (
    {"How do I open the lid?": "en", "Wie öffne ich den Deckel?": "de", "Comment ouvrir le couvercle ?": "fr",
     "¿Cómo abro la tapa?": "es", "怎么打开盖子?": "zh", "蓋はどうやって開けますか": "ja", "뚜껑을 어떻게 열어요?": "ko",
     "Как открыть крышку?": "ru", "Walk me through the repair.": "en", "Tell me the steps of the repair.": "en"},
    {"Compare oak and ash.": "en", "What is the difference between oak and ash?": "en", "Oak vs. ash": "en",
     "Was ist der Unterschied zwischen Eiche und Esche?": "de", "Vergleiche Eiche und Esche": "de", "比较橡木和梣木": "zh",
     "Сравни дуб и ясень": "ru"},
    {"What does the valve look like?": "en", "Show me the valve.": "en", "Is there a picture of the valve?": "en",
     "Gibt es ein Bild vom Ventil?": "de", "有阀门的图片吗": "zh", "Покажи фото клапана": "ru"},
    {"Is there a video of the launch?": "en", "Which clip shows the launch?": "en", "Gibt es ein Video vom Start?": "de",
     "有发射的视频吗": "zh", "発射の動画はありますか": "ja", "Есть видео запуска?": "ru"},
)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "question"),
    [
        (kind, text)
        for kind, asked in {"steps": STEPS, "table": TABLE, "image": IMAGE, "video": VIDEO}.items()
        for text in asked
    ],
)
def test_cue_words_show_what_is_asked_for(kind: str, question: str) -> None:
    assert getattr(read_intent(question), kind)


@pytest.mark.parametrize(
    "question",
    [
        "What is the boiling point of ether?", "When was the bridge built?", "Who wrote it?", "", "?!", "42",
        "Is the vegetable oil edible?", "Does it suit a stable?", "Was kostet das?", "为什么失败了",
    ],
)  # fmt: skip
def test_a_question_without_cues_asks_for_text(question: str) -> None:
    assert read_intent(question) == Intent()


def test_case_does_not_matter() -> None:
    assert read_intent("SHOW ME A VIDEO") == read_intent("show me a video")


def test_a_question_may_ask_for_several() -> None:
    intent = read_intent("How do I set the table saw up, and is there a video or a picture?")
    assert intent.steps
    assert intent.video
    assert intent.image


def test_a_page_of_text_as_a_question_is_read_quickly() -> None:
    began = time.monotonic()
    read_intent("show how which set up " * 5000)
    assert time.monotonic() - began < 1
