"""The sentence encoder: texts to unit vectors with any BERT-type model, all-MiniLM-L6-v2 unless told otherwise."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession
from tokenizers import Tokenizer

from showtell.errors import ModelError
from showtell.models.base import Vectors
from showtell.models.bert import INPUTS, OUTPUT, Architecture, open_bert
from showtell.models.weights import CONFIG, TENSORS, TOKENIZER, Fetch, Weights, fetch_from_hub, find_weights

Pooling = Literal["mean", "cls", "max"]

_BATCH_TEXTS = 32
_BATCH_TOKENS = 4096  # 16 texts of 256 tokens; larger batches are no faster, and memory grows with tokens squared
_LIKE = (
    0.8  # a batch ends before a text that is shorter than this share of its longest: padding costs as much as text …
)
_BATCH_LEAST = 4  # … but for the first texts; below four a batch costs up to half as much again a token
_TOKENIZED_AT_ONCE = 512

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
    dimension: int
    recipe: Recipe
    tokenizer: Tokenizer
    session: InferenceSession

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Passages to float32 of shape ``(len(texts), dimension)``, rows of length 1, in the order of the texts."""
        return self._encode([self.recipe.passage_prefix + text for text in texts])

    def encode_query(self, text: str) -> Vectors:
        """One question, with the model's query prefix, to float32 of shape ``(dimension,)`` of length 1."""
        vector: Vectors = self._encode([self.recipe.query_prefix + text])[0]
        return vector

    def _encode(self, texts: list[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        token_ids = self._tokenize(texts)
        for batch in _batches([len(ids) for ids in token_ids]):
            vectors[batch] = self._encode_batch([token_ids[index] for index in batch])
        return vectors

    def _tokenize(self, texts: list[str]) -> list[NDArray[np.int32]]:
        """Token ids of each text. In slices: an encoding holds far more than its ids."""
        found: list[NDArray[np.int32]] = []
        for start in range(0, len(texts), _TOKENIZED_AT_ONCE):
            valid = [_without_surrogates(text) for text in texts[start : start + _TOKENIZED_AT_ONCE]]
            found += [np.array(encoding.ids, dtype=np.int32) for encoding in self.tokenizer.encode_batch_fast(valid)]
        return found

    def _encode_batch(self, token_ids: Sequence[NDArray[np.int32]]) -> Vectors:
        longest = max(1, *(len(ids) for ids in token_ids))
        inputs = {name: np.zeros((len(token_ids), longest), dtype=np.int64) for name in INPUTS}
        for row, ids in enumerate(token_ids):
            inputs["input_ids"][row, : len(ids)] = ids
            inputs["attention_mask"][row, : max(1, len(ids))] = 1  # a text without any token is one padding token
        (hidden,) = self.session.run([OUTPUT], inputs)
        return _unit(_pool(hidden, inputs["attention_mask"], self.recipe.pooling))


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
        architecture = Architecture.from_config(_read_json(weights.folder / CONFIG))
        recipe = read_recipe(weights, architecture.longest)
    except ModelError as error:
        raise ModelError(f"encoder {weights.name}: {error}") from error
    tokenizer = _load_tokenizer(weights.folder / TOKENIZER, recipe.length)
    if tokenizer.get_vocab_size() > architecture.vocabulary:
        raise ModelError(f"encoder {weights.name}: {TOKENIZER} and {CONFIG} are of two models; get both files again")
    session = open_bert(weights.folder / TENSORS, architecture, cache=cache, threads=threads or _available_cores())
    return OnnxEncoder(weights.identity, architecture.width, recipe, tokenizer, session)


def read_recipe(weights: Weights, longest: int) -> Recipe:
    """The recipe that a model folder's own files state; ``longest`` is the most tokens its positions allow.

    What they leave out: mean pooling, as sentence-transformers does, and the prefixes of the model's family.
    """
    folder = weights.folder
    _refuse_other_modules(folder)
    length = _read_json(folder / "sentence_bert_config.json", {}).get("max_seq_length") or longest
    prompts = _read_json(folder / "config_sentence_transformers.json", {}).get("prompts") or {}
    query, passage = _family_prefixes(weights.name)
    try:
        return Recipe(
            pooling=_pooling(_read_json(folder / "1_Pooling/config.json", {"pooling_mode_mean_tokens": True})),
            length=min(int(length), longest),
            query_prefix=str(prompts.get("query") or query),
            passage_prefix=str(prompts.get("passage") or prompts.get("document") or passage),
        )
    except (AttributeError, TypeError, ValueError) as error:
        raise ModelError(f"a configuration file of {folder} is not as expected: {error}; get it again") from error


def _refuse_other_modules(folder: Path) -> None:
    modules = _read_json(folder / "modules.json", [])
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


def _read_json(path: Path, default: Any = None) -> Any:
    """The file's value, of the default's type if there is one; the default if the file is absent."""
    if default is not None and not path.is_file():
        return default
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read ({error}); get the file again") from error
    if not isinstance(value, dict if default is None else type(default)):
        raise ModelError(f"{path} is not as expected; get the file again")
    return value


def _load_tokenizer(path: Path, length: int) -> Tokenizer:
    """The tokenizer, cutting at ``length`` tokens; padding is done here, per batch."""
    try:
        tokenizer = Tokenizer.from_buffer(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read as a tokenizer ({error}); get the file again") from error
    tokenizer.enable_truncation(length)
    tokenizer.no_padding()
    return tokenizer


def _available_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _without_surrogates(text: str) -> str:
    """The text with lone surrogates, which no UTF-8 can hold, as question marks."""
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


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
    return unit
