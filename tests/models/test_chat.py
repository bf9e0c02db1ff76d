"""A chat model behind the OpenAI protocol: what it sends, what it reads, and how it tells what went wrong."""

from __future__ import annotations

import base64
import logging
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from email.utils import formatdate
from typing import Any

import pytest

from showtell.errors import ModelError, PicturesRefused
from showtell.models.base import ChatRequest, Message
from showtell.models.chat import OpenAIChat, load_chat
from showtell.models.protocol import ThoughtFilter
from showtell.models.server import find_server
from tests.models.chat_server import (
    Behaviour,
    ChatServer,
    chat_server,
    chunk,
    disconnect,
    dropped,
    endless,
    error,
    events,
    hanging,
    page,
    raw_events,
    redirect,
    reply,
    unless,
)

PNG = b"\x89PNG\r\n\x1a\n and the rest"
JPEG = b"\xff\xd8\xff\xe0 and the rest"
KEY = "sk-a-key-that-is-secret"
SCHEMA = {"type": "object", "properties": {"queries": {"type": "array", "items": {"type": "string"}}}}


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        yield running


def question(*pictures: bytes, max_tokens: int = 50, schema: dict[str, Any] | None = None) -> ChatRequest:
    return ChatRequest((Message("user", "Why?", pictures),), max_tokens=max_tokens, schema=schema)


def load(server: ChatServer, *answers: Behaviour, **options: Any) -> OpenAIChat:
    server.answers = list(answers) or server.answers
    return load_chat(server.model, **({"timeout": 5.0} | options))


def ask(chat: OpenAIChat, request: ChatRequest | None = None) -> str:
    return "".join(chat.stream(request or question()))


def complaint(chat: OpenAIChat, request: ChatRequest | None = None) -> str:
    """What is told of a request that fails; in no case more than a line, and nothing hangs on it that knows the key."""
    with pytest.raises(ModelError) as raised:
        ask(chat, request)
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None
    assert str(raised.value).isprintable()
    return str(raised.value)


# ------------------------------------------------------------------------------------------------------ what is sent
def test_a_request_says_what_is_wanted_and_no_more(server):
    messages = (Message("system", "Be brief."), Message("user", "Why?"))
    ask(load(server), ChatRequest(messages, max_tokens=77, temperature=0.5))
    assert server.bodies == [
        {
            "model": "stub",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}],
            "max_tokens": 77,
            "temperature": 0.5,
            "stream": True,
        }
    ]


def test_pictures_are_sent_as_data_urls(server):
    ask(load(server), question(PNG, JPEG))
    content = server.bodies[0]["messages"][0]["content"]
    kinds = ["png", "jpeg"]
    urls = [f"data:image/{k};base64,{base64.b64encode(p).decode()}" for k, p in zip(kinds, [PNG, JPEG], strict=True)]
    assert [part["image_url"]["url"] for part in content[:2]] == urls
    assert content[2] == {"type": "text", "text": "Why?"}


def test_a_picture_of_another_kind_is_not_sent(server):
    with pytest.raises(PicturesRefused, match="neither PNG nor JPEG"):
        ask(load(server), question(b"GIF89a"))
    assert server.asked == []


def test_the_environment_adds_nothing(server, monkeypatch):
    for variable in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(variable, KEY)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"Authorization: Bearer {KEY}\nX-Other: {KEY}")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    for variable in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    assert ask(load(server)) == "Hello there."
    headers = server.asked[0].headers
    assert KEY not in str(headers)
    known = {"host", "connection", "accept", "accept-encoding", "user-agent", "content-type", "content-length"}
    assert set(headers) <= known


# ------------------------------------------------------------------------------------------------------------- names
@pytest.mark.parametrize(
    ("name", "address", "model"),
    [
        ("ollama/qwen3-vl:8b", "http://127.0.0.1:11434/v1", "qwen3-vl:8b"),
        ("openai/gpt-5-mini", "https://api.openai.com/v1", "gpt-5-mini"),
        ("http://127.0.0.1:8080/v1#org/model:tag", "http://127.0.0.1:8080/v1", "org/model:tag"),
        ("https://[::1]:8080/v1/#a#b", "https://[::1]:8080/v1", "a#b"),
        (" http://host/v1 ", "http://host/v1", ""),
    ],
)
def test_a_name_says_where_the_model_is(name, address, model):
    found = find_server(name, KEY)
    assert (found.address, found.model) == (address, model)
    assert KEY not in repr(found)


@pytest.mark.parametrize(
    "name", ["gpt-5", "ollama/", "other/name", "", "ftp://host/v1#m", "http://#m", "http://h:x/v1"]
)
def test_a_name_of_no_form_is_refused_with_the_forms(name):
    with pytest.raises(ModelError, match=r"write it as ollama/NAME, openai/NAME or http://HOST:PORT/v1#NAME"):
        load_chat(name, key=KEY)


@pytest.mark.parametrize(
    "address", [f"http://me:{KEY}@host/v1#m", f"http://{KEY}@host/v1", f"http://host/v1?key={KEY}#m"]
)
def test_an_address_with_a_secret_is_refused_and_not_shown(address):
    with pytest.raises(ModelError, match="SHOWTELL_MODEL_KEY") as raised:
        load_chat(address)
    assert KEY not in str(raised.value)


def test_openai_without_a_key_names_the_variable():
    with pytest.raises(ModelError, match="set the environment variable OPENAI_API_KEY"):
        load_chat("openai/gpt-5-mini")


def test_without_a_name_the_only_model_is_taken(server):
    server.models = ["just-this"]
    chat = load_chat(server.address)
    assert (ask(chat), chat.name) == ("Hello there.", server.address)
    assert server.bodies[0]["model"] == "just-this"
    ask(chat)
    assert [asked.path for asked in server.asked].count("/v1/models") == 1


def test_without_a_name_several_models_are_told(server):
    server.models = ["one", "two"]
    assert "several models (one, two); name one: " in complaint(load_chat(server.address))


# -------------------------------------------------------------------------------------------------------------- keys
def test_a_key_is_sent_and_shown_nowhere(server, caplog):
    caplog.set_level(logging.DEBUG)
    chat = load(server, error(401, f"Incorrect key: {KEY}"), error(500, KEY), error(400, KEY), key=KEY, retries=0)
    told = [complaint(chat) for _ in range(3)]
    assert {asked.headers["authorization"] for asked in server.asked} == {f"Bearer {KEY}"}
    assert "refused the key; check SHOWTELL_MODEL_KEY" in told[0]
    assert KEY not in " ".join([*told, repr(chat), chat.name, caplog.text])


def test_a_traceback_holds_no_key(server):
    chat = load(server, error(400, f"no {KEY}"), key=KEY)
    with pytest.raises(ModelError) as raised:
        ask(chat)
    assert KEY not in "".join(traceback.format_exception(raised.value))


def test_a_key_that_cannot_be_sent_is_refused_and_not_shown():
    with pytest.raises(ModelError, match="copy it again") as raised:
        load_chat("openai/gpt-5-mini", key=f"{KEY}\nX-Other: 1")
    assert KEY not in str(raised.value)


def test_a_key_does_not_follow_a_redirect(server):
    with chat_server() as other:
        chat = load(server, redirect(f"{other.address}/chat/completions"), key=KEY)
        assert "sends us elsewhere" in complaint(chat)
        assert other.asked == []


def test_a_wanted_key_names_the_variable(server):
    assert "wants a key; set SHOWTELL_MODEL_KEY" in complaint(load(server, error(401)))


# ---------------------------------------------------------------------------------------------- what servers differ in
def test_a_form_is_asked_for_by_its_schema(server):
    ask(load(server, reply("{}")), question(schema=SCHEMA))
    form = server.bodies[0]["response_format"]
    assert form == {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA}}


def test_a_form_that_is_refused_is_asked_for_otherwise_and_that_is_remembered(server):
    def takes(kinds: set[str | None]) -> Behaviour:
        return unless(lambda body: body.get("response_format", {}).get("type") in kinds, error(400), reply("{}"))

    chat = load(server, takes({"json_object", None}))
    assert [ask(chat, question(schema=SCHEMA)) for _ in range(2)] == ["{}", "{}"]
    kinds = [body.get("response_format", {}).get("type") for body in server.bodies]
    assert kinds == ["json_schema", "json_object", "json_object"]
    server.answers = [takes({None})]
    assert [ask(chat, question(schema=SCHEMA)) for _ in range(2)] == ["{}", "{}"]
    assert [body.get("response_format") for body in server.bodies[-2:]] == [None, None]


def test_a_refusal_that_no_spelling_helps_is_told_and_not_remembered(server):
    chat = load(server, error(400, "context too long"))
    assert 'refused the request ("context too long")' in complaint(chat, question(schema=SCHEMA))
    server.answers = [reply("{}")]
    ask(chat, question(schema=SCHEMA))
    assert server.bodies[-1]["response_format"]["type"] == "json_schema"


def test_the_spellings_of_newer_models_are_found_and_remembered(server):
    no_length = error(400, "Unsupported parameter; use 'max_completion_tokens' instead.", param="max_tokens")
    no_temperature = error(400, "Unsupported value", param="temperature")
    newest = unless(lambda body: "temperature" not in body, no_temperature, reply("Yes."))
    chat = load(server, unless(lambda body: "max_tokens" not in body, no_length, newest))
    assert [ask(chat), ask(chat)] == ["Yes.", "Yes."]
    assert len(server.bodies) == 4
    assert server.bodies[-1]["max_completion_tokens"] == 50


@pytest.mark.parametrize("status", [400, 415, 422, 500])
def test_pictures_that_are_refused_are_told_apart(server, status):
    chat = load(
        server, unless(lambda body: "image_url" not in str(body), error(status, "no image input"), reply("Yes."))
    )
    with pytest.raises(PicturesRefused, match="set model_sees to false"):
        ask(chat, question(PNG))
    assert len(server.bodies) == 1
    assert ask(chat, question()) == "Yes."


# ----------------------------------------------------------------------------------------------------------- thoughts
WITH_THOUGHTS = "<think>Hm,\n1 < 2</think>\n\nThe answer <b> is < 3."


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_thoughts_in_the_text_are_left_out_wherever_it_is_cut(server, size):
    pieces = [WITH_THOUGHTS[i : i + size] for i in range(0, len(WITH_THOUGHTS), size)]
    assert ask(load(server, reply(pieces))) == "The answer <b> is < 3."


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thoughts_beside_the_text_are_left_out(server, field):
    assert ask(load(server, reply("Yes.", reasoning="Hm hm", field=field))) == "Yes."


@pytest.mark.parametrize("only_thoughts", [reply("", reasoning="Hm", finish="length"), reply("<think>Hm, and so on")])
def test_a_model_that_only_thought_is_asked_not_to(server, only_thoughts):
    chat = load(server, unless(lambda body: "reasoning_effort" in body, only_thoughts, reply("Yes.")))
    assert [ask(chat), ask(chat)] == ["Yes.", "Yes."]
    assert [body.get("reasoning_effort") for body in server.bodies] == [None, "none", "none"]


@pytest.mark.parametrize("refusal", [reply("<think>Hm"), error(400, "think value 'none' is not supported")])
def test_a_model_that_cannot_but_think_is_told(server, refusal):
    assert "only thought and wrote nothing in its 50 tokens; raise model_reply" in complaint(
        load(server, reply("", reasoning="Hm"), refusal)
    )


def test_thoughts_that_are_not_marked_as_such_are_never_a_reply(server):
    assert "a thought ends that never began" in complaint(load(server, reply("So I see.</think>Yes.")))


def test_what_only_looks_like_the_beginning_of_a_thought_is_kept():
    thoughts = ThoughtFilter()
    assert thoughts.feed("1 <thi") + thoughts.feed("ng> 2 <th") + thoughts.end() == "1 <thing> 2 <th"


# ------------------------------------------------------------------------------------------------------ busy, failing
@pytest.mark.parametrize("trouble", [error(429, Retry_After="0"), error(503, Retry_After="0"), disconnect])
def test_a_request_is_repeated_while_the_server_is_busy(server, trouble):
    assert ask(load(server, trouble, reply("Yes."))) == "Yes."
    assert len(server.bodies) == 2


def test_retry_after_is_waited_for(server):
    for header, least in [("0.4", 0.4), ("", 0.5)]:
        soon = header or formatdate(time.time() + 2, usegmt=True)  # a date has whole seconds
        chat, began = load(server, error(429, Retry_After=soon), reply("Yes.")), time.monotonic()
        assert ask(chat) == "Yes."
        assert time.monotonic() - began >= least


@pytest.mark.parametrize("header", ["3600", "1e400", formatdate(time.time() + 3600, usegmt=True)])
def test_a_long_wait_is_not_waited_for(server, header):
    assert "is busy" in complaint(load(server, error(429, Retry_After=header)))
    assert len(server.bodies) == 1


@pytest.mark.parametrize("header", ["soon", "nan", "-5", "", "Wed, 99 Xyz 2026"])
def test_an_odd_wait_does_no_harm(server, header):
    assert ask(load(server, error(429, Retry_After=header), reply("Yes."))) == "Yes."


def test_retries_end(server):
    assert 'failed with status 500 ("out of memory")' in complaint(load(server, error(500, "out of memory"), retries=1))
    assert len(server.bodies) == 2


def test_retries_end_with_the_time(server):
    began = time.monotonic()
    assert "is busy" in complaint(load(server, error(429, Retry_After="0.4"), timeout=1.0, retries=50))
    assert time.monotonic() - began < 1.5


def test_a_server_that_is_down_is_told_soon():
    with chat_server() as gone:
        chat = load_chat(gone.model)
    began = time.monotonic()
    assert "cannot be reached" in complaint(chat)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("silence", [hanging(), hanging("Yes,"), hanging(alive=0.05), hanging("Yes,", alive=0.05)])
def test_silence_ends_at_the_time_out_and_is_not_repeated(server, silence):
    began = time.monotonic()
    assert "gave no word for 0.5 s" in complaint(load(server, silence, timeout=0.5))
    assert time.monotonic() - began < 2
    assert len(server.bodies) == 1
    assert server.hung_up.wait(2)


def test_a_reply_that_goes_on_and_on_in_time_is_not_cut(server):
    def slow(exchange: Any) -> None:
        exchange.begin_events()
        for _ in range(10):
            exchange.send_event(chunk(content="word "))
            time.sleep(0.1)
        exchange.send_event(chunk(finish="stop"))

    assert ask(load(server, slow, timeout=0.5)) == "word " * 10


def test_an_endless_reply_is_cut_and_the_connection_closed(server):
    assert len(ask(load(server, endless()), question(max_tokens=10))) == 160
    assert server.hung_up.wait(2)


@pytest.mark.parametrize("unit", [b"x" * 50_000, b"data: " + b"[" * 50_000, b'data: {"choices": []}\n\n' * 1000])
def test_an_endless_reply_without_words_ends_too(server, unit):
    chat = load(server, endless(unit), timeout=2.0)
    assert complaint(chat)
    assert server.hung_up.wait(2)


def test_an_endless_thought_ends_too(server):
    thought = f'data: {{"choices": [{{"delta": {{"reasoning_content": "{"hm " * 100}"}}}}]}}\n\n'.encode()
    assert "only thought" in complaint(load(server, endless(thought)))


# ------------------------------------------------------------------------------------------------------------ nonsense
@pytest.mark.parametrize("honest", [True, False])
def test_half_a_reply_is_not_a_whole_one(server, honest):
    pieces = load(server, dropped("Half ", "a ", honest=honest)).stream(question())
    assert next(pieces) == "Half "
    with pytest.raises(ModelError, match=r"broke \(peer closed|it breaks off"):
        list(pieces)
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    "nonsense",
    [
        raw_events(b'data: {"choices": [\n\n'),
        raw_events(b"data: \xff\xfe\n\n"),
        raw_events(b""),
        raw_events(b"hello\n\n"),
        *(events(text) for text in ("[]", "null", "1", '"x"', "[" * 100_000, "{}")),
        events({"choices": "x"}),
        events({"choices": [1]}),
        events({"choices": [{"delta": 5}]}),
    ],
)
def test_nonsense_is_told(server, nonsense):
    assert "sent a broken reply" in complaint(load(server, nonsense))


@pytest.mark.parametrize("content", [["x"], 5, None, {"a": 1}])
def test_content_that_is_no_text_is_nothing(server, content):
    assert ask(load(server, events(chunk(content=content), chunk(content="Yes.", finish="stop")))) == "Yes."


def test_half_a_character_is_left_out(server):
    assert ask(load(server, reply(["a\ud83d", "b"]))) == "ab"


def test_an_error_within_the_stream_is_told(server):
    chat = load(server, events(chunk(content="Yes, "), {"error": {"message": "out of\n\x1b[31mmemory"}}))
    assert 'broke off ("out of [31mmemory"); ask again' in complaint(chat)


@pytest.mark.parametrize("answer", [page(), lambda exchange: exchange.send(200, b'{"choices": []}')])
def test_what_is_no_stream_is_told(server, answer):
    assert "instead of a stream of words; check the address, which usually ends in /v1" in complaint(
        load(server, answer)
    )


def test_an_error_page_is_not_repeated_to_the_user(server):
    told = complaint(load(server, page("<html>" + "x" * 5000, 502), retries=0))
    assert told.endswith("failed with status 502; try again, or check its server")


def test_a_compressed_answer_is_refused(server):
    assert "compressed" in complaint(load(server, lambda e: e.send(200, b"x", Content_Encoding="gzip"), retries=0))


# ----------------------------------------------------------------------------------------------- unknown, wrong place
def test_an_unknown_model_tells_which_there_are(server):
    server.models = ["one", "two\x1b[31m"]
    assert "has no model 'stub', it has one, two [31m; choose one" in complaint(load(server, error(404)))


def test_a_wrong_address_is_told(server):
    server.models = None
    told = complaint(load(server, page(status=404)))
    assert told.startswith(f"there is nothing of the chat protocol at {server.address}; check the address")


def test_models_are_listed_and_required(server):
    server.models = ["one", "two:latest"]
    assert load_chat(server.address).models() == ["one", "two:latest"]
    load_chat(f"{server.address}#two").require()
    with pytest.raises(ModelError, match="has no model 'three', it has one, two:latest"):
        load_chat(f"{server.address}#three").require()
    with pytest.raises(ModelError, match="several models"):
        load_chat(server.address).require()


def test_openai_is_loaded_only_with_a_model():
    code = "import sys, showtell, showtell.models.chat; sys.exit('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
