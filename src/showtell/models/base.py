"""What showtell asks of a model: protocols of at most three methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """Turns texts into unit vectors whose dot product is their cosine."""

    @property
    def name(self) -> str:
        """Identity stored in a library: model name and the first 12 hex digits of its weights' SHA-256."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Passages to float32 of shape ``(len(texts), dimension)``, rows of length 1. Raises ModelError."""
        ...

    def encode_query(self, text: str) -> Vectors:
        """One question, with the model's query prefix, to float32 of shape ``(dimension,)`` of length 1."""
        ...
