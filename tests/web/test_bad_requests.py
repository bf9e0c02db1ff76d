"""Requests that are wrong, too large, too slow or made up: the right status, JSON, nothing leaked, and it goes on."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx2
import pytest

from showtell.library import Library
from showtell.web import guard, serve
from tests.web.server import ASK, Running, serving

DOCUMENTS = "/api/v1/documents"
MB = 1_000_000


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"", 422, "invalid"),
        (b"{", 400, "malformed"),
        (b"\xff\xfe{}", 400, "malformed"),
        (b"[]", 422, "invalid"),
        (b'"what"', 422, "invalid"),
        (b'{"question": 1}', 422, "invalid"),
        (b"[" * 100_000, 400, "malformed"),
        (b'{"question": "x", "stream": ' + b"9" * 5000 + b"}", None, None),
    ],
)
def test_malformed_json(served: Running, content, status, code):
    response = served.client.post(ASK, content=content, headers={"Content-Type": "application/json"})
    assert response.status_code < 500, response.text
    if status:
        assert (response.status_code, response.json()["error"]["code"]) == (status, code)
    assert len(response.text) < 2000


@pytest.mark.parametrize(
    ("kind", "content", "status"),
    [
        ("text/plain", b"hello", 415),
        ("multipart/form-data", b"hello", 400),
        ("multipart/form-data; boundary=x", b"hello", 400),
        ("multipart/form-data; boundary=x", b"--x--\r\n", 422),
        ("application/json", b"{}", 422),
        ("application/json", b"{", 400),
        ("", b"", 415),
    ],
)
def test_malformed_uploads(served: Running, kind, content, status):
    for path in (DOCUMENTS, "/api/v1/pictures"):
        response = served.client.post(path, content=content, headers={"Content-Type": kind})
        assert response.status_code == status, response.text
        assert response.json()["error"]["message"]


def test_other_methods_and_paths_are_told(served: Running):
    wrong = served.client.put("/api/v1/library")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (405, "method_not_allowed")
    assert "GET" in wrong.headers["allow"]
    for path in ("/nothing", "/api/v1/answers/" + "x" * 22, "/api/v1/answers/x/html", "/docs", "/redoc"):
        missing = served.client.get(path)
        assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")


def test_a_gigabyte_is_cut_while_it_comes(library: Library):
    settings = library.settings.model_copy(update={"max_document_mb": 2})
    sent = 0

    def gigabyte() -> Iterator[bytes]:
        nonlocal sent
        head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="big.md"\r\n\r\n'
        yield head
        for _ in range(1000):
            sent += MB
            yield b"x" * MB

    form = {"Content-Type": "multipart/form-data; boundary=x"}
    with serving(settings) as running:
        declared = running.client.post(DOCUMENTS, headers=form | {"Content-Length": str(1001 * MB)}, content=gigabyte())
        assert (declared.status_code, declared.json()["error"]["code"]) == (413, "too_large")
        assert sent < 200 * MB
        sent = 0
        streamed = running.client.post(DOCUMENTS, headers=form, content=gigabyte())
        assert (streamed.status_code, streamed.json()["error"]["code"]) == (413, "too_large")
        assert sent < 200 * MB
        assert not (library.store.folder / "uploads").exists()
        large = running.client.post(ASK, json={"question": "x" * 2 * MB})
        assert large.status_code == 413
        assert running.client.get("/health").status_code == 200


def test_whoever_is_too_slow_is_cut(library: Library, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(serve, "HEAD", 0.5)
    monkeypatch.setattr(guard, "PAUSE", 0.5)
    with serving(library) as running:
        slow_head = socket.create_connection(("127.0.0.1", running.port))
        body = socket.create_connection(("127.0.0.1", running.port))
        body.sendall(f"POST {ASK} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{{".encode())
        assert body.recv(100).startswith(b"HTTP/1.1 408")
        began = time.monotonic()
        assert is_cut(slow_head, b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100)
        assert time.monotonic() - began < 3
        again = socket.create_connection(("127.0.0.1", running.port))
        again.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert again.recv(100).startswith(b"HTTP/1.1 200")
        assert is_cut(again, b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100)
        for connection in (slow_head, body, again):
            connection.close()


def is_cut(connection: socket.socket, content: bytes) -> bool:
    """Whether the connection ends while this is sent, letter by letter."""
    try:
        for letter in content:
            connection.sendall(bytes([letter]))
            time.sleep(0.05)
    except OSError:
        return True
    return False


@pytest.mark.parametrize(
    "raw",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /%00%ff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /a/\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    ],
)
def test_what_is_hardly_http_does_no_harm(served: Running, raw):
    with socket.create_connection(("127.0.0.1", served.port), timeout=5) as connection:
        connection.sendall(raw)
        connection.shutdown(socket.SHUT_WR)
        got = connection.recv(100)
    assert not got.startswith(b"HTTP/1.1 5")
    assert served.client.get("/health").status_code == 200


@pytest.mark.parametrize("workers", [1, 2])
def test_the_log_is_json_without_what_users_write(shell, workers):
    """The command, in a process of its own, as it is run; then stopped as a service manager stops it."""
    command = [sys.executable, "-m", "showtell.cli", "serve", "--port", "0", "--workers", str(workers)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ) as process:
        try:
            address = process.stderr.readline().split("http://")[1].split()[0]
            with httpx2.Client(base_url=f"http://{address}", timeout=60) as client:
                assert client.get("/health").status_code == 200
                secret = "Zanzibar"
                asked = {"question": f"What of {secret}?", "stream": False}
                assert client.post(ASK, json=asked).status_code == 200
                client.post(ASK, json={"question": "x", secret: secret})
                client.get(f"/a/{secret}")
                client.get(f"/media/{secret}?{secret}")
                client.post("/api/v1/pictures", files={"file": (secret, secret.encode())})
        finally:
            process.send_signal(signal.SIGTERM)
        log = process.stderr.read()
        assert process.wait(30) in (0, -signal.SIGTERM)
    lines = [json.loads(line) for line in log.splitlines()]
    assert not [line for line in lines if "died" in line["message"]]
    requests = [line for line in lines if line["message"] == "request"]
    assert len(requests) == 6
    assert requests[1] | {"route": "/api/v1/answers", "status": 200, "method": "POST"} == requests[1]
    assert secret not in log
