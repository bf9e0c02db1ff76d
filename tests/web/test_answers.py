"""Asking over HTTP: an answer whole or streamed, found again, exported, rated, followed by another."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from showtell.errors import ModelError
from showtell.library import Library
from showtell.models.base import ChatRequest
from showtell.models.fake import ScriptedModel
from tests.web.server import ASK, Running, events, serving

ESPRESSO = "How do I prepare and pull a shot of espresso?"
BLOOM = "Where in the video does the coffee bloom, and how long do I wait?"


def test_an_answer_is_given_whole_and_found_again_by_its_id(served: Running):
    given = served.ask(ESPRESSO).json()
    assert given["answer"]["status"] == "answered"
    assert any(part["type"] == "image" for part in given["answer"]["parts"])
    found = served.client.get(f"{ASK}/{given['id']}").json()
    assert found == given | {"rating": None}
    assert re.fullmatch(r"[A-Za-z0-9_-]{16,}", given["id"])


def test_no_path_of_the_server_is_told(served: Running, handbook: Library):
    for question in (ESPRESSO, BLOOM):
        given = served.ask(question)
        id_ = given.json()["id"]
        for told in (given, served.client.get(f"{ASK}/{id_}/markdown"), served.client.get(f"{ASK}/{id_}/html")):
            assert str(handbook.store.folder) not in told.text
            assert "handbook/figures" not in told.text
            assert "/src/showtell" not in told.text


def test_a_stream_tells_each_step_and_ends_with_the_answer(served: Running):
    with served.client.stream("POST", ASK, json={"question": ESPRESSO}) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["cache-control"] == "no-store"
        told = list(events(response))
    names = [data["name"] for name, data in told if name == "step"]
    assert names == ["query", "search", "draft", "illustrate", "verify"]
    assert told[0][1]["searches"] == [ESPRESSO]
    assert [name for name, _ in told][-1] == "answer"
    assert served.client.get(f"{ASK}/{told[-1][1]['id']}").json()["answer"] == told[-1][1]["answer"]


def test_an_answer_is_exported_as_markdown_and_as_a_page(served: Running):
    id_ = served.ask(BLOOM).json()["id"]
    markdown = served.client.get(f"{ASK}/{id_}/markdown")
    assert markdown.headers["content-type"] == "text/markdown; charset=utf-8"
    assert "[1]" in markdown.text
    page = served.client.get(f"{ASK}/{id_}/html")
    assert page.headers["content-disposition"].startswith("attachment")
    assert page.headers["content-security-policy"] == "sandbox"
    assert "<figure" in page.text
    assert "Transcript" in page.text or "bloom" in page.text


def test_a_rating_is_kept_and_replaced(served: Running):
    id_ = served.ask(ESPRESSO).json()["id"]
    rating = {"thumb": "up", "usefulness": 5, "readability": 4, "relevance": None, "comment": "so clear"}
    assert served.client.put(f"{ASK}/{id_}/rating", json=rating).status_code == 200
    assert served.client.get(f"{ASK}/{id_}").json()["rating"] == rating
    served.client.put(f"{ASK}/{id_}/rating", json={"thumb": "down"})
    assert served.client.get(f"{ASK}/{id_}").json()["rating"]["thumb"] == "down"
    assert served.client.put(f"{ASK}/{id_}/rating", json={"usefulness": 6}).status_code == 422
    assert served.client.put(f"{ASK}/{'x' * 22}/rating", json=rating).status_code == 404


def test_a_question_is_asked_of_one_document_or_language(served: Running):
    name = served.client.get("/api/v1/documents").json()["documents"][0]["name"]
    given = served.ask("coffee", document=name).json()["answer"]
    assert {citation["document"] for citation in given["citations"]} <= {name}
    assert served.ask("coffee", document="no such").status_code == 404
    german = served.ask("Kaffee", language="de").json()["answer"]
    assert all(citation["document"].startswith("de/") for citation in german["citations"])


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"question": "  "}, 422),
        ({"question": "x" * 3000}, 422),
        ({"question": "\ud800"}, 422),
        ({"sources": ["/etc/passwd"]}, 422),
        ({"sources": ["wikipedia"]}, 422),
        ({"sources": ["x.zim"]}, 422),
        ({"images": ["../../etc/passwd"]}, 422),
        ({"images": ["0" * 64]}, 404),
        ({"after": ["0" * 22]}, 404),
        ({"method": "closed-book"}, 422),
        ({"method": "guess"}, 422),
        ({"questoin": "x"}, 422),
        ({"searches": ["x"] * 9}, 422),
    ],
)
def test_a_question_out_of_bounds_is_refused_with_a_code_and_a_sentence(served: Running, more, status):
    body = {"question": "What?", "stream": True} | more
    response = served.client.post(ASK, content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert response.status_code == status
    error = response.json()["error"]
    assert error["code"]
    assert error["message"]
    assert "\n" not in error["message"]


# ----------------------------------------------------------------------------------------------------- with a model
@pytest.fixture
def slow(library: Library) -> Iterator[tuple[Running, SlowModel]]:
    model = SlowModel()
    library.model = model  # type: ignore[misc]
    with serving(library) as running:
        yield running, model
        model.may_end.set()


class SlowModel:
    """Writes a word, then one more every 20 ms until it may end; knows whether it was stopped."""

    name, context_tokens = "slow", 8192

    def __init__(self) -> None:
        self.began, self.may_end, self.stopped = threading.Event(), threading.Event(), threading.Event()

    def stream(self, _: ChatRequest) -> Iterator[str]:
        try:
            self.began.set()
            yield "The kettle has a warranty of 24 months [1]."
            while not self.may_end.wait(0.02):
                yield " "
        except GeneratorExit:
            self.stopped.set()
            raise


def test_text_is_streamed_as_the_model_writes_it_and_reset_when_it_writes_anew(library: Library):
    draft = "Wait for 30 minutes [1].\n\nRinse it three times [1]."
    library.model = ScriptedModel(lambda _: draft)  # type: ignore[misc]
    with serving(library) as running, running.client.stream("POST", ASK, json={"question": "How to descale?"}) as got:
        told = list(events(got))
    names = [name for name, _ in told]
    text, final = "", None
    for name, data in told:
        text = text + data["text"] if name == "text" else "" if name == "reset" else text
        final = data if name == "answer" else final
    assert text == draft
    assert final["answer"]["model"] == "scripted"
    stages = [name for n, name in enumerate(names) if n == 0 or names[n - 1] != name]
    assert stages.count("text") == 1 + stages.count("reset")


def test_a_client_that_goes_away_stops_its_question(slow: tuple[Running, SlowModel]):
    running, model = slow
    with running.client.stream("POST", ASK, json={"question": "How long is the warranty?"}) as response:
        next(name for name, _ in events(response) if name == "text")
    assert model.stopped.wait(5)
    until(lambda: questions(running) == 0)


def test_a_client_that_goes_away_while_it_waits_for_the_whole_stops_its_question(slow: tuple[Running, SlowModel]):
    running, model = slow
    body = b'{"question": "How long is the warranty?", "stream": false}'
    head = f"POST {ASK} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", running.port)) as connection:
        connection.sendall(head.encode() + body)
        assert model.began.wait(5)
    assert model.stopped.wait(5)


def test_past_the_bound_questions_are_sent_away_and_others_go_on(slow: tuple[Running, SlowModel]):
    running, model = slow
    room = 5 * 4  # questions_at_once and those that wait
    statuses: list[int] = []
    threads = [
        threading.Thread(target=lambda: statuses.append(running.ask("How long is the warranty?").status_code))
        for _ in range(room)
    ]
    for thread in threads:
        thread.start()
    until(lambda: questions(running) == room)
    refused = running.ask("How long is the warranty?")
    assert refused.status_code == 429
    assert refused.json()["error"]["code"] == "busy"
    assert int(refused.headers["retry-after"]) > 0
    began = time.perf_counter()
    assert running.client.get("/health").status_code == 200
    assert time.perf_counter() - began < 1
    model.may_end.set()
    for thread in threads:
        thread.join(60)
    assert statuses == [200] * room
    assert running.ask("How long is the warranty?").status_code == 200


def test_a_server_that_is_stopped_finishes_its_streams(library: Library):
    model = SlowModel()
    library.model = model  # type: ignore[misc]
    asked = {"question": "How long is the warranty?"}
    with serving(library) as running, running.client.stream("POST", ASK, json=asked) as response:
        told = events(response)
        next(name for name, _ in told if name == "text")
        running.server.should_exit = True
        time.sleep(0.5)
        model.may_end.set()
        assert [name for name, _ in told][-1] == "answer"


def test_a_model_that_is_down_is_told_and_the_sources_speak(library: Library):
    library.model = ScriptedModel(lambda _: failing())  # type: ignore[misc]
    with serving(library) as running:
        given = running.ask("How long is the warranty?").json()["answer"]
        assert given["status"] == "answered"
        assert "24 months" in given["parts"][0]["text"]
        assert any("server is down" in warning for warning in given["warnings"])
        failed = running.ask("How long is the warranty?", method="closed-book")
        assert failed.status_code == 503
        assert failed.json()["error"]["code"] == "model_failed"
        with running.client.stream("POST", ASK, json={"question": "How?", "method": "closed-book"}) as response:
            name, data = list(events(response))[-1]
        assert (name, data["code"]) == ("error", "model_failed")


def test_a_question_may_follow_an_answer(library: Library):
    asked: list[ChatRequest] = []

    def reply(request: ChatRequest) -> str:
        asked.append(request)
        return "The kettle has a warranty of 24 months [1]."

    library.model = ScriptedModel(reply)  # type: ignore[misc]
    with serving(library) as running:
        first = running.ask("How long is the warranty?").json()
        asked.clear()
        running.ask("And what does a lid cost?", after=[first["id"]])
    assert any("How long is the warranty?" in str(request) for request in asked)


def failing() -> str:
    raise ModelError("the server is down; start it")


def questions(running: Running) -> int:
    metrics = running.client.get("/metrics").text
    return int(re.search(r"^showtell_questions (\d+)", metrics, re.M)[1])


def until(condition, seconds: float = 10) -> None:
    latest = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < latest
        time.sleep(0.02)
