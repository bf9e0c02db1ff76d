"""What an image encoder makes of the stored pictures, in step with the store: found by a picture, by words, or both."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from showtell.errors import ModelError, PictureError
from showtell.index.likenesses import read_assets, unseen_pictures
from showtell.index.store import Store
from showtell.models.base import ImageEncoder, Vectors
from showtell.types import PictureHit

log = logging.getLogger(__name__)

_AT_ONCE = 32  # pictures whose vectors are stored together


class Looks:
    """The vectors of one store's pictures, all made by one encoder.

    The encoder is loaded when it is first needed. Without one that can be loaded, or with another than made the
    vectors, nothing is kept and nothing is found; ``warnings`` says so.
    """

    def __init__(self, store: Store, load: Callable[[], ImageEncoder] | None = None) -> None:
        """``load`` brings the encoder or raises ModelError; None is for a library that is not searched by looks."""
        self._store = store
        self._load = load
        self._error = ""
        self._assets: list[str] = []
        self._vectors: Vectors = np.zeros((0, 0), dtype=np.float32)
        self._generation = -1
        self._lock = threading.Lock()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why pictures are not found by their looks, or not all; nothing where that was not asked for."""
        hindrance = self._hindrance() if self._load else ""
        return (f"pictures are not found by their looks: {hindrance}",) if hindrance else ()

    def complete(self) -> int:
        """Look at the pictures that the encoder has not seen yet, and keep their vectors; returns how many.

        A picture that cannot be decoded is looked at once and left out. A library that may only be read stays as it is.
        """
        if not self._store.writable or self._load is None:
            return 0
        missing, count = unseen_pictures(self._store, "looks"), 0
        if not missing or self._encoder is None or self._is_foreign:
            return 0
        for first in range(0, len(missing), _AT_ONCE):
            seen = self._seen(self._encoder, missing[first : first + _AT_ONCE])
            with self._store.writing() as db:
                db.executemany("INSERT OR REPLACE INTO looks VALUES (?, ?)", seen.items())
                db.execute("INSERT OR REPLACE INTO meta VALUES ('image_encoder', ?)", (self._encoder.name,))
            count += len(seen)
        return count

    def forget(self) -> None:
        """Forget all vectors, so that the encoder in force makes them anew; without one they stay."""
        if self._encoder is not None:
            with self._store.writing() as db:
                db.execute("DELETE FROM looks")
                db.execute("DELETE FROM meta WHERE key = 'image_encoder'")

    def nearest(self, content: bytes | None, text: str | None, limit: int = 5) -> list[PictureHit]:
        """The pictures nearest to a picture, to words, or to the mean of both, best first, scored by cosine.

        Raises PictureError where the content is no picture.
        """
        if (content is None and not text) or self._encoder is None or self._is_foreign:
            return []
        asked = list(_encoded(self._encoder, content, text))
        query = np.sum(asked, axis=0)
        assets, vectors = self._synced()
        cosines = vectors @ query / max(float(np.linalg.norm(query)), 1e-9) if assets else np.zeros(0)
        best = np.argsort(-cosines, kind="stable")[:limit]
        return [PictureHit(assets[row], float(cosines[row])) for row in best]

    @cached_property
    def _encoder(self) -> ImageEncoder | None:
        try:
            return self._load() if self._load else None
        except ModelError as error:
            self._error = str(error)
            return None

    def _hindrance(self) -> str:
        if self._encoder is None:
            return self._error
        if self._is_foreign:
            made_with = str(self._store.meta("image_encoder"))
            return (
                f"the vectors in {self._store.folder} were made by {made_with}, not by {self._encoder.name}; set"
                f" image_encoder to {made_with.rpartition('@')[0]}, or make them anew with: showtell refresh --rebuild"
            )
        missing = len(unseen_pictures(self._store, "looks"))
        return f"{missing} were not looked at yet; mend with: showtell refresh" if missing else ""

    @property
    def _is_foreign(self) -> bool:
        """Whether the vectors that are kept were made by other weights than the encoder's."""
        made_with = self._store.meta("image_encoder")
        return bool(
            made_with and self._encoder and made_with.rpartition("@")[2] != self._encoder.name.rpartition("@")[2]
        )

    def _seen(self, encoder: ImageEncoder, assets: list[str]) -> dict[str, bytes | None]:
        """The vector of each asset that can be read; None of a picture that is broken."""
        pictures = dict(self._decoded(assets))
        whole = {asset: content for asset, content in pictures.items() if content is not None}
        vectors = encoder.encode_pictures(list(whole.values()))
        return dict.fromkeys(pictures, None) | {
            asset: vector.tobytes() for asset, vector in zip(whole, vectors, strict=True)
        }

    def _decoded(self, assets: list[str]) -> Iterator[tuple[str, bytes | None]]:
        from showtell.pictures import fitted

        for asset, content in read_assets(self._store, assets):
            try:
                yield asset, fitted(content)
            except PictureError as error:
                log.info("the picture %s is not found by its looks: %s", asset, error)
                yield asset, None

    def _synced(self) -> tuple[list[str], Vectors]:
        with self._lock:
            generation = self._store.generation
            if generation != self._generation:
                rows = self._store.select(
                    """SELECT asset, vector FROM looks WHERE vector IS NOT NULL
                    AND asset IN (SELECT name FROM assets) ORDER BY asset"""
                )
                stacked = np.frombuffer(b"".join(vector for _, vector in rows), dtype=np.float32)
                self._assets = [asset for asset, _ in rows]
                self._vectors = stacked.reshape(len(rows), -1) if rows else np.zeros((0, 0), dtype=np.float32)
                self._generation = generation
            return self._assets, self._vectors


def _encoded(encoder: ImageEncoder, content: bytes | None, text: str | None) -> Iterator[Vectors]:
    from showtell.pictures import fitted

    if content is not None:
        yield encoder.encode_pictures([fitted(content)])[0]
    if text:
        yield encoder.encode_texts([text])[0]
