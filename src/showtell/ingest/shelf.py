"""Pictures that are no document's of the library: those asked with, and those shown from other sources."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from showtell import pictures
from showtell.errors import FetchError, LibraryError, PictureError
from showtell.ingest.fetch import Fetcher
from showtell.types import Image

MAX_BYTES = 20_000_000  # of a picture that is fetched
_SHA256 = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[0-9a-f]{64}\.(?:png|jpg|gif|webp|avif|svg)")


class Shelf:
    """A folder of pictures by hash."""

    def __init__(self, folder: Path, fetcher: Callable[[], Fetcher], max_bytes: int = 500_000_000) -> None:
        """Nothing is made yet.

        Args:
            folder: where they lie.
            fetcher: gives the guarded fetch that gets remote ones.
            max_bytes: of all pictures together; the oldest go first.
        """
        self._folder = folder
        self._fetcher = fetcher
        self._max_bytes = max_bytes

    def find(self, name: str) -> Path | None:
        """The file of a picture, by its name or, if it was asked with, by its SHA-256; None where it is not kept."""
        names = [f"{name}.png", f"{name}.jpg"] if _SHA256.fullmatch(name) else [name] if _NAME.fullmatch(name) else []
        return next((path for each in names if (path := self._folder / each).is_file()), None)

    def put(self, name: str, content: bytes) -> None:
        """Keep a picture under ``<sha256>.<extension>``. Raises LibraryError where it cannot be written."""
        if not _NAME.fullmatch(name):
            raise LibraryError(f"{name!r} is no name of a stored picture")
        path, part = self._folder / name, self._folder / f".{name}.{os.getpid()}"
        if path.exists():
            path.touch()
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            part.write_bytes(content)
            part.replace(path)
            self._sweep()
        except OSError as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise LibraryError(
                f"cannot keep a picture in {self._folder}: {error.strerror}; make room or allow writing"
            ) from error

    def keep(self, image: Image, file: Path | None) -> Image:
        """The image with its bytes kept here: copied from ``file``, or fetched.

        Raises PictureError with the reason where it cannot be had.
        """
        try:
            if image.asset and file:
                self.put(image.asset, file.read_bytes())
                return image
            fetched = self._fetcher().get(image.source, accept="image/*, */*;q=0.1", max_bytes=MAX_BYTES)
            stored = pictures.stored(fetched.data)
            self.put(stored.name, stored.data)
        except (FetchError, LibraryError, OSError) as error:
            raise PictureError(str(error)) from error
        return replace(image, asset=stored.name, width=stored.width, height=stored.height)

    def _sweep(self) -> None:
        files = [entry for entry in os.scandir(self._folder) if _NAME.fullmatch(entry.name)]
        kept = 0
        for entry in sorted(files, key=lambda entry: -entry.stat().st_mtime):
            kept += entry.stat().st_size
            if kept > self._max_bytes:
                Path(entry.path).unlink(missing_ok=True)
