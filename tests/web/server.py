"""A real server on loopback, in a thread, as ``showtell serve`` runs it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import uvicorn

from showtell.library import Library
from showtell.settings import Settings
from showtell.web.app import create_app
from showtell.web.serve import configured

ASK = "/api/v1/answers"


@dataclass(frozen=True)
class Running:
    """Where it is, and a client for it."""

    client: httpx2.Client
    server: uvicorn.Server
    port: int

    def ask(self, question: str, **more: Any) -> httpx2.Response:
        return self.client.post(ASK, json={"question": question, "stream": False} | more)


@contextmanager
def serving(served: Settings | Library) -> Iterator[Running]:
    server = uvicorn.Server(configured(lambda: create_app(served)))
    server.config.host, server.config.port = "127.0.0.1", 0
    thread = threading.Thread(target=server.run)
    thread.start()
    latest = time.monotonic() + 60
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        assert time.monotonic() < latest, "the server did not start in time"
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            yield Running(client, server, port)
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive(), "the server did not stop"


def events(response: httpx2.Response) -> Iterator[tuple[str, Any]]:
    """The server-sent events of a stream, as they come."""
    name = ""
    for line in response.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, httpx2.Response(200, content=line.removeprefix("data: ")).json()
