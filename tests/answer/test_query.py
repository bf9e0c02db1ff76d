"""What a question asks for besides its subject."""

from __future__ import annotations

import time

import pytest

from showtell.answer.query import Intent, read_intent

ASKED = {
    "steps": (
        "How do I open the lid?", "Walk me through the repair.", "Tell me the steps of the repair.",
        "Wie öffne ich den Deckel?", "Comment ouvrir le couvercle ?", "¿Cómo abro la tapa?", "怎么打开盖子?",
        "蓋はどうやって開けますか", "뚜껑을 어떻게 열어요?", "Как открыть крышку?",
    ),
    "table": (
        "Compare oak and ash.", "What is the difference between oak and ash?", "Oak vs. ash",
        "Was ist der Unterschied zwischen Eiche und Esche?", "Vergleiche Eiche und Esche", "比较橡木和梣木",
        "Сравни дуб и ясень",
    ),
    "image": (
        "What does the valve look like?", "Show me the valve.", "Is there a picture of the valve?",
        "Gibt es ein Bild vom Ventil?", "有阀门的图片吗", "Покажи фото клапана",
    ),
    "video": (
        "Is there a video of the launch?", "Which clip shows the launch?", "Gibt es ein Video vom Start?",
        "有发射的视频吗", "発射の動画はありますか", "Есть видео запуска?",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "question"), [(kind, text) for kind, asked in ASKED.items() for text in asked])
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
