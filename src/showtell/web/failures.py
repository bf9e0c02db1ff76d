"""What went wrong, as the server tells it: a status, a code for programs, a sentence for people, nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from showtell.errors import (
    FetchError,
    LibraryError,
    LibraryLocked,
    MissingExtra,
    ModelError,
    PictureError,
    SettingsError,
    ShowtellError,
    SourceError,
    UnsupportedError,
    WikiError,
)

# The first kind that fits. What lies behind the server is told only in its log, for it may name folders.
_KINDS: tuple[tuple[type[ShowtellError], int, str, str], ...] = (
    (UnsupportedError, 415, "unsupported", ""),
    (PictureError, 422, "picture_unusable", ""),
    (SourceError, 422, "source_unusable", ""),
    (FetchError, 422, "fetch_failed", ""),
    (WikiError, 502, "wiki_failed", ""),
    (ModelError, 503, "model_failed", ""),
    (SettingsError, 422, "not_set_up", ""),
    (MissingExtra, 501, "not_installed", ""),
    (LibraryLocked, 503, "library_busy", "the library is being written; try again in a while"),
    (LibraryError, 503, "library_failed", "the library cannot be used as asked; the server's log says why"),
)
_CODES = {
    400: "malformed",
    404: "not_found",
    405: "method_not_allowed",
    408: "too_slow",
    413: "too_large",
    416: "range_not_satisfiable",
}
_SENTENCES = {
    400: "the body cannot be read; send what its content type says",
    404: "there is nothing at this address; see /openapi.json for what there is",
    405: "this address does not take that method; see /openapi.json",
}
UNEXPECTED = "unexpected", "the server failed at this; its log says where"
MOST_FAULTS = 3  # of a request's body that are told
EXAMPLE = {
    "error": {"code": "busy", "message": "more questions are waiting than can be answered; try again in a while"}
}


class Failure(Exception):
    """An answer that is an error: ``status`` of HTTP, ``code`` for programs, a sentence for people."""

    def __init__(self, status: int, code: str, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.retry_after = retry_after

    def response(self) -> Response:
        """As it is sent."""
        headers = {"Retry-After": str(self.retry_after)} if self.retry_after else {}
        if self.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        return JSONResponse(self.told(), self.status, headers)

    def told(self) -> dict[str, dict[str, str]]:
        """As JSON."""
        return {"error": {"code": self.code, "message": self.message}}


def failure_of(error: ShowtellError) -> Failure:
    """An error of showtell's own as clients are told it."""
    for kind, status, code, instead in _KINDS:
        if isinstance(error, kind):
            return Failure(status, code, instead or str(error), 5 if status == 503 else None)
    return Failure(422, "refused", str(error))


def not_found(what: str, advice: str) -> Failure:
    """There is no such thing."""
    return Failure(404, "not_found", f"{what}; {advice}")


def tell_failures(app: FastAPI) -> None:
    """Have all errors told as JSON with a code and a sentence."""

    async def failed(_: Request, error: Exception) -> Response:
        return _failure(error).response()

    async def ended(_: Request, error: Exception) -> Response:
        """An error of the protocol, raised by the framework or while a body is read."""
        assert isinstance(error, HTTPException)  # noqa: S101 (it is registered for these)
        code, sentence = _CODES.get(error.status_code, "refused"), _SENTENCES.get(error.status_code, str(error.detail))
        response = Failure(error.status_code, code, sentence).response()
        response.headers.update(_kept(error.headers))
        return response

    for kind in (Failure, ShowtellError, RequestValidationError):
        app.add_exception_handler(kind, failed)
    app.add_exception_handler(HTTPException, ended)
    app.add_exception_handler(Exception, failed)


def _failure(error: Exception) -> Failure:
    if isinstance(error, Failure):
        return error
    if isinstance(error, ShowtellError):
        return failure_of(error)
    if isinstance(error, RequestValidationError):
        return _invalid(error)
    return Failure(500, *UNEXPECTED)


def _invalid(error: RequestValidationError) -> Failure:
    faults = error.errors()
    if any(fault["type"] == "json_invalid" for fault in faults):
        return Failure(400, "malformed", "the body is no JSON; send one JSON object as UTF-8")
    told = [f"{'.'.join(map(str, fault['loc'][1:])) or 'body'}: {fault['msg']}" for fault in faults[:MOST_FAULTS]]
    return Failure(422, "invalid", "; ".join(told).encode("utf-8", "replace").decode())


def _kept(headers: Mapping[str, str] | None) -> dict[str, str]:
    return {name: value for name, value in (headers or {}).items() if name.lower() in ("allow", "content-range")}
