"""From a question, in words or with pictures, to evidence: what to search for, where, and what was found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from showtell.answer import murar
from showtell.answer.asking import Asking, Step
from showtell.answer.evidence import Evidence, gather, passages_at
from showtell.answer.look import (
    CANDIDATES,
    PICTURE_PIXELS,
    Look,
    choice_request,
    further_request,
    look_request,
    read_choice,
    read_further,
    read_look,
)
from showtell.answer.pages import Pages
from showtell.answer.query import asks_several, read_intent
from showtell.answer.rewrite import Rewriting, hypothesis_request, read_rewriting, rewrite_request
from showtell.errors import ModelError, PictureError, PicturesRefused, ShowtellError
from showtell.index.store import Scope
from showtell.sources.base import FoundPage, Source

ALONE = (
    "the question was taken by itself, for only a model can tell what it means after an earlier answer; name one with"
    " --model, or ask in full"
)
PLACES = {"library": "the user's documents", "wikipedia": "Wikipedia"}
NOTHING_TO_SEARCH = "nothing was searched for, since nothing is known of what the picture shows"
NOT_UNDERSTOOD = (
    "the picture was not understood: no model looked at it (name one that sees with --model){}; tell what it shows with"
    " --search"
)
LIKE_NONE = ", it is like no picture of the library"
NO_WORDS, NO_READER = ", no words were read in it", ", and reading words in it needs: pip install 'showtell[ocr]'"
LIKE, LIKE_WORTH = 0.85, 0.5  # cosine by CLIP from which pictures are alike, and its weight beside "the same"; a guess
MOST_SEEN = 3  # pictures of the library that one of the question may show
_WORD = re.compile(r"[^\W\d_]{3}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")  # less was not read but guessed
LEGIBLE = 0.5  # confidence from which a line read in a picture is taken for what stands there
READ_WORDS = 40  # of a picture that are searched for


class Searching(Asking):
    """The part of a question's way that ends in evidence; what the steps are called and in which order, others say."""

    # ------------------------------------------------------------------------------------------------------- the query
    def _query(self) -> Iterator[Step]:
        text, searcher = self.asked.question, self.means.searcher
        self.intent = read_intent(text)
        self.question, self.searches = text, self.asked.searches or (text,)
        query = searcher.query(text, self.asked.scope)
        is_foreign = self._language() != self.language if self.means.sources else query.is_foreign
        several = asks_several(text) or (bool(self.means.sources) and not self.asked.searches)
        if self.model and (self.asked.after or is_foreign or (several and not self.asked.pictures)):
            rewriting = self._rewritten(is_foreign)
            self.question = rewriting.question
            if not (self.asked.searches or self.asked.pictures):
                self.searches = rewriting.searches
        elif self.asked.after:
            self.warnings.append(ALONE)
        if not self._has_own_searches:
            self.queries = [
                query if text == self.asked.question else searcher.query(text, self.asked.scope)
                for text in self.searches
            ]
            if self.limits.hyde and self.model and searcher.encoder and self.asked.method != "murar":
                self._suppose()
        told = _searching(self.searches) if set(self.searches) - {text} else ""
        yield Step("query", Rewriting(self.question, self.searches), told=told)

    @property
    def _has_own_searches(self) -> bool:
        """Whether the searches say other things than the question does, so that both are searched for together."""
        return bool(self.asked.pictures or self.asked.searches or self.means.sources)

    @property
    def _may_search_further(self) -> bool:
        return bool(self.model and (self.asked.pictures or self.means.sources))

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
        """The language that most documents are written in; of other sources theirs, else the question's."""
        if self.means.sources:
            return next((source.language for source in self.means.sources if source.language), self.language)
        languages = self.means.searcher.store.languages()
        return max(languages, key=lambda code: languages[code], default=self.language or "en")[:2]

    def _rewritten(self, is_foreign: bool) -> Rewriting:
        text, after = self.asked.question, self.asked.after
        try:
            reply = "".join(self._stream(rewrite_request(text, after, self._language(), is_foreign)))
        except ModelError as error:
            self.warnings.append(f"this is an extract of your documents, searched with the question as it is: {error}")
            self.is_down = True  # one wait for a server that does not answer is enough
            return Rewriting(text, (text,))
        return read_rewriting(reply, text, follows=bool(after), foreign=is_foreign)

    # ---------------------------------------------------------------------------------------------------- the pictures
    def _look(self) -> Iterator[Step]:
        """What the pictures show: to a model that sees, in words to be read, and among the library's pictures."""
        self._look_among_own()
        look = Look("search", self.asked.searches) if self.asked.searches else None
        if self.model and not self.is_down:
            self.pictures = self._pictures_to_send()
            look = look or self._looked_at()
        if look is None or (look.needs == "nothing" and self.seen):
            look = Look("search", self._read_words())
        by_words = (self.question,) if look.needs == "search" and not self.means.sources else ()
        self.look, self.searches = look, look.searches or by_words
        yield Step("look", look, told=_searching(look.searches))

    def _pictures_to_send(self) -> tuple[bytes, ...]:
        from showtell.pictures import fitted

        return tuple(fitted(picture.content, PICTURE_PIXELS) for picture in self.asked.pictures)

    def _looked_at(self) -> Look | None:
        """What a model sees; None where it cannot be asked, or sees no pictures."""
        places = [source.name for source in self.means.sources] or ["library"]
        place = " and ".join(PLACES.get(name, "an encyclopedia") for name in dict.fromkeys(places))
        request = look_request(self.question, self.pictures, place, self._language(), self.language)
        try:
            if look := read_look("".join(self._stream(request))):
                return look
            self.warnings.append("the model said nothing of the picture that can be used")
        except PicturesRefused as error:
            self._refused(error)
        except ModelError as error:
            self.is_down = True
            self.warnings.append(f"this is an extract, for the model did not look at the picture: {error}")
        return None

    def _refused(self, error: PicturesRefused) -> None:
        """From now on the model is shown none."""
        self.pictures = ()
        self.warnings.append(f"the model was not shown the picture: {error}")

    def _read_words(self) -> tuple[str, ...]:
        """The words in each picture as a search; none where there are none, or nothing reads them."""
        found: dict[str, None] = {}
        for picture in self.asked.pictures if self.means.reader else ():
            try:
                read = self.means.reader.read(picture.content) if self.means.reader else []
            except (ModelError, PictureError) as error:
                self.warnings.append(f"no words were read in the picture: {error}")
                continue
            words = [word for line in read if line.confidence >= LEGIBLE for word in line.text.split()]
            if any(map(_WORD.search, words)):
                found[" ".join(words[:READ_WORDS])] = None
        if not (found or self.seen):
            like = LIKE_NONE if self._searches_library else ""
            self.warnings.append(NOT_UNDERSTOOD.format(like + (NO_WORDS if self.means.reader else NO_READER)))
            self.is_understood = False
        return tuple(found)

    def _look_among_own(self) -> None:
        """Find the passages at the library's pictures that show the same as the question's."""
        if not self._searches_library:
            return
        from showtell.likeness import SAME

        searcher = self.means.searcher
        allowed = set(searcher.store.passage_ids(self.asked.scope)) if self.asked.scope else None
        for picture in self.asked.pictures:
            like = searcher.pictures_by_looks(picture.content, None, MOST_SEEN)
            same = searcher.nearest_pictures(picture.content, MOST_SEEN)
            for hit in [
                *(hit for hit in same if hit.score >= SAME),
                *(replace(hit, score=LIKE_WORTH * hit.score) for hit in like if hit.score >= LIKE),
            ]:
                media = searcher.store.media_of_asset(hit.asset)
                for passage in passages_at(media.values(), searcher):
                    if allowed is None or passage.id in allowed:
                        self.seen[passage.id] = max(hit.score, self.seen.get(passage.id, 0.0))
        self.warnings += searcher.looks.warnings

    @property
    def _searches_library(self) -> bool:
        return not self.means.sources or any(source.name == "library" for source in self.means.sources)

    # ------------------------------------------------------------------------------------------------------ the search
    def _read(self, searches: Sequence[str]) -> Iterator[Step]:
        """Search the sources and read the best pages; Step's value are the pages."""
        if not searches:
            self.warnings.append(NOTHING_TO_SEARCH)
            return
        read: list[FoundPage] = []
        failed: list[ShowtellError] = []
        for source in self.means.sources:
            try:
                read += self._read_of(source, searches)
            except ShowtellError as error:  # of whatever kind: the others may answer
                failed.append(error)
                self.warnings.append(f"{source.name}: {error}")
            self.warnings += source.warnings
        if self.pages is None and len(failed) == len(self.means.sources):
            raise failed[0]
        yield Step("read", tuple(read), told=f"read: {' · '.join(page.title for page in read) or 'no page'}")

    def _read_of(self, source: Source, searches: Sequence[str]) -> Sequence[FoundPage]:
        found: Sequence[FoundPage] = source.search(searches, CANDIDATES)
        if source.name != "library":
            found = self._chosen([page for page in found if not page.ambiguous])
        if self.pages is None:
            own, limits = self.means.searcher, self.limits
            self.pages = Pages(own.encoder, own.reranker, limits.passage_words)
        self.pages.add(source.documents(found), [f"{self.question} {', '.join(self.searches)}", *self.searches])
        return found

    def _chosen(self, found: Sequence[FoundPage]) -> Sequence[FoundPage]:
        """The pages to read: those that a model chooses which sees the pictures, else the best."""
        if self.model and self.pictures and not self.is_down and len(found) > 1:
            try:
                reply = "".join(self._stream(choice_request(self.question, self.pictures, found)))
            except PicturesRefused as error:
                self._refused(error)
                return found[: self.limits.pages]
            except ModelError as error:
                self.is_down = True
                self.warnings.append(f"the model did not choose among the pages found: {error}")
            else:
                chosen = read_choice(reply, found)
                if chosen is not None:
                    return chosen
        return found[: self.limits.pages]

    def _further(self) -> tuple[str, ...]:
        """Searches for what is missing; none where the model knows none that was not made."""
        hits = self.evidence.passages
        shown = [(" > ".join([hit.passage.title, *hit.passage.section]), hit.passage.text) for hit in hits]
        request = further_request(self.question, self.pictures, shown, self.searches, self._language())
        try:
            return read_further("".join(self._stream(request)), self.searches)
        except ModelError as error:
            self.is_down = True
            self.warnings.append(f"nothing further was searched for: {error}")
            return ()

    def _search(self) -> Iterator[Step]:
        if self._has_own_searches:
            together = ", ".join(dict.fromkeys(text for text in self.searches if text != self.question))
            whole = f"{self.question} {together}".strip()
            scope = Scope() if self.pages else self.asked.scope
            self.queries = [self.searcher.query(whole, scope)]
            if len(self.asked.pictures) > 1 and not self.pictures:  # whose words lead to different sections
                self.queries += [self.searcher.query(f"{self.question} {text}", scope) for text in self.searches]
        if self.asked.method == "murar":
            self.evidence = murar.gather(self.queries[0], self.searcher)
        elif self.means.sources and self.pages is None:
            self.evidence = Evidence((), "none", ())
        else:
            seen = {} if self.pages else self.seen
            self.evidence = gather(self.queries, self.intent, self.searcher, self.limits.citations, seen)
        if not self.is_understood:
            self.evidence = replace(self.evidence, confidence="low" if self.evidence.confidence == "high" else "none")
        yield Step("search", self.evidence)


def _searching(searches: Sequence[str]) -> str:
    """What someone who waits is told of searches to be made."""
    return f"searching for: {' · '.join(searches)}" if searches else ""
