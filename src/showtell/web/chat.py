"""``/v1/chat/completions`` and ``/v1/models``: the library as a model of the OpenAI protocol, for chat fronts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import anyio
from fastapi import APIRouter, Request, Response

from showtell.errors import ShowtellError
from showtell.index.answers import StoredAnswer
from showtell.render.markdown import render_markdown
from showtell.types import Answer
from showtell.web import bodies, openai
from showtell.web.asking import GONE, Prepared, stream, whole
from showtell.web.bodies import example
from showtell.web.events import HEARTBEAT
from showtell.web.failures import UNEXPECTED, Failure, failure_of, not_found
from showtell.web.openai import MODELS, ChatBody
from showtell.web.questions import Running
from showtell.web.service import Json, Served, Service

router = APIRouter(prefix="/v1", tags=["chat"])


@router.get("/models", summary="The models there are", responses=example(bodies.MODELS))
def models(service: Served) -> Response:
    """One for each place that can be searched; those with Wikipedia only where the server has a contact for it."""
    may_ask_wikipedia = bool(service.library.settings.wikipedia_contact)
    return Json(openai.listed([name for name, sources in MODELS.items() if may_ask_wikipedia or not sources]))


@router.post(
    "/chat/completions",
    summary="Answer in the OpenAI chat protocol",
    responses=example(bodies.COMPLETION),
)
async def complete(body: ChatBody, service: Served, request: Request) -> Response:
    """The last message of the user is the question; pictures come as parts of it, turns before it are what it follows.

    What a front adds (a system prompt, tools, a temperature) changes nothing. The answer comes as Markdown with media
    from this server, whole in the field `showtell`. A stream gives it when it is checked, block by block; before that
    it holds comments that tell what is done.
    """
    if body.model not in MODELS:
        raise not_found(f"no model is called {body.model[:100]}", "see /v1/models")
    asked = await anyio.to_thread.run_sync(openai.read_chat, body)
    prepared = Prepared(asked.question, asked.images, asked.sources, after=asked.after)
    running = service.questions.ask(lambda: prepared.steps(service))
    reply = _Reply(body, service, f"{request.base_url}media/")
    if body.stream:
        return stream(reply.events(running), running)
    stored = await whole(running, request)
    if stored is None:
        return Response(status_code=GONE)
    return Json(openai.completion(body.model, service.told(stored), reply.written(stored.answer), stored.answer))


@dataclass(frozen=True, slots=True)
class _Reply:
    """How one request is replied to; ``media`` is the address of this server's media."""

    body: ChatBody
    service: Service
    media: str

    def written(self, answer: Answer) -> str:
        """The answer as Markdown, with media from this server and without its paths."""
        return self.service.without_folders(render_markdown(answer, self.media.__add__))

    async def events(self, running: Running) -> AsyncIterator[str]:
        """Server-sent events; an error is one of them, in this protocol's form."""
        yield openai.sent(openai.opening("", self.body.model))
        try:
            async for step in running.steps(HEARTBEAT):
                if step is None:
                    yield ": still at it\n\n"
                elif step.name == "answer":
                    for event in self._answer(step.value):
                        yield openai.sent(event)
                elif step.name != "writing":
                    yield f": {step.name}\n\n"
            yield openai.sent("[DONE]")
        except (Failure, ShowtellError) as error:
            failure = error if isinstance(error, Failure) else failure_of(error)
            yield openai.sent(openai.failure(failure.code, failure.message, failure.status))
        except Exception:
            yield openai.sent(openai.failure(*UNEXPECTED, 500))
            raise

    def _answer(self, stored: StoredAnswer) -> Iterator[dict[str, Any]]:
        options = self.body.stream_options
        with_usage = bool(options and options.include_usage)
        told = self.service.told(stored)
        return openai.events(self.body.model, told, self.written(stored.answer), stored.answer, with_usage)
