"""showtell as a model of the OpenAI protocol, asked by the official client."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import openai
import pytest

from showtell.demo import HANDBOOK
from showtell.errors import ModelError
from showtell.library import Library
from showtell.models.base import ChatRequest
from showtell.models.fake import ScriptedModel
from tests.web.server import Running, serving

ESPRESSO = "How do I prepare and pull a shot of espresso?"


@pytest.fixture
def client(served: Running) -> Iterator[openai.OpenAI]:
    with official(served) as client:
        yield client


def official(running: Running) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"http://127.0.0.1:{running.port}/v1", api_key="none", max_retries=0, timeout=60)


def picture_url(file: Path) -> str:
    return "data:image/png;base64," + base64.b64encode(file.read_bytes()).decode()


def test_the_models_are_listed(client: openai.OpenAI):
    assert [model.id for model in client.models.list()] == ["showtell"]  # no contact for Wikipedia is set


def test_an_answer_with_media_that_load_from_this_server(client: openai.OpenAI, served: Running):
    messages = [{"role": "system", "content": "Be a pirate."}, {"role": "user", "content": ESPRESSO}]
    reply = client.chat.completions.create(model="showtell", messages=messages, temperature=1.5, n=1)  # type: ignore[arg-type]
    text = reply.choices[0].message.content or ""
    assert "[1]" in text
    addresses = [part.split(")")[0] for part in text.split("](") if "/media/" in part]
    assert addresses
    for address in addresses:
        assert address.startswith(f"http://127.0.0.1:{served.port}/media/")
        loaded = served.client.get(address)
        assert loaded.status_code == 200
        assert loaded.headers["content-type"].startswith(("image/", "video/"))
    own = reply.model_extra["showtell"]  # type: ignore[index]
    assert served.client.get(f"/api/v1/answers/{own['id']}").json()["answer"] == own["answer"]
    assert "handbook/figures" not in text
    assert reply.usage
    assert reply.usage.total_tokens > 0


def test_a_stream_gives_the_same(client: openai.OpenAI):
    asked = {"model": "showtell", "messages": [{"role": "user", "content": ESPRESSO}]}
    whole = client.chat.completions.create(**asked)  # type: ignore[call-overload]
    stream = client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True})  # type: ignore[call-overload]
    chunks = list(stream)
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == whole.choices[0].message.content
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage.total_tokens > 0


def test_a_picture_in_the_message_is_asked_with(client: openai.OpenAI):
    url = picture_url(HANDBOOK / "figures" / "channels.png")
    content = [{"type": "text", "text": "What went wrong here?"}, {"type": "image_url", "image_url": {"url": url}}]
    messages = [{"role": "user", "content": content}]
    reply = client.chat.completions.create(model="showtell", messages=messages)  # type: ignore[arg-type]
    answer = reply.model_extra["showtell"]["answer"]  # type: ignore[index]
    assert len(answer["question"]["images"]) == 1
    assert answer["citations"][0]["section"][-1] == "Espresso that sprays and runs pale"


def test_a_follow_up_is_understood_with_the_turns_before_it(handbook: Library):
    asked: list[ChatRequest] = []

    def reply(request: ChatRequest) -> str:
        asked.append(request)
        if request.schema:
            return '{"question": "How long does descaling take?", "searches": ["descaling time"]}'
        return "It stands for 20 minutes [1]."

    handbook.model = ScriptedModel(reply)
    messages = [
        {"role": "user", "content": "How do I descale the machine?"},
        {"role": "assistant", "content": "With citric acid [1]. ![x](http://127.0.0.1/media/x.png)"},
        {"role": "user", "content": "And how long does it take?"},
    ]
    try:
        with serving(handbook) as running, official(running) as client:
            said = client.chat.completions.create(model="showtell", messages=messages)  # type: ignore[arg-type]
        assert "How do I descale the machine?" in asked[0].messages[-1].text
        assert "With citric acid" in asked[0].messages[-1].text
        assert "20 minutes" in (said.choices[0].message.content or "")
    finally:
        handbook.model = None


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"model": "gpt-9", "messages": [{"role": "user", "content": "x"}]}, 404),
        ({"model": "showtell", "messages": []}, 422),
        ({"model": "showtell", "messages": [{"role": "user", "content": "  "}]}, 422),
        ({"model": "showtell-wikipedia", "messages": [{"role": "user", "content": "How tall?"}]}, 422),
        (
            {
                "model": "showtell",
                "messages": [
                    {
                        "role": "user",
                        "content": [
                            {"type": "text", "text": "x"},
                            {"type": "image_url", "image_url": {"url": "/etc/passwd"}},
                        ],
                    }
                ],
            },
            422,
        ),
    ],
)
def test_what_cannot_be_answered_is_told(client: openai.OpenAI, body: dict[str, object], status: int):
    with pytest.raises(openai.APIStatusError) as told:
        client.chat.completions.create(**body)  # type: ignore[call-overload]
    assert told.value.status_code == status
    assert told.value.body
    assert "message" in told.value.body  # type: ignore[operator]


def test_a_picture_at_a_private_address_is_not_fetched(client: openai.OpenAI, served: Running):
    address = f"http://127.0.0.1:{served.port}/health"
    content = [{"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": address}}]
    messages = [{"role": "user", "content": content}]
    with pytest.raises(openai.APIStatusError):
        client.chat.completions.create(model="showtell", messages=messages)  # type: ignore[arg-type]
    with pytest.raises(openai.APIError, match=r"private|loopback|address"):
        list(client.chat.completions.create(model="showtell", messages=messages, stream=True))  # type: ignore[arg-type]


def test_a_model_that_is_down_is_an_extract_with_a_warning(handbook: Library):
    def down(_: ChatRequest) -> str:
        raise ModelError("it is down; start it")

    handbook.model = ScriptedModel(down)
    try:
        with serving(handbook) as running, official(running) as client:
            messages = [{"role": "user", "content": ESPRESSO}]
            reply = client.chat.completions.create(model="showtell", messages=messages)  # type: ignore[arg-type]
        assert "it is down" in (reply.choices[0].message.content or "")
    finally:
        handbook.model = None
