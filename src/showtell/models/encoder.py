"""The sentence encoder: texts to unit vectors with any BERT-type model, all-MiniLM-L6-v2 unless told otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from showtell.errors import ModelError
from showtell.models.base import Vectors
from showtell.models.batches import Bert
from showtell.models.bert import Architecture
from showtell.models.weights import CONFIG, Fetch, Weights, fetch_from_hub, find_weights, read_json

Pooling = Literal["mean", "cls", "max"]

# Query and passage prefixes that model cards prescribe and older configuration files do not state.
_ENGLISH_RETRIEVAL = "Represent this sentence for searching relevant passages: "
_FAMILY_PREFIXES = (
    (r"snowflake-arctic-embed-(xs|s|m|l)(-v1\.5)?", _ENGLISH_RETRIEVAL, ""),
    (r"bge-(small|base|large)-en(-v1\.5)?", _ENGLISH_RETRIEVAL, ""),
    (r"bge-(small|base|large)-zh(-v1\.5)?", "为这个句子生成表示以用于检索相关文章：", ""),
    (r"(multilingual-)?e5-(small|base|large)(-v2|-unsupervised)?", "query: ", "passage: "),
)
_PLAIN_MODULES = {"Transformer", "Pooling", "Normalize"}


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a model wants its texts: pooling of the token vectors, most tokens a text, and what stands before a text."""

    pooling: Pooling
    length: int
    query_prefix: str = ""
    passage_prefix: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class OnnxEncoder:
    """An Encoder on onnxruntime. Safe to call from several threads: nothing in it changes after loading."""

    name: str
    recipe: Recipe
    bert: Bert

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Passages to float32 of shape ``(len(texts), dimension)``, rows of length 1, in the order of the texts."""
        return self._encode([self.recipe.passage_prefix + text for text in texts])

    def encode_query(self, text: str) -> Vectors:
        """One question, with the model's query prefix, to float32 of shape ``(dimension,)`` of length 1."""
        vector: Vectors = self._encode([self.recipe.query_prefix + text])[0]
        return vector

    def _encode(self, texts: list[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.bert.architecture.width), dtype=np.float32)
        for batch in self.bert.run(texts):
            vectors[batch.indexes] = unit(_pool(batch.hidden, batch.mask, self.recipe.pooling))
        return vectors


def load_encoder(
    name: str = "all-MiniLM-L6-v2", *, cache: Path, threads: int | None = None, fetch: Fetch = fetch_from_hub
) -> OnnxEncoder:
    """The encoder of a known name, a hub name or a folder; see :func:`showtell.models.weights.find_weights`.

    ``cache`` is a folder for the model's graph, a few kilobytes, made if absent. ``threads`` is how many cores a call
    uses: all that this process may, unless given. ``fetch`` brings a hub model's files.

    Raises ModelError when files are missing, damaged, or of a model that is not a BERT.
    """
    weights = find_weights(name, fetch=fetch)
    try:
        architecture = Architecture.from_config(read_json(weights.folder / CONFIG))
        recipe = read_recipe(weights, architecture.longest)
        bert = Bert.open(weights, architecture, recipe.length, cache=cache, threads=threads)
    except ModelError as error:
        raise ModelError(f"encoder {weights.name}: {error}") from error
    return OnnxEncoder(weights.identity, recipe, bert)


def read_recipe(weights: Weights, longest: int) -> Recipe:
    """The recipe that a model folder's own files state; ``longest`` is the most tokens its positions allow.

    What they leave out: mean pooling, as sentence-transformers does, and the prefixes of the model's family.
    """
    folder = weights.folder
    _refuse_other_modules(folder)
    length = read_json(folder / "sentence_bert_config.json", {}).get("max_seq_length") or longest
    prompts = read_json(folder / "config_sentence_transformers.json", {}).get("prompts") or {}
    query, passage = _family_prefixes(weights.name)
    try:
        return Recipe(
            pooling=_pooling(read_json(folder / "1_Pooling/config.json", {"pooling_mode_mean_tokens": True})),
            length=min(int(length), longest),
            query_prefix=str(prompts.get("query") or query),
            passage_prefix=str(prompts.get("passage") or prompts.get("document") or passage),
        )
    except (AttributeError, TypeError, ValueError) as error:
        raise ModelError(f"a configuration file of {folder} is not as expected: {error}; get it again") from error


def _refuse_other_modules(folder: Path) -> None:
    modules = read_json(folder / "modules.json", [])
    names = [str(module.get("type", "")).rsplit(".", 1)[-1] for module in modules if isinstance(module, dict)]
    others = sorted(set(names) - _PLAIN_MODULES)
    if others:
        raise ModelError(f"module {', '.join(others)} is not supported; use a model that ends in pooling")


def _pooling(config: Mapping[str, Any]) -> Pooling:
    """Pooling of a 1_Pooling/config.json: flags, or in newer files one ``pooling_mode``."""
    flags = {
        "mean": config.get("pooling_mode_mean_tokens"),
        "cls": config.get("pooling_mode_cls_token"),
        "max": config.get("pooling_mode_max_tokens"),
    }
    chosen = [mode for mode, on in flags.items() if on or config.get("pooling_mode") == mode]
    others = [key for key, on in config.items() if key.startswith("pooling_mode_") and on is True]
    match chosen:
        case ["mean" | "cls" | "max" as mode] if len(others) <= 1:
            return mode
    raise ModelError("its pooling is not supported; use a model with one of mean, cls and max")


def _family_prefixes(model_name: str) -> tuple[str, str]:
    base_name = model_name.rsplit("/", 1)[-1].lower()
    for pattern, query, passage in _FAMILY_PREFIXES:
        if re.fullmatch(pattern, base_name):
            return query, passage
    return "", ""


def _pool(hidden: Vectors, mask: NDArray[np.int64], pooling: Pooling) -> Vectors:
    """Token vectors (batch, tokens, dimension) to one a text; padding has no part in it."""
    if pooling == "cls":
        return hidden[:, 0]
    real = mask[:, :, None] > 0
    pooled: Vectors = (
        np.mean(hidden, axis=1, where=real)
        if pooling == "mean"
        else np.max(hidden, axis=1, where=real, initial=-np.inf)
    )
    return pooled


def unit(vectors: Vectors) -> Vectors:
    """The rows, each of length 1."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    rows: Vectors = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
    return rows
