"""A tiny CLIP of random weights, written as a model folder, and the same forward passes in numpy to compare with."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import erf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from safetensors.numpy import save_file
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from showtell.models.towers import read_towers

Floats = NDArray[np.float64]

COLOURS = {"red": (220, 20, 30), "green": (20, 210, 40), "blue": (25, 30, 215)}
START, END = "<|startoftext|>", "<|endoftext|>"
_LETTERS = sorted(pre_tokenizers.ByteLevel.alphabet())
_MERGES = [
    ("r", "e"), ("re", "d</w>"), ("g", "re"), ("e", "n</w>"), ("gre", "en</w>"), ("b", "l"), ("u", "e</w>"),
    ("bl", "ue</w>"), ("l", "a"), ("la", "m"), ("lam", "p</w>"),
]  # fmt: skip
_PIECES = [*_LETTERS, *(f"{letter}</w>" for letter in _LETTERS), *("".join(pair) for pair in _MERGES), START, END]
VOCABULARY = {piece: number for number, piece in enumerate(dict.fromkeys(_PIECES))}
TEXT = {
    "vocab_size": len(VOCABULARY),
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 3,
    "num_attention_heads": 3,
    "max_position_embeddings": 12,
}
PICTURES = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "image_size": 32,
    "patch_size": 8,
}
PREPARATION = {
    "do_resize": True,
    "size": {"shortest_edge": 32},
    "resample": 3,
    "do_center_crop": True,
    "crop_size": {"height": 32, "width": 32},
    "do_rescale": True,
    "rescale_factor": 1 / 255,
    "do_normalize": True,
    "image_mean": [0.48145466, 0.4578275, 0.40821073],
    "image_std": [0.26862954, 0.26130258, 0.27577711],
}


@dataclass(frozen=True)
class TinyClip:
    """A model folder with its configuration and tensors."""

    folder: Path
    config: Mapping[str, Any]
    tensors: Mapping[str, NDArray[np.float32]]

    def text_vector(self, text: str) -> Floats:
        """What CLIP makes of a text, of length 1, computed in float64."""
        tokenizer = Tokenizer.from_file(str(self.folder / "tokenizer.json"))
        tokenizer.enable_truncation(self.config["text_config"]["max_position_embeddings"])
        ids = tokenizer.encode(text).ids
        weights, model = self._weights(), "text_model.embeddings"
        hidden = weights[f"{model}.token_embedding.weight"][ids]
        hidden = hidden + weights[f"{model}.position_embedding.weight"][: len(ids)]
        hidden = self._layers("text", hidden, np.triu(np.full((len(ids), len(ids)), -np.inf), 1))
        vector = _normalised(hidden[-1], weights, "text_model.final_layer_norm") @ weights["text_projection.weight"].T
        return vector / np.linalg.norm(vector)

    def picture_vector(self, picture: Image.Image) -> Floats:
        """What CLIP makes of a picture that has its size, of length 1, computed in float64."""
        weights, model = self._weights(), "vision_model.embeddings"
        kernel = weights[f"{model}.patch_embedding.weight"]
        pixels = (np.asarray(picture) / 255 - PREPARATION["image_mean"]) / PREPARATION["image_std"]
        step, count = kernel.shape[-1], pixels.shape[0] // kernel.shape[-1]
        patches = [
            (kernel * pixels[y * step : (y + 1) * step, x * step : (x + 1) * step].transpose(2, 0, 1)).sum((1, 2, 3))
            for y in range(count)
            for x in range(count)
        ]
        hidden = (
            np.stack([weights[f"{model}.class_embedding"], *patches]) + weights[f"{model}.position_embedding.weight"]
        )
        hidden = self._layers("vision", _normalised(hidden, weights, "vision_model.pre_layrnorm"), 0.0)
        whole = _normalised(hidden[0], weights, "vision_model.post_layernorm")
        vector = whole @ weights["visual_projection.weight"].T
        return vector / np.linalg.norm(vector)

    def _weights(self) -> dict[str, Floats]:
        return {name: tensor.astype(np.float64) for name, tensor in self.tensors.items()}

    def _layers(self, kind: str, hidden: Floats, mask: Any) -> Floats:
        weights, config = self._weights(), self.config[f"{kind}_config"]
        heads = config["num_attention_heads"]

        def linear(value: Floats, name: str) -> Floats:
            return value @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

        def activated(value: Floats) -> Floats:
            if config.get("hidden_act", "quick_gelu") == "quick_gelu":
                return value / (1 + np.exp(-1.702 * value))
            return 0.5 * value * (1 + np.vectorize(erf)(value / sqrt(2)))

        for number in range(config["num_hidden_layers"]):
            layer = f"{kind}_model.encoder.layers.{number}"
            normal = _normalised(hidden, weights, f"{layer}.layer_norm1")
            query, key, value = (
                linear(normal, f"{layer}.self_attn.{part}_proj").reshape(len(hidden), heads, -1).transpose(1, 0, 2)
                for part in ("q", "k", "v")
            )
            scores = query @ key.transpose(0, 2, 1) / sqrt(query.shape[-1]) + mask
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            mixed = (shares / shares.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(len(hidden), -1)
            hidden = hidden + linear(mixed, f"{layer}.self_attn.out_proj")
            inner = activated(linear(_normalised(hidden, weights, f"{layer}.layer_norm2"), f"{layer}.mlp.fc1"))
            hidden = hidden + linear(inner, f"{layer}.mlp.fc2")
        return hidden


def _normalised(value: Floats, weights: Mapping[str, Floats], name: str) -> Floats:
    centred = value - value.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def write_clip(
    folder: Path,
    *,
    text: Mapping[str, Any] | None = None,
    pictures: Mapping[str, Any] | None = None,
    preparation: Mapping[str, Any] | None = None,
    seed: int = 7,
) -> TinyClip:
    """Write a model folder; the mappings change what stands in its configuration files."""
    folder.mkdir(parents=True)
    config = {
        "model_type": "clip",
        "projection_dim": 20,
        "text_config": TEXT | (text or {}),
        "vision_config": PICTURES | (pictures or {}),
    }
    random = np.random.default_rng(seed)
    shapes = {name: shape for tower in read_towers(config) for name, shape in tower.shapes().items()}
    tensors = {name: random.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}
    return _write(folder, config, tensors, PREPARATION | (preparation or {}))


def write_colour_clip(folder: Path) -> TinyClip:
    """A CLIP that knows the three colours: their words are where pictures of the colour are.

    Each token is one of three directions, for its colour; attention takes the mean; nothing else changes anything.
    """
    folder.mkdir(parents=True)
    one_layer = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    config = {
        "model_type": "clip",
        "projection_dim": 8,
        "text_config": TEXT | one_layer,
        "vision_config": PICTURES | one_layer,
    }
    shapes = {name: shape for tower in read_towers(config) for name, shape in tower.shapes().items()}
    tensors = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    for name, tensor in tensors.items():
        if name.endswith(("projection.weight", "v_proj.weight", "out_proj.weight")):
            tensor[:] = np.eye(8)
        if "norm" in name and name.endswith("weight"):
            tensor[:] = 1
    for number, word in enumerate(COLOURS):
        tensors["text_model.embeddings.token_embedding.weight"][VOCABULARY[f"{word}</w>"], number] = 1
        tensors["vision_model.embeddings.patch_embedding.weight"][number, number] = 1 / 64
    return _write(folder, config, tensors, PREPARATION)


def _write(
    folder: Path, config: Mapping[str, Any], tensors: Mapping[str, NDArray[np.float32]], preparation: Mapping[str, Any]
) -> TinyClip:
    save_file(dict(tensors) | {"logit_scale": np.zeros(1, np.float32)}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "preprocessor_config.json").write_text(json.dumps(preparation))
    byte_pairs().save(str(folder / "tokenizer.json"))
    return TinyClip(folder, config, tensors)


def byte_pairs() -> Tokenizer:
    """CLIP's kind of tokenizer, with a dozen pairs."""
    tokenizer = Tokenizer(models.BPE(VOCABULARY, _MERGES, unk_token=END, end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    words = pre_tokenizers.Split(Regex(r"\p{L}+|\p{N}|[^\s\p{L}\p{N}]+"), "removed", invert=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([words, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    ends = ((END, VOCABULARY[END]), (START, VOCABULARY[START]))
    tokenizer.post_processor = processors.RobertaProcessing(*ends, trim_offsets=False, add_prefix_space=False)
    return tokenizer


def noise(seed: int, width: int = 32, height: int = 32) -> Image.Image:
    """A picture that is like no other."""
    coarse = np.random.default_rng(seed).integers(0, 256, (4, 4, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)


def plain(colour: Sequence[int], width: int = 64, height: int = 48) -> Image.Image:
    """A picture of one colour."""
    return Image.new("RGB", (width, height), tuple(colour))


def encoded(picture: Image.Image, kind: str = "PNG") -> bytes:
    """A file with the picture."""
    out = io.BytesIO()
    picture.save(out, kind)
    return out.getvalue()
