"""``/api/v1/answers``: a question is asked, its answer is streamed or given whole, found again, exported, rated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import anyio
from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from showtell.answer.pipeline import Step
from showtell.index.answers import StoredAnswer
from showtell.index.store import Scope
from showtell.render.html import render_html
from showtell.render.markdown import render_markdown
from showtell.types import Answer
from showtell.web.bodies import ANSWER, STREAM, Question, Rating, example
from showtell.web.events import events
from showtell.web.failures import Failure, not_found
from showtell.web.questions import Running
from showtell.web.service import Json, Served, Service

router = APIRouter(prefix="/api/v1/answers", tags=["answers"])
GONE = 499  # the client closed the connection (as nginx counts it); nobody reads this status


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question whose pictures and earlier answers were found."""

    text: str
    images: tuple[str | bytes, ...] = ()
    sources: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    scope: Scope = field(default_factory=Scope)
    method: str = "showtell"
    after: tuple[Answer, ...] = ()

    def steps(self, service: Service) -> Iterator[Step]:
        """The steps of :meth:`showtell.library.Library.asking`; the last one's value is the answer, stored."""
        asking = service.library.asking(
            self.text, images=self.images, sources=self.sources, searches=self.searches, scope=self.scope,
            method=self.method, after=self.after,
        )  # fmt: skip
        with service.library.store.reading():
            for step in asking:
                yield step if step.name != "answer" else replace(step, value=self._stored(service, step.value))

    def _stored(self, service: Service, answer: Answer) -> StoredAnswer:
        service.metrics.answer(answer.status, answer.method)
        return StoredAnswer(service.answers.put(answer), answer)


def prepare(service: Service, asked: Question) -> Prepared:
    """The question with its pictures and the answers before it. Raises Failure where something is not there."""
    scope = Scope((asked.document,) if asked.document else (), asked.language)
    if asked.document and not service.library.store.passage_ids(Scope((asked.document,))):
        raise not_found("no document is called so", "see /api/v1/documents")
    if "wikipedia" in asked.sources and not service.library.settings.wikipedia_contact:
        message = "Wikipedia cannot be asked, for the server has no contact for it; set wikipedia_contact"
        raise Failure(422, "not_set_up", message)
    if asked.method in ("vision-rag", "closed-book") and service.library.model is None:
        raise Failure(422, "not_set_up", f"{asked.method} is written by a model, and the server has none; set model")
    return Prepared(
        asked.question,
        tuple(_picture(service, sha256) for sha256 in asked.images),
        () if asked.method == "vision-rag" and asked.sources == ["library"] else tuple(asked.sources),
        tuple(asked.searches),
        scope,
        asked.method,
        tuple(_stored(service, id_).answer for id_ in asked.after),
    )


def _picture(service: Service, sha256: str) -> bytes:
    file = service.library.shelf.find(sha256)
    if file is None:
        raise not_found("a picture of the question is not kept, or not any more", "send it again to /api/v1/pictures")
    return file.read_bytes()


def _stored(service: Service, id_: str) -> StoredAnswer:
    stored = service.answers.get(id_)
    if stored is None:
        raise not_found("no answer of this id is kept, or not any more", "ask again")
    return stored


@router.post(
    "",
    summary="Ask",
    responses={
        200: {
            "description": "The answer; its steps and text before it where `stream` is true.",
            "content": {
                "application/json": {"example": ANSWER},
                "text/event-stream": {"schema": {"type": "string"}, "example": STREAM},
            },
        }
    },
)
async def ask(asked: Question, service: Served, request: Request) -> Response:
    """Answer a question.

    The events of a stream: `step` as each is done, `text` as a model writes it, `reset` where the text so far gives way
    to what follows, and last `answer`, or `error` in its place.
    """
    service.questions.require_room()
    prepared = await anyio.to_thread.run_sync(prepare, service, asked)
    running = service.questions.ask(lambda: prepared.steps(service))
    if asked.stream:
        return stream(events(running, service.told), running)
    stored = await whole(running, request)
    return Json(service.told(stored)) if stored else Response(status_code=GONE)


def stream(content: Any, running: Running) -> Response:
    """A stream of events; where nobody listens any more, the question is stopped."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return _Stream(content, headers, running.stop)


class _Stream(StreamingResponse):
    """Stops the question even where the client is gone before the first event."""

    def __init__(self, content: Any, headers: dict[str, str], stop: Callable[[], None]) -> None:
        super().__init__(content, headers=headers, media_type="text/event-stream")
        self._stop = stop

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._stop()


async def whole(running: Running, request: Request) -> StoredAnswer | None:
    """The stored answer once it is there; None where the client does not wait for it any more."""
    found: list[StoredAnswer] = []
    failed: list[Exception] = []

    async def wait() -> None:
        try:
            found.extend([step.value async for step in running.steps() if step and step.name == "answer"])
        except Exception as error:  # noqa: BLE001 (it is raised again, out of the group)
            failed.append(error)
        group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        group.start_soon(wait)
        while (await request.receive())["type"] != "http.disconnect":
            pass
        group.cancel_scope.cancel()
    if failed:
        raise failed[0]
    return found[0] if found else None


@router.get("/{id_}", summary="An answer that was given", responses=example({**ANSWER, "rating": None}))
def find(id_: str, service: Served) -> Response:
    """The answer of an id, and its rating, null where there is none."""
    stored = _stored(service, id_)
    return Json(service.told(stored) | {"rating": stored.rating})


@router.get("/{id_}/markdown", summary="An answer as Markdown", response_class=Response)
def markdown(id_: str, service: Served, request: Request) -> Response:
    """For pasting elsewhere; media stand as links to this server."""
    text = render_markdown(
        service.public(_stored(service, id_).answer, lambda asset: f"{request.base_url}media/{asset}")
    )
    return Response(text.encode("utf-8", "replace"), media_type="text/markdown; charset=utf-8")


@router.get("/{id_}/html", summary="An answer as a page of its own", response_class=Response)
def html(id_: str, service: Served) -> Response:
    """One file with all pictures in it, to be kept."""
    page = render_html(service.public(_stored(service, id_).answer), service.library.asset)
    headers = {"Content-Disposition": 'attachment; filename="answer.html"', "Content-Security-Policy": "sandbox"}
    return Response(page.encode("utf-8", "replace"), media_type="text/html; charset=utf-8", headers=headers)


@router.put("/{id_}/rating", summary="Rate an answer", responses=example({"rating": {"thumb": "up"}}))
def rate(id_: str, rating: Rating, service: Served) -> Response:
    """Keep a rating in place of the one before."""
    given = rating.model_dump()
    if not service.answers.rate(id_, given):
        raise not_found("no answer of this id is kept, or not any more", "ask again")
    return Json({"rating": given})
