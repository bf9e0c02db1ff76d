"""The image encoder: its vectors are those that a plain CLIP forward pass gives, of pictures and texts alike."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from PIL import Image
from safetensors.numpy import save_file

from showtell.errors import ModelError, PictureError
from showtell.models.base import ImageEncoder
from showtell.models.clip import OnnxClip, fetch_clip, load_image_encoder
from tests.models.test_weights import Hub
from tests.models.tiny_clip import (
    COLOURS,
    PREPARATION,
    TinyClip,
    byte_pairs,
    encoded,
    noise,
    plain,
    write_clip,
    write_colour_clip,
)

TEXTS = ("the red lamp", "Green LAMP", "", "a red lamp and a blue lamp " * 9, "日本 \ud800 🎉 1,5 kg", "red " * 3)


def opened(folder: Path) -> OnnxClip:
    return load_image_encoder(str(folder), cache=folder.parent / "cache", threads=1)


@pytest.fixture
def tiny(tmp_path: Path) -> TinyClip:
    return write_clip(tmp_path / "tiny")


# -------------------------------------------------------------------------------------------- the same as in numpy
@pytest.mark.parametrize(
    "config",
    [
        {},
        {"text": {"hidden_act": "gelu"}, "pictures": {"hidden_act": "gelu"}},
        {
            "text": {"num_hidden_layers": 1, "num_attention_heads": 2},
            "pictures": {"image_size": 45, "patch_size": 14, "num_hidden_layers": 3},
            "preparation": {"size": 45, "crop_size": 45},
        },
    ],
    ids=["quick gelu", "gelu", "other sizes, patches that leave a rest, and numbers as older files have them"],
)
def test_vectors_are_those_of_a_clip(tmp_path, config):
    model = write_clip(tmp_path / "tiny", **config)
    encoder: ImageEncoder = opened(model.folder)
    side = model.config["vision_config"]["image_size"]
    pictures = [noise(seed, side, side) for seed in range(11)]
    found = encoder.encode_pictures([encoded(picture) for picture in pictures])
    np.testing.assert_allclose(found, [model.picture_vector(picture) for picture in pictures], atol=1e-4)
    texts = encoder.encode_texts(TEXTS)
    valid = [text.encode("utf-8", "replace").decode() for text in TEXTS]
    np.testing.assert_allclose(texts, [model.text_vector(text) for text in valid], atol=1e-4)
    assert min(np.ptp(found, axis=0).max(), np.ptp(texts, axis=0).max()) > 0.02  # far more than the tolerance


def test_texts_and_pictures_are_unit_vectors_of_one_size(tiny):
    encoder = opened(tiny.folder)
    for vectors in (
        encoder.encode_pictures([encoded(noise(1)), encoded(noise(2), "JPEG")]),
        encoder.encode_texts(TEXTS),
    ):
        assert vectors.dtype == np.float32
        assert vectors.shape[1] == encoder.size == 20
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert encoder.encode_pictures([]).shape == encoder.encode_texts([]).shape == (0, 20)


def test_half_precision_is_read(tiny):
    halves = {name: tensor.astype(np.float16) for name, tensor in tiny.tensors.items()}
    save_file(halves, tiny.folder / "model.safetensors")
    vector = opened(tiny.folder).encode_texts(["red lamp"])[0]
    assert vector @ tiny.text_vector("red lamp") > 0.999


def test_a_vector_does_not_depend_on_the_others(tiny):
    encoder = opened(tiny.folder)
    texts = [f"lamp {'red ' * (number % 7)}{number}" for number in range(40)]
    pictures = [encoded(noise(seed)) for seed in range(10)]
    np.testing.assert_allclose(encoder.encode_texts(texts)[39], encoder.encode_texts(texts[39:])[0], atol=1e-5)
    np.testing.assert_allclose(
        encoder.encode_pictures(pictures)[9], encoder.encode_pictures(pictures[9:])[0], atol=1e-5
    )
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(encoder.encode_texts, [texts] * 4):
            np.testing.assert_allclose(vectors, encoder.encode_texts(texts), atol=1e-5)


# ------------------------------------------------------------------------------------------------------- what is seen
def test_a_word_finds_the_picture_of_its_colour(tmp_path):
    encoder = opened(write_colour_clip(tmp_path / "colours").folder)
    pictures = encoder.encode_pictures([encoded(plain(colour)) for colour in COLOURS.values()])
    cosines = encoder.encode_texts([f"the {word} lamp" for word in COLOURS]) @ pictures.T
    assert cosines.argmax(axis=1).tolist() == [0, 1, 2]
    assert cosines.diagonal().min() > 0.7


@pytest.mark.parametrize("size", [(96, 32), (32, 96), (33, 32)])
def test_of_a_picture_the_middle_is_seen(tiny, size):
    width, height = size
    middle = noise(3)
    whole = noise(4, width, height)
    whole.paste(middle, ((width - 32) // 2, (height - 32) // 2))
    found = opened(tiny.folder).encode_pictures([encoded(whole)])[0]
    np.testing.assert_allclose(found, tiny.picture_vector(middle), atol=1e-4)


def test_a_picture_is_scaled_to_its_shorter_side(tiny):
    large = noise(5, 320, 200)
    scaled = large.resize((51, 32), Image.Resampling.BICUBIC).crop((9, 0, 41, 32))
    found = opened(tiny.folder).encode_pictures([encoded(large)])[0]
    np.testing.assert_allclose(found, tiny.picture_vector(scaled), atol=1e-4)


def test_a_picture_may_be_squeezed_where_the_model_wants_that(tmp_path):
    squeezes = {"size": {"height": 32, "width": 32}, "do_center_crop": False}
    model = write_clip(tmp_path / "tiny", preparation=squeezes)
    large = noise(5, 320, 200)
    squeezed = large.resize((32, 32), Image.Resampling.BICUBIC)
    found = opened(model.folder).encode_pictures([encoded(large)])[0]
    np.testing.assert_allclose(found, model.picture_vector(squeezed), atol=1e-4)


def test_a_line_of_a_picture_costs_little(tiny):
    line = Image.new("RGB", (40_000, 1), "red")
    assert np.isfinite(opened(tiny.folder).encode_pictures([encoded(line)])).all()


def test_what_is_no_picture_is_told(tiny):
    for content in (b"", b"not a picture", encoded(noise(1))[:60], b"GIF89a"):
        with pytest.raises(PictureError, match="save it again"):
            opened(tiny.folder).encode_pictures([content])


# --------------------------------------------------------------------------------------------------------------- files
@pytest.fixture
def hub(tiny: TinyClip) -> Iterator[str]:
    """Address of a hub on this machine that holds the tiny CLIP as ``acme/tiny``."""
    Hub.folder, Hub.requests = tiny.folder, []
    (tiny.folder / "pytorch_model.bin").write_bytes(b"never fetched")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_hub_model_is_fetched_once_and_only_what_is_needed(hub, tmp_path, tiny):
    fetch = partial(fetch_clip, endpoint=hub, hub_cache=tmp_path / "hub-cache")
    encoder = load_image_encoder("acme/tiny", cache=tmp_path / "cache", fetch=fetch)
    assert encoder.name.startswith("acme/tiny@")
    assert encoder.encode_texts(["red lamp"])[0] @ tiny.text_vector("red lamp") > 0.9999
    fetched = {path.rpartition("/")[2].split("?")[0] for path in Hub.requests if "resolve" in path}
    assert fetched == {"config.json", "model.safetensors", "tokenizer.json", "preprocessor_config.json"}
    Hub.requests.clear()
    assert load_image_encoder("acme/tiny", cache=tmp_path / "cache", fetch=fetch).name == encoder.name
    assert Hub.requests == []


def test_an_unknown_hub_name_says_which_setting_to_change(hub, tmp_path):
    fetch = partial(fetch_clip, endpoint=hub, hub_cache=tmp_path / "hub-cache")
    with pytest.raises(ModelError, match=r"image encoder acme/absent: .*image_encoder = \"FOLDER\""):
        load_image_encoder("acme/absent", cache=tmp_path / "cache", fetch=fetch)


@pytest.mark.parametrize("file", ["config.json", "model.safetensors", "tokenizer.json", "preprocessor_config.json"])
def test_a_folder_that_lacks_a_file_is_told_which(tiny, file):
    (tiny.folder / file).unlink()
    (tiny.folder / "vocab.json").write_text("{}")
    (tiny.folder / "merges.txt").write_text("")
    with pytest.raises(ModelError, match=rf"lacks {file}; get the model's files again"):
        opened(tiny.folder)


def test_both_graphs_are_cached(tiny):
    opened(tiny.folder)
    cached = {path: path.stat().st_mtime_ns for path in (tiny.folder.parent / "cache").iterdir()}
    assert len(cached) == 2
    opened(tiny.folder)
    assert {path: path.stat().st_mtime_ns for path in (tiny.folder.parent / "cache").iterdir()} == cached


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "siglip"}, r"image encoder tiny: model type 'siglip' is not supported; use a CLIP"),
        ({"text_config": {"hidden_act": "swish"}}, "activation 'swish' is not supported"),
        ({"text_config": 5}, "config.json has a wrong number"),
        ({"vision_config": {"num_attention_heads": 5}}, "attention heads do not divide"),
        ({"vision_config": {"num_channels": 4}}, "three colours"),
        ({"vision_config": {"patch_size": 0}}, "smaller than a patch"),
        ({"vision_config": {"num_hidden_layers": 3}}, r"no tensor vision_model\.encoder\.layers\.2"),
        ({"vision_config": {"patch_size": 4}}, "has shape"),
        ({"projection_dim": 21}, "has shape"),
        ({"projection_dim": "wide"}, "config.json has a wrong number"),
        ({"text_config": {"vocab_size": 5}}, "of two models"),
        ({"vision_config": {"image_size": 40}}, "of two models"),
    ],
)
def test_what_is_no_clip_is_refused(tiny, change, message):
    config = dict(tiny.config)
    for name, value in change.items():
        config[name] = config[name] | value if isinstance(value, dict) else value
    (tiny.folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=message):
        opened(tiny.folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"do_resize": False}, "resizes no pictures"),
        ({"do_center_crop": False}, "leaves pictures of any form"),
        ({"size": {"shortest_edge": 24}}, "of two models"),
        ({"crop_size": 24}, "of two models"),
        ({"size": {"longest_edge": 32}}, "not as expected"),
        ({"size": "large"}, "not as expected"),
        ({"resample": 99}, "not as expected"),
        ({"image_mean": [0.5]}, "not as expected"),
        ({"image_std": [1, 1, 0]}, "of two models"),
    ],
)
def test_a_preparation_that_does_not_fit_is_refused(tiny, change, message):
    (tiny.folder / "preprocessor_config.json").write_text(json.dumps(PREPARATION | change))
    with pytest.raises(ModelError, match=message):
        opened(tiny.folder)


def test_a_tokenizer_without_an_end_is_refused(tiny):
    bare = json.loads(byte_pairs().to_str())
    (tiny.folder / "tokenizer.json").write_text(json.dumps(bare | {"post_processor": None}))
    with pytest.raises(ModelError, match="no mark at the end"):
        opened(tiny.folder)
