"""The order of the steps from a question to an Answer; it is written here and nowhere else."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

from showtell.answer import murar
from showtell.answer.asking import EXTRACTIVE, NOT_SHOWN, Asked, Limits, Means, Step, offered, parts_of
from showtell.answer.attribute import attribute
from showtell.answer.draft import draft, introduce
from showtell.answer.evidence import Evidence
from showtell.answer.generate import claims, closed_book_request, draft_request, is_whole, kept_back, offer, tokens
from showtell.answer.illustrate import Bounds, Cosines, bounded, choose, led_by, likeness, place
from showtell.answer.keywords import read_keywords
from showtell.answer.look import Look, with_pictures
from showtell.answer.prompts import LANGUAGES, language_name
from showtell.answer.refine import (
    PICTURE_PIXELS,
    cited_passages,
    marks,
    read_refined,
    refine_request,
    with_figures,
)
from showtell.answer.reply import read_reply
from showtell.answer.searching import Searching
from showtell.answer.verify import verify
from showtell.answer.vision_rag import PAGES, answer_request, chunks, keywords_request, rank
from showtell.answer.vision_rag import claims as claims_of_chunks
from showtell.errors import ModelError, PictureError, PicturesRefused
from showtell.index.search import Query
from showtell.index.terms import question_language
from showtell.ingest.split import word_count
from showtell.models.base import ChatModel, ChatRequest
from showtell.types import Check, Claim, Document, Figure, Image, Passage

__all__ = ["METHODS", "Asked", "Limits", "Means", "Step", "run"]

METHODS = ("showtell", "murar", "vision-rag", "text-only", "closed-book")
"""showtell's own; the two published ones; showtell's draft without media; a model without sources."""

NO_ROOM = (
    "this is an extract of your documents, for question and reply leave no room for passages in the model's context;"
    " raise model_context, as your server has it, or lower model_reply"
)
NO_ROOM_TO_REFINE = (
    "the model's first draft stands, not fitted to its figures, for these do not fit the model's context; raise"
    " model_context, as your server has it"
)
TELLING = 12  # words from which a text shows its language
FROM_THE_PICTURE = "the picture alone answers this, says the model; nothing was looked up, so nothing could be checked"


def run(asked: Asked, means: Means, warnings: Sequence[str] = ()) -> Iterator[Step]:
    """The steps of an answer, with a chat model or without; the last one's value is the Answer.

    A model that fails is told in the answer's warnings, and the answer is then an extract; only "closed-book" raises
    its ModelError. Raises an error of the sources where none of them could be searched.
    """
    kinds = {"closed-book": _ClosedBook, "vision-rag": _VisionRag}
    asking = kinds.get(asked.method, _Asking)(asked, means, list(warnings))
    try:
        yield from asking.steps()
    finally:  # also where nobody waits for the answer any more
        if asking.pages:
            asking.pages.close()


class _Asking(Searching):
    """showtell's own method, MuRAR's retrieval, and the draft without media."""

    def steps(self) -> Iterator[Step]:
        """From the question to the Answer."""
        began = time.perf_counter()
        yield from self._timed("query", self._query())
        if self.asked.pictures:
            yield from self._timed("look", self._look())
        if self.look.needs == "search":
            yield from self._answer_from_sources()
        else:
            self.claims = self._said()
        if self.figures and self.writer != EXTRACTIVE and self.limits.refine:
            yield from self._timed("refine", self._refine())
        yield from self._finish(began)

    def _answer_from_sources(self) -> Iterator[Step]:
        yield from self._find_and_draft(self.searches)
        for _ in range(self.limits.rounds if self._may_search_further else 0):
            searches = () if self.claims or self.is_down else self._further()
            if not searches:
                break
            self.searches += searches
            yield from self._find_and_draft(searches)
        if self.claims and self.asked.method != "text-only":
            yield from self._timed("illustrate", self._illustrate())

    def _find_and_draft(self, searches: Sequence[str]) -> Iterator[Step]:
        if self.means.sources:
            yield from self._timed("read", self._read(searches))
        yield from self._timed("search", self._search())
        if self.evidence.confidence != "none":
            yield from self._timed("draft", self._draft())

    def _said(self) -> list[Claim]:
        """What the model says of the picture by itself, where that answers the question."""
        assert self.model is not None  # noqa: S101 (only a model says that no search is needed)
        self.writer = self.model.name
        reply = read_reply(self.look.says, ())
        self.warnings += reply.warnings
        if self.look.needs == "nothing":
            return []
        self.warnings.append(FROM_THE_PICTURE)
        return claims(reply, ())

    def _draft(self) -> Iterator[Step]:
        if self.model and not self.is_down:
            declined = yield from self._generate(self.model)
            if self.claims or declined:
                return
        self.claims = draft(self.queries[0], self.evidence.speaking, self.intent.steps, self.limits.words)
        yield Step("draft", tuple(self.claims))

    def _generate(self, model: ChatModel) -> Generator[Step, None, bool]:
        """The model's draft, attributed; returns whether the model says that the passages hold no answer."""
        language, room = self.language, self._room(model)
        offers, warnings = offer(self.question, [hit.passage for hit in self.evidence.passages], room)
        self.warnings += warnings
        if not offers:
            self.warnings.append(NO_ROOM)
            return False
        request = draft_request(self.question, offers, language, room)
        try:
            text = yield from self._written_seeing(request)
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

    def _written_seeing(self, request: ChatRequest) -> Generator[Step, None, str]:
        """The model's text, written with the question's pictures before it, as far as it takes pictures."""
        if self.pictures:
            try:
                return (yield from self._writing(with_pictures(request, self.pictures)))
            except PicturesRefused as error:
                self._refused(error)
        return (yield from self._writing(request))

    def _compare_languages(self, asked: str, text: str) -> None:
        told = question_language(text)
        if asked != told and {asked, told} <= set(LANGUAGES) and word_count(text) >= TELLING:
            names = language_name(told), language_name(asked)
            self.warnings.append(f"the model answered in {names[0]}, though asked in {names[1]}; try another model")

    def _illustrate(self) -> Iterator[Step]:
        query, intent = self.queries[0], self.intent
        bounds = Bounds(self.limits.table_rows, self.limits.media_per_claim)
        if self.asked.method == "murar":
            self.claims, figures = murar.illustrate(self.claims, self.evidence, self.searcher)
            self.figures = bounded(query, intent, figures, bounds)
        else:
            self._choose(query, bounds)
        if self.pages:
            self.figures = [self._kept(figure) for figure in self.figures]
        yield Step("illustrate", tuple(self.figures))

    def _kept(self, figure: Figure) -> Figure:
        """The figure with its picture from another source kept, so that it shows wherever the answer does."""
        image = figure.media.block
        if not (isinstance(image, Image) and self.means.shelf):
            return figure
        file = self.searcher.store.assets / image.asset if image.asset else None
        try:
            kept = self.means.shelf.keep(image, file)
        except PictureError as error:
            self.warnings.append(f"the picture {image.source} is only linked: {error}")
            return figure
        return replace(figure, media=replace(figure.media, block=kept))

    def _choose(self, query: Query, bounds: Bounds) -> None:
        written = self.writer != EXTRACTIVE
        grounds = led_by(self.evidence.grounds, self.claims, self.intent) if written else self.evidence.grounds
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
        language = self.language
        request = refine_request(self.question, self.claims, self.figures, language, self.limits.reply_tokens)
        left = self._room(self.model).prompt_tokens - tokens(request)
        if left < 0:
            self.warnings.append(NO_ROOM_TO_REFINE)
            return
        seen = with_figures(request, self.figures, self._picture, left) if self.limits.sees else request
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
            file = self.means.shelf.find(asset) if self.means.shelf and self.pages else None
            return fitted((file or self.searcher.store.assets / asset).read_bytes(), PICTURE_PIXELS)
        except (PictureError, OSError):
            return None

    def _finish(self, began: float) -> Iterator[Step]:
        numbers: dict[int, int] = {}
        parts = tuple(parts_of(self.claims, self.figures, numbers))
        passages = {passage.id: passage for passage in offered(self.claims, self.figures)}
        citations = self._citations(numbers, passages)
        vectors = self.searcher.passage_vectors.rows(list(passages))
        self.quoted = {passages[id_].text: vector for id_, vector in vectors.items()}
        checks: tuple[Check, ...] = ()
        if parts and self.look.needs == "search":
            at = time.perf_counter()
            verified = verify(parts, citations, support=self._support, language=self.language, question=self.question)
            parts, checks = verified.parts, verified.checks
            self.warnings += verified.warnings
            yield self._done("verify", checks, at)
        self.timings["total"] = round((time.perf_counter() - began) * 1000, 1)
        self.warnings += self.pages.warnings if self.pages else ()
        answer = self._answered(parts, citations, checks) if parts else self._no_answer(self._not_shown())
        yield Step("answer", answer, self.timings["total"])

    def _not_shown(self) -> list[str]:
        """What is said where the picture does not show what was asked."""
        if self.look.needs != "nothing":
            return []
        said = [piece for piece in read_reply(self.look.says, ()).pieces if isinstance(piece, str)]
        return [NOT_SHOWN.get(self.language, NOT_SHOWN["en"]), *said]


class _VisionRag(_Asking):
    """The published way of a picture question: keywords, twenty pages, seven chunks of them, an answer (§2)."""

    chunks: list[Passage]

    def steps(self) -> Iterator[Step]:
        if self.model is None:
            raise ModelError("vision-rag is written by a model that sees; name one with --model NAME")
        began = time.perf_counter()
        self.question, self.pictures = self.asked.question, self._pictures_to_send()
        yield from self._timed("look", self._name_keywords())
        yield from self._timed("read", self._read_chunks())
        yield from self._timed("draft", self._answer_from_chunks(self.model))
        yield from self._finish(began)

    def _name_keywords(self) -> Iterator[Step]:
        if self.asked.searches:
            self.searches = self.asked.searches
        else:
            self.searches = read_keywords("".join(self._stream(keywords_request(self.question, self.pictures)))).texts
        yield Step("look", Look("search", self.searches))

    def _read_chunks(self) -> Iterator[Step]:
        """The chunks closest to question and keywords; nothing is searched where the model names none."""
        read: list[Document] = []
        for source in self.means.sources if self.searches else ():
            read += source.documents(source.search(self.searches, PAGES))
            self.warnings += source.warnings
        self.chunks = rank(self.question, self.searches, chunks(read), self.searcher.encoder)
        self.warnings += kept_back(self.chunks)
        self.evidence = Evidence((), "high" if self.chunks else "none", ())
        yield Step("read", tuple(read))

    def _answer_from_chunks(self, model: ChatModel) -> Iterator[Step]:
        text = yield from self._writing(answer_request(self.question, self.pictures, self.chunks))
        reply = read_reply(text, [chunk.text for chunk in self.chunks])
        self.warnings += reply.warnings
        self.claims, self.writer = claims_of_chunks(reply, self.chunks, self._encode), model.name
        yield Step("draft", tuple(self.claims))


class _ClosedBook(_Asking):
    """The model alone, as the seeds compare it: no sources, so nothing to cite, to show or to check."""

    def steps(self) -> Iterator[Step]:
        if self.model is None:
            raise ModelError("closed-book is a model without sources; name one with --model NAME")
        began = time.perf_counter()
        self.searches = ()
        yield from self._timed("draft", self._draft())
        self.timings["total"] = round((time.perf_counter() - began) * 1000, 1)
        parts = tuple(parts_of(self.claims, (), {}))
        yield Step("answer", self._answered(parts, (), ()) if parts else self._no_answer(), self.timings["total"])

    def _draft(self) -> Iterator[Step]:
        assert self.model is not None  # noqa: S101 (steps made sure)
        self.pictures = self._pictures_to_send()
        request = closed_book_request(self.asked.question, self.language, self._room(self.model))
        request = with_pictures(request, self.pictures)
        reply = read_reply((yield from self._writing(request)), ())
        self.warnings += reply.warnings
        self.claims, self.writer = claims(reply, ()), self.model.name
        yield Step("draft", tuple(self.claims))
