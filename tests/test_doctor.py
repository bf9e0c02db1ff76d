"""What the doctor tells of chat models; the rest of it is tested through the command."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from showtell.doctor import Finding, examine
from showtell.models import server as places
from showtell.settings import Settings
from tests.models.chat_server import ChatServer, chat_server, error, page, reply, unless
from tests.models.tiny_clip import write_clip


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        yield running


@pytest.fixture(autouse=True)
def no_ollama(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ollama is looked for where nothing listens."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with chat_server() as gone:
        monkeypatch.setitem(places.PROVIDERS, "ollama", places.Provider(gone.address))  # type: ignore[arg-type]


def told(folder: Path, subject: str = "chat model", **settings: Any) -> Finding:
    found = examine(Settings(library=folder, cache=folder, encoder=str(folder), **settings))
    return next(finding for finding in found if finding.subject == subject)


def test_no_model_is_no_fault_and_told_soon(tmp_path):
    began = time.monotonic()
    finding = told(tmp_path)
    assert time.monotonic() - began < 2
    assert (finding.fine, finding.optional, finding.fact) == (False, True, "none, so answers are quotations")


def test_ollama_is_offered_and_not_used(tmp_path, server, monkeypatch):
    monkeypatch.setitem(places.PROVIDERS, "ollama", places.Provider(server.address))
    server.models = ["qwen3:4b", "qwen3-vl:8b"]
    finding = told(tmp_path)
    assert (finding.fine, finding.optional) == (False, True)
    assert finding.advice == "set --model ollama/NAME, NAME being one of: qwen3:4b, qwen3-vl:8b"
    assert server.bodies == []


@pytest.mark.parametrize("models", [None, []])
def test_another_program_in_its_place_is_not_offered(tmp_path, server, monkeypatch, models):
    monkeypatch.setitem(places.PROVIDERS, "ollama", places.Provider(server.address))
    server.models = models
    assert "ollama/NAME" not in told(tmp_path).advice


def test_openai_is_offered_and_not_used(tmp_path):
    finding = told(tmp_path, openai_api_key="sk-secret")
    assert finding.advice == "set --model openai/NAME; your passages would be sent to OpenAI"


def test_a_model_that_is_there_is_fine_and_writes_nothing(tmp_path, server):
    finding = told(tmp_path, model=server.model)
    assert (finding.fine, finding.fact) == (True, f"{server.model}, is sent no pictures")
    assert server.bodies == []


def test_a_model_that_is_not_there_is_a_fault(tmp_path, server):
    finding = told(tmp_path, model=f"{server.address}#other")
    assert (finding.fine, finding.optional) == (False, False)
    assert "has no model 'other', it has stub" in finding.advice


@pytest.mark.parametrize(("model", "advice"), [("other/x", "write it as"), ("openai/x", "OPENAI_API_KEY")])
def test_a_model_that_cannot_be_is_a_fault(tmp_path, model, advice):
    finding = told(tmp_path, model=model)
    assert not finding.fine
    assert advice in finding.advice


def test_a_server_that_is_down_is_a_fault_told_soon(tmp_path):
    with chat_server() as gone:
        name = gone.model
    began = time.monotonic()
    assert "cannot be reached" in told(tmp_path, model=name).advice
    assert time.monotonic() - began < 5


def test_whether_a_model_sees_is_tried_with_a_picture(tmp_path, server):
    server.answers = [unless(lambda body: "image_url" not in str(body), error(400, "no image input"), reply("White."))]
    assert "does not take the pictures" in told(tmp_path, model=server.model, model_sees=True).advice
    assert "does not take the pictures" in told(tmp_path, "caption model", caption=server.model).advice
    server.answers = [reply("White.")]
    assert told(tmp_path, model=server.model, model_sees=True).fact == f"{server.model}, takes pictures"


def test_a_web_page_is_no_model(tmp_path, server):
    server.answers = [page()]
    assert "instead of a stream" in told(tmp_path, model=server.model, model_sees=True).advice


def test_an_image_encoder_is_examined_where_one_is_set(tmp_path):
    assert not any(
        finding.subject == "image encoder" for finding in examine(Settings(library=tmp_path, cache=tmp_path))
    )
    model = write_clip(tmp_path / "tiny")
    finding = told(tmp_path, "image encoder", image_encoder=str(model.folder))
    assert (finding.fine, finding.fact.partition("@")[0]) == (True, "tiny")
    (model.folder / "preprocessor_config.json").unlink()
    finding = told(tmp_path, "image encoder", image_encoder=str(model.folder))
    assert (finding.fine, finding.fact) == (False, "no weights, so no picture is found by its looks")
    assert "lacks preprocessor_config.json" in finding.advice


def test_what_a_picture_question_may_want_is_examined(tmp_path, monkeypatch):
    for subject in ("words in pictures", "offline Wikipedia"):
        assert told(tmp_path, subject).fine
    for module in ("rapidocr", "libzim"):
        monkeypatch.setitem(sys.modules, module, None)
    for subject, extra in (("words in pictures", "ocr"), ("offline Wikipedia", "zim")):
        finding = told(tmp_path, subject)
        assert (finding.fine, finding.optional) == (False, True)
        assert f"pip install 'showtell[{extra}]'" in finding.advice


def test_whether_wikipedia_can_be_asked_is_told(tmp_path):
    nobody = told(tmp_path, "Wikipedia")
    assert (nobody.fine, nobody.optional) == (False, True)
    assert "SHOWTELL_WIKIPEDIA_CONTACT" in nobody.advice
    somebody = {"wikipedia_contact": "me@example.org"}
    assert "in the question's language in the name of me@example.org" in told(tmp_path, "Wikipedia", **somebody).fact
    assert "asks de.wikipedia.org" in told(tmp_path, "Wikipedia", wikipedia_language="de", **somebody).fact
    for wrong in ({"wikipedia_contact": "me"}, somebody | {"wikipedia_api": "https://example.org/wiki"}):
        finding = told(tmp_path, "Wikipedia", **wrong)
        assert (finding.fine, finding.optional) == (False, False)
