"""A scripted server for what a real wiki does not do on demand."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest


@dataclass(frozen=True)
class Says:
    """One answer; a ``body`` that is not text is sent as JSON; ``after`` seconds."""

    body: Any = field(default_factory=dict)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    after: float = 0.0


Parameters = dict[str, str]
SITE = {
    "query": {
        "general": {"sitename": "Scripted", "lang": "en", "articlepath": "/wiki/$1"},
        "rightsinfo": {"text": "CC BY-SA 4.0", "url": "https://creativecommons.org/licenses/by-sa/4.0/"},
        "extensions": [{"name": "CommonsMetadata"}],
        "repos": [{"rootUrl": "//upload.example.org/wiki"}],
    }
}


class ScriptedWiki(ThreadingHTTPServer):
    """Answers by what is asked (``site``, ``search``, ``titles``, ``parse``, ``files``), or ``first`` of all in turn.

    ``asked`` keeps parameters and User-Agents, ``most`` how many requests were in hand at once.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.first: list[Says] = []
        self.answers: dict[str, Callable[[Parameters], Says]] = {
            "site": lambda asked: Says(SITE),
            "search": lambda asked: Says({"query": {"search": [{"ns": 0, "title": "Tomato", "snippet": "a berry"}]}}),
            "titles": lambda asked: Says(titles({"ns": 0, "title": "Tomato", "extract": "The tomato is a berry."})),
            "parse": lambda asked: Says(parsed(asked["page"], "<p>The tomato is a berry.</p>")),
            "files": lambda asked: Says({"query": {"pages": []}}),
        }
        self.asked: list[tuple[Parameters, str]] = []
        self.most = 0
        self.in_hand = 0
        self.lock = threading.Lock()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    @property
    def api(self) -> str:
        return f"http://{self.host}/w/api.php"

    def kinds(self) -> list[str]:
        return [_kind(parameters) for parameters, _ in self.asked]


def titles(*pages: dict[str, Any]) -> dict[str, Any]:
    return {"query": {"pages": list(pages)}}


def parsed(title: str, text: str, **more: Any) -> dict[str, Any]:
    return {"parse": {"title": title, "pageid": 1, "revid": 7, "text": text, "images": [], "properties": []} | more}


def fault(code: str, info: str = "") -> dict[str, Any]:
    return {"error": {"code": code, "info": info}}


def _kind(parameters: Parameters) -> str:
    if parameters.get("action") == "parse":
        return "parse"
    if "meta" in parameters:
        return "site"
    if "list" in parameters:
        return "search"
    return "files" if parameters.get("prop") == "imageinfo" else "titles"


class _Handler(BaseHTTPRequestHandler):
    server: ScriptedWiki

    def do_GET(self) -> None:
        wiki = self.server
        parameters = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        with wiki.lock:
            wiki.asked.append((parameters, self.headers.get("User-Agent", "")))
            wiki.in_hand += 1
            wiki.most = max(wiki.most, wiki.in_hand)
            says = wiki.first.pop(0) if wiki.first else wiki.answers[_kind(parameters)](parameters)
        time.sleep(says.after)
        with wiki.lock:
            wiki.in_hand -= 1
        body = says.body if isinstance(says.body, str) else json.dumps(says.body)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.send_response(says.status)
            for name, value in says.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def scripted() -> Iterator[ScriptedWiki]:
    server = ScriptedWiki()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()
