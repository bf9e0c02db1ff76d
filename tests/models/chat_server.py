"""A server on loopback that speaks the OpenAI chat protocol as a test tells it to, well or badly.

``with chat_server() as server:`` then ``server.answers = [...]``: one behaviour a request, the last one for the rest.
A behaviour is a function that gets the request; those below make the usual ones. ``server.asked`` keeps what was sent.
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

EVENTS = "text/event-stream"


@dataclass(frozen=True)
class Asked:
    """A request: its path, headers by lower-case name, and the JSON of its body (None without one)."""

    path: str
    headers: dict[str, str]
    body: Any = field(default=None)


class Exchange(BaseHTTPRequestHandler):
    """One request and the means to answer it."""

    server: ChatServer
    protocol_version = "HTTP/1.1"
    asked: Asked

    def do_GET(self) -> None:
        self._answer(lambda exchange: exchange.send_models())

    def do_POST(self) -> None:
        self._answer(self.server.next_answer())

    def _answer(self, behaviour: Behaviour) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.asked = Asked(self.path, headers, json.loads(body) if body else None)
        self.server.asked.append(self.asked)
        self.close_connection = True
        try:
            behaviour(self)
        except (BrokenPipeError, ConnectionResetError):
            self.server.hung_up.set()

    def send_models(self) -> None:
        if self.server.models is None or not self.path.endswith("/v1/models"):
            self.send(404, b"<html>nothing here</html>", "text/html")
        else:
            listed = [{"id": name, "object": "model", "created": 0, "owned_by": "test"} for name in self.server.models]
            self.send(200, json.dumps({"object": "list", "data": listed}).encode())

    def send(self, status: int, body: bytes, content_type: str = "application/json", **headers: str) -> None:
        """A whole answer; header names are written with underscores."""
        self._begin(status, {"Content-Type": content_type, "Content-Length": str(len(body))} | headers)
        self.wfile.write(body)

    def begin_events(self) -> None:
        """The head of a stream of events, whose end is the end of the connection."""
        self._begin(200, {"Content-Type": EVENTS})

    def send_event(self, data: object) -> None:
        text = data if isinstance(data, str) else json.dumps(data)
        self.wfile.write(f"data: {text}\n\n".encode())
        self.wfile.flush()

    def _begin(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in ({"Connection": "close"} | headers).items():  # else a client may use it once more
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


Behaviour = Callable[[Exchange], None]


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    """One event of a streamed reply."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "stub", "choices": [choice]}


def reply(text: str | Sequence[str], finish: str | None = "stop", reasoning: str = "", **name: str) -> Behaviour:
    """A good reply in the pieces given, or word by word; ``reasoning`` comes before it in a field of its own."""
    pieces = re.findall(r"\s*\S+|\s+", text) if isinstance(text, str) else text

    def behave(exchange: Exchange) -> None:
        exchange.begin_events()
        exchange.send_event(chunk(role="assistant", content=""))
        for word in reasoning.split():
            exchange.send_event(chunk(**{name.get("field", "reasoning_content"): word}))
        for piece in pieces:
            exchange.send_event(chunk(content=piece))
        exchange.send_event(chunk(finish=finish))
        exchange.send_event({"id": "1", "object": "chat.completion.chunk", "choices": [], "usage": {}})
        exchange.send_event("[DONE]")

    return behave


def error(status: int, message: str = "no", *, code: str = "", param: str = "", **headers: str) -> Behaviour:
    """An error as OpenAI words it."""
    body = {"error": {"message": message, "type": "error", "code": code or None, "param": param or None}}
    return lambda exchange: exchange.send(status, json.dumps(body).encode(), **headers)


def page(html: str = "<!doctype html><title>Log in</title>", status: int = 200) -> Behaviour:
    """A web page where words of a model were expected."""
    return lambda exchange: exchange.send(status, html.encode(), "text/html; charset=utf-8")


def events(*data: object) -> Behaviour:
    """Events as given, then the end of the connection."""

    def behave(exchange: Exchange) -> None:
        exchange.begin_events()
        for item in data:
            exchange.send_event(item)

    return behave


def raw_events(body: bytes) -> Behaviour:
    """Bytes under the name of events."""
    return lambda exchange: exchange.send(200, body, EVENTS)


def hanging(*words: str, alive: float = 0.0) -> Behaviour:
    """Some words, then nothing until the client hangs up; with ``alive``, a comment each so many seconds."""

    def behave(exchange: Exchange) -> None:
        if words or alive:
            exchange.begin_events()
        for word in words:
            exchange.send_event(chunk(content=word))
        while not exchange.server.stopped.wait(alive or 0.05):
            if alive:
                exchange.wfile.write(b": still here\n\n")
            elif _closed(exchange):
                exchange.server.hung_up.set()
                return

    return behave


def endless(data: bytes | None = None) -> Behaviour:
    """A reply that never ends: words, or the bytes given again and again."""
    unit = data or f"data: {json.dumps(chunk(content='word after '))}\n\n".encode()

    def behave(exchange: Exchange) -> None:
        exchange.begin_events()
        while not exchange.server.stopped.is_set():
            exchange.wfile.write(unit * 20)

    return behave


def dropped(*words: str, honest: bool = True) -> Behaviour:
    """Some words, then the connection ends before the reply does; dishonestly, as if it had ended well."""

    def behave(exchange: Exchange) -> None:
        length = {} if honest is False else {"Content-Length": "100000"}
        exchange._begin(200, {"Content-Type": EVENTS} | length)
        for word in words:
            exchange.send_event(chunk(content=word))

    return behave


def disconnect(exchange: Exchange) -> None:
    """The connection ends without an answer."""


def redirect(location: str) -> Behaviour:
    """A way to elsewhere."""
    return lambda exchange: exchange.send(307, b"", Location=location)


def unless(accepts: Callable[[Any], bool], refusal: Behaviour, otherwise: Behaviour) -> Behaviour:
    """``otherwise`` where the request's body is accepted, else ``refusal``."""
    return lambda exchange: (otherwise if accepts(exchange.asked.body) else refusal)(exchange)


def _closed(exchange: Exchange) -> bool:
    exchange.connection.settimeout(0.01)
    with contextlib.suppress(TimeoutError):
        return exchange.connection.recv(1) == b""
    return False


class ChatServer(ThreadingHTTPServer):
    """See the module; ``models`` are those it lists (None: no such list), ``hung_up`` is set when a client leaves."""

    daemon_threads = True

    def __init__(self) -> None:
        self.answers: list[Behaviour] = [reply("Hello there.")]
        self.asked: list[Asked] = []
        self.models: list[str] | None = ["stub"]
        self.hung_up = threading.Event()
        self.stopped = threading.Event()
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), Exchange)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def model(self) -> str:
        """The name for showtell of the model ``stub``."""
        return f"{self.address}#stub"

    @property
    def bodies(self) -> list[Any]:
        """The bodies of the chat requests."""
        return [asked.body for asked in self.asked if asked.path == "/v1/chat/completions"]

    def next_answer(self) -> Behaviour:
        with self._lock:
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextlib.contextmanager
def chat_server() -> Iterator[ChatServer]:
    """A server that runs until the end of the block."""
    server = ChatServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()
