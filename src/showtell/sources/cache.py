"""Answers of the web kept on disk for a while, so that a question asked again sends nothing."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from logging import getLogger
from pathlib import Path

DAY = 86_400.0  # seconds
_log = getLogger(__name__)


class Cache:
    """A folder of answers by address; may be used from several threads and processes.

    What is broken, too old or for another address is no answer; a folder that cannot be written to only costs requests.
    """

    def __init__(self, folder: Path, *, max_age: float = 7 * DAY, max_bytes: int = 200_000_000) -> None:
        """Nothing is created yet.

        Args:
            folder: a folder of its own; files whose names are not the cache's are left alone.
            max_age: seconds after which an answer is asked for again.
            max_bytes: of all answers together; the oldest go first.
        """
        self._folder = folder
        self._max_age = max_age
        self._max_bytes = max_bytes

    def get(self, url: str) -> bytes | None:
        """What the address answered not longer than ``max_age`` seconds ago."""
        file = self._file(url)
        try:
            if not 0 <= time.time() - file.stat().st_mtime <= self._max_age:
                return None
            head, _, body = file.read_bytes().partition(b"\n")
        except OSError:
            return None
        return body if head == _head(url, body) else None

    def put(self, url: str, body: bytes) -> None:
        """Keep an answer."""
        if len(body) > self._max_bytes:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._folder, suffix=".part", delete=False) as file:
                file.write(_head(url, body) + b"\n" + body)
            Path(file.name).replace(self._file(url))
            self._sweep()
        except OSError as problem:
            _log.warning("answers are not kept: %s", problem)

    def _file(self, url: str) -> Path:
        return self._folder / f"{hashlib.sha256(url.encode()).hexdigest()}.answer"

    def _sweep(self) -> None:
        """Remove the oldest answers until the rest is small enough, and what a killed process left half written."""
        kept = 0
        files = [entry for entry in os.scandir(self._folder) if entry.name.endswith((".answer", ".part"))]
        found = sorted(((entry.stat().st_mtime, entry.stat().st_size, entry.path) for entry in files), reverse=True)
        for written, size, path in found:
            kept += size
            abandoned = path.endswith(".part") and time.time() - written > DAY
            if abandoned or kept > self._max_bytes:
                Path(path).unlink(missing_ok=True)


def _head(url: str, body: bytes) -> bytes:
    """The first line of a file: what the rest must be."""
    return f"{url} {hashlib.sha256(body).hexdigest()}".encode()
