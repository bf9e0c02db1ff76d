from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from showtell.errors import ModelError, PicturesRefused
from showtell.models.base import ChatRequest, Message
from showtell.models.fake import ScriptedModel
from showtell.models.recording import Recording

HELLO = ChatRequest((Message("system", "Be kind."), Message("user", "Hello, Größe 北极熊?", (b"picture",))))
WAYS_TO_DIFFER = [
    replace(HELLO, messages=(Message("system", "Be brief."), *HELLO.messages[1:])),
    replace(HELLO, messages=(HELLO.messages[0], replace(HELLO.messages[1], pictures=(b"other",)))),
    replace(HELLO, messages=(HELLO.messages[0], replace(HELLO.messages[1], pictures=()))),
    replace(HELLO, messages=tuple(reversed(HELLO.messages))),
    replace(HELLO, max_tokens=7),
    replace(HELLO, temperature=0.5),
    replace(HELLO, schema={"type": "object"}),
]


class Breaking(ScriptedModel):
    """Breaks off in the middle of its reply."""

    def stream(self, request: ChatRequest) -> Iterator[str]:
        yield "Half of"
        raise ModelError("it broke off")


def said(model: Recording, request: ChatRequest = HELLO) -> str:
    return "".join(model.stream(request))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "replies.jsonl"


def test_a_reply_is_asked_once_and_replayed_without_the_model(path: Path) -> None:
    model = ScriptedModel(["Yes, 187.5 kg\n(413 lb) 北."], name="ollama/bear", context_tokens=3000)
    recording = Recording(path, model)
    assert said(recording) == said(recording) == said(Recording(path, model))
    assert len(model.requests) == 1
    replay = Recording(path, None)
    assert (replay.name, replay.context_tokens) == ("ollama/bear", 3000)
    assert list(replay.stream(HELLO)) == ["Yes,", " 187.5", " kg", "\n(413", " lb)", " 北."]


@pytest.mark.parametrize("other", WAYS_TO_DIFFER)
def test_another_prompt_is_another_reply(path: Path, other: ChatRequest) -> None:
    recording = Recording(path, ScriptedModel(["One.", "Two."]))
    assert [said(recording), said(recording, other)] == ["One.", "Two."]
    replay = Recording(path, None)
    assert [said(replay), said(replay, other)] == ["One.", "Two."]


def test_the_order_of_a_schema_does_not_matter(path: Path) -> None:
    recording = Recording(path, ScriptedModel(["{}"]))
    for schema in ({"type": "object", "title": "T"}, {"title": "T", "type": "object"}):
        assert said(recording, replace(HELLO, schema=schema)) == "{}"


def test_a_replay_of_an_unknown_prompt_says_what_may_have_changed(path: Path) -> None:
    said(Recording(path, ScriptedModel(["One."])))
    with pytest.raises(ModelError, match=r"no reply to this prompt: .*library, question, method.* record it again"):
        said(Recording(path, None), WAYS_TO_DIFFER[0])


def test_what_is_not_whole_is_not_recorded(path: Path) -> None:
    with pytest.raises(ModelError, match="broke off"):
        said(Recording(path, Breaking([])))
    left = Recording(path, ScriptedModel(["One two three."])).stream(HELLO)
    next(left)
    del left
    assert path.read_bytes() == b""


def test_an_empty_reply_is_a_reply(path: Path) -> None:
    assert list(Recording(path, ScriptedModel([""])).stream(HELLO)) == []
    assert list(Recording(path, None).stream(HELLO)) == []


def test_a_refusal_of_pictures_is_repeated(path: Path) -> None:
    for model in (ScriptedModel([PicturesRefused("it takes no pictures")]), ScriptedModel([], "scripted"), None):
        with pytest.raises(PicturesRefused, match="it takes no pictures"):
            said(Recording(path, model))


def test_a_line_says_what_was_asked_and_by_whom_answered(path: Path) -> None:
    said(Recording(path, ScriptedModel(["One."], name="ollama/bear")), ChatRequest((Message("user", "Why? " * 100),)))
    line = json.loads(path.read_text("utf-8"))
    assert line["model"] == "ollama/bear"
    assert line["request"] == "Why? " * 40
    assert line["reply"] == "One."


@pytest.mark.parametrize("cut", [1, 8, 9, 40, 120, -1])
def test_a_line_that_was_not_written_to_its_end_is_passed_over(path: Path, cut: int) -> None:
    said(Recording(path, ScriptedModel(["One.", "北" * 50])))
    whole = path.read_bytes()
    path.write_bytes(whole + whole.replace(b"One.", "北".encode() * 90)[:cut].rstrip(b"\n"))
    said(Recording(path, ScriptedModel(["Two."])), WAYS_TO_DIFFER[0])
    replay = Recording(path, None)
    assert [said(replay), said(replay, WAYS_TO_DIFFER[0])] == ["One.", "Two."]


@pytest.mark.parametrize("content", [b"", b"\n\n", b'{"key": "abc'])
def test_a_file_without_replies_has_none_to_replay(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"replies\.jsonl holds no replies"):
        Recording(path, None)
    assert said(Recording(path, ScriptedModel(["One."]))) == "One."


@pytest.mark.parametrize(
    "content", [b"%PDF-1.7\n\0\xff", b'{"id": "q1", "question": "?"}\n', b"[" * 100_000, b'"key"', b"\0" * 99]
)
def test_a_file_of_another_kind_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for model in (None, ScriptedModel(["One."])):
        with pytest.raises(ModelError, match=r"replies\.jsonl is no recording of replies \(line 1\)"):
            Recording(path, model)
    assert path.read_bytes() == content


def test_a_path_that_cannot_be_used_is_named_before_the_model_is_asked(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent" / "replies.jsonl"):
        for model in (None, ScriptedModel(["One."])):
            with pytest.raises(ModelError, match=f"{path.name} cannot be opened"):
                Recording(path, model)
    with pytest.raises(ModelError, match="cannot be opened"):
        Recording(tmp_path / "absent.jsonl", None)


def test_a_file_is_of_one_model(path: Path) -> None:
    said(Recording(path, ScriptedModel(["One."], name="one")))
    for other in (ScriptedModel(["Two."], name="two"), ScriptedModel(["Two."], name="one", context_tokens=2000)):
        with pytest.raises(ModelError, match="record to another file"):
            Recording(path, other)


def _record(path: Path, writer: int) -> None:
    recording = Recording(path, ScriptedModel(lambda request: request.messages[0].text * 2000))
    for number in range(30):
        said(recording, ChatRequest((Message("user", f"{writer}.{number} "),)))


def test_two_that_record_at_once_do_not_write_into_each_other(path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:  # each opens the file by itself, as two processes do
        list(pool.map(lambda writer: _record(path, writer), range(2)))
    replay = Recording(path, None)
    assert path.read_bytes().count(b'{"key"') == 60
    for writer in range(2):
        for number in range(30):
            asked = f"{writer}.{number} "
            assert said(replay, ChatRequest((Message("user", asked),))) == asked * 2000
