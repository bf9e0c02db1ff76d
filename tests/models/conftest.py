"""A tiny random BERT, written as a model folder, and the same forward pass in numpy to compare with."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import erf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from showtell.models.bert import Architecture

TEXT_WORDS = ["the", "a", "cat", "dog", "sat", "on", "mat", "hill", "query", "passage", "boat", "sails", ":"]
WORDS = [*TEXT_WORDS, "##s", "##ing"]
CONFIG = {
    "model_type": "bert",
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "hidden_size": 32,
    "intermediate_size": 48,
    "vocab_size": len(WORDS) + 5,
    "max_position_embeddings": 24,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
    "pad_token_id": 0,
}


@dataclass(frozen=True)
class TinyModel:
    """A model folder with its configuration and tensors."""

    folder: Path
    config: Mapping[str, Any]
    tensors: Mapping[str, NDArray[np.float32]]

    def token_vectors(self, text: str, with_text: str | None = None, *, length: int = 24) -> NDArray[np.float64]:
        """Last hidden states (tokens, width) of a text or pair, computed in float64 as the BERT paper says."""
        tokenizer = Tokenizer.from_file(str(self.folder / "tokenizer.json"))
        tokenizer.enable_truncation(length)
        tokenizer.no_padding()
        encoding = tokenizer.encode(text, with_text)
        types = np.minimum(encoding.type_ids, self.config["type_vocab_size"] - 1)
        return numpy_bert(encoding.ids, types, self.config, self.tensors)


@pytest.fixture
def tiny_model(tmp_path: Path) -> Callable[..., TinyModel]:
    """``tiny_model(folder_name, prefix=..., files=..., head=..., **config)`` writes a model folder.

    ``head`` are further tensors' shapes by their whole names.
    """

    def write(
        name: str = "tiny",
        *,
        prefix: str = "",
        files: Mapping[str, Any] | None = None,
        head: Mapping[str, tuple[int, ...]] | None = None,
        **config: Any,
    ) -> TinyModel:
        folder = tmp_path / name
        folder.mkdir(parents=True)
        full_config = CONFIG | config
        random = np.random.default_rng(7)
        shapes = {prefix + key: shape for key, shape in Architecture.from_config(full_config).shapes().items()}
        shapes |= head or {}
        stored = {key: random.normal(0, 0.3, shape).astype(np.float32) for key, shape in shapes.items()}
        save_file(stored, folder / "model.safetensors")
        tensors = {key.removeprefix(prefix): tensor for key, tensor in stored.items()}
        (folder / "config.json").write_text(json.dumps(full_config))
        word_piece().save(str(folder / "tokenizer.json"))
        for path, content in (files or {}).items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(json.dumps(content))
        return TinyModel(folder, full_config, tensors)

    return write


def word_piece() -> Tokenizer:
    """A WordPiece tokenizer of a dozen words, saved with truncation and padding on, as some on the hub are."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {word: number for number, word in enumerate(special + WORDS)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=4)
    return tokenizer


def numpy_bert(
    ids: list[int], types: NDArray[np.int64], config: Mapping[str, Any], tensors: Mapping[str, NDArray[np.float32]]
) -> NDArray[np.float64]:
    weights = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}
    heads = config["num_attention_heads"]

    def linear(value: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        return value @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def normalised(value: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        centred = value - value.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + config["layer_norm_eps"])
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def by_head(value: NDArray[np.float64]) -> NDArray[np.float64]:
        return value.reshape(len(ids), heads, -1).transpose(1, 0, 2)

    def gelu(value: NDArray[np.float64]) -> NDArray[np.float64]:
        if config["hidden_act"] == "gelu_new":
            return 0.5 * value * (1 + np.tanh(sqrt(2 / np.pi) * (value + 0.044715 * value**3)))
        return 0.5 * value * (1 + np.vectorize(erf)(value / sqrt(2)))

    first = config["pad_token_id"] + 1 if config["model_type"] != "bert" else 0
    hidden = (
        weights["embeddings.word_embeddings.weight"][ids]
        + weights["embeddings.position_embeddings.weight"][first : first + len(ids)]
        + weights["embeddings.token_type_embeddings.weight"][types]
    )
    hidden = normalised(hidden, "embeddings.LayerNorm")
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}"
        query, key, value = (by_head(linear(hidden, f"{name}.attention.self.{p}")) for p in ("query", "key", "value"))
        scores = query @ key.transpose(0, 2, 1) / sqrt(query.shape[-1])
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (shares / shares.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(len(ids), -1)
        attended = linear(mixed, f"{name}.attention.output.dense")
        hidden = normalised(hidden + attended, f"{name}.attention.output.LayerNorm")
        inner = gelu(linear(hidden, f"{name}.intermediate.dense"))
        hidden = normalised(hidden + linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
    return hidden
