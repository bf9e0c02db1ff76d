"""Through the client that users have, against llama.cpp's server with a model of 135 million parameters.

The model is too small to be right; what is tested is the way to it and back.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import pytest

from showtell.errors import ModelError, PicturesRefused
from showtell.models.base import ChatRequest, Message
from showtell.models.chat import OpenAIChat, load_chat
from showtell.models.partial import parse_json
from showtell.models.recording import Recording
from tests.models.llama_server import LlamaServer, running, small_model
from tests.test_pictures import encoded, gradient

STORY = "Tell me a long story about a bear that travels to the north pole and back."
ANIMALS = {
    "type": "object",
    "properties": {
        "animals": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
        "enough": {"type": "boolean"},
    },
    "required": ["animals", "enough"],
    "additionalProperties": False,
}


def asking(text: str, max_tokens: int = 12, schema: dict[str, Any] | None = None) -> ChatRequest:
    return ChatRequest((Message("user", text),), max_tokens=max_tokens, schema=schema)


@pytest.fixture
def chat(llama_server: LlamaServer) -> Iterator[OpenAIChat]:
    with contextlib.closing(load_chat(llama_server.name, key=llama_server.key)) as chat:
        yield chat


def test_a_reply_streams_and_is_repeatable(chat: OpenAIChat) -> None:
    pieces = list(chat.stream(asking(STORY)))
    assert len(pieces) > 5
    assert "bear" in "".join(pieces)
    assert list(chat.stream(asking(STORY))) == pieces


def test_a_reply_has_the_form_of_its_schema(chat: OpenAIChat) -> None:
    reply = parse_json("".join(chat.stream(asking("Name two animals of the north.", 120, ANIMALS))))
    assert set(reply) == {"animals", "enough"}
    assert [type(animal) for animal in reply["animals"]] == [str, str]
    assert isinstance(reply["enough"], bool)


def test_a_reply_that_would_go_on_is_bounded(chat: OpenAIChat) -> None:
    short, longer = ("".join(chat.stream(asking(STORY, tokens))) for tokens in (5, 20))
    assert longer.startswith(short)
    assert len(short) < len(longer) < 200


def test_a_recording_is_equal_to_what_was_streamed(chat: OpenAIChat, tmp_path: Any) -> None:
    path = tmp_path / "replies.jsonl"
    said = "".join(Recording(path, chat).stream(asking(STORY)))
    replay = Recording(path, None)
    assert "".join(replay.stream(asking(STORY))) == said
    assert (replay.name, replay.context_tokens) == (chat.name, chat.context_tokens)
    assert "sk-" not in path.read_text("utf-8")


def test_its_models_are_listed(llama_server: LlamaServer, chat: OpenAIChat) -> None:
    assert chat.models() == [llama_server.model]


@pytest.mark.parametrize("key", ["sk-another-0123456789", None])
def test_a_key_that_is_refused_is_told_but_not_shown(llama_server: LlamaServer, key: str | None) -> None:
    with pytest.raises(ModelError, match=r"(refused the|wants a) key; .*SHOWTELL_MODEL_KEY") as raised:
        list(load_chat(llama_server.name, key=key).stream(asking(STORY)))
    assert "sk-" not in str(raised.value)


def test_a_wrong_path_is_told(llama_server: LlamaServer) -> None:
    with pytest.raises(ModelError, match=r"nothing of the chat protocol .*/v2; .* ends in /v1"):
        list(load_chat(llama_server.name.replace("/v1", "/v2"), key=llama_server.key).stream(asking(STORY)))


def test_a_prompt_that_is_too_long_is_told(chat: OpenAIChat) -> None:
    with pytest.raises(ModelError, match="context"):
        list(chat.stream(asking("bear " * 3000)))


def test_pictures_are_refused_as_such(chat: OpenAIChat) -> None:
    with pytest.raises(PicturesRefused, match="does not take the pictures"):
        list(chat.stream(ChatRequest((Message("user", "What is it?", (encoded(gradient(), "PNG"),)),))))


def test_a_slow_answer_ends_with_the_time_out(llama_server: LlamaServer) -> None:
    began = time.monotonic()
    with pytest.raises(ModelError, match=r"gave no word for 0\.3 s"):
        list(load_chat(llama_server.name, key=llama_server.key, timeout=0.3).stream(asking("whale " * 300)))
    assert time.monotonic() - began < 5


def test_a_server_that_dies_leaves_no_half_answer() -> None:
    with running(small_model()) as server, contextlib.closing(load_chat(server.name, key=server.key)) as chat:
        reply = chat.stream(asking(STORY, 800))
        assert next(reply)
        server.process.kill()
        with pytest.raises(ModelError, match="broke"):
            list(reply)
        server.process.wait()
        with pytest.raises(ModelError, match="cannot be reached"):
            list(chat.stream(asking(STORY)))
