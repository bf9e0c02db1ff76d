"""What stands around the whole app: who is let in, how much may be sent and how slowly, what is told in the log."""

from __future__ import annotations

import asyncio
import logging
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from showtell.web.access import READING, Access, Rate
from showtell.web.failures import Failure
from showtell.web.metrics import Metrics
from showtell.web.page import sign_in_form

access_log = logging.getLogger("showtell.web.access")

SMALL = 1_000_000  # bytes of a body that holds no file
PICTURES = 22_000_000  # bytes of one that holds pictures
PAUSE = 20.0  # seconds between two pieces of a body
WHOLE = 60.0  # seconds for a small body; more for a larger one, by this speed:
SLOWEST = 100_000  # bytes a second
LINGER = 2.0  # seconds for which the rest of a refused body is read, so that its sender gets to read the answer
LINGER_BYTES = 50_000_000  # and so much of it
DEFAULTS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}


class Guard:
    """Lets requests in or sends them away, bounds their bodies, and gives every answer its safe headers."""

    def __init__(self, app: ASGIApp, access: Access, rate: Rate, max_upload: int) -> None:
        """``max_upload`` is in bytes."""
        self._app = app
        self._access = access
        self._rate = rate
        self._max_upload = max_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(scope, receive, send, self._limit(scope["path"]))
        try:
            self._admit(scope)
            body.check_length()
        except Failure as failure:
            wants_page = failure.status == 401 and _wants_page(scope)
            response = sign_in_form(scope["path"]) if wants_page else failure.response()
            await response(scope, body.receive, body.send)
            return
        await self._app(scope, body.receive, body.send)

    def _admit(self, scope: Scope) -> None:
        client = scope["client"][0] if scope.get("client") else ""
        try:
            self._access.check(scope["method"], scope["path"], Headers(scope=scope))
        except Failure as failure:
            if failure.status == 401 and not _wants_page(scope):
                self._rate.take(client)  # whoever guesses keys runs out of tries
            raise
        if scope["method"] not in READING:
            self._rate.take(client)

    def _limit(self, path: str) -> int:
        if path == "/api/v1/documents":
            return self._max_upload
        return PICTURES if path in ("/api/v1/pictures", "/v1/chat/completions") else SMALL


class _Body:
    """The body of one request, which ends the request where it is too large or too slow."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, limit: int) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._limit = limit
        self._got = 0
        self._is_whole = scope["method"] in ("GET", "HEAD")
        self._deadline = time.monotonic() + WHOLE + limit / SLOWEST
        self._is_refused = False

    def check_length(self) -> None:
        """Raises Failure (413) where the body says itself that it is too large."""
        length = Headers(scope=self._scope).get("content-length", "0")
        if length.isdigit() and int(length) > self._limit:
            self._is_refused = True
            raise Failure(413, "too_large", self._told())

    async def receive(self) -> Message:
        """The next piece. Raises HTTPException: 413 where it is one too many, 408 where it does not come in time."""
        if self._is_whole:
            return await self._receive()
        left = min(PAUSE, self._deadline - time.monotonic())
        try:
            async with asyncio.timeout(max(left, 0)):
                message = await self._receive()
        except TimeoutError:
            self._is_refused = True
            raise HTTPException(408, "the body did not come in time; send it again") from None
        self._got += len(message.get("body", b""))
        self._is_whole = message["type"] == "http.disconnect" or not message.get("more_body", False)
        if self._got > self._limit:
            self._is_refused = True
            raise HTTPException(413, self._told())
        return message

    async def send(self, message: Message) -> None:
        """Send on, with safe headers; after a refused body the connection ends."""
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in DEFAULTS.items():
                headers.setdefault(name, value)
            if not self._is_whole:
                headers["Connection"] = "close"
        elif self._is_refused and not message.get("more_body", False):
            await self._send({**message, "more_body": True})
            await self._linger()
            message = {"type": "http.response.body", "body": b"", "more_body": False}
        await self._send(message)

    async def _linger(self) -> None:
        try:
            async with asyncio.timeout(LINGER):
                left = LINGER_BYTES
                while left > 0 and (message := await self._receive()).get("more_body"):
                    left -= len(message.get("body", b""))
        except TimeoutError:
            return

    def _told(self) -> str:
        return f"the body is larger than {self._limit / 1_000_000:.3g} MB; send less"


def _wants_page(scope: Scope) -> bool:
    """Whether a browser would show what comes."""
    is_page = scope["path"] == "/" or scope["path"].startswith("/a/")
    return bool(is_page and scope["method"] == "GET")


class Watch:
    """Counts every request and tells it in the log: its pattern, status and time, nothing that a user wrote."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            seconds, route = time.perf_counter() - began, _pattern(scope)
            method = scope["method"] if scope["method"] in KNOWN_METHODS else "other"
            self._metrics.request(method, route, status, seconds)
            told = {"method": method, "route": route, "status": status, "milliseconds": round(seconds * 1000, 1)}
            access_log.info("request", extra={"told": told})


KNOWN_METHODS = READING | {"POST", "PUT", "PATCH", "DELETE"}


def _pattern(scope: Scope) -> str:
    """The pattern of the route that answered; of the page's files and of unknown paths one for all."""
    if scope["path"].startswith("/static/"):
        return "/static"
    return str(getattr(scope.get("route"), "path", "other"))
