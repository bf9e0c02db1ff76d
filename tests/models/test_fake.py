"""The scripted model: what it was asked, and what it does when its replies run out."""

from __future__ import annotations

import pytest

from showtell.errors import ModelError, PicturesRefused
from showtell.models.base import ChatRequest, Message
from showtell.models.fake import ScriptedModel


def ask(text: str) -> ChatRequest:
    return ChatRequest((Message("user", text),))


def test_requests_are_kept():
    model = ScriptedModel(["yes", "no"], name="mine", context_tokens=2000)
    for question in ("a", "b"):
        list(model.stream(ask(question)))
    assert model.requests == [ask("a"), ask("b")]
    assert (model.name, model.context_tokens) == ("mine", 2000)


def test_a_function_replies_to_what_is_asked():
    model = ScriptedModel(lambda request: request.messages[-1].text.upper())
    assert list(model.stream(ask("one two"))) == ["ONE", " TWO"]


def test_white_space_is_kept():
    assert "".join(ScriptedModel(["\n a\n\n- b \n"]).stream(ask("x"))) == "\n a\n\n- b \n"


def test_a_given_error_is_raised():
    with pytest.raises(PicturesRefused, match="none here"):
        list(ScriptedModel([PicturesRefused("none here")]).stream(ask("x")))


def test_a_request_after_the_last_reply_is_told():
    model = ScriptedModel(["only"])
    list(model.stream(ask("x")))
    with pytest.raises(ModelError, match="has 1 replies and was asked 2 times"):
        list(model.stream(ask("x")))
