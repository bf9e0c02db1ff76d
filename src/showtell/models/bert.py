"""BERT on onnxruntime: the graph is written here, its tensors come straight from a safetensors file. No torch.

The graph holds no weights, so it is some kilobytes; it is kept in a cache folder because the ``onnx`` package, which
writes it, takes longer to import than everything else here. Attention is onnxruntime's own fused operator.

Architecture: Devlin et al. 2019, https://arxiv.org/abs/1810.04805; RoBERTa and XLM-R differ in position numbers only.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from showtell.errors import ModelError

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT = "hidden_states"

_GRAPH_VERSION = 1  # raise it when build_graph writes another graph for the same architecture
_OPSET = 20  # the first with Gelu
_IR_VERSION = 10
_ACTIVATIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "gelu": ("Gelu", {}),
    "gelu_new": ("Gelu", {"approximate": "tanh"}),
    "gelu_pytorch_tanh": ("Gelu", {"approximate": "tanh"}),
    "relu": ("Relu", {}),
}
_POSITIONS_AFTER_PADDING = ("roberta", "xlm-roberta")
_MODEL_TYPES = ("bert", *_POSITIONS_AFTER_PADDING)
_OLD_NAMES = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}

_log = logging.getLogger(__name__)


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
        if activation not in _ACTIVATIONS:
            raise ModelError(f"activation {activation!r} is not supported; use one of {', '.join(_ACTIVATIONS)}")
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
            "embeddings.word_embeddings.weight": (self.vocabulary, width),
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
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # every batch has a shape of its own; a plan per shape would only pile up
    options.log_severity_level = 3  # errors; they are raised too
    options.add_external_initializers(
        list(tensors), [onnxruntime.OrtValue.ortvalue_from_numpy(tensor) for tensor in tensors.values()]
    )
    return onnxruntime.InferenceSession(_cached_graph(architecture, cache), options, providers=["CPUExecutionProvider"])


def read_tensors(path: Path, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, NDArray[np.float32]]:
    """Tensors of these shapes as float32, by BertModel's names, which in the file may have a prefix such as ``bert.``.

    Raises ModelError for a file that cannot be read, lacks a tensor, or has one of another shape or number format.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            stored = set(file.keys())
            word_embeddings = next((name for name in stored if name.endswith("embeddings.word_embeddings.weight")), "")
            prefix = word_embeddings.removesuffix("embeddings.word_embeddings.weight")
            return {
                name: _read_tensor(file, _stored_name(name, prefix, stored), shape) for name, shape in shapes.items()
            }
    except (SafetensorError, OSError) as error:
        raise ModelError(f"{path} cannot be read as safetensors ({error}); get the file again") from error
    except ValueError as error:
        raise ModelError(f"{path} does not fit its config.json: {error}; get both files again") from error


def _stored_name(name: str, prefix: str, stored: set[str]) -> str:
    """The name that a tensor has in the file; a classifier stands outside the model that the prefix names."""
    spellings = [prefix + name, *(prefix + name.replace(new, old) for new, old in _OLD_NAMES.items()), name]
    for spelling in spellings:
        if spelling in stored:
            return spelling
    raise ValueError(f"no tensor {prefix}{name}")


def _read_tensor(file: Any, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    view = file.get_slice(name)
    if tuple(view.get_shape()) != shape:
        raise ValueError(f"{name} has shape {tuple(view.get_shape())}, not {shape}")
    if view.get_dtype() not in ("F64", "F32", "F16"):
        raise ValueError(f"{name} has number format {view.get_dtype()}; F64, F32 and F16 are supported")
    return np.ascontiguousarray(file.get_tensor(name), dtype=np.float32)


# ------------------------------------------------------------------------------------------------------------- graph
def _cached_graph(architecture: Architecture, cache: Path) -> bytes:
    """The architecture's graph from the cache folder; built, and written there, if absent or damaged.

    A cache file is the SHA-256 of the graph, then the graph. A folder that cannot be written costs time, no more.
    """
    key = hashlib.sha256(f"{_GRAPH_VERSION} {architecture}".encode()).hexdigest()[:16]
    path = cache / f"bert-{key}.graph"
    if path.is_file():
        digest, graph = (content := path.read_bytes())[:32], content[32:]
        if hashlib.sha256(graph).digest() == digest:
            return graph
    graph = build_graph(architecture)
    try:
        _write_atomically(path, hashlib.sha256(graph).digest() + graph)
    except OSError as error:
        _log.info("the encoder's graph was not cached: %s", error)
    return graph


def _write_atomically(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)


class _Nodes:
    """The nodes of a graph in running order; a value is known by its name."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []

    def add(self, operator: str, *inputs: str, domain: str = "", output: str = "", **attributes: Any) -> str:
        from onnx import helper

        output = output or f"value_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], domain=domain, **attributes))
        return output

    def linear(self, value: str, name: str) -> str:
        weight = self.add("Transpose", f"{name}.weight", perm=[1, 0])
        return self.add("Add", self.add("MatMul", value, weight), f"{name}.bias")

    def normalised(self, value: str, name: str, epsilon: float) -> str:
        return self.add("LayerNormalization", value, f"{name}.weight", f"{name}.bias", axis=-1, epsilon=epsilon)


def build_graph(architecture: Architecture) -> bytes:
    """A serialised ONNX model from INPUTS to OUTPUT whose tensors, ``architecture.shapes()``, are to be supplied."""
    from onnx import TensorProto, helper

    nodes = _Nodes()
    mask = nodes.add("Cast", "attention_mask", to=TensorProto.INT32)
    hidden = _add_embeddings(nodes, architecture)
    for layer in range(architecture.layers):
        hidden = _add_layer(nodes, architecture, f"encoder.layer.{layer}", hidden, mask)
    nodes.add("Identity", hidden, output=OUTPUT)

    tensors = []
    for name, shape in architecture.shapes().items():
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape, data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value="supplied")
        tensors.append(tensor)
    graph = helper.make_graph(
        nodes.nodes,
        "bert",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in INPUTS],
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["batch", "tokens", architecture.width])],
        tensors,
    )
    operators = [helper.make_opsetid("", _OPSET), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=operators, ir_version=_IR_VERSION)
    serialised: bytes = model.SerializeToString()
    return serialised


def _add_embeddings(nodes: _Nodes, architecture: Architecture) -> str:
    """Sum of the embeddings of each token, its type and its place, normalised."""
    first = nodes.add("Constant", value_int=architecture.first_position)
    step = nodes.add("Constant", value_int=1)
    length = nodes.add("Gather", nodes.add("Shape", "input_ids"), step)
    positions = nodes.add("Range", first, nodes.add("Add", length, first), step)
    words = nodes.add("Gather", "embeddings.word_embeddings.weight", "input_ids")
    types = nodes.add("Gather", "embeddings.token_type_embeddings.weight", "token_type_ids")
    places = nodes.add("Gather", "embeddings.position_embeddings.weight", positions)
    total = nodes.add("Add", nodes.add("Add", words, types), places)
    return nodes.normalised(total, "embeddings.LayerNorm", architecture.epsilon)


def _add_layer(nodes: _Nodes, architecture: Architecture, name: str, hidden: str, mask: str) -> str:
    """Self-attention, then the feed-forward map, each added to its input and normalised."""
    parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
    weight = nodes.add("Transpose", nodes.add("Concat", *(f"{part}.weight" for part in parts), axis=0), perm=[1, 0])
    bias = nodes.add("Concat", *(f"{part}.bias" for part in parts), axis=0)
    attended = nodes.add("Attention", hidden, weight, bias, mask, domain="com.microsoft", num_heads=architecture.heads)
    projected = nodes.linear(attended, f"{name}.attention.output.dense")
    hidden = nodes.normalised(
        nodes.add("Add", projected, hidden), f"{name}.attention.output.LayerNorm", architecture.epsilon
    )
    operator, attributes = _ACTIVATIONS[architecture.activation]
    inner = nodes.add(operator, nodes.linear(hidden, f"{name}.intermediate.dense"), **attributes)
    outer = nodes.linear(inner, f"{name}.output.dense")
    return nodes.normalised(nodes.add("Add", outer, hidden), f"{name}.output.LayerNorm", architecture.epsilon)
