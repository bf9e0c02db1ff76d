"""What the stored pictures look like, in step with the store, and the ones that look like a given picture."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from showtell.errors import PictureError
from showtell.index.store import Store
from showtell.types import PictureHit

if TYPE_CHECKING:
    from showtell.likeness import Gallery, Likeness

log = logging.getLogger(__name__)

_PICTURES = frozenset({".png", ".jpg", ".gif", ".webp", ".avif"})  # assets that have pixels; a drawing (SVG) has none
_AT_ONCE = 32  # pictures whose likenesses are stored together


class Likenesses:
    """The likenesses of one store's pictures."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._gallery: Gallery | None = None
        self._generation = -1
        self._lock = threading.Lock()

    def complete(self) -> int:
        """Look at the pictures that nobody has looked at yet, and keep what they look like; returns how many.

        A picture that cannot be decoded is looked at once and left out. A library that may only be read stays as it is.
        """
        if not self._store.writable:
            return 0
        missing, count = unseen_pictures(self._store, "likenesses"), 0
        for first in range(0, len(missing), _AT_ONCE):
            looked_at = list(self._looked_at(missing[first : first + _AT_ONCE]))
            with self._store.writing() as db:
                db.executemany("INSERT OR REPLACE INTO likenesses VALUES (?, ?, ?, ?, ?)", looked_at)
            count += len(looked_at)
        return count

    def nearest(self, content: bytes, limit: int = 5) -> list[PictureHit]:
        """The pictures most like this one, best first. Raises PictureError where the content is no picture."""
        self.complete()
        return self._synced().nearest(content, limit)

    def _looked_at(self, assets: list[str]) -> Iterator[tuple[str, int | None, int | None, bytes | None, bytes | None]]:
        for asset, content in read_assets(self._store, assets):
            seen = _look_at(asset, content)
            yield (asset, seen.width, seen.height, seen.windows, seen.copy) if seen else (asset, None, None, None, None)

    def _synced(self) -> Gallery:
        from showtell.likeness import Gallery

        with self._lock:
            generation = self._store.generation
            if self._gallery is None or generation != self._generation:
                rows = self._store.select(
                    """SELECT asset, width, height, windows FROM likenesses WHERE windows IS NOT NULL
                    AND asset IN (SELECT name FROM assets) ORDER BY asset"""
                )
                sizes = [(width, height) for _, width, height, _ in rows]
                self._gallery = Gallery([row[0] for row in rows], sizes, b"".join(row[3] for row in rows), self._copy)
                self._generation = generation
            return self._gallery

    def _copy(self, asset: str) -> bytes | None:
        copies = self._store.select("SELECT copy FROM likenesses WHERE asset = ?", asset)
        return copies[0][0] if copies else None


def unseen_pictures(store: Store, table: Literal["likenesses", "looks"]) -> list[str]:
    """The assets that have pixels and no row in a table of what pictures look like."""
    names = store.select(
        f"SELECT DISTINCT name FROM assets a WHERE NOT EXISTS (SELECT 1 FROM {table} WHERE asset = a.name)"  # noqa: S608
    )
    return [name for (name,) in names if PurePath(name).suffix in _PICTURES]


def read_assets(store: Store, assets: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Each asset with its bytes; one that cannot be read may come back, so it is left out and not remembered."""
    for asset in assets:
        try:
            yield asset, (store.assets / asset).read_bytes()
        except OSError as error:
            log.warning("the picture %s cannot be read: %s", asset, error)


def _look_at(asset: str, content: bytes) -> Likeness | None:
    from showtell.likeness import likeness

    try:
        return likeness(content)
    except PictureError as error:
        log.info("the picture %s is not found by its looks: %s", asset, error)
        return None
