"""A cross-encoder: reads a question and a passage together and scores how well they fit; one run for each passage.

It is a BERT run like the encoder, with a head of two linear maps on its first token.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from showtell.errors import ModelError
from showtell.models.base import Vectors
from showtell.models.batches import Bert
from showtell.models.bert import Architecture, read_tensors
from showtell.models.weights import CONFIG, TENSORS, Fetch, Weights, fetch_from_hub, find_weights, read_json

# The linear maps of a sequence classifier by its model type: the one before tanh, then the one to the score.
_HEADS = {
    "bert": ("pooler.dense", "classifier"),
    "roberta": ("classifier.dense", "classifier.out_proj"),
    "xlm-roberta": ("classifier.dense", "classifier.out_proj"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """A linear map: ``weight`` (out, in) and ``bias`` (out,)."""

    weight: Vectors
    bias: Vectors

    def __call__(self, values: Vectors) -> Vectors:
        """Of shape (rows, in) to (rows, out)."""
        mapped: Vectors = values @ self.weight.T + self.bias
        return mapped


@dataclass(frozen=True, slots=True, eq=False)
class OnnxReranker:
    """A Reranker on onnxruntime. Safe to call from several threads: nothing in it changes after loading."""

    name: str
    bert: Bert
    dense: Linear
    last: Linear

    def scores(self, query: str, texts: Sequence[str]) -> Vectors:
        """The model's own score of each text, before any sigmoid, to float32 of shape ``(len(texts),)``."""
        scores = np.zeros(len(texts), dtype=np.float32)
        for batch in self.bert.run([(query, text) for text in texts]):
            scores[batch.indexes] = self.last(np.tanh(self.dense(batch.hidden[:, 0])))[:, 0]
        return scores


def load_reranker(name: str, *, cache: Path, threads: int | None = None, fetch: Fetch = fetch_from_hub) -> OnnxReranker:
    """The cross-encoder of a hub name or a folder; see :func:`showtell.models.encoder.load_encoder`.

    Raises ModelError when files are missing, damaged, or of a model that is not a BERT with one score.
    """
    weights = find_weights(name, "reranker", fetch=fetch)
    try:
        config = read_json(weights.folder / CONFIG)
        _require_one_score(config)
        architecture = Architecture.from_config(config)
        dense, last = _HEADS[config["model_type"]]
        width = architecture.width
        head = _linear(weights, dense, (width, width)), _linear(weights, last, (1, width))
        bert = Bert.open(weights, architecture, architecture.longest, cache=cache, threads=threads)
    except ModelError as error:
        raise ModelError(f"reranker {weights.name}: {error}") from error
    return OnnxReranker(weights.identity, bert, *head)


def _require_one_score(config: Mapping[str, Any]) -> None:
    labels = config.get("id2label")  # two where config.json names none
    is_classifier = "ForSequenceClassification" in str(config.get("architectures"))
    if not (is_classifier and isinstance(labels, dict) and len(labels) == 1):
        raise ModelError("not a cross-encoder with one score; use one such as cross-encoder/ms-marco-MiniLM-L6-v2")


def _linear(weights: Weights, name: str, shape: tuple[int, int]) -> Linear:
    tensors = read_tensors(weights.folder / TENSORS, {f"{name}.weight": shape, f"{name}.bias": shape[:1]})
    return Linear(tensors[f"{name}.weight"], tensors[f"{name}.bias"])
