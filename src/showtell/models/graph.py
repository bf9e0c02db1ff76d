"""Transformers on onnxruntime: graphs are written here, their tensors come straight from a safetensors file. No torch.

A graph holds no weights, so it is some kilobytes; it is kept in a cache folder because the ``onnx`` package, which
writes it, takes longer to import than everything else here. Attention is onnxruntime's own fused operator.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from showtell.errors import ModelError

# An activation's name in a config.json: domain, operator and attributes.
ACTIVATIONS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "gelu": ("", "Gelu", {}),
    "gelu_new": ("", "Gelu", {"approximate": "tanh"}),
    "gelu_pytorch_tanh": ("", "Gelu", {"approximate": "tanh"}),
    "quick_gelu": ("com.microsoft", "QuickGelu", {"alpha": 1.702}),
    "relu": ("", "Relu", {}),
}

_VERSION = 1  # raise it when another graph is written for the same architecture
_OPSET = 20  # the first with Gelu
_IR_VERSION = 10

_log = logging.getLogger(__name__)

Inputs = Mapping[str, tuple[type[np.generic], Sequence[str | int]]]
"""Names of a graph's inputs, each with its number type and shape; a length that varies has a name."""


class Nodes:
    """The nodes of a graph in running order; a value is known by its name."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []

    def add(self, operator: str, *inputs: str, domain: str = "", output: str = "", **attributes: Any) -> str:
        """One operator; returns the name of its result, which is ``output`` if given."""
        from onnx import helper

        output = output or f"value_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], domain=domain, **attributes))
        return output

    def linear(self, value: str, name: str) -> str:
        """A linear map with its bias, whose weight is stored as (out, in)."""
        return self.add("Add", self.mapped(value, f"{name}.weight"), f"{name}.bias")

    def mapped(self, value: str, weight: str, **output: str) -> str:
        """A linear map without a bias, whose weight is stored as (out, in)."""
        return self.add("MatMul", value, self.add("Transpose", weight, perm=[1, 0]), **output)

    def normalised(self, value: str, name: str, epsilon: float) -> str:
        """A layer norm over the last axis."""
        return self.add("LayerNormalization", value, f"{name}.weight", f"{name}.bias", axis=-1, epsilon=epsilon)

    def activated(self, value: str, activation: str) -> str:
        """One of ACTIVATIONS."""
        domain, operator, attributes = ACTIVATIONS[activation]
        return self.add(operator, value, domain=domain, **attributes)

    def attended(self, hidden: str, maps: Sequence[str], heads: int, *, mask: str = "", causal: bool = False) -> str:
        """Self-attention before its output map; ``maps`` are the linear maps to queries, keys and values, in order.

        ``mask``, int32 (batch, tokens), is 0 where a token is padding. ``causal``: a token looks at none behind it.
        """
        weight = self.add("Transpose", self.add("Concat", *(f"{each}.weight" for each in maps), axis=0), perm=[1, 0])
        bias = self.add("Concat", *(f"{each}.bias" for each in maps), axis=0)
        inputs = (hidden, weight, bias, mask) if mask else (hidden, weight, bias)
        return self.add("Attention", *inputs, domain="com.microsoft", num_heads=heads, unidirectional=int(causal))

    def serialised(
        self, name: str, inputs: Inputs, output: tuple[str, Sequence[str | int]], shapes: Mapping[str, tuple[int, ...]]
    ) -> bytes:
        """The ONNX model whose tensors, of these shapes, are to be supplied; its output, named first, is float32."""
        from onnx import TensorProto, helper

        tensors = []
        for tensor_name, shape in shapes.items():
            tensor = TensorProto(
                name=tensor_name, data_type=TensorProto.FLOAT, dims=shape, data_location=TensorProto.EXTERNAL
            )
            tensor.external_data.add(key="location", value="supplied")
            tensors.append(tensor)
        values = [
            helper.make_tensor_value_info(each, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), shape)
            for each, (kind, shape) in inputs.items()
        ]
        result = helper.make_tensor_value_info(output[0], TensorProto.FLOAT, output[1])
        graph = helper.make_graph(self.nodes, name, values, [result], tensors)
        operators = [helper.make_opsetid("", _OPSET), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=operators, ir_version=_IR_VERSION)
        serialised: bytes = model.SerializeToString()
        return serialised


def open_session(
    graph: bytes, tensors: Mapping[str, NDArray[np.float32]], *, threads: int
) -> onnxruntime.InferenceSession:
    """A session of a graph with the tensors that it misses."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # every batch has a shape of its own; a plan per shape would only pile up
    options.log_severity_level = 3  # errors; they are raised too
    options.add_external_initializers(
        list(tensors), [onnxruntime.OrtValue.ortvalue_from_numpy(tensor) for tensor in tensors.values()]
    )
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# ----------------------------------------------------------------------------------------------------------- tensors
def read_tensors(
    path: Path,
    shapes: Mapping[str, tuple[int, ...]],
    spellings: Callable[[str, set[str]], Sequence[str]] = lambda name, _: (name,),
) -> dict[str, NDArray[np.float32]]:
    """Tensors of these shapes as float32; ``spellings`` are what a name may be among those that the file holds.

    Raises ModelError for a file that cannot be read, lacks a tensor, or has one of another shape or number format.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            stored = set(file.keys())
            return {
                name: _read_tensor(file, _first_of(spellings(name, stored), stored), shape)
                for name, shape in shapes.items()
            }
    except (SafetensorError, OSError) as error:
        raise ModelError(f"{path} cannot be read as safetensors ({error}); get the file again") from error
    except ValueError as error:
        raise ModelError(f"{path} does not fit its config.json: {error}; get both files again") from error


def _first_of(spellings: Sequence[str], stored: set[str]) -> str:
    for spelling in spellings:
        if spelling in stored:
            return spelling
    raise ValueError(f"no tensor {spellings[0]}")


def _read_tensor(file: Any, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    view = file.get_slice(name)
    if tuple(view.get_shape()) != shape:
        raise ValueError(f"{name} has shape {tuple(view.get_shape())}, not {shape}")
    if view.get_dtype() not in ("F64", "F32", "F16"):
        raise ValueError(f"{name} has number format {view.get_dtype()}; F64, F32 and F16 are supported")
    return np.ascontiguousarray(file.get_tensor(name), dtype=np.float32)


# ------------------------------------------------------------------------------------------------------------- cache
def cached_graph(kind: str, architecture: object, build: Callable[[], bytes], cache: Path) -> bytes:
    """The architecture's graph from the cache folder; built, and written there, if absent or damaged.

    A cache file is the SHA-256 of the graph, then the graph. A folder that cannot be written costs time, no more.
    """
    key = hashlib.sha256(f"{_VERSION} {architecture}".encode()).hexdigest()[:16]
    path = cache / f"{kind}-{key}.graph"
    if path.is_file():
        digest, graph = (content := path.read_bytes())[:32], content[32:]
        if hashlib.sha256(graph).digest() == digest:
            return graph
    graph = build()
    try:
        _write_atomically(path, hashlib.sha256(graph).digest() + graph)
    except OSError as error:
        _log.info("the graph of a model was not cached: %s", error)
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
