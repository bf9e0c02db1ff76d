"""What all requests share: the library, the answers given, the questions under way, the counters."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import JSONResponse

from showtell.index.answers import Answers, StoredAnswer
from showtell.index.store import Store, StoredDocument
from showtell.ingest.gather import is_url
from showtell.library import Library
from showtell.pictures import thumbnail
from showtell.settings import Settings
from showtell.types import as_json
from showtell.web.metrics import Metrics
from showtell.web.questions import Questions
from showtell.web.suggestions import suggestions

THUMBNAILS = 512  # that are kept in memory; one takes about 10 kB
_OWN_PATHS = ("source", "poster", "captions")  # of media; a path of the server's disk is nobody's business


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
        self.facts()

    def close(self) -> None:
        """Wait for the threads that answer, and close the library."""
        self.questions.close()
        self.answers.close()
        if self.is_own:
            self.library.close()

    def facts(self) -> Facts:
        """What the library holds now, counted again only after a change."""
        generation = self.library.store.generation
        with self._looking:
            if generation != self._facts.generation:
                self._facts = Facts(generation, self.library.documents(), suggestions(self.library))
            return self._facts

    def told(self, stored: StoredAnswer) -> dict[str, Any]:
        """An answer as JSON with its id, without paths of this computer."""
        answer: dict[str, Any] = as_json(stored.answer)
        for part in answer["parts"]:
            if "media" in part:
                part["media"] = without_paths(part["media"])
        answer["warnings"] = list(map(self.without_folders, answer["warnings"]))
        return {"id": stored.id, "answer": answer}

    def without_folders(self, text: str) -> str:
        """A message without the folder of the library, and of what was uploaded to it."""
        folder = self.library.store.folder
        return text.replace(f"{folder / UPLOADS}/", "").replace(str(folder), "the library")


UPLOADS = "uploads"  # the folder in a library's one in which uploaded documents lie


def without_paths(told: dict[str, Any]) -> dict[str, Any]:
    """A media item or block as JSON: in place of a path, its address as it is written in its document."""
    shown = dict(told)
    for name in _OWN_PATHS:
        value = shown.get(name)
        if value and not (is_url(value) or value.startswith("asset:")):
            shown[name] = shown.get("ref", "") if name == "source" else Path(value).name
    return shown


def _of_app(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


Served = Annotated[Service, Depends(_of_app)]
