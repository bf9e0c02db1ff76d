"""The OpenAI chat protocol as values: what is sent to a server, and what its answer says. No connection is made here.

Servers differ in what they take. A :class:`Dialect` says which spellings are used, and learns from a refusal.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from showtell.errors import PicturesRefused
from showtell.models.base import ChatRequest, Message

_SIGNATURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
_ABOUT_PICTURES = re.compile(r"image|picture|\bvision\b|multi-?modal|mmproj|content.{0,40}\bstring\b", re.I)
_NEXT_FORM: Mapping[str, Literal["json_object", ""]] = {"json_schema": "json_object", "json_object": ""}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The spellings that a server takes: how a form is asked for ("" not at all), how the reply's length is bounded."""

    form: Literal["json_schema", "json_object", ""] = "json_schema"
    length: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    thinks: bool = True

    def parameters(self, request: ChatRequest) -> dict[str, Any]:
        """The request's body, without the model's name. Raises PicturesRefused: neither PNG nor JPEG."""
        body: dict[str, Any] = {"messages": [_message(message) for message in request.messages]}
        body[self.length] = request.max_tokens
        if self.temperature:
            body["temperature"] = request.temperature
        if not self.thinks:
            body["reasoning_effort"] = "none"
        if request.schema is not None and self.form == "json_schema":
            form = {"name": "reply", "strict": True, "schema": dict(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        elif request.schema is not None and self.form == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def after(self, complaint: str, request: ChatRequest) -> Dialect | None:
        """The dialect to try after a request was refused as bad; None if it is not a matter of spelling."""
        said = complaint.lower()
        if self.length == "max_tokens" and re.search("max_(completion_)?tokens", said):
            return replace(self, length="max_completion_tokens")
        if self.temperature and "temperature" in said:
            return replace(self, temperature=False)
        if shows_pictures(request) and is_about_pictures(said):
            return None
        if request.schema is not None and self.form:
            return replace(self, form=_NEXT_FORM[self.form])
        return None


def shows_pictures(request: ChatRequest) -> bool:
    """Whether pictures are sent."""
    return any(message.pictures for message in request.messages)


def is_about_pictures(complaint: str) -> bool:
    """Whether a server's complaint is about pictures."""
    return bool(_ABOUT_PICTURES.search(complaint))


def is_about_thoughts(complaint: str) -> bool:
    """Whether a server's complaint is about how much a model thinks."""
    return bool(re.search("think|reasoning", complaint, re.I))


def _message(message: Message) -> dict[str, Any]:
    if not message.pictures:
        return {"role": message.role, "content": message.text}
    shown = [{"type": "image_url", "image_url": {"url": _data_url(picture)}} for picture in message.pictures]
    return {"role": message.role, "content": [*shown, {"type": "text", "text": message.text}]}


def _data_url(picture: bytes) -> str:
    for signature, media_type in _SIGNATURES.items():
        if picture.startswith(signature):
            return f"data:{media_type};base64,{base64.b64encode(picture).decode('ascii')}"
    raise PicturesRefused("a picture for a chat model is neither PNG nor JPEG; convert it first")


@dataclass(frozen=True, slots=True)
class Delta:
    """What one event of a streamed reply adds: text of the answer, text of thoughts; ``last`` where it is finished."""

    text: str = ""
    thought: str = ""
    last: bool = False


def read_delta(event: object) -> Delta:
    """What an event adds, whatever it holds. Raises ValueError: it is none of the protocol."""
    choices = getattr(event, "choices", None)
    if not isinstance(choices, list):
        raise ValueError("an event without choices")
    if not choices:  # such as the count of tokens at the end
        return Delta()
    delta = getattr(choices[0], "delta", None)
    thought = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
    return Delta(
        _text(getattr(delta, "content", None)), _text(thought), bool(getattr(choices[0], "finish_reason", None))
    )


def _text(value: object) -> str:
    """A string without lone surrogates, which no file and no terminal takes."""
    return value.encode("utf-8", "ignore").decode("utf-8") if isinstance(value, str) else ""


class ThoughtFilter:
    """Takes ``<think>…</think>`` out of text that comes in pieces, wherever the pieces are cut; an open one runs on."""

    def __init__(self) -> None:
        self.thought = False  # whether any thought was met
        self._inside = False
        self._held = ""

    def feed(self, text: str) -> str:
        """What of the text so far is now known to be no thought. Raises ValueError: a thought ends that never began."""
        rest, shown = self._held + text, ""
        while True:
            before, tag, after = rest.partition("</think>" if self._inside else "<think>")
            if not self._inside:
                if "</think>" in before:
                    raise ValueError("a thought ends that never began")
                shown += before
            if not tag:
                break
            self._inside, self.thought, rest = not self._inside, True, after
        self._held = _beginning_of_tag(before)
        return shown if self._inside else shown.removesuffix(self._held)

    def end(self) -> str:
        """What was held back and turns out to be no tag."""
        return "" if self._inside else self._held


def _beginning_of_tag(text: str) -> str:
    """The end of the text that may be the beginning of a tag."""
    cut = text.rfind("<")
    tail = text[cut:] if cut >= 0 else ""
    return tail if "<think>".startswith(tail) or "</think>".startswith(tail) else ""
