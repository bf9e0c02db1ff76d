"""Rewrite a question for search with a chat model: to stand alone, in the library's language, in parts.

It is asked only where that can help: after an earlier question, for a question in a language that the library hardly
holds, and for one that asks about several things. A question can also be searched for by a passage that a model thinks
up as its answer (HyDE: Gao et al. 2022, arXiv:2212.10496).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from showtell.answer.prompts import fenced, fill, harmless, language_name
from showtell.models.base import ChatRequest
from showtell.models.partial import parse_json
from showtell.models.tokens import cut_to_tokens
from showtell.types import Answer, TextPart

MOST = 3  # searches for one question
QUESTION_CHARACTERS = 500  # of an earlier question
TURN_TOKENS = 200  # of an earlier answer
HYPOTHESIS_WORDS, HYPOTHESIS_TOKENS = 60, 100


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A question made to stand alone, and the texts to search for, the leading one first."""

    question: str
    searches: tuple[str, ...]


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")
    question: str = Field(default="", max_length=2000)
    searches: list[str] = Field(default_factory=list, max_length=20)


def rewrite_request(question: str, after: Sequence[Answer], language: str, foreign: bool) -> ChatRequest:
    """What the model is asked; ``language`` is the one that the library is written in."""
    translate = f"In {language_name(language)}." if foreign else "In the question's language."
    messages = fill(
        "rewrite",
        conversation="\n".join(_turn(answer) for answer in after),
        question=harmless(question),
        translate=translate,
        most=str(MOST),
    )
    return ChatRequest(messages, max_tokens=300, schema=SCHEMA)


def hypothesis_request(question: str, language: str) -> ChatRequest:
    """What a model is asked for a passage that could answer; ``language`` is the one that the library is written in."""
    messages = fill(
        "hypothesis",
        question=harmless(question),
        words=str(HYPOTHESIS_WORDS),
        language=language_name(language),
    )
    return ChatRequest(messages, max_tokens=HYPOTHESIS_TOKENS)


SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "question": {"type": "string"},
        "searches": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MOST},
    },
    "required": ["question", "searches"],
    "additionalProperties": False,
}


def read_rewriting(reply: str, question: str, *, follows: bool, foreign: bool) -> Rewriting:
    """The model's rewriting, as far as it can be used; the question as it was asked where it cannot.

    The question itself is replaced only where it ``follows`` another. It is searched for too, behind a translation
    where it is ``foreign`` and before its parts where it is not.
    """
    try:
        read = _Reply.model_validate(parse_json(reply))
    except ValidationError:
        read = _Reply()
    whole = " ".join(read.question.split()) if follows else ""
    whole = whole or question
    found = [text for search in read.searches if (text := " ".join(search.split()))][:MOST]
    ordered = [*found, whole] if foreign else [whole, *found]
    return Rewriting(whole, tuple({text.casefold(): text for text in reversed(ordered)}.values())[::-1])


def _turn(answer: Answer) -> str:
    said = " ".join(part.text for part in answer.parts if isinstance(part, TextPart))
    return "\n".join(
        [
            fenced("question", answer.question.text[:QUESTION_CHARACTERS]),
            fenced("draft", cut_to_tokens(said, TURN_TOKENS)),
        ]
    )
