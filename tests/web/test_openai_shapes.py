"""The request shapes that chat fronts send, and the replies they read."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from showtell.errors import PictureError, ShowtellError
from showtell.render.markdown import render_markdown
from showtell.types import Answer, Citation, FigurePart, Image, Media, Question, TextPart, as_json
from showtell.web.openai import MOST_TURNS, Asked, ChatBody, completion, events, listed, read_chat

PIXELS = b"\x89PNG not looked at here"
DATA = "data:image/png;base64," + base64.b64encode(PIXELS).decode()


def asked(*messages: dict[str, Any], **more: object) -> Asked:
    return read_chat(ChatBody.model_validate({"model": "showtell", "messages": messages} | more))


def user(content: object) -> dict[str, Any]:
    return {"role": "user", "content": content}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def picture(url: object) -> dict[str, Any]:
    return {"type": "image_url", "image_url": url}


def test_the_shapes_of_a_question() -> None:
    system = {"role": "system", "content": "You are a pirate."}
    for content in ("How hot?", [text("How"), text("hot?")], [text("How hot?"), {"type": "input_audio", "x": 1}]):
        found = asked(system, user(content), temperature=1, tools=[], stream_options={"include_usage": True}, user="x")
        assert found.question.split() == ["How", "hot?"]
        assert (found.images, found.after, found.sources) == ((), (), ())


def test_pictures_come_as_data_or_as_addresses() -> None:
    parts = [text("What is it?"), picture({"url": DATA, "detail": "low"}), picture("https://example.org/a.jpg")]
    assert asked(user(parts)).images == (PIXELS, "https://example.org/a.jpg")


@pytest.mark.parametrize(
    "url", ["/etc/passwd", "file:///etc/passwd", "data:image/png;base64,???", "data:text/html,x", "", "ftp://x/y"]
)
def test_nothing_else_is_a_picture(url: str) -> None:
    with pytest.raises(PictureError):
        asked(user([text("What is it?"), picture({"url": url})]))


def test_a_conversation_is_a_question_after_answers() -> None:
    said = "It is hot [1].\n\n![Kettle](http://127.0.0.1/media/a.png)\n\n[a page](http://x.example/)"
    turns = [
        user([text("How hot?"), picture({"url": DATA})]),
        {"role": "assistant", "content": said},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "content": "x"},
        user("And how long?"),
    ]
    found = asked(*turns)
    assert found.question == "And how long?"
    assert found.images == (PIXELS,)  # the last picture before it
    (before,) = found.after
    assert before.question.text == "How hot?"
    assert "http" not in "".join(part.text for part in before.parts if isinstance(part, TextPart))


def test_long_conversations_are_cut_from_the_front() -> None:
    turns = [each for n in range(40) for each in (user(f"q{n}"), {"role": "assistant", "content": f"a{n}"})]
    found = asked(*turns, user("last"))
    assert [answer.question.text for answer in found.after] == [f"q{n}" for n in range(40 - MOST_TURNS, 40)]


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [{"role": "assistant", "content": "x"}]},
        {"messages": [user("")]},
        {"messages": [user([picture({"url": DATA})])]},
        {"model": "gpt-9", "messages": [user("x")]},
    ],
)
def test_what_is_no_question_is_told(body: dict[str, Any]) -> None:
    with pytest.raises(ShowtellError):
        read_chat(ChatBody.model_validate(body))


def test_a_reply_shows_media_from_this_server() -> None:
    media = Media("m", 1, "a.md", "A", (), 0, Image("i.png", "/docs/i.png", "The lid", asset="ab.png"))
    parts = (TextPart("Open the lid. [1]", (1,)), FigurePart(media, (1,), "stands here", 0.5))
    cited = (Citation(1, "a.md", "A", (), "Open the lid.", "https://example.org/a"),)
    answer = Answer(Question("How?"), "answered", "high", "showtell", "extractive", parts, cited)
    served = "http://127.0.0.1:1/media/".__add__
    written, told = render_markdown(answer, served), {"id": "xyz", "answer": as_json(answer)}
    whole = completion("showtell", told, written, answer)
    assert whole["choices"][0]["message"]["content"] == written
    assert "![The lid](http://127.0.0.1:1/media/ab.png)" in written
    assert not written.startswith("# ")
    assert whole["citations"] == ["https://example.org/a"]
    assert whole["showtell"]["answer"]["parts"][0]["text"] == "Open the lid. [1]"
    streamed = [*events("showtell", told, written, answer, with_usage=True)]
    assert "".join(e["choices"][0]["delta"].get("content", "") for e in streamed if e["choices"]) == written
    assert streamed[-2]["choices"][0]["finish_reason"] == "stop"
    assert streamed[-1]["usage"]["total_tokens"] > 0
    assert [model["id"] for model in listed(["showtell"])["data"]] == ["showtell"]
