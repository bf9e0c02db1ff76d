"""What showtell adds to a chat model's own time: ``python -m benchmarks.model [PASSAGES]`` (default: 10000).

A stub server in a process of its own streams every reply in exactly ``LATENCY`` seconds: as a draft a sentence of each
passage that it was given, cited, as a revision the draft itself. What an answer takes longer than its replies is
showtell's: search, prompts, the client, attribution, media, checks.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks import speed
from showtell.library import Library

LATENCY = 0.5  # seconds of a whole reply
GOAL = 150  # milliseconds, of half of the questions
_PASSAGE = re.compile(r'<passage number="(\d+)" section="[^"]*">\n(.*?)\n</passage>', re.DOTALL)


def main(size: int = 10_000) -> None:
    """Print the figures."""
    p50, p95, requests = measure(size)
    print(
        f"{size} passages: beside the model's own time p50 {p50:.0f} ms (goal {GOAL}), p95 {p95:.0f} ms;"
        f" {requests:.1f} requests a question"
    )


def measure(size: int) -> tuple[float, float, float]:
    """Milliseconds that showtell adds to an answer (median, 95th percentile), and requests a question."""
    with tempfile.TemporaryDirectory() as place, _stub() as address:
        speed.build(Path(place), size)
        with Library.open(Path(place), model=f"{address}#stub") as library:
            added, requests = zip(*_answers(library), strict=True)
    added = sorted(added)
    return statistics.median(added), added[int(len(added) * 0.95)], statistics.mean(requests)


def _answers(library: Library) -> Iterator[tuple[float, int]]:
    """Of each question the milliseconds beside the model's, and the requests."""
    library.ask("How do I warm up?")
    for question in _questions(random.Random(2)):
        began = time.perf_counter()
        answer = library.ask(question)
        whole = time.perf_counter() - began
        if answer.model == "extractive" and answer.status == "answered":
            raise RuntimeError(f"the stub did not answer: {answer.warnings}")
        asked = answer.requests.get("model", 0)
        if asked:
            yield (whole - asked * LATENCY) * 1000, asked


def _questions(chance: random.Random) -> Iterator[str]:
    """Questions that are plainly English, so that none is translated first; half of their words are rare."""
    for _ in range(speed.QUESTIONS):
        yield f"How do I do that with the {' '.join(speed.drawn(chance, 0.5) for _ in range(8))} that I have in it?"


class _Stub(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        began = time.perf_counter()
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        words = re.findall(r"\s*\S+", _reply(body["messages"][-1]["content"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for number, word in enumerate(words, start=1):
            time.sleep(max(0.0, began + LATENCY * number / len(words) - time.perf_counter()))
            self._event({"delta": {"content": word}, "index": 0, "finish_reason": None})
        self._event({"delta": {}, "index": 0, "finish_reason": "stop"})
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _event(self, choice: object) -> None:
        event = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "stub", "choices": [choice]}
        self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        pass


def _reply(asked: str) -> str:
    draft = asked.partition("Draft:\n")[2].partition("\n\nNow ")[0]
    if draft:
        return draft
    passages = _PASSAGE.findall(asked)
    return "\n\n".join(f"{text.partition('.')[0]} [{number}]." for number, text in passages)


def _serve(told: Connection) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Stub)
    told.send(server.server_port)
    server.serve_forever()


@contextmanager
def _stub() -> Iterator[str]:
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(there,), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{here.recv()}/v1"
    finally:
        process.terminate()
        process.join()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
