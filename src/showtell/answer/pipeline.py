"""The order of the steps from a question to an Answer; it is written here and nowhere else."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from showtell.answer import murar
from showtell.answer.attribute import attribute
from showtell.answer.citing import blocks, marked
from showtell.answer.draft import draft, introduce
from showtell.answer.evidence import Evidence, gather
from showtell.answer.generate import Room, claims, closed_book_request, draft_request, is_whole, offer, tokens
from showtell.answer.illustrate import Bounds, Cosines, bounded, choose, led_by, likeness, place
from showtell.answer.prompts import LANGUAGES, language_name
from showtell.answer.query import Intent, asks_several, read_intent
from showtell.answer.refine import PICTURE_PIXELS, cited_passages, marks, read_refined, refine_request, with_pictures
from showtell.answer.reply import read_reply
from showtell.answer.rewrite import Rewriting, hypothesis_request, read_rewriting, rewrite_request
from showtell.answer.verify import verify
from showtell.errors import ModelError, PictureError, PicturesRefused
from showtell.index.search import Query, Searcher
from showtell.index.store import Scope
from showtell.index.terms import question_language
from showtell.ingest.split import word_count
from showtell.models.base import ChatModel, ChatRequest, Vectors
from showtell.types import Answer, Check, Citation, Claim, Figure, FigurePart, Part, Passage, Question, TextPart

METHODS = ("showtell", "murar", "text-only", "closed-book")
"""showtell's own; the published MuRAR; showtell's draft without media; a model without sources."""

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
NO_ROOM = (
    "this is an extract of your documents, for question and reply leave no room for passages in the model's context;"
    " raise model_context, as your server has it, or lower model_reply"
)
ALONE = (
    "the question was taken by itself, for only a model can tell what it means after an earlier answer; name one with"
    " --model, or ask in full"
)
NO_ROOM_TO_REFINE = (
    "the model's first draft stands, not fitted to its figures, for these do not fit the model's context; raise"
    " model_context, as your server has it"
)
TELLING = 12  # words from which a text shows its language
LONGEST_REPLY = 8  # characters a token that a reply is read to; more is no language


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an answer may hold: cited sections, words, rows of a table, media after one claim, a model's tokens.

    ``refine`` is whether a model revises its draft around the figures, ``sees`` whether it is then shown them.
    """

    citations: int = 3
    words: int = 150
    table_rows: int = 12
    media_per_claim: int = 3
    reply_tokens: int = 800
    refine: bool = True
    sees: bool = False
    hyde: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One step that is done: its name, what it made, and how long it took.

    "writing" comes many times: its value is a piece of text as the model writes it, before anything is checked.
    """

    name: str
    value: Any
    milliseconds: float = 0.0


def run(
    question: str,
    searcher: Searcher,
    limits: Limits,
    *,
    scope: Scope | None = None,
    method: str = "showtell",
    model: ChatModel | None = None,
    after: Sequence[Answer] = (),
    warnings: Sequence[str] = (),
) -> Iterator[Step]:
    """The steps of an answer, with a chat model or without; the last one's value is the Answer.

    ``after`` are earlier answers of the conversation, the first one first. A model that fails is told in the answer's
    warnings, and the answer is then an extract; only "closed-book" raises its ModelError.
    """
    if method == "closed-book":
        return _ClosedBook(question, searcher, limits, scope or Scope(), method, model, after, list(warnings)).steps()
    return _Asking(question, searcher, limits, scope or Scope(), method, model, after, list(warnings)).steps()


@dataclass
class _Asking:
    """One question on its way, with what the steps have made so far."""

    asked: str
    searcher: Searcher
    limits: Limits
    scope: Scope
    method: str
    model: ChatModel | None
    after: Sequence[Answer]
    warnings: list[str]
    question: str = ""
    searches: tuple[str, ...] = ()
    intent: Intent = field(default_factory=Intent)
    queries: list[Query] = field(default_factory=list)
    evidence: Evidence = field(default_factory=lambda: Evidence((), "none", ()))
    claims: list[Claim] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    writer: str = EXTRACTIVE
    is_down: bool = False
    requests: int = 0
    timings: dict[str, float] = field(default_factory=dict)
    vectors: dict[str, Vectors] = field(default_factory=dict)
    quoted: dict[str, Vectors] = field(default_factory=dict)

    def steps(self) -> Iterator[Step]:
        began = time.perf_counter()
        yield from self._timed("query", self._query())
        yield from self._timed("search", self._search())
        if self.evidence.confidence != "none":
            yield from self._timed("draft", self._draft())
        if self.claims and self.method != "text-only":
            yield from self._timed("illustrate", self._illustrate())
        if self.figures and self.writer != EXTRACTIVE and self.limits.refine:
            yield from self._timed("refine", self._refine())
        yield from self._finish(began)

    # ------------------------------------------------------------------------------------------------------- the steps
    def _query(self) -> Iterator[Step]:
        self.intent = read_intent(self.asked)
        self.question, self.searches = self.asked, (self.asked,)
        query = self.searcher.query(self.asked, self.scope)
        if self.model and (self.after or query.is_foreign or asks_several(self.asked)):
            rewriting = self._rewritten(query)
            self.question, self.searches = rewriting.question, rewriting.searches
        elif self.after:
            self.warnings.append(ALONE)
        self.queries = [
            query if text == self.asked else self.searcher.query(text, self.scope) for text in self.searches
        ]
        if self.limits.hyde and self.model and self.searcher.encoder and self.method != "murar":
            self._suppose()
        yield Step("query", Rewriting(self.question, self.searches))

    def _suppose(self) -> None:
        """Lead the first search towards a passage that the model thinks up; it is told among the searches."""
        query = self.queries[0]
        try:
            reply = "".join(self._stream(hypothesis_request(query.text, self._language())))
        except ModelError as error:
            self.warnings.append(f"this is an extract of your documents, searched without a supposed answer: {error}")
            self.is_down = True
            return
        supposed = " ".join(reply.split())
        if supposed and (vectors := self._encode([supposed])):
            self.queries[0] = query.towards(vectors[0])
            self.searches += (supposed,)

    def _language(self) -> str:
        """The language that most documents are written in."""
        languages = self.searcher.store.languages()
        return max(languages, key=lambda code: languages[code], default="en")[:2]

    def _rewritten(self, query: Query) -> Rewriting:
        try:
            reply = "".join(self._stream(rewrite_request(self.asked, self.after, self._language(), query.is_foreign)))
        except ModelError as error:
            self.warnings.append(f"this is an extract of your documents, searched with the question as it is: {error}")
            self.is_down = True  # one wait for a server that does not answer is enough
            return Rewriting(self.asked, (self.asked,))
        return read_rewriting(reply, self.asked, follows=bool(self.after), foreign=query.is_foreign)

    def _search(self) -> Iterator[Step]:
        if self.method == "murar":
            self.evidence = murar.gather(self.queries[0], self.searcher)
        else:
            self.evidence = gather(self.queries, self.intent, self.searcher, self.limits.citations)
        yield Step("search", self.evidence)

    def _draft(self) -> Iterator[Step]:
        if self.model and not self.is_down:
            declined = yield from self._generate(self.model)
            if self.claims or declined:
                return
        self.claims = draft(self.queries[0], self.evidence.speaking, self.intent.steps, self.limits.words)
        yield Step("draft", tuple(self.claims))

    def _generate(self, model: ChatModel) -> Generator[Step, None, bool]:
        """The model's draft, attributed; returns whether the model says that the passages hold no answer."""
        language, room = question_language(self.asked), self._room(model)
        offers, warnings = offer(self.question, [hit.passage for hit in self.evidence.passages], room)
        self.warnings += warnings
        if not offers:
            self.warnings.append(NO_ROOM)
            return False
        request = draft_request(self.question, offers, language, room)
        try:
            text = yield from self._writing(request)
        except ModelError as error:
            self.warnings.append(f"this is an extract of your documents, for the model did not answer: {error}")
            return False
        reply = read_reply(text, [each.text for each in offers], is_whole=is_whole(text, request))
        self.warnings += reply.warnings
        if reply.says_no_answer:
            return True
        written = claims(reply, offers)
        yield Step("draft", tuple(written))
        written = attribute(written, [each.passage for each in offers], self._encode, self._passage_vectors())
        yield Step("attribute", tuple(written))
        if not any(claim.passages for claim in written):
            self.warnings.append(
                "this is an extract of your documents, for the model wrote nothing that the sources support"
            )
            return False
        self.claims, self.writer = written, model.name
        self._compare_languages(language, " ".join(claim.text for claim in written))
        return False

    def _compare_languages(self, asked: str, text: str) -> None:
        told = question_language(text)
        if asked != told and {asked, told} <= set(LANGUAGES) and word_count(text) >= TELLING:
            names = language_name(told), language_name(asked)
            self.warnings.append(f"the model answered in {names[0]}, though asked in {names[1]}; try another model")

    def _illustrate(self) -> Iterator[Step]:
        query, intent = self.queries[0], self.intent
        bounds = Bounds(self.limits.table_rows, self.limits.media_per_claim)
        if self.method == "murar":
            self.claims, figures = murar.illustrate(self.claims, self.evidence, self.searcher)
            self.figures = bounded(query, intent, figures, bounds)
        else:
            self._choose(query, bounds)
        yield Step("illustrate", tuple(self.figures))

    def _choose(self, query: Query, bounds: Bounds) -> None:
        written = self.writer != EXTRACTIVE
        grounds = led_by(self.evidence.grounds, self.claims) if written else self.evidence.grounds
        media = [item for ground in grounds for item in ground.media.values()]
        assets = [asset for item in media if (asset := getattr(item.block, "asset", None))]
        chosen = choose(query, self.intent, grounds, self.searcher.store.asset_spread(assets))
        cosines: Cosines = {}
        if written:
            vectors = self.searcher.media_vectors.rows([each.row for each in chosen])
            cosines = likeness(self.claims, chosen, self._encode, vectors)
        else:
            places = [(each.media.section_id, each.media.position) for each in chosen]
            self.claims = introduce(query, self.claims, grounds, places)
        self.figures = place(query, self.intent, self.claims, chosen, bounds, cosines)

    def _refine(self) -> Iterator[Step]:
        assert self.model is not None  # noqa: S101 (nothing else writes a draft to refine)
        language = question_language(self.asked)
        request = refine_request(self.question, self.claims, self.figures, language, self.limits.reply_tokens)
        left = self._room(self.model).prompt_tokens - tokens(request)
        if left < 0:
            self.warnings.append(NO_ROOM_TO_REFINE)
            return
        seen = with_pictures(request, self.figures, self._picture, left) if self.limits.sees else request
        try:
            try:
                text = yield from self._writing(seen)
            except PicturesRefused as error:
                self.warnings.append(f"the model was not shown the pictures: {error}")
                text = yield from self._writing(request)
        except ModelError as error:
            self.warnings.append(f"the model's first draft stands, not fitted to its figures: {error}")
            return
        passages = [passage.text for passage in cited_passages(self.claims)]
        reply = read_reply(text, passages, marks(self.figures), is_whole=is_whole(text, request))
        refined = read_refined(reply, self.claims, self.figures)
        self.warnings += reply.warnings
        if refined.breach:
            self.warnings.append(f"the model's revision was left out and its first draft stands: {refined.breach}")
        self.claims, self.figures = list(refined.claims), list(refined.figures)
        yield Step("refine", refined)

    def _picture(self, asset: str) -> bytes | None:
        """A stored picture as a model takes it; None for one that cannot be drawn, such as SVG."""
        from showtell.pictures import fitted

        try:
            return fitted((self.searcher.store.assets / asset).read_bytes(), PICTURE_PIXELS)
        except (PictureError, OSError):
            return None

    def _finish(self, began: float) -> Iterator[Step]:
        numbers: dict[int, int] = {}
        parts = tuple(_parts(self.claims, self.figures, numbers))
        passages = {passage.id: passage for passage in _offered(self.claims, self.figures)}
        citations = self._citations(numbers, passages)
        vectors = self.searcher.passage_vectors.rows(list(passages))
        self.quoted = {passages[id_].text: vector for id_, vector in vectors.items()}
        checks: tuple[Check, ...] = ()
        if parts:
            at = time.perf_counter()
            verified = verify(
                parts, citations, support=self._support, language=question_language(self.asked), question=self.question
            )
            parts, checks = verified.parts, verified.checks
            self.warnings += verified.warnings
            yield self._done("verify", checks, at)
        self.timings["total"] = round((time.perf_counter() - began) * 1000, 1)
        answer = self._no_answer() if not parts else self._answered(parts, citations, checks)
        yield Step("answer", answer, self.timings["total"])

    # ------------------------------------------------------------------------------------------------------ the answer
    def _answered(self, parts: tuple[Part, ...], citations: tuple[Citation, ...], checks: tuple[Check, ...]) -> Answer:
        return Answer(
            Question(self.asked), "answered", CONFIDENCE[self.evidence.confidence], self.method, self.writer, parts,
            citations, checks, self.searches, (), self._told(), self.timings, self._requested(),
        )  # fmt: skip

    def _no_answer(self) -> Answer:
        parts = (TextPart(NO_ANSWER.get(question_language(self.asked), NO_ANSWER["en"])),)
        writer = self.model.name if self.model and self.requests else EXTRACTIVE
        return Answer(
            Question(self.asked), "no_answer", CONFIDENCE["low"], self.method, writer, parts, searches=self.searches,
            nearest=self.evidence.nearest, warnings=self._told(), timings_ms=self.timings, requests=self._requested(),
        )  # fmt: skip

    def _told(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.warnings))

    def _requested(self) -> dict[str, int]:
        return {"model": self.requests} if self.model else {}

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
        return Room(model.context_tokens, self.limits.reply_tokens, self.limits.words)

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
        self.timings[name] = round((time.perf_counter() - at) * 1000, 1)

    def _done(self, name: str, value: Any, since: float) -> Step:
        self.timings[name] = round((time.perf_counter() - since) * 1000, 1)
        return Step(name, value, self.timings[name])


class _ClosedBook(_Asking):
    """The model alone, as the seeds compare it: no sources, so nothing to cite, to show or to check."""

    def steps(self) -> Iterator[Step]:
        if self.model is None:
            raise ModelError("closed-book is a model without sources; name one with --model NAME")
        began = time.perf_counter()
        self.searches = ()
        yield from self._timed("draft", self._draft())
        self.timings["total"] = round((time.perf_counter() - began) * 1000, 1)
        parts = tuple(_parts(self.claims, (), {}))
        yield Step("answer", self._answered(parts, (), ()) if parts else self._no_answer(), self.timings["total"])

    def _draft(self) -> Iterator[Step]:
        assert self.model is not None  # noqa: S101 (steps made sure)
        request = closed_book_request(self.asked, question_language(self.asked), self._room(self.model))
        reply = read_reply((yield from self._writing(request)), ())
        self.warnings += reply.warnings
        self.claims, self.writer = claims(reply, ()), self.model.name
        yield Step("draft", tuple(self.claims))


def _parts(claims: Sequence[Claim], figures: Sequence[Figure], numbers: dict[int, int]) -> Iterator[Part]:
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


def _offered(claims: Sequence[Claim], figures: Sequence[Figure]) -> Iterator[Passage]:
    for claim in claims:
        yield from claim.passages
    yield from (figure.passage for figure in figures)


def _citation(number: int, passage: Passage, score: float) -> Citation:
    return Citation(
        number, passage.document, passage.title, passage.section, passage.text, passage.url, passage.licence,
        passage.revision, score,
    )  # fmt: skip
