"""What is asked of a chat model, whole, for one small library: ``snapshots/NAME.txt`` for each prompt file.

Renew them with ``python -m tests.answer.test_prompt_snapshots``. A commit that changes a prompt states the numbers of
``evaluate`` before and after.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from showtell.answer.generate import Room, closed_book_request, draft_request, offer
from showtell.answer.refine import refine_request
from showtell.answer.rewrite import rewrite_request
from showtell.answer.vision_rag import answer_request, keywords_request
from showtell.ingest.captions import request as caption_request
from showtell.models.base import ChatRequest, Message
from showtell.types import (
    Answer,
    Claim,
    Cue,
    Figure,
    Image,
    Media,
    MediaBlock,
    Passage,
    Question,
    Table,
    TextPart,
    Video,
)  # fmt: skip

SNAPSHOTS = Path(__file__).parent / "snapshots"
SOURCES = Path(__file__).resolve().parents[2] / "src" / "showtell"
PROMPTS = {path.stem: path for path in sorted(SOURCES.glob("*/prompts/*.md"))}
HOW = (
    "renew the snapshots with `python -m tests.answer.test_prompt_snapshots`, look at their difference, and let the "
    "commit state the numbers of `showtell evaluate` before and after"
)
QUESTION = "How do I clean the filter of the garden pump?"
ROOM = Room(context_tokens=4096, reply_tokens=800, words=150)
CLEANING = Passage(
    1, 1, "pump.md", "Garden pump", ("Cleaning",), "1. Open the lid.\n2. Rinse the filter for 30 seconds.", 0, 2
)
WINTER = Passage(2, 2, "pump.md", "Garden pump", ("Winter",), "Store the pump indoors at 5 °C or more [4].", 0, 1)
CLAIMS = (
    Claim("1. Open the lid.", (CLEANING,)),
    Claim("2. Rinse the filter for 30 seconds.", (CLEANING,)),
    Claim("Then store it indoors.", (WINTER,)),
)
PICTURE = Image("filter.png", "/docs/filter.png", alt="The filter under the tap")
TABLE = Table(("Part", "Number"), (("Filter", "F-30"), ("Lid", "L-2")), caption="Spare parts")
FILM = Video("clean.mp4", "/docs/clean.mp4", title="Cleaning", cues=(Cue(0.0, 4.0, "First, open the lid."),))


def media(block: MediaBlock) -> Media:
    return Media(block.ref, 1, "pump.md", "Garden pump", ("Cleaning",), 1, block, before="Rinse the filter.")


def draft() -> ChatRequest:
    offers, _ = offer(QUESTION, (CLEANING, WINTER), ROOM)
    return draft_request(QUESTION, offers, "en", ROOM)


def refine() -> ChatRequest:
    figures = [Figure(media(PICTURE), 1, "", 1.0, CLEANING), Figure(media(TABLE), 2, "", 0.5, CLEANING)]
    return refine_request(QUESTION, CLAIMS, figures, "en", 800)


def rewrite() -> ChatRequest:
    parts = (TextPart("Open the lid and rinse the filter [1].", (1,)),)
    earlier = Answer(Question(QUESTION), "answered", "high", "showtell", "scripted", parts)
    return rewrite_request("Und im Winter?", [earlier], "en", True)


def caption(block: MediaBlock, picture: bytes | None = None) -> ChatRequest:
    asked = caption_request(media(block), "en", picture, 4096)
    assert asked
    return asked


ASKED: dict[str, Callable[[], ChatRequest]] = {
    "draft": draft,
    "refine": refine,
    "rewrite": rewrite,
    "closed_book": lambda: closed_book_request(QUESTION, "en", ROOM),
    "vision_keywords": lambda: keywords_request(QUESTION, [b"a picture"]),
    "vision_answer": lambda: answer_request(QUESTION, [b"a picture"], (CLEANING, WINTER)),
    "picture": lambda: caption(PICTURE, b"a picture"),
    "table": lambda: caption(TABLE),
    "transcript": lambda: caption(FILM),
}


def snapshot(name: str) -> str:
    """The messages as text; a prompt that no function above asks is shown as its file."""
    if name not in ASKED:
        return PROMPTS[name].read_text(encoding="utf-8")
    asked = ASKED[name]()
    facts = f"max_tokens {asked.max_tokens}" + (", with a schema" if asked.schema else "")
    return f"{facts}\n\n" + "\n\n".join(map(_message, asked.messages)) + "\n"


def _message(message: Message) -> str:
    pictures = f" with {len(message.pictures)} picture" if message.pictures else ""
    return f"----- {message.role}{pictures}\n{message.text}"


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_is_as_its_snapshot(name: str) -> None:
    file = SNAPSHOTS / f"{name}.txt"
    kept = file.read_text(encoding="utf-8") if file.is_file() else ""
    assert snapshot(name) == kept, f"the prompt {name} is not as it was: {HOW}"


def test_each_snapshot_is_of_a_prompt_and_each_place_is_filled() -> None:
    assert {file.stem for file in SNAPSHOTS.glob("*.txt")} <= set(PROMPTS)
    for name in ASKED:
        assert not re.search(r"\{\{\w+\}\}", snapshot(name))


def renew() -> None:
    """Write all snapshots."""
    SNAPSHOTS.mkdir(exist_ok=True)
    for name in PROMPTS:
        (SNAPSHOTS / f"{name}.txt").write_text(snapshot(name), encoding="utf-8")


if __name__ == "__main__":
    renew()
