"""The OpenAI chat protocol over an Answer: so that chat fronts can use showtell as a model.

Only shapes are translated here. What a front sends along (system prompts, tools, temperatures) is let be: the answer is
showtell's, from the library. Citations and media come as Markdown with links to this server, and whole in the field
``showtell``.
"""

from __future__ import annotations

import json
import re
import time
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from showtell.errors import PictureError, ShowtellError
from showtell.models.tokens import count_tokens
from showtell.types import Answer, Question, TextPart

MODELS: Mapping[str, tuple[str, ...]] = {
    "showtell": (),
    "showtell-wikipedia": ("wikipedia",),
    "showtell-both": ("library", "wikipedia"),
}
"""Sources by the name of the model that asks them; () is the library."""

Told = Mapping[str, Any]
"""An answer with its id, as the server's own API tells it."""

MOST_TURNS = 6  # earlier answers that a question may follow
MOST_PICTURES = 4  # of one question
MOST_CHARACTERS = 100_000  # of one message's text
MOST_PICTURE_CHARACTERS = 30_000_000  # of a data URL
_DATA = re.compile(r"data:image/[\w.+-]{1,40};base64,", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")


class _Lenient(BaseModel):
    """Fields that a front adds are let be."""

    model_config = ConfigDict(extra="ignore")


class ImageUrl(_Lenient):
    """A picture's address, or its bytes as a data URL."""

    url: str = Field(max_length=MOST_PICTURE_CHARACTERS)


class ContentPart(_Lenient):
    """A piece of a message; kinds other than text and picture are let be."""

    type: str = Field(max_length=100)
    text: str | None = Field(None, max_length=MOST_CHARACTERS)
    image_url: ImageUrl | str | None = None


class ChatMessage(_Lenient):
    """One turn."""

    role: str = Field(max_length=100)
    content: str | list[ContentPart] | None = None


class StreamOptions(_Lenient):
    """What a stream holds besides the answer."""

    include_usage: bool | None = None


class ChatBody(_Lenient):
    """A request for a chat completion, as far as it counts here."""

    model: str = Field("showtell", max_length=200, examples=["showtell"])
    messages: list[ChatMessage] = Field(min_length=1, max_length=2000)
    stream: bool | None = None
    stream_options: StreamOptions | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What a conversation asks last: the question, its pictures (addresses or bytes), and the answers before it."""

    question: str
    images: tuple[str | bytes, ...]
    after: tuple[Answer, ...]
    sources: tuple[str, ...]


def read_chat(body: ChatBody) -> Asked:
    """The last user message as a question after the turns before it.

    A conversation is sent whole each time, so a question without pictures is about the last ones before it. Raises
    ShowtellError: there is no such model or no question; PictureError: a data URL holds no picture.
    """
    if body.model not in MODELS:
        raise ShowtellError(f"there is no model {body.model[:100]!r}; there are: {', '.join(MODELS)}")
    spoken = [message for message in body.messages if message.role in ("user", "assistant")]
    last = max((n for n, message in enumerate(spoken) if message.role == "user"), default=-1)
    question = _text(spoken[last]) if last >= 0 else ""
    if not question:
        raise ShowtellError("there is no question; the last message of the user needs text")
    pictures = (images for message in reversed(spoken[: last + 1]) if (images := _images(message)))
    return Asked(question, next(pictures, ()), tuple(_turns(spoken[:last]))[-MOST_TURNS:], MODELS[body.model])


def _turns(messages: Sequence[ChatMessage]) -> Iterator[Answer]:
    asked = ""
    for message in messages:
        if message.role == "user":
            asked = _text(message) or asked
        elif asked and (said := _LINK.sub(r"\1", _text(message))):
            yield Answer(Question(asked), "answered", "", "showtell", "", (TextPart(said),))


def _text(message: ChatMessage) -> str:
    if isinstance(message.content, str):
        return message.content[:MOST_CHARACTERS].strip()
    pieces = [part.text for part in message.content or () if part.type == "text" and part.text]
    return "\n".join(pieces)[:MOST_CHARACTERS].strip()


def _images(message: ChatMessage) -> tuple[str | bytes, ...]:
    parts = message.content if message.role == "user" and isinstance(message.content, list) else []
    given = [part.image_url for part in parts if part.type == "image_url" and part.image_url]
    addresses = [each if isinstance(each, str) else each.url for each in given]
    if len(addresses) > MOST_PICTURES:
        raise PictureError(f"a question may come with {MOST_PICTURES} pictures; send fewer")
    return tuple(map(_image, addresses))


def _image(address: str) -> str | bytes:
    """A picture's bytes from a data URL, else its web address; nothing else is an address here, no file above all."""
    if head := _DATA.match(address):
        try:
            return b64decode(address[head.end() :], validate=True)
        except (Base64Error, ValueError) as error:
            raise PictureError("a picture's data URL is broken; send it as base64") from error
    if not address.lower().startswith(("http://", "https://")):
        raise PictureError("a picture comes as a web address or as a data URL with base64; this one is neither")
    return address


# ------------------------------------------------------------------------------------------------------------- replies
def completion(model: str, told: Told, written: str, answer: Answer) -> dict[str, Any]:
    """The whole reply: ``written`` is the answer as Markdown, ``told`` as this server's own API tells it.

    It is in the field ``showtell``; ``citations`` holds the addresses that some fronts show by themselves.
    """
    message = {"role": "assistant", "content": written, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    usage = {"choices": [choice], "usage": _usage(answer, written)}
    return _head(told["id"], model, "chat.completion") | usage | _own(told, answer)


def opening(id_: str, model: str) -> dict[str, Any]:
    """The first event of a stream."""
    return _event(id_, model, {"role": "assistant", "content": ""})


def events(model: str, told: Told, written: str, answer: Answer, with_usage: bool) -> Iterator[dict[str, Any]]:
    """The other events of a stream: the checked answer, block by block, and its end."""
    for piece in re.findall(r".+?(?:\n\n|\Z)", written, re.DOTALL):
        yield _event(told["id"], model, {"content": piece})
    yield _event(told["id"], model, {}, "stop") | _own(told, answer)
    if with_usage:
        yield _head(told["id"], model, "chat.completion.chunk") | {"choices": [], "usage": _usage(answer, written)}


def listed(names: Sequence[str]) -> dict[str, Any]:
    """The models there are."""
    return {
        "object": "list",
        "data": [{"id": name, "object": "model", "created": 0, "owned_by": "showtell"} for name in names],
    }


def sent(event: Mapping[str, Any] | Literal["[DONE]"]) -> str:
    """An event as it goes over the wire."""
    return f"data: {event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)}\n\n"


def failure(code: str, message: str, status: int) -> dict[str, Any]:
    """An error in this protocol's form."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _event(id_: str, model: str, delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    return _head(id_, model, "chat.completion.chunk") | {"choices": [choice]}


def _head(id_: str, model: str, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{id_}", "object": kind, "created": int(time.time()), "model": model}


def _own(told: Told, answer: Answer) -> dict[str, Any]:
    urls = dict.fromkeys(citation.url for citation in answer.citations if citation.url)
    return {"citations": [*urls], "showtell": told}


def _usage(answer: Answer, written: str) -> dict[str, int]:
    """Tokens, estimated."""
    asked, said = count_tokens(answer.question.text), count_tokens(written)
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
