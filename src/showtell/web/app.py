"""The app: routes, guards and what they share, put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from fastapi import FastAPI

from showtell import __version__
from showtell.library import Library
from showtell.settings import Settings
from showtell.web import asking, chat, documents, media, status
from showtell.web.access import Access, Rate
from showtell.web.failures import EXAMPLE, tell_failures
from showtell.web.guard import Guard, Watch
from showtell.web.metrics import Metrics
from showtell.web.page import add_page
from showtell.web.service import Service

ROUTERS = (asking.router, chat.router, documents.router, media.router, status.router)
FORM_OVERHEAD = 1_000_000  # bytes of a form beside its files
_FAILED = {"description": "What went wrong.", "content": {"application/json": {"example": EXAMPLE}}}


def create_app(served: Settings | Library) -> FastAPI:
    """The page and the API of a library, or of the one that the settings name, which is opened when the app starts.

    A library that is given is not closed at the end. Raises SettingsError where others could reach it without a key.
    """
    settings = served.settings if isinstance(served, Library) else served
    access, metrics = Access.of(settings), Metrics()

    @asynccontextmanager
    async def opened(app: FastAPI) -> AsyncIterator[None]:
        app.state.service = await anyio.to_thread.run_sync(Service.open, served, metrics)
        yield
        await anyio.to_thread.run_sync(app.state.service.close)

    app = FastAPI(
        title="showtell",
        version=__version__,
        description="Answers from your own documents, in words and with the media that make the point.",
        lifespan=opened,
        docs_url=None,
        redoc_url=None,
        responses={"default": _FAILED},
    )
    app.state.access = access
    for router in ROUTERS:
        app.include_router(router)
    add_page(app)
    tell_failures(app)
    max_upload = settings.max_document_mb * 1_000_000 + FORM_OVERHEAD
    app.add_middleware(Guard, access=access, rate=Rate(settings.requests_per_minute), max_upload=max_upload)
    app.add_middleware(Watch, metrics=metrics)
    return app
