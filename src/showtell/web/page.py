"""The page, its files, and the form in which a key is given."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import FileResponse, RedirectResponse
from starlette.staticfiles import StaticFiles

from showtell.web.access import COOKIE, Access

STATIC = Path(__file__).parent / "static"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:;"
    " connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
HEADERS = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
FORM = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>showtell</title><link rel="stylesheet" href="/static/app.css"></head>
<body class="sign-in"><main><h1>showtell</h1><form method="post" action="/sign-in">
<input type="hidden" name="to" value="{to}"><p>{told}</p>
<p><label for="key">Key</label> <input id="key" name="key" type="password" autocomplete="current-password" required
autofocus> <button>Sign in</button></p></form></main></body></html>
"""
LONGEST_FORM = 10_000  # bytes

router = APIRouter(include_in_schema=False)


@router.get("/")
@router.get("/a/{id_}")
async def page() -> Response:
    """The same page for all; what it shows it asks the API for."""
    return FileResponse(STATIC / "index.html", media_type="text/html; charset=utf-8", headers=HEADERS)


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Keep the key in a cookie that no script can read, and go on to the page that was wanted."""
    access: Access = request.app.state.access
    given = parse_qs((await request.body())[:LONGEST_FORM].decode("utf-8", "replace"))
    key, to = given.get("key", [""])[0], given.get("to", ["/"])[0]
    to = to if to.startswith("/") and not to.startswith(("//", "/\\")) else "/"
    if not access.fits(key):
        return sign_in_form(to, "That key does not fit.")
    response = RedirectResponse(to, 303)
    is_secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, key, max_age=30 * 86_400, httponly=True, samesite="strict", secure=is_secure)
    return response


def sign_in_form(to: str, told: str = "This page needs a key.") -> Response:
    """A form that asks for the key."""
    text = FORM.format(to=escape(to, quote=True), told=escape(told))
    return Response(text, 401, HEADERS | {"Cache-Control": "no-store"}, "text/html; charset=utf-8")


class Static(StaticFiles):
    """The page's files, asked for again each time but sent only when they changed."""

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        """A file, or that it is as it was."""
        response = super().file_response(*arguments, **options)
        response.headers.update(HEADERS)
        return response


def add_page(app: FastAPI) -> None:
    """Serve the page."""
    app.include_router(router)
    app.mount("/static", Static(directory=STATIC), name="static")
