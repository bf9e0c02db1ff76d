"""One question on its way to an Answer: what it came with, what the steps have made so far, and what they share."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from showtell.answer.citing import blocks, marked
from showtell.answer.evidence import Evidence
from showtell.answer.generate import Room
from showtell.answer.look import PICTURE_TOKENS, Look
from showtell.answer.pages import Pages
from showtell.answer.query import Intent
from showtell.index.search import Query, Searcher
from showtell.index.store import Scope
from showtell.index.terms import question_language
from showtell.ingest.shelf import Shelf
from showtell.models.base import ChatModel, ChatRequest, TextReader, Vectors
from showtell.sources.base import Source
from showtell.types import Answer, Check, Citation, Claim, Figure, FigurePart, Part, Passage, Question, TextPart

if TYPE_CHECKING:
    from showtell.pictures import QuestionPicture

EXTRACTIVE = "extractive"
CONFIDENCE = {"high": "high", "low": "low: the sources may not answer this", "none": "low: no sources were used"}
NO_ANSWER = {
    "de": "Die Quellen sagen es nicht.",
    "en": "The sources do not say.",
    "es": "Las fuentes no lo dicen.",
    "fr": "Les sources ne le disent pas.",
    "it": "Le fonti non lo dicono.",
    "ja": "資料には書かれていません。",
    "ko": "자료에 나와 있지 않습니다.",
    "pt": "As fontes não dizem.",
    "ru": "В источниках об этом не сказано.",
    "zh": "资料中没有说明。",
}
LONGEST_REPLY = 8  # characters a token that a reply is read to; more is no language
NOT_SHOWN = {
    "de": "Das Bild zeigt nicht, wonach gefragt ist.",
    "en": "The picture does not show what is asked about.",
    "es": "La imagen no muestra aquello por lo que se pregunta.",
    "fr": "L'image ne montre pas ce sur quoi porte la question.",
    "it": "L'immagine non mostra ciò che viene chiesto.",
    "ja": "質問の対象はこの画像に写っていません。",
    "ko": "이미지에는 질문한 대상이 보이지 않습니다.",
    "pt": "A imagem não mostra aquilo que se pergunta.",
    "ru": "На изображении нет того, о чём спрашивают.",
    "zh": "图片中没有所问的内容。",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an answer may hold: cited sections, words, rows of a table, media after one claim, a model's tokens.

    ``refine`` is whether a model revises its draft around the figures, ``sees`` whether it is then shown them.
    Of other sources than the library at most so many ``pages`` are read at once; where they do not answer, there are
    at most so many further ``rounds`` of searching.
    """

    citations: int = 3
    words: int = 150
    table_rows: int = 12
    media_per_claim: int = 3
    reply_tokens: int = 800
    refine: bool = True
    sees: bool = False
    hyde: bool = False
    rounds: int = 2
    pages: int = 3
    passage_words: int = 180


@dataclass(frozen=True, slots=True)
class Step:
    """One step that is done: its name, what it made, and how long it took.

    "writing" comes many times: its value is a piece of text as the model writes it, before anything is checked.
    ``told`` is what someone who waits may want to know: what is searched for, which pages were read.
    """

    name: str
    value: Any
    milliseconds: float = 0.0
    told: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked: a question, perhaps with pictures, after earlier answers, the first one first.

    ``searches`` are those that the user wants in place of showtell's own.
    """

    question: str
    scope: Scope = field(default_factory=Scope)
    method: str = "showtell"
    after: tuple[Answer, ...] = ()
    pictures: tuple[QuestionPicture, ...] = ()
    searches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Means:
    """What a question is answered with.

    ``sources`` are searched in place of the library where there are any; the library may be one of them. ``reader``
    reads words in pictures. The ``shelf`` keeps pictures that are no document's of the library.
    """

    searcher: Searcher
    limits: Limits
    model: ChatModel | None = None
    sources: tuple[Source, ...] = ()
    reader: TextReader | None = None
    shelf: Shelf | None = None


@dataclass
class Asking:
    """One question on its way, with what the steps have made so far."""

    asked: Asked
    means: Means
    warnings: list[str]
    question: str = ""
    searches: tuple[str, ...] = ()
    pictures: tuple[bytes, ...] = ()
    intent: Intent = field(default_factory=Intent)
    look: Look = field(default_factory=lambda: Look("search"))
    queries: list[Query] = field(default_factory=list)
    seen: dict[int, float] = field(default_factory=dict)
    is_understood: bool = True
    pages: Pages | None = None
    evidence: Evidence = field(default_factory=lambda: Evidence((), "none", ()))
    claims: list[Claim] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    writer: str = EXTRACTIVE
    is_down: bool = False
    requests: int = 0
    timings: dict[str, float] = field(default_factory=dict)
    vectors: dict[str, Vectors] = field(default_factory=dict)
    quoted: dict[str, Vectors] = field(default_factory=dict)

    @property
    def limits(self) -> Limits:
        """The bounds of the answer."""
        return self.means.limits

    @property
    def model(self) -> ChatModel | None:
        """The chat model, if any."""
        return self.means.model

    @property
    def searcher(self) -> Searcher:
        """What finds: in the pages read for this question, or in the library."""
        return self.pages.searcher if self.pages else self.means.searcher

    @property
    def language(self) -> str:
        """The code of the question's language."""
        return question_language(self.asked.question)

    # ------------------------------------------------------------------------------------------------------ the answer
    def _answered(self, parts: tuple[Part, ...], citations: tuple[Citation, ...], checks: tuple[Check, ...]) -> Answer:
        return Answer(
            self._question(), "answered", CONFIDENCE[self.evidence.confidence], self.asked.method, self.writer, parts,
            citations, checks, self.searches, (), self._told(), self.timings, self._requested(),
        )  # fmt: skip

    def _no_answer(self, said: Sequence[str] = ()) -> Answer:
        parts = tuple(map(TextPart, said or [NO_ANSWER.get(self.language, NO_ANSWER["en"])]))
        writer = self.model.name if self.model and self.requests else EXTRACTIVE
        return Answer(
            self._question(), "no_answer", CONFIDENCE["low"], self.asked.method, writer, parts, searches=self.searches,
            nearest=self.evidence.nearest, warnings=self._told(), timings_ms=self.timings, requests=self._requested(),
        )  # fmt: skip

    def _told(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.warnings))

    def _requested(self) -> dict[str, int]:
        asked = {"model": self.requests} if self.model else {}
        return asked | {source.name: source.requests for source in self.means.sources if source.name != "library"}

    def _question(self) -> Question:
        return Question(self.asked.question, tuple(picture.sha256 for picture in self.asked.pictures))

    def _citations(self, numbers: Mapping[int, int], passages: Mapping[int, Passage]) -> tuple[Citation, ...]:
        hits = chain(self.evidence.passages, *(ground.hits.values() for ground in self.evidence.grounds))
        scores = {hit.passage.id: hit.score for hit in hits}
        return tuple(_citation(number, passages[id_], scores.get(id_, 0.0)) for id_, number in numbers.items())

    # ------------------------------------------------------------------------------------------------------- the model
    def _writing(self, request: ChatRequest) -> Generator[Step, None, str]:
        """The model's text, each piece of it a step; returns the whole."""
        pieces: list[str] = []
        for piece in self._stream(request):
            pieces.append(piece)
            yield Step("writing", piece)
        return "".join(pieces)

    def _stream(self, request: ChatRequest) -> Iterator[str]:
        assert self.model is not None  # noqa: S101 (no request is made without a model)
        self.requests += 1
        began, length = time.perf_counter(), 0
        try:
            for piece in self.model.stream(request):
                yield piece
                length += len(piece)
                if length > LONGEST_REPLY * request.max_tokens:
                    self.warnings.append("the model did not stop; its text was cut")
                    return
        finally:
            spent = (time.perf_counter() - began) * 1000
            self.timings["model"] = round(self.timings.get("model", 0.0) + spent, 1)

    def _room(self, model: ChatModel) -> Room:
        context = model.context_tokens - PICTURE_TOKENS * len(self.pictures)
        return Room(context, self.limits.reply_tokens, self.limits.words)

    # -------------------------------------------------------------------------------------------------------- closeness
    def _encode(self, texts: Sequence[str]) -> list[Vectors] | None:
        """Unit vectors of texts, each encoded once; None without an encoder."""
        encoder = self.searcher.encoder
        if encoder is None:
            return None
        new = [text for text in dict.fromkeys(texts) if text not in self.vectors]
        if new:
            self.vectors |= dict(zip(new, encoder.encode(new), strict=True))
        return [self.vectors[text] for text in texts]

    def _passage_vectors(self) -> dict[int, Vectors]:
        return self.searcher.passage_vectors.rows([hit.passage.id for hit in self.evidence.passages])

    def _support(self, sentence: str, passages: Sequence[str]) -> float | None:
        """The best cosine of a written sentence with passages; None where words say enough: in an extract, or without
        an encoder."""
        encoded = None if self.writer == EXTRACTIVE else self._encode([sentence])
        known = [self.quoted[text] for text in passages if text in self.quoted]
        return max(float(vector @ encoded[0]) for vector in known) if encoded and known else None

    # ----------------------------------------------------------------------------------------------------------- timing
    def _timed(self, name: str, steps: Iterator[Step]) -> Iterator[Step]:
        """The steps of one stage, timed as a whole under its name."""
        at = time.perf_counter()
        for step in steps:
            yield (
                step
                if step.name == "writing"
                else replace(step, milliseconds=round((time.perf_counter() - at) * 1000, 1))
            )
        self.timings[name] = round(self.timings.get(name, 0.0) + (time.perf_counter() - at) * 1000, 1)

    def _done(self, name: str, value: Any, since: float) -> Step:
        self.timings[name] = round((time.perf_counter() - since) * 1000, 1)
        return Step(name, value, self.timings[name])


def parts_of(claims: Sequence[Claim], figures: Sequence[Figure], numbers: dict[int, int]) -> Iterator[Part]:
    """Text and figures in reading order; ``numbers`` gets the number of each cited passage, by passage id."""
    for block, own in blocks(claims, figures):
        if block[0].heading and len(claims) > 1 and not own:
            continue
        cited = dict.fromkeys(passage.id for claim in block for passage in claim.passages)
        for id_ in cited:
            numbers.setdefault(id_, len(numbers) + 1)
        yield TextPart(marked(block, numbers), tuple(numbers[id_] for id_ in cited))
        for figure in own:
            number = numbers.setdefault(figure.passage.id, len(numbers) + 1)
            yield FigurePart(
                figure.media, (number,), figure.reason, figure.score, figure.start, figure.end, figure.rows_total
            )


def offered(claims: Sequence[Claim], figures: Sequence[Figure]) -> Iterator[Passage]:
    """The passages that an answer uses, in reading order."""
    for claim in claims:
        yield from claim.passages
    yield from (figure.passage for figure in figures)


def _citation(number: int, passage: Passage, score: float) -> Citation:
    return Citation(
        number, passage.document, passage.title, passage.section, passage.text, passage.url, passage.licence,
        passage.revision, score,
    )  # fmt: skip
