from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pytest

from showtell.index.store import DocumentRow, MediaRow, PassageRow
from showtell.index.terms import terms
from showtell.models.base import Vectors
from showtell.types import Image, Section, Table, Text


class BagOfWords:
    """An encoder whose cosine is the share of common words: quick, deterministic, no weights."""

    name = "bag-of-words@000000000000"

    def encode(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), 256), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in terms(text):
                row[int(hashlib.sha256(term.encode()).hexdigest(), 16) % 256] += 1
            row /= max(1e-9, float(np.linalg.norm(row)))
        return rows

    def encode_query(self, text: str) -> Vectors:
        return self.encode([text])[0]


@pytest.fixture
def encoder() -> BagOfWords:
    return BagOfWords()


def document(name: str, *texts: str, language: str = "en", assets: dict[str, bytes] | None = None) -> DocumentRow:
    """One section a text, one passage each, an image in the first."""
    encoder = BagOfWords()
    blocks = [(Text(text),) for text in texts]
    blocks[0] += (
        Image("a.png", f"/docs/{name}/a.png", alt="A lamp"),
        Table(("A", "B"), (("1", "2"),), ref=f"{name}#1"),
    )
    sections = tuple(Section((name, f"Part {n}"), block) for n, block in enumerate(blocks))
    spelled = [" ".join(terms(text, language)) for text in texts]
    vectors = [vector.tobytes() for vector in encoder.encode(texts)]
    passages = tuple(
        PassageRow(n, 0, 1, text, None, None, (name.lower(), f"part {n}", spelled[n]), vectors[n])
        for n, text in enumerate(texts)
    )
    media = (MediaRow(f"{name}-lamp", 0, 1, texts[0], "", ("lamp", spelled[0]), vectors[0]),)
    return DocumentRow(
        f"/docs/{name}", name, "/docs", f"hash of {texts}", name, "", language, None, None, None, 0,
        sections, passages, media, assets or {},
    )  # fmt: skip
