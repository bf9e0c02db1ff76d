"""A BERT with its tokenizer, run over texts, or over pairs of texts, in batches of like lengths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession
from tokenizers import Tokenizer

from showtell.errors import ModelError
from showtell.models.base import Vectors
from showtell.models.bert import INPUTS, OUTPUT, Architecture, open_bert
from showtell.models.graph import available_cores
from showtell.models.weights import CONFIG, TENSORS, TOKENIZER, Weights

Text = TypeVar("Text", str, tuple[str, str])

_BATCH_TEXTS = 32
_BATCH_TOKENS = 4096  # 16 texts of 256 tokens; larger batches are no faster, and memory grows with tokens squared
_LIKE = (
    0.8  # a batch ends before a text that is shorter than this share of its longest: padding costs as much as text …
)
_BATCH_LEAST = 4  # … but for the first texts; below four a batch costs up to half as much again a token
_TOKENIZED_AT_ONCE = 512


@dataclass(frozen=True, slots=True)
class Batch:
    """Token vectors (texts, tokens, width) of the texts at these indexes, and where they are not padding: the mask."""

    indexes: list[int]
    hidden: Vectors
    mask: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Bert:
    """Safe to call from several threads: nothing in it changes after loading."""

    architecture: Architecture
    tokenizer: Tokenizer
    session: InferenceSession

    @classmethod
    def open(
        cls, weights: Weights, architecture: Architecture, length: int, *, cache: Path, threads: int | None = None
    ) -> Bert:
        """The model in a folder, reading at most ``length`` tokens of a text; ``threads`` unset, all cores are used.

        Raises ModelError when a file is damaged or the files are of two models.
        """
        tokenizer = load_tokenizer(weights.folder / TOKENIZER, length)
        if tokenizer.get_vocab_size() > architecture.vocabulary:
            raise ModelError(f"{TOKENIZER} and {CONFIG} are of two models; get both files again")
        session = open_bert(weights.folder / TENSORS, architecture, cache=cache, threads=threads or available_cores())
        return cls(architecture, tokenizer, session)

    def run(self, texts: Sequence[Text]) -> Iterator[Batch]:
        """All texts, each in one batch, the batches in no order of the texts. Of a pair the longer one is cut first."""
        tokens = self._tokenize(texts)
        for indexes in _batches([each.shape[1] for each in tokens]):
            yield self._run_batch(indexes, [tokens[index] for index in indexes])

    def _tokenize(self, texts: Sequence[Text]) -> list[NDArray[np.int32]]:
        """Ids and types of each text's tokens, shape (2, tokens). In slices: an encoding holds far more than those."""
        found: list[NDArray[np.int32]] = []
        for start in range(0, len(texts), _TOKENIZED_AT_ONCE):
            valid = [without_surrogates(text) for text in texts[start : start + _TOKENIZED_AT_ONCE]]
            encodings = self.tokenizer.encode_batch_fast(valid)
            found += [np.array([encoding.ids, encoding.type_ids], dtype=np.int32) for encoding in encodings]
        return found

    def _run_batch(self, indexes: list[int], tokens: Sequence[NDArray[np.int32]]) -> Batch:
        longest = max(1, *(each.shape[1] for each in tokens))
        inputs = {name: np.zeros((len(tokens), longest), dtype=np.int64) for name in INPUTS}
        for row, (ids, types) in enumerate(tokens):
            inputs["input_ids"][row, : len(ids)] = ids
            inputs["attention_mask"][row, : max(1, len(ids))] = 1  # a text without any token is one padding token
            inputs["token_type_ids"][row, : len(ids)] = np.minimum(types, self.architecture.token_types - 1)
        (hidden,) = self.session.run([OUTPUT], inputs)
        return Batch(indexes, hidden, inputs["attention_mask"])


def load_tokenizer(path: Path, length: int) -> Tokenizer:
    """The tokenizer, cutting at ``length`` tokens and padding none. Raises ModelError."""
    try:
        tokenizer = Tokenizer.from_buffer(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read as a tokenizer ({error}); get the file again") from error
    tokenizer.enable_truncation(length)
    tokenizer.no_padding()
    return tokenizer


def without_surrogates(text: Text) -> Text:
    """The text, or both of a pair, with lone surrogates, which no UTF-8 can hold, as question marks."""
    if isinstance(text, tuple):
        return without_surrogates(text[0]), without_surrogates(text[1])
    return text.encode("utf-8", "replace").decode("utf-8")


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Indexes in batches of like lengths, longest first, so that little is padding and memory peaks at once."""
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    start = 0
    while start < len(order):
        longest = max(1, lengths[order[start]])
        size = max(1, min(_BATCH_TEXTS, _BATCH_TOKENS // longest))
        batch = order[start : start + size]
        full = [n for n, index in enumerate(batch) if n < _BATCH_LEAST or lengths[index] >= _LIKE * longest]
        yield batch[: len(full)]
        start += len(full)
