"""BERT as a graph for onnxruntime: what its config.json says, its tensors, its layers.

Devlin et al. 2019, https://arxiv.org/abs/1810.04805; RoBERTa and XLM-R differ in position numbers only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from showtell.errors import ModelError
from showtell.models import graph
from showtell.models.graph import ACTIVATIONS, Nodes, cached_graph, open_session

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT = "hidden_states"

_POSITIONS_AFTER_PADDING = ("roberta", "xlm-roberta")
_MODEL_TYPES = ("bert", *_POSITIONS_AFTER_PADDING)
_WORDS = "embeddings.word_embeddings.weight"
_OLD_NAMES = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}


@dataclass(frozen=True, slots=True)
class Architecture:
    """What a BERT's config.json says. ``first_position`` is the row of the first token's position embedding."""

    layers: int
    heads: int
    width: int
    inner_width: int
    vocabulary: int
    positions: int
    token_types: int
    first_position: int
    activation: str
    epsilon: float

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Architecture:
        """Read a config.json of the hub's form; raises ModelError for what is not a BERT or lacks a number."""
        model_type = config.get("model_type")
        if model_type not in _MODEL_TYPES:
            raise ModelError(f"model type {model_type!r} is not supported; use one of {', '.join(_MODEL_TYPES)}")
        if config.get("position_embedding_type", "absolute") != "absolute":
            raise ModelError("relative position embeddings are not supported; use a BERT with absolute ones")
        activation = config.get("hidden_act", "gelu")
        if activation not in ACTIVATIONS:
            raise ModelError(f"activation {activation!r} is not supported; use one of {', '.join(ACTIVATIONS)}")
        try:
            shift = int(config["pad_token_id"]) + 1 if model_type in _POSITIONS_AFTER_PADDING else 0
            found = cls(
                layers=int(config["num_hidden_layers"]),
                heads=int(config["num_attention_heads"]),
                width=int(config["hidden_size"]),
                inner_width=int(config["intermediate_size"]),
                vocabulary=int(config["vocab_size"]),
                positions=int(config["max_position_embeddings"]),
                token_types=int(config["type_vocab_size"]),
                first_position=shift,
                activation=activation,
                epsilon=float(config["layer_norm_eps"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"config.json lacks a number or has a wrong one: {error}; get the file again") from error
        if found.layers < 1 or found.heads < 1 or found.width % found.heads:
            raise ModelError("config.json has a width that its attention heads do not divide; get the file again")
        return found

    @property
    def longest(self) -> int:
        """Most tokens that a text can have, special ones included."""
        return self.positions - self.first_position

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Every tensor of the graph and its shape; a linear map's weight is (out, in)."""
        width, inner = self.width, self.inner_width
        shapes: dict[str, tuple[int, ...]] = {
            _WORDS: (self.vocabulary, width),
            "embeddings.position_embeddings.weight": (self.positions, width),
            "embeddings.token_type_embeddings.weight": (self.token_types, width),
        }
        maps: dict[str, tuple[int, ...]] = {"embeddings.LayerNorm": (width,)}
        for layer in range(self.layers):
            prefix = f"encoder.layer.{layer}"
            maps |= {f"{prefix}.attention.self.{part}": (width, width) for part in ("query", "key", "value")}
            maps |= {
                f"{prefix}.attention.output.dense": (width, width),
                f"{prefix}.attention.output.LayerNorm": (width,),
                f"{prefix}.intermediate.dense": (inner, width),
                f"{prefix}.output.dense": (width, inner),
                f"{prefix}.output.LayerNorm": (width,),
            }
        for name, shape in maps.items():
            shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
        return shapes


def open_bert(
    tensors_file: Path, architecture: Architecture, *, cache: Path, threads: int
) -> onnxruntime.InferenceSession:
    """A session from INPUTS, int64 (batch, tokens) each, to OUTPUT, float32 (batch, tokens, width).

    Raises ModelError when the file is not safetensors or does not hold the architecture's tensors.
    """
    tensors = read_tensors(tensors_file, architecture.shapes())
    model = cached_graph("bert", architecture, lambda: build_graph(architecture), cache)
    return open_session(model, tensors, threads=threads)


def read_tensors(path: Path, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, NDArray[np.float32]]:
    """Tensors of these shapes as float32, by BertModel's names, which in the file may have a prefix such as ``bert.``.

    Raises ModelError for a file that cannot be read, lacks a tensor, or has one of another shape or number format.
    """
    return graph.read_tensors(path, shapes, _spellings)


def _spellings(name: str, stored: set[str]) -> list[str]:
    """What a tensor's name may be in the file; a classifier stands outside the model that the prefix names."""
    prefix = next((each for each in stored if each.endswith(_WORDS)), "").removesuffix(_WORDS)
    return [prefix + name, *(prefix + name.replace(new, old) for new, old in _OLD_NAMES.items()), name]


def build_graph(architecture: Architecture) -> bytes:
    """A serialised ONNX model from INPUTS to OUTPUT whose tensors, ``architecture.shapes()``, are to be supplied."""
    from onnx import TensorProto

    nodes = Nodes()
    mask = nodes.add("Cast", "attention_mask", to=TensorProto.INT32)
    hidden = _add_embeddings(nodes, architecture)
    for layer in range(architecture.layers):
        hidden = _add_layer(nodes, architecture, f"encoder.layer.{layer}", hidden, mask)
    nodes.add("Identity", hidden, output=OUTPUT)
    inputs: graph.Inputs = dict.fromkeys(INPUTS, (np.int64, ("batch", "tokens")))
    return nodes.serialised("bert", inputs, (OUTPUT, ("batch", "tokens", architecture.width)), architecture.shapes())


def _add_embeddings(nodes: Nodes, architecture: Architecture) -> str:
    """Sum of the embeddings of each token, its type and its place, normalised."""
    first = nodes.add("Constant", value_int=architecture.first_position)
    step = nodes.add("Constant", value_int=1)
    length = nodes.add("Gather", nodes.add("Shape", "input_ids"), step)
    positions = nodes.add("Range", first, nodes.add("Add", length, first), step)
    words = nodes.add("Gather", _WORDS, "input_ids")
    types = nodes.add("Gather", "embeddings.token_type_embeddings.weight", "token_type_ids")
    places = nodes.add("Gather", "embeddings.position_embeddings.weight", positions)
    total = nodes.add("Add", nodes.add("Add", words, types), places)
    return nodes.normalised(total, "embeddings.LayerNorm", architecture.epsilon)


def _add_layer(nodes: Nodes, architecture: Architecture, name: str, hidden: str, mask: str) -> str:
    """Self-attention, then the feed-forward map, each added to its input and normalised."""
    parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
    attended = nodes.attended(hidden, parts, architecture.heads, mask=mask)
    projected = nodes.linear(attended, f"{name}.attention.output.dense")
    hidden = nodes.normalised(
        nodes.add("Add", projected, hidden), f"{name}.attention.output.LayerNorm", architecture.epsilon
    )
    inner = nodes.activated(nodes.linear(hidden, f"{name}.intermediate.dense"), architecture.activation)
    outer = nodes.linear(inner, f"{name}.output.dense")
    return nodes.normalised(nodes.add("Add", outer, hidden), f"{name}.output.LayerNorm", architecture.epsilon)
