"""Exact nearest vectors by FAISS, in step with the store: its file is a copy, rebuilt when it is missing or stale."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from showtell.models.base import Vectors

if TYPE_CHECKING:
    from showtell.index.store import Store

log = logging.getLogger(__name__)


class VectorIndex:
    """The vectors of one table (``passage_vectors`` or ``media_vectors``) of a store, searched by cosine.

    May be used from several threads, one at a time: FAISS does not allow changing an index while it is searched.
    """

    def __init__(self, store: Store, table: str) -> None:
        self._store = store
        self._table = table
        self._index: Any = None
        self._ids: set[int] = set()
        self._generation = -1
        self._lock = threading.RLock()

    def search(self, query: Vectors, limit: int, allowed: Sequence[int] | None = None) -> dict[int, float]:
        """The ``limit`` nearest of the allowed ids (all, if None): id to cosine, the best first."""
        import faiss

        parameters = None
        if allowed is not None:
            if not len(allowed):
                return {}
            parameters = faiss.SearchParameters(sel=faiss.IDSelectorBatch(np.asarray(allowed, np.int64)))  # type: ignore[call-arg]
        with self._lock:
            self.sync()
            if self._index is None or not self._index.ntotal:
                return {}
            scores, ids = self._index.search(query.reshape(1, -1), min(limit, self._index.ntotal), params=parameters)
        return {int(id_): float(score) for id_, score in zip(ids[0], scores[0], strict=True) if id_ >= 0}

    def cosines(self, query: Vectors, ids: Sequence[int]) -> dict[int, float]:
        """The cosine of each of these ids that has a vector."""
        known = self.rows(ids)
        if not known:
            return {}
        return dict(zip(known, map(float, np.stack(list(known.values())) @ query), strict=True))

    def rows(self, ids: Sequence[int]) -> dict[int, Vectors]:
        """The vector of each of these ids that has one."""
        with self._lock:
            self.sync()
            return {id_: self._index.reconstruct(id_) for id_ in ids if id_ in self._ids}

    def __len__(self) -> int:
        self.sync()
        return len(self._ids)

    def sync(self) -> None:
        """Bring the index to the store's generation; one that is ahead, for others read on, stays there."""
        generation = self._store.generation
        if generation <= self._generation:
            return
        with self._lock:
            if generation <= self._generation:
                return
            if self._index is None and self._load(generation):
                self._generation = generation
                return
            wanted = set(self._store.vector_ids(self._table))
            self._drop(self._ids - wanted)
            self._take(sorted(wanted - self._ids))
            self._generation = generation

    def save(self) -> None:
        """Keep a copy on disk for the next process; only the newest copy stays."""
        self.sync()
        if self._index is None or not self._store.writable:
            return
        import faiss

        target = self._file(self._generation)
        if not target.exists():
            part = target.with_suffix(f".{os.getpid()}")
            try:
                faiss.write_index(self._index, str(part))
                part.replace(target)
            except (RuntimeError, OSError) as error:  # FAISS raises RuntimeError when it cannot write
                part.unlink(missing_ok=True)
                log.warning("the vector index was not kept: %s", str(error).splitlines()[0])
                return
        for old in self._store.folder.glob(f"{self._table}-*"):
            if old != target:
                old.unlink(missing_ok=True)

    def _file(self, generation: int) -> Path:
        return self._store.folder / f"{self._table}-{generation}.faiss"

    def _load(self, generation: int) -> bool:
        """Whether there was a copy of this very generation."""
        import faiss

        path = self._file(generation)
        if not path.is_file():
            return False
        try:
            index: Any = faiss.read_index(str(path))
            ids = set(map(int, faiss.vector_to_array(index.id_map)))
        except (RuntimeError, AttributeError) as error:  # FAISS raises RuntimeError for any damaged file
            log.warning("%s is damaged and is rebuilt: %s", path.name, str(error).splitlines()[0])
            return False
        self._index, self._ids = index, ids
        return True

    def _drop(self, ids: set[int]) -> None:
        if ids:
            self._index.remove_ids(np.fromiter(ids, dtype=np.int64))
            self._ids -= ids

    def _take(self, ids: list[int]) -> None:
        if not ids:
            return
        import faiss

        found, vectors = self._store.vectors(self._table, ids)
        if self._index is None or self._index.d != vectors.shape[1]:  # the encoder was changed meanwhile
            self._index = faiss.IndexIDMap2(faiss.IndexFlatIP(vectors.shape[1]))
        self._index.add_with_ids(vectors, np.asarray(found, dtype=np.int64))
        self._ids.update(found)
