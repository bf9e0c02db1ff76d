"""What showtell asks of a model: protocols of at most three methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """Turns texts into unit vectors whose dot product is their cosine."""

    @property
    def name(self) -> str:
        """Identity stored in a library: model name and the first 12 hex digits of its weights' SHA-256."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Passages to float32 of shape ``(len(texts), dimension)``, rows of length 1. Raises ModelError."""
        ...

    def encode_query(self, text: str) -> Vectors:
        """One question, with the model's query prefix, to float32 of shape ``(dimension,)`` of length 1."""
        ...


class Reranker(Protocol):
    """Scores how well passages fit a question by reading both together."""

    @property
    def name(self) -> str:
        """Model name and the first 12 hex digits of its weights' SHA-256."""
        ...

    def scores(self, query: str, texts: Sequence[str]) -> Vectors:
        """One score for each text, on the model's own scale, to float32 of shape ``(len(texts),)``."""
        ...


class ImageEncoder(Protocol):
    """Turns pictures and texts into unit vectors of one space, so that either is found by the other."""

    @property
    def name(self) -> str:
        """Identity stored in a library: model name and the first 12 hex digits of its weights' SHA-256."""
        ...

    @property
    def size(self) -> int:
        """Numbers of a vector."""
        ...

    def encode_pictures(self, contents: Sequence[bytes]) -> Vectors:
        """PNG or JPEG files to float32 of shape ``(len(contents), size)``, rows of length 1. Raises PictureError."""
        ...

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """Texts to float32 of shape ``(len(texts), size)``, rows of length 1."""
        ...


class ReadText(NamedTuple):
    """A line of text in a picture, and how surely it was read, 0 to 1."""

    text: str
    confidence: float


class TextReader(Protocol):
    """Reads the words in pictures."""

    def read(self, content: bytes) -> list[ReadText]:
        """The lines in a PNG or JPEG, in reading order; none where there are no words. Raises PictureError."""
        ...


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation with a chat model; ``pictures`` are the bytes of PNG or JPEG files."""

    role: Literal["system", "user", "assistant"]
    text: str
    pictures: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What a chat model is asked; with ``schema`` (JSON Schema, an object) its reply is to be JSON of that form.

    ``max_tokens`` bounds the reply. The temperature is 0 unless told otherwise, so that answers can be repeated.
    """

    messages: tuple[Message, ...]
    max_tokens: int = 800
    schema: Mapping[str, Any] | None = None
    temperature: float = 0.0


class ChatModel(Protocol):
    """Writes text. A reply is never trusted: not its form, not its length, not what it says."""

    @property
    def name(self) -> str:
        """How answers name it, such as ``ollama/qwen3-vl``; no address with credentials, no key."""
        ...

    @property
    def context_tokens(self) -> int:
        """Tokens that prompt and reply may have together."""
        ...

    def stream(self, request: ChatRequest) -> Iterator[str]:
        """The reply in pieces as they come; joined they are the whole reply. Raises ModelError."""
        ...
