"""What holds for every chat model. To add an implementation, add how it is made to MODELS."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from showtell.errors import ModelError
from showtell.models.base import ChatModel, ChatRequest, Message
from showtell.models.chat import load_chat
from showtell.models.fake import ScriptedModel
from showtell.models.recording import Recording
from tests.models.chat_server import chat_server, error, reply

HELLO = ChatRequest((Message("system", "Be kind."), Message("user", "Hello?")))
Replies = Sequence[str | ModelError]
Make = Callable[[Replies], contextlib.AbstractContextManager[ChatModel]]


@contextlib.contextmanager
def through_a_server(replies: Replies) -> Iterator[ChatModel]:
    with chat_server() as server:
        server.answers = [reply(said) if isinstance(said, str) else error(403, str(said)) for said in replies]
        with contextlib.closing(load_chat(server.model, timeout=5)) as chat:
            yield chat


@contextlib.contextmanager
def scripted(replies: Replies) -> Iterator[ChatModel]:
    yield ScriptedModel(replies)


@contextlib.contextmanager
def recorded(replies: Replies) -> Iterator[ChatModel]:
    with TemporaryDirectory() as folder:
        yield Recording(Path(folder) / "replies.jsonl", ScriptedModel(replies))


MODELS: dict[str, Make] = {"OpenAIChat": through_a_server, "ScriptedModel": scripted, "Recording": recorded}


def greeting(number: int) -> ChatRequest:
    return ChatRequest((Message("user", f"Hello, says number {number}."),))


@pytest.fixture(params=MODELS)
def make(request: pytest.FixtureRequest) -> Make:
    """Makes a model that gives these replies, one a request."""
    return MODELS[request.param]


def test_it_says_who_it_is_and_how_much_it_takes(make):
    with make(["Yes."]) as model:
        assert model.name
        assert "\n" not in model.name
        assert model.context_tokens >= 1024


@pytest.mark.parametrize("text", ["One two three.", "1. Öffne **Größe**\n2. 打开 设置 🙂\n", '{"a": [1, 2]}', "  [1]"])
def test_the_pieces_joined_are_the_reply(make, text):
    with make([text]) as model:
        assert "".join(model.stream(HELLO)).strip() == text.strip()


def test_a_reply_comes_in_pieces(make):
    with make(["One two three four."]) as model:
        assert len(list(model.stream(HELLO))) > 1


def test_an_empty_reply_has_no_pieces(make):
    with make([""]) as model:
        assert list(model.stream(HELLO)) == []


def test_each_request_gets_a_reply_of_its_own(make):
    with make(["First.", "Second."]) as model:
        assert ["".join(model.stream(greeting(number))) for number in range(2)] == ["First.", "Second."]


def test_a_failure_is_one_line_and_the_model_can_be_asked_again(make):
    with make([ModelError("not today"), "Now."]) as model:
        with pytest.raises(ModelError, match="not today") as raised:
            list(model.stream(HELLO))
        assert "\n" not in str(raised.value)
        assert "".join(model.stream(HELLO)) == "Now."


def test_a_reply_may_be_left_before_its_end(make):
    with make(["One two three.", "Four."]) as model:
        left = model.stream(HELLO)
        assert next(left) == "One"
        del left
        assert "".join(model.stream(HELLO)) == "Four."


def test_several_readers_get_whole_replies(make):
    texts = [f"Reply {number} to be read as a whole." for number in range(8)]
    with make(texts) as model, ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(lambda number: "".join(model.stream(greeting(number))), range(8))) == texts
