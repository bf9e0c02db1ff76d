"""Counters in the text format of Prometheus (version 0.0.4), of one process."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)  # seconds


class Metrics:
    """What was asked and how long it took; may be used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._within: Counter[tuple[str, float]] = Counter()
        self._taken: Counter[str] = Counter()
        self._answers: Counter[tuple[str, str]] = Counter()

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request; ``route`` is the pattern that its path fits."""
        with self._lock:
            self._requests[method, route, status] += 1
            self._seconds[route] += seconds
            self._taken[route] += 1
            self._within.update((route, bucket) for bucket in BUCKETS if seconds <= bucket)

    def answer(self, status: str, method: str) -> None:
        """Count an answer."""
        with self._lock:
            self._answers[status, method] += 1

    def text(self, gauges: Mapping[str, float]) -> str:
        """All counters, and these values of the moment."""
        with self._lock:
            return "".join(f"{line}\n" for line in self._lines(gauges))

    def _lines(self, gauges: Mapping[str, float]) -> Iterator[str]:
        yield "# TYPE showtell_requests_total counter"
        for (method, route, status), count in sorted(self._requests.items()):
            yield f'showtell_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}'
        yield "# TYPE showtell_request_seconds histogram"
        for route, count in sorted(self._taken.items()):
            for bucket in BUCKETS:
                within = self._within[route, bucket]
                yield f'showtell_request_seconds_bucket{{route="{route}",le="{bucket:g}"}} {within}'
            yield f'showtell_request_seconds_bucket{{route="{route}",le="+Inf"}} {count}'
            yield f'showtell_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}'
            yield f'showtell_request_seconds_count{{route="{route}"}} {count}'
        yield "# TYPE showtell_answers_total counter"
        for (outcome, method), count in sorted(self._answers.items()):
            yield f'showtell_answers_total{{status="{outcome}",method="{method}"}} {count}'
        for name, value in gauges.items():
            yield f"# TYPE showtell_{name} gauge"
            yield f"showtell_{name} {value:g}"
