"""The image encoder: pictures and texts to unit vectors in one space, with any CLIP of Hugging Face's layout."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession
from PIL import Image, UnidentifiedImageError
from tokenizers import Tokenizer

from showtell.errors import ModelError, PictureError
from showtell.models.base import Vectors
from showtell.models.batches import load_tokenizer, without_surrogates
from showtell.models.encoder import unit
from showtell.models.graph import available_cores, cached_graph, open_session, read_tensors
from showtell.models.towers import ENDS, IDS, PIXELS, VECTORS, TextTower, Tower, read_towers
from showtell.models.weights import (
    CONFIG,
    REQUIRED_FILES,
    TENSORS,
    TOKENIZER,
    Fetch,
    Weights,
    fetch_from_hub,
    find_weights,
    read_json,
)

PREPARATION = "preprocessor_config.json"

_PICTURES_AT_ONCE = 8
_TEXTS_AT_ONCE = 32
_LONGEST_FORM = 64  # how many times as long as wide a picture may be that is resized as a whole
# What Hugging Face's CLIPImageProcessor takes where its file says nothing; mean and deviation are OpenAI's.
_RESAMPLING = Image.Resampling.BICUBIC
_MEAN = (0.48145466, 0.4578275, 0.40821073)
_DEVIATION = (0.26862954, 0.26130258, 0.27577711)
_SHORTEST = {"shortest_edge": 224}

fetch_clip: Fetch = partial(fetch_from_hub, files=(PREPARATION, *REQUIRED_FILES))
"""Brings the files of a CLIP on the hub."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """How a picture becomes pixels: resized, cut to a square of ``side`` at its middle, scaled and normalised.

    It is resized to ``size`` (width, height), or with ``shortest`` so that its shorter side becomes that.
    """

    side: int
    shortest: int | None
    size: tuple[int, int]
    resampling: Image.Resampling
    scale: float
    mean: tuple[float, ...]
    deviation: tuple[float, ...]

    @classmethod
    def from_config(cls, config: Mapping[str, Any], side: int) -> Preparation:
        """Read a preprocessor_config.json for a model of pictures of that side; raises ModelError."""
        if not config.get("do_resize", True):
            raise ModelError(f"{PREPARATION} resizes no pictures, which is not supported; use another CLIP")
        try:
            resized, is_cut = config.get("size", _SHORTEST), config.get("do_center_crop", True)
            shortest = resized if isinstance(resized, int) else resized.get("shortest_edge")
            size = (shortest, shortest) if shortest else (int(resized["width"]), int(resized["height"]))
            cut = _both_sides(config.get("crop_size", side)) if is_cut else size
            normalises = config.get("do_normalize", True)
            found = cls(
                side=side,
                shortest=shortest,
                size=size,
                resampling=Image.Resampling(config.get("resample", _RESAMPLING)),
                scale=float(config.get("rescale_factor", 1 / 255)) if config.get("do_rescale", True) else 1.0,
                mean=_colours(config.get("image_mean", _MEAN)) if normalises else (0.0, 0.0, 0.0),
                deviation=_colours(config.get("image_std", _DEVIATION)) if normalises else (1.0, 1.0, 1.0),
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{PREPARATION} is not as expected: {error!r}; get the file again") from error
        if cut != (side, side) or min(size) < side or not all(found.deviation):
            raise ModelError(f"{PREPARATION} and {CONFIG} are of two models; get both files again")
        if shortest and not is_cut:
            raise ModelError(f"{PREPARATION} leaves pictures of any form, which is not supported; use another CLIP")
        return found

    def pixels(self, picture: Image.Image) -> Vectors:
        """Of a picture in mode RGB, float32 (3, side, side)."""
        middle = _without_ends(picture)
        resized = middle.resize(self._resized(*middle.size), self.resampling)
        left, top = (resized.width - self.side) // 2, (resized.height - self.side) // 2
        square = resized.crop((left, top, left + self.side, top + self.side))
        colours = np.asarray(square, dtype=np.float32) * np.float32(self.scale)
        normalised: Vectors = ((colours - np.array(self.mean)) / np.array(self.deviation)).astype(np.float32)
        return normalised.transpose(2, 0, 1)

    def _resized(self, width: int, height: int) -> tuple[int, int]:
        if self.shortest is None:
            return self.size
        longest = int(self.shortest * max(width, height) / min(width, height))
        return (self.shortest, longest) if width <= height else (longest, self.shortest)


@dataclass(frozen=True, slots=True, eq=False)
class OnnxClip:
    """An ImageEncoder on onnxruntime. Safe to call from several threads: nothing in it changes after loading."""

    name: str
    size: int
    preparation: Preparation
    tokenizer: Tokenizer
    for_pictures: InferenceSession
    for_texts: InferenceSession

    def encode_pictures(self, contents: Sequence[bytes]) -> Vectors:
        """PNG or JPEG files to float32 of shape ``(len(contents), size)``, rows of length 1. Raises PictureError."""
        vectors = np.zeros((len(contents), self.size), dtype=np.float32)
        for start in range(0, len(contents), _PICTURES_AT_ONCE):
            some = slice(start, start + _PICTURES_AT_ONCE)
            pixels = np.stack([self.preparation.pixels(_decoded(content)) for content in contents[some]])
            (vectors[some],) = self.for_pictures.run([VECTORS], {PIXELS: pixels})
        return unit(vectors)

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """Texts to float32 of shape ``(len(texts), size)``, rows of length 1; a text is cut where it is too long."""
        vectors = np.zeros((len(texts), self.size), dtype=np.float32)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            some = slice(start, start + _TEXTS_AT_ONCE)
            encodings = self.tokenizer.encode_batch_fast([without_surrogates(text) for text in texts[some]])
            (vectors[some],) = self.for_texts.run([VECTORS], _padded([encoding.ids for encoding in encodings]))
        return unit(vectors)


def load_image_encoder(name: str, *, cache: Path, threads: int | None = None, fetch: Fetch = fetch_clip) -> OnnxClip:
    """The CLIP of a hub name or a folder; see :func:`showtell.models.encoder.load_encoder`.

    Raises ModelError when files are missing, damaged, or of a model that is not a CLIP.
    """
    weights = find_weights(name, "image encoder", fetch=fetch)
    threads = threads or available_cores()
    try:
        pictures, texts = read_towers(read_json(weights.folder / CONFIG))
        preparation = Preparation.from_config(_preparation(weights.folder), pictures.side)
        tokenizer = _tokenizer(weights.folder, texts)
        for_pictures, for_texts = (_session(weights, tower, cache, threads) for tower in (pictures, texts))
    except ModelError as error:
        raise ModelError(f"image encoder {weights.name}: {error}") from error
    return OnnxClip(weights.identity, pictures.dimension, preparation, tokenizer, for_pictures, for_texts)


def _session(weights: Weights, tower: Tower, cache: Path, threads: int) -> InferenceSession:
    tensors = read_tensors(weights.folder / TENSORS, tower.shapes())
    return open_session(cached_graph("clip", tower, tower.graph, cache), tensors, threads=threads)


def _preparation(folder: Path) -> Any:
    if not (folder / PREPARATION).is_file():
        raise ModelError(f"{folder} lacks {PREPARATION}; get the model's files again")
    return read_json(folder / PREPARATION)


def _tokenizer(folder: Path, tower: TextTower) -> Tokenizer:
    tokenizer = load_tokenizer(folder / TOKENIZER, tower.positions)
    if tokenizer.get_vocab_size() > tower.vocabulary:
        raise ModelError(f"{TOKENIZER} and {CONFIG} are of two models; get both files again")
    if not tokenizer.encode("").ids:
        raise ModelError(f"{TOKENIZER} puts no mark at the end of a text; get the file again")
    return tokenizer


def _padded(ids: Sequence[Sequence[int]]) -> dict[str, NDArray[np.int64]]:
    """The text tower's inputs: token ids, zeros behind each text's end, and where the ends are."""
    padded = np.zeros((len(ids), max(map(len, ids))), dtype=np.int64)
    for row, each in zip(padded, ids, strict=True):
        row[: len(each)] = each
    return {IDS: padded, ENDS: np.array([[len(each) - 1] for each in ids], dtype=np.int64)}


def _without_ends(picture: Image.Image) -> Image.Image:
    """The middle of a very long picture, which is all that stays after the cut: the rest would fill the memory."""
    (width, height), longest = picture.size, _LONGEST_FORM * min(picture.size)
    left, top = max(0, width - longest) // 2, max(0, height - longest) // 2
    return picture.crop((left, top, width - left, height - top)) if left or top else picture


def _decoded(content: bytes) -> Image.Image:
    try:
        with Image.open(io.BytesIO(content), formats=["PNG", "JPEG"]) as picture:
            return picture.convert("RGB")
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError) as error:
        raise PictureError(f"the picture cannot be compared: it is broken ({error}); save it again") from None


def _both_sides(size: Any) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else (int(size["width"]), int(size["height"]))


def _colours(values: Sequence[float]) -> tuple[float, ...]:
    red, green, blue = map(float, values)
    return red, green, blue
