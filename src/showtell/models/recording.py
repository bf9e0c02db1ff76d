"""Replies of a chat model kept in a file, so that an evaluation or an answer can be repeated without the model.

One JSON object a line: the request's key, the model, the beginning of what the user's side said, the reply. No key of
a server is in it: neither requests nor names of models hold any.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from showtell.errors import ModelError, PicturesRefused
from showtell.models.base import ChatModel, ChatRequest

_BEGINNING = b'{"key": "'  # of every line; one that has no more than this and is broken was not written to its end
_SHOWN = 200  # characters of a request that a line shows to a human reader


class Entry(BaseModel):
    """A line of the file; ``refusal`` is the error's text where the model took no pictures."""

    key: str
    model: str = Field(min_length=1)
    context_tokens: int = Field(ge=1)
    request: str = ""
    reply: str = ""
    refusal: str = ""
    created: str = ""


class Recording:
    """A chat model that gives the replies its file holds, and asks ``model`` for others, which are then kept there.

    Without a model it is a replay: a request that the file does not hold is a ModelError. A reply is kept once it is
    complete; several processes may write to the file. May be used from several threads.
    """

    def __init__(self, path: Path, model: ChatModel | None) -> None:
        """Read what the file holds. Raises ModelError: it cannot be used, or holds replies of another model."""
        self._path = path
        self._model = model
        self._lock = threading.Lock()
        entries = _read(path, "rb" if model is None else "ab+")  # whether it can be written is known before asking
        self._entries = {entry.key: entry for entry in reversed(entries)}  # of several the first
        if model is None and not entries:
            raise ModelError(f"{path} holds no replies to give; record some with a model first")
        self._name = entries[0].model if entries else "" if model is None else model.name
        self._context_tokens = entries[0].context_tokens if entries else 0 if model is None else model.context_tokens
        if model is not None and (model.name, model.context_tokens) != (self._name, self._context_tokens):
            raise ModelError(
                f"{path} holds replies of {self._name} with {self._context_tokens} tokens of context, "
                f"not of {model.name} with {model.context_tokens}; record to another file"
            )

    @property
    def name(self) -> str:
        """The recorded model's."""
        return self._name

    @property
    def context_tokens(self) -> int:
        """The recorded model's."""
        return self._context_tokens

    def stream(self, request: ChatRequest) -> Iterator[str]:
        """The reply in pieces. Raises ModelError: the model's, or there is none and the file has no such request."""
        key = request_key(self._name, request)
        entry = self._entries.get(key)
        if entry is not None:
            return _replayed(entry)
        if self._model is None:
            raise ModelError(
                f"{self._path} holds no reply to this prompt: it was recorded with another library, question, method, "
                "settings or version of showtell; repeat it as it was, or record it again with the model"
            )
        return self._recorded(key, request, self._model)

    def _recorded(self, key: str, request: ChatRequest, model: ChatModel) -> Iterator[str]:
        pieces: list[str] = []
        try:
            for piece in model.stream(request):
                pieces.append(piece)
                yield piece
        except PicturesRefused as refusal:  # it goes on without them, as the replay must
            self._keep(key, request, refusal=str(refusal))
            raise
        self._keep(key, request, reply="".join(pieces))

    def _keep(self, key: str, request: ChatRequest, reply: str = "", refusal: str = "") -> None:
        asked = next((message.text for message in reversed(request.messages) if message.role == "user"), "")
        entry = Entry(
            key=key,
            model=self._name,
            context_tokens=self._context_tokens,
            request=asked[:_SHOWN],
            reply=reply,
            refusal=refusal,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        with self._lock:
            self._entries.setdefault(key, entry)
            _append(self._path, entry)


def request_key(model: str, request: ChatRequest) -> str:
    """SHA-256, in hex, of all that a reply depends on: the model's name, messages, pictures and parameters."""
    asked = {
        "model": model,
        "messages": [
            [message.role, message.text, [hashlib.sha256(picture).hexdigest() for picture in message.pictures]]
            for message in request.messages
        ],
        "max_tokens": request.max_tokens,
        "schema": request.schema,
        "temperature": float(request.temperature),
    }
    return hashlib.sha256(json.dumps(asked, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def _replayed(entry: Entry) -> Iterator[str]:
    if entry.refusal:
        raise PicturesRefused(entry.refusal)
    yield from re.findall(r"\s*\S+|\s+", entry.reply)


def _read(path: Path, mode: str) -> list[Entry]:
    """The file's lines in order, without those that a process did not write to the end. Raises ModelError."""
    try:
        with path.open(mode) as file:
            file.seek(0)
            return [entry for number, line in enumerate(file, start=1) if (entry := _entry(path, number, line))]
    except OSError as error:
        raise ModelError(f"{path} cannot be opened ({error.strerror}); check the path and its rights") from None


def _entry(path: Path, number: int, line: bytes) -> Entry | None:
    line = line.strip()
    try:
        return Entry.model_validate_json(line) if line else None
    except ValidationError:
        if line.startswith(_BEGINNING) or _BEGINNING.startswith(line):
            return None
        raise ModelError(f"{path} is no recording of replies (line {number}); give another file") from None


def _append(path: Path, entry: Entry) -> None:
    """Write a line as a whole, on a line of its own. Raises ModelError."""
    line = json.dumps(entry.model_dump(), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    try:
        with path.open("ab+", buffering=0) as file:  # one write, at the end: processes do not write into each other
            if file.seek(0, 2) and not _ends_a_line(file):
                line = b"\n" + line
            written = file.write(line)
    except OSError as error:
        raise ModelError(f"{path} cannot be written ({error.strerror}); check the path and its rights") from None
    if written != len(line):
        raise ModelError(f"{path} took only a part of the reply; make room on its disk")


def _ends_a_line(file: io.FileIO) -> bool:
    file.seek(-1, 2)
    return file.read(1) == b"\n"
