"""What clients send, within bounds, and examples of what they get."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from showtell.answer.pipeline import METHODS

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
AnswerId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{16,64}$")]
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
Scale = Annotated[int, Field(ge=1, le=5)]


class Body(BaseModel):
    """Unknown fields are refused, so that a misspelt one is noticed."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Question(Body):
    """A question, in words or with pictures."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"question": "How do I steam milk?", "stream": False}]},
    )

    question: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
    """In any language."""

    images: list[Sha256] = Field(default=[], max_length=4)
    """Pictures that it is about, as ``POST /api/v1/pictures`` named them."""

    sources: list[Literal["library", "wikipedia"]] = Field(default=["library"], max_length=2)
    """Where to look."""

    searches: list[Line] = Field(default=[], max_length=8)
    """What to search for in place of what showtell makes of the question."""

    document: Line | None = None
    """Only this document of the library, or those below this folder."""

    language: str | None = Field(default=None, pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")
    """Only documents of the library in this language."""

    after: list[AnswerId] = Field(default=[], max_length=8)
    """The earlier answers of the conversation, the first one first."""

    method: Literal["showtell", "murar", "vision-rag", "text-only", "closed-book"] = "showtell"
    """How to answer; all but the first are for comparison."""

    stream: bool = True
    """Whether the steps and the text are sent as they come, as server-sent events."""


assert set(METHODS) == {"showtell", "murar", "vision-rag", "text-only", "closed-book"}  # noqa: S101


class Rating(Body):
    """What somebody thinks of an answer: a thumb, and MuRAR's three scales."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"thumb": "up", "usefulness": 5}]})

    thumb: Literal["up", "down"] | None = None
    usefulness: Scale | None = None
    readability: Scale | None = None
    relevance: Scale | None = None
    comment: Annotated[str, StringConstraints(max_length=2000)] = ""


class Address(Body):
    """Something to be fetched."""

    url: Annotated[str, StringConstraints(strip_whitespace=True, max_length=4096, pattern=r"^[Hh][Tt][Tt][Pp][Ss]?://")]


ANSWER = {
    "id": "ZH5iZG2F2qtiiBzRrx1Qkg",
    "answer": {
        "schema": "showtell.answer/1",
        "question": {"text": "How do I steam milk?", "images": []},
        "status": "answered",
        "confidence": "high",
        "method": "showtell",
        "model": "extractive",
        "parts": [{"type": "text", "text": "1. Fill the pitcher to a third [1].", "citations": [1]}],
        "citations": [
            {
                "number": 1, "document": "espresso/milk.md", "title": "Milk", "section": ["Milk", "Steaming"],
                "text": "Fill the pitcher to a third.", "url": None, "licence": None, "revision": None, "score": 0.83,
            }
        ],
        "checks": [], "searches": ["How do I steam milk?"], "nearest": [], "warnings": [],
        "timings_ms": {"total": 41.0}, "requests": {},
    },
}  # fmt: skip
STREAM = (
    'event: step\ndata: {"name": "search", "milliseconds": 31.2}\n\n'
    'event: text\ndata: {"text": "Fill the pitcher"}\n\n'
    'event: answer\ndata: {"id": "ZH5iZG2F2qtiiBzRrx1Qkg", "answer": {"schema": "showtell.answer/1"}}\n\n'
)
LIBRARY = {
    "name": "handbook", "documents": 14, "passages": 120, "images": 40, "tables": 9, "videos": 1,
    "languages": ["en", "de"], "questions": ["How do I descale the machine?"], "model": None, "sources": ["library"],
}  # fmt: skip
ADDED = {
    "results": [
        {
            "source": "manual.md", "name": "manual.md", "status": "added", "passages": 12, "images": 3, "tables": 1,
            "videos": 0, "dropped": [], "warnings": [], "error": "", "described": 0,
        }
    ]
}  # fmt: skip
PICTURE = {"sha256": "9f" * 32, "width": 800, "height": 600}
DOCUMENTS = {
    "documents": [
        {
            "name": "espresso/milk.md", "title": "Milk", "language": "en", "passages": 12, "images": 3, "tables": 1,
            "videos": 0, "added": "2026-11-30 12:00:00",
        }
    ]
}  # fmt: skip
SECTION = {
    "document": "espresso/milk.md",
    "title": "Milk",
    "section": ["Milk", "Steaming"],
    "url": None,
    "blocks": [{"type": "text", "text": "Fill the pitcher to a third.", "kind": "step", "label": "1.", "depth": 1}],
    "passages": [{"text": "Fill the pitcher to a third.", "first": 0, "last": 1, "start": None, "end": None}],
}
MODELS = {
    "object": "list",
    "data": [{"id": "showtell", "object": "model", "created": 0, "owned_by": "showtell"}],
}
COMPLETION = {
    "id": "chatcmpl-ZH5iZG2F2qtiiBzRrx1Qkg",
    "object": "chat.completion",
    "created": 1_796_000_000,
    "model": "showtell",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "1. Fill the pitcher to a third [1]."},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 6, "completion_tokens": 12, "total_tokens": 18},
    "showtell": ANSWER,
}
HEALTH = {"status": "ok"}


def example(value: Any, description: str = "Done.") -> dict[int | str, dict[str, Any]]:
    """What OpenAPI shows of a successful response."""
    return {200: {"description": description, "content": {"application/json": {"example": value}}}}


def upload(many: bool) -> dict[str, Any]:
    """What OpenAPI says of a body that is a form with files, or the JSON of an address."""
    file: dict[str, Any] = {"type": "string", "format": "binary"}
    files = {"type": "array", "items": file, "minItems": 1} if many else file
    form = {"type": "object", "required": ["file"], "properties": {"file": files}}
    address = Address.model_json_schema()
    content = {"multipart/form-data": {"schema": form}, "application/json": {"schema": address}}
    return {"requestBody": {"required": True, "content": content}}
