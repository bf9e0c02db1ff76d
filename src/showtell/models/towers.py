"""CLIP's two towers as graphs for onnxruntime: one for pictures, one for texts, both ending in the same space.

Radford et al. 2021, https://arxiv.org/abs/2103.00020. Names of tensors and defaults of numbers that a config.json
leaves out are those of Hugging Face's CLIPModel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from showtell.errors import ModelError
from showtell.models.graph import ACTIVATIONS, Inputs, Nodes

PIXELS, IDS, ENDS = "pixel_values", "input_ids", "ends"
VECTORS = "vectors"

_DIMENSION = 512
_BOTH = {"num_hidden_layers": 12, "hidden_act": "quick_gelu", "layer_norm_eps": 1e-5}
_TEXT_DEFAULTS = _BOTH | {
    "hidden_size": 512,
    "intermediate_size": 2048,
    "num_attention_heads": 8,
    "vocab_size": 49408,
    "max_position_embeddings": 77,
}
_PICTURE_DEFAULTS = _BOTH | {
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_attention_heads": 12,
    "image_size": 224,
    "patch_size": 32,
    "num_channels": 3,
}


class Tower(Protocol):
    """One of the two: its tensors, and the graph that they complete."""

    @property
    def dimension(self) -> int:
        """Of the vectors, which are of any length."""
        ...

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Every tensor of the graph and its shape; a linear map's weight is (out, in)."""
        ...

    def graph(self) -> bytes:
        """A serialised ONNX model to VECTORS, float32 (batch, dimension), whose tensors are to be supplied."""
        ...


@dataclass(frozen=True, slots=True)
class Layers:
    """The transformer inside a tower, which normalises before it attends; ``causal`` reads from left to right."""

    name: str
    count: int
    heads: int
    width: int
    inner_width: int
    activation: str
    epsilon: float
    causal: bool

    @classmethod
    def from_config(cls, name: str, config: Mapping[str, Any], *, causal: bool) -> Layers:
        """Read what both towers have in common; raises ModelError."""
        activation = config["hidden_act"]
        if activation not in ACTIVATIONS:
            raise ModelError(f"activation {activation!r} is not supported; use one of {', '.join(ACTIVATIONS)}")
        found = cls(
            name=name,
            count=int(config["num_hidden_layers"]),
            heads=int(config["num_attention_heads"]),
            width=int(config["hidden_size"]),
            inner_width=int(config["intermediate_size"]),
            activation=activation,
            epsilon=float(config["layer_norm_eps"]),
            causal=causal,
        )
        if found.count < 1 or found.heads < 1 or found.width % found.heads:
            raise ModelError("config.json has a width that its attention heads do not divide; get the file again")
        return found

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Every tensor of the layers and its shape."""
        width, inner = self.width, self.inner_width
        maps: dict[str, tuple[int, ...]] = {}
        for number in range(self.count):
            layer = f"{self.name}.encoder.layers.{number}"
            maps |= {f"{layer}.self_attn.{part}_proj": (width, width) for part in ("q", "k", "v", "out")}
            maps |= {f"{layer}.{norm}": (width,) for norm in ("layer_norm1", "layer_norm2")}
            maps |= {f"{layer}.mlp.fc1": (inner, width), f"{layer}.mlp.fc2": (width, inner)}
        return _with_bias(maps)

    def add(self, nodes: Nodes, hidden: str) -> str:
        """All layers after each other, from hidden states (batch, tokens, width) to such."""
        for number in range(self.count):
            layer = f"{self.name}.encoder.layers.{number}"
            normalised = nodes.normalised(hidden, f"{layer}.layer_norm1", self.epsilon)
            maps = [f"{layer}.self_attn.{part}_proj" for part in ("q", "k", "v")]
            attended = nodes.attended(normalised, maps, self.heads, causal=self.causal)
            hidden = nodes.add("Add", hidden, nodes.linear(attended, f"{layer}.self_attn.out_proj"))
            normalised = nodes.normalised(hidden, f"{layer}.layer_norm2", self.epsilon)
            inner = nodes.activated(nodes.linear(normalised, f"{layer}.mlp.fc1"), self.activation)
            hidden = nodes.add("Add", hidden, nodes.linear(inner, f"{layer}.mlp.fc2"))
        return hidden


@dataclass(frozen=True, slots=True)
class TextTower:
    """From IDS, int64 (batch, tokens), and ENDS, int64 (batch, 1): the place of each text's last token.

    What stands behind the end is not looked at, so padding needs no mask.
    """

    layers: Layers
    vocabulary: int
    positions: int
    dimension: int

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Every tensor of the graph and its shape."""
        width = self.layers.width
        return {
            "text_model.embeddings.token_embedding.weight": (self.vocabulary, width),
            "text_model.embeddings.position_embedding.weight": (self.positions, width),
            **self.layers.shapes(),
            **_with_bias({"text_model.final_layer_norm": (width,)}),
            "text_projection.weight": (self.dimension, width),
        }

    def graph(self) -> bytes:
        """The sum of the embeddings of tokens and places, the layers, and what the end has become."""
        nodes = Nodes()
        first, step = nodes.add("Constant", value_int=0), nodes.add("Constant", value_int=1)
        length = nodes.add("Gather", nodes.add("Shape", IDS), step)
        places = nodes.add("Range", first, length, step)
        words = nodes.add("Gather", "text_model.embeddings.token_embedding.weight", IDS)
        placed = nodes.add("Gather", "text_model.embeddings.position_embedding.weight", places)
        hidden = self.layers.add(nodes, nodes.add("Add", words, placed))
        last = nodes.add("GatherND", hidden, ENDS, batch_dims=1)
        normalised = nodes.normalised(last, "text_model.final_layer_norm", self.layers.epsilon)
        nodes.mapped(normalised, "text_projection.weight", output=VECTORS)
        inputs: Inputs = {IDS: (np.int64, ("batch", "tokens")), ENDS: (np.int64, ("batch", 1))}
        return nodes.serialised("text", inputs, (VECTORS, ("batch", self.dimension)), self.shapes())


@dataclass(frozen=True, slots=True)
class PictureTower:
    """From PIXELS, float32 (batch, 3, side, side): a picture is read as square patches and a token for the whole."""

    layers: Layers
    side: int
    patch: int
    dimension: int

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Every tensor of the graph and its shape."""
        width = self.layers.width
        return {
            "vision_model.embeddings.class_embedding": (width,),
            "vision_model.embeddings.patch_embedding.weight": (width, 3, self.patch, self.patch),
            "vision_model.embeddings.position_embedding.weight": ((self.side // self.patch) ** 2 + 1, width),
            **_with_bias({"vision_model.pre_layrnorm": (width,), "vision_model.post_layernorm": (width,)}),
            **self.layers.shapes(),
            "visual_projection.weight": (self.dimension, width),
        }

    def graph(self) -> bytes:
        """The patches with the token for the whole before them, the layers, and what that token has become."""
        nodes, epsilon, width = Nodes(), self.layers.epsilon, self.layers.width
        squares = nodes.add(
            "Conv", PIXELS, "vision_model.embeddings.patch_embedding.weight", strides=[self.patch, self.patch]
        )
        in_a_row = nodes.add("Reshape", squares, nodes.add("Constant", value_ints=[0, width, -1]))
        patches = nodes.add("Transpose", in_a_row, perm=[0, 2, 1])
        zero, one = nodes.add("Constant", value_ints=[0]), nodes.add("Constant", value_ints=[1])
        batch = nodes.add("Slice", nodes.add("Shape", PIXELS), zero, one)
        one_each = nodes.add("Concat", batch, one, nodes.add("Constant", value_ints=[width]), axis=0)
        whole = nodes.add("Expand", "vision_model.embeddings.class_embedding", one_each)
        tokens = nodes.add("Concat", whole, patches, axis=1)
        placed = nodes.add("Add", tokens, "vision_model.embeddings.position_embedding.weight")
        hidden = self.layers.add(nodes, nodes.normalised(placed, "vision_model.pre_layrnorm", epsilon))
        first = nodes.add("Gather", hidden, nodes.add("Constant", value_int=0), axis=1)
        normalised = nodes.normalised(first, "vision_model.post_layernorm", epsilon)
        nodes.mapped(normalised, "visual_projection.weight", output=VECTORS)
        inputs: Inputs = {PIXELS: (np.float32, ("batch", 3, self.side, self.side))}
        return nodes.serialised("pictures", inputs, (VECTORS, ("batch", self.dimension)), self.shapes())


def read_towers(config: Mapping[str, Any]) -> tuple[PictureTower, TextTower]:
    """The towers of a config.json of the hub's form; raises ModelError for what is not a CLIP or has a wrong number."""
    if config.get("model_type") != "clip":
        raise ModelError(f"model type {config.get('model_type')!r} is not supported; use a CLIP (model type 'clip')")
    try:
        text = _TEXT_DEFAULTS | config.get("text_config", {})
        pictures = _PICTURE_DEFAULTS | config.get("vision_config", {})
        dimension = int(config.get("projection_dim", _DIMENSION))
        if pictures["num_channels"] != 3 or not 1 <= int(pictures["patch_size"]) <= int(pictures["image_size"]):
            raise ModelError("config.json has pictures without three colours or smaller than a patch; use another CLIP")
        return (
            PictureTower(
                Layers.from_config("vision_model", pictures, causal=False),
                int(pictures["image_size"]),
                int(pictures["patch_size"]),
                dimension,
            ),
            TextTower(
                Layers.from_config("text_model", text, causal=True),
                int(text["vocab_size"]),
                int(text["max_position_embeddings"]),
                dimension,
            ),
        )
    except (TypeError, ValueError) as error:
        raise ModelError(f"config.json has a wrong number: {error}; get the file again") from error


def _with_bias(maps: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {}
    for name, shape in maps.items():
        shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    return shapes
