"""Question sets: one JSON object a line, each a question with what a good answer cites and shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from showtell.errors import QuestionsError

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class _Gold(BaseModel):
    """Keys that a set adds for itself (notes, tags) are left alone."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class GoldMedia(_Gold):
    """A media item that belongs to the answer: ``core`` ones are asked for, ``ok`` ones do no harm.

    ``ref`` is a file's path in the corpus, a video's address, or ``<document>#table:N``; ``header`` a table's cells,
    as a list or as "a | b".
    """

    type: Literal["image", "table", "video"]
    ref: str = Field(min_length=1)
    doc: str = ""
    section: str = ""
    role: Literal["core", "ok"]
    header: str | tuple[str, ...] | None = None


class EvaluationQuestion(_Gold):
    """A question and its gold: the document that answers it (or ``alt_docs``), the headings, the media, the words.

    What the gold leaves out is not scored. ``image`` is a picture asked with the question: its URL, or its path, which
    in the file is relative to that file.
    """

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    answerable: bool
    kind: str = Field(min_length=1)
    doc: str | None = None
    alt_docs: tuple[str, ...] | None = None
    sections: tuple[str, ...] | None = None
    media: tuple[GoldMedia, ...] = ()
    answer: str | None = None
    image: str | None = None

    def beside(self, folder: Path) -> EvaluationQuestion:
        """The question with its picture's path leading from where we are; ``folder`` is that of its file."""
        if self.image is None or re.match(r"https?://", self.image, re.IGNORECASE):
            return self
        return self.model_copy(update={"image": str(folder / self.image)})

    @property
    def documents(self) -> tuple[str, ...]:
        """Every document that answers the question; paths relative to the corpus."""
        return tuple(name for name in (self.doc, *(self.alt_docs or ())) if name)

    @property
    def core(self) -> tuple[GoldMedia, ...]:
        """The media that the question asks for, in the source's order."""
        return tuple(medium for medium in self.media if medium.role == "core")


def load_questions(path: str | Path) -> tuple[EvaluationQuestion, ...]:
    """Read a question set, in the file's order; empty lines are skipped.

    Raises:
        QuestionsError: The file cannot be read, holds no question, or has a line that is not one.
    """
    path = Path(path)
    first_line: dict[str, int] = {}
    questions = []
    for number, line in _lines(path):
        question = _question(path, number, line).beside(path.parent)
        if question.id in first_line:
            raise QuestionsError(
                f"{path}, line {number}: id {question.id!r} stands in line {first_line[question.id]} too; "
                "give every question an id of its own"
            )
        first_line[question.id] = number
        questions.append(question)
    if not questions:
        raise QuestionsError(f"{path} holds no questions; write one JSON object a line")
    return tuple(questions)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines that hold something, numbered from 1. Only a line feed ends one: JSON text may hold U+2028."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise QuestionsError(f"cannot read the questions in {path}: {error.strerror}; check the path") from error
    for number, line in enumerate(content.removeprefix(_BYTE_ORDER_MARK).split(b"\n"), start=1):
        if line.strip():
            yield number, line


def _question(path: Path, number: int, line: bytes) -> EvaluationQuestion:
    try:
        return EvaluationQuestion.model_validate_json(line)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in fault["loc"])
        what = f"{where}: {fault['msg']}" if where else fault["msg"]
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise QuestionsError(f"{path}, line {number}: {what}{more}; correct or remove the line") from error
