"""What all requests share: the library, the answers given, the questions under way, the counters."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import JSONResponse

from showtell.answer.pipeline import Asked, Limits, Means, run
from showtell.index.answers import Answers, StoredAnswer
from showtell.index.store import Store, StoredDocument
from showtell.ingest.gather import is_url
from showtell.library import Library
from showtell.pictures import thumbnail
from showtell.settings import Settings
from showtell.types import Answer, Block, FigurePart, Image, Video, as_json
from showtell.web.metrics import Metrics
from showtell.web.questions import Questions
from showtell.web.suggestions import suggestions

Address = Callable[[str], str]
"""From an asset's name to where it is served."""

THUMBNAILS = 512  # that are kept in memory; one takes about 10 kB
UPLOADS = "uploads"  # the folder in a library's one in which uploaded documents lie


class Json(JSONResponse):
    """JSON in UTF-8; half a character, as a model may write one, becomes a mark."""

    def render(self, content: Any) -> bytes:
        """The content as bytes."""
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Facts:
    """The library as it was at one generation."""

    generation: int
    documents: list[StoredDocument]
    questions: list[str]


@dataclass
class Service:
    """One library, served, and closed with the server where it ``is_own``.

    The lock ``writing`` is for whoever changes the library: one at a time.
    """

    library: Library
    answers: Answers
    questions: Questions
    metrics: Metrics
    is_own: bool = True
    writing: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._facts = Facts(-1, [], [])
        self._looking = threading.Lock()
        self.thumbnail = lru_cache(THUMBNAILS)(thumbnail)

    @classmethod
    def open(cls, served: Settings | Library, metrics: Metrics) -> Service:
        """Serve a library, or open that of the settings, and load all that questions need.

        Raises LibraryError and its kinds, ModelError, SettingsError.
        """
        library = served if isinstance(served, Library) else Library(Store(served.library, create=True), served)
        settings = library.settings
        folder = library.store.folder if library.store.writable else settings.cache
        service = cls(library, Answers(folder), Questions(settings.questions_at_once), metrics, library is not served)
        service.warm_up()
        return service

    def warm_up(self) -> None:
        """Load what is otherwise loaded by the first question, which would wait for it."""
        library = self.library
        _ = library.warnings, library.model, library.shelf, library.fetcher, library.captioner
        library.searcher.looks.nearest(None, "a")
        for question in self.facts().questions[:1]:  # without the model, which is asked nothing that nobody asks
            _ = [*run(Asked(question), Means(library.searcher, Limits()))]

    def close(self) -> None:
        """Wait for the threads that answer, and close the library."""
        self.questions.close()
        self.answers.close()
        if self.is_own:
            self.library.close()

    def facts(self) -> Facts:
        """What the library holds now, counted again only after a change."""
        with self._looking, self.library.store.reading():
            generation = self.library.store.generation
            if generation != self._facts.generation:
                self._facts = Facts(generation, self.library.documents(), suggestions(self.library))
            return self._facts

    def told(self, stored: StoredAnswer) -> dict[str, Any]:
        """An answer as JSON with its id, without paths of this computer."""
        return {"id": stored.id, "answer": as_json(self.public(stored.answer))}

    def public(self, answer: Answer, address: Address | None = None) -> Answer:
        """The answer without paths of this computer; a stored file is at the address of its asset, if one is given."""
        parts = tuple(
            replace(part, media=replace(part.media, block=public_block(part.media.block, address)))
            if isinstance(part, FigurePart)
            else part
            for part in answer.parts
        )
        return replace(answer, parts=parts, warnings=tuple(map(self.without_folders, answer.warnings)))

    def without_folders(self, text: str) -> str:
        """A message without the folder of the library, and of what was uploaded to it."""
        folder = self.library.store.folder
        return text.replace(f"{folder / UPLOADS}/", "").replace(str(folder), "the library")


def public_block(block: Block, address: Address | None = None) -> Any:
    """A block without paths of this computer: in their place stands what its document says, or the asset's address."""
    if not isinstance(block, (Image, Video)):
        return block
    asset = block.asset and address and address(block.asset)
    source = asset or (block.source if _is_public(block.source) else block.ref)
    if isinstance(block, Image):
        return replace(block, source=source)
    poster, captions = (path if path and _is_public(path) else None for path in (block.poster, block.captions))
    if block.asset and block.cues:
        captions = f"{asset or f'/media/{block.asset}'}/captions"
    return replace(block, source=source, poster=poster, captions=captions)


def _is_public(source: str) -> bool:
    return is_url(source) or source.startswith("asset:")


def _of_app(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


Served = Annotated[Service, Depends(_of_app)]
