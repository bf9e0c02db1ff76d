"""The encoder: its vectors mean what the texts mean, and are those that a plain BERT forward pass gives."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from showtell.errors import ModelError
from showtell.models.base import Encoder
from showtell.models.encoder import OnnxEncoder, load_encoder

CLS_POOLING = {"1_Pooling/config.json": {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}}
MAX_POOLING = {"1_Pooling/config.json": {"pooling_mode_max_tokens": True, "pooling_mode_mean_tokens": False}}
TEXTS = ("The cat sat on a mat", "dogs", "", "the blue boat sails : tack the red boat, wind on the hill", "日本 🎉")


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> OnnxEncoder:
    """The default encoder from the installed weights package."""

    def no_hub(name: str) -> Path:
        raise ModelError("not asked in tests")

    try:
        return load_encoder(cache=tmp_path_factory.mktemp("cache"), fetch=no_hub)
    except ModelError as error:
        pytest.skip(str(error))


def cosine(left, right) -> float:
    return float(left @ right / np.linalg.norm(left) / np.linalg.norm(right))


# ------------------------------------------------------------------------------------------------ what vectors mean
@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("How do I reset my password?", "Steps to restore access after you forget your passphrase", "Reset the clock"),
        ("how heavy is a polar bear", "Adult males weigh 350–700 kg", "Polar coordinates use an angle and a radius"),
        ("turn a sailing boat through the wind", "Tacking brings the bow across the wind", "Wind farms make power"),
        ("delete a page", "To remove an article, open its menu", "Print an article in colour"),
    ],
)
def test_a_paraphrase_is_nearer_than_shared_words(encoder, question, near, far):
    vectors = encoder.encode([near, far])
    scores = vectors @ encoder.encode_query(question)
    assert scores[0] > scores[1] + 0.05


def test_default_encoder_keeps_the_vectors_it_is_known_for(encoder):
    vectors = encoder.encode(["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."])
    # The similarities that the model's own documentation prints for these sentences.
    expected = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    np.testing.assert_allclose(vectors @ vectors.T, expected, atol=1e-4)


def test_default_encoder_has_the_protocol_and_names_its_weights(encoder):
    protocol: Encoder = encoder
    assert protocol.name == "all-MiniLM-L6-v2@53aa51172d14"
    assert protocol.encode_query("x").shape == (384,)


def test_rows_are_unit_float32_for_any_text(encoder):
    vectors = encoder.encode(["", " ", "naïve café", "日本語の文書", "\U0001f6a2", "\ud800 alone", "a\0b", "w " * 5000])
    assert vectors.shape == (8, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_rows(encoder):
    assert encoder.encode([]).shape == (0, 384)


def test_rows_do_not_depend_on_their_batch_or_order(encoder):
    texts = [f"sentence {number} " + "with more words " * (number * 7 % 23) for number in range(70)]
    together = encoder.encode(texts)
    np.testing.assert_allclose(encoder.encode(texts[::-1])[::-1], together, atol=1e-5)
    for number in (0, 33, 69):
        np.testing.assert_allclose(encoder.encode([texts[number]])[0], together[number], atol=1e-5)


def test_threads_may_share_an_encoder(encoder):
    texts = [[f"{word} number {number}" for number in range(20)] for word in ("boat", "page", "bear", "cat")]
    with ThreadPoolExecutor(4) as pool:
        parallel = list(pool.map(encoder.encode, texts))
    for vectors, batch in zip(parallel, texts, strict=True):
        np.testing.assert_allclose(vectors, encoder.encode(batch), atol=1e-5)


def test_text_beyond_256_tokens_is_cut(encoder):
    words = "boat " * 254  # with the two special tokens, 256
    vectors = encoder.encode([words, words + "password " * 50, "boat " * 200 + "password " * 50])
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-5)
    assert vectors[0] @ vectors[2] < 0.99


# ------------------------------------------------------------------------------------------ the same as BERT in numpy
@pytest.mark.parametrize(
    ("files", "pool"),
    [
        ({}, lambda tokens: tokens.mean(0)),
        (CLS_POOLING, lambda tokens: tokens[0]),
        (MAX_POOLING, lambda tokens: tokens.max(0)),
        ({"1_Pooling/config.json": {"pooling_mode": "cls"}}, lambda tokens: tokens[0]),
    ],
    ids=["mean", "cls", "max", "cls, newer file"],
)
def test_pooling_is_what_the_model_folder_says(tiny_model, tmp_path, files, pool):
    model = tiny_model(files=files)
    vectors = load_encoder(str(model.folder), cache=tmp_path / "cache").encode(TEXTS)
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert cosine(vector, pool(model.token_vectors(text))) > 0.99999


@pytest.mark.parametrize("prefix", ["bert.", "model.", "0.auto_model."])
def test_tensor_names_may_have_a_prefix(tiny_model, tmp_path, prefix):
    model = tiny_model(prefix=prefix)
    vector = load_encoder(str(model.folder), cache=tmp_path / "cache").encode(["the cat"])[0]
    assert cosine(vector, model.token_vectors("the cat").mean(0)) > 0.99999


@pytest.mark.parametrize(
    "config",
    [
        {"hidden_act": "gelu_new"},
        {"num_hidden_layers": 3, "num_attention_heads": 2, "layer_norm_eps": 1e-5},
        {"model_type": "xlm-roberta", "pad_token_id": 1, "type_vocab_size": 1},
    ],
    ids=["tanh gelu", "other sizes", "xlm-roberta"],
)
def test_architecture_is_what_config_json_says(tiny_model, tmp_path, config):
    model = tiny_model(**config)
    vectors = load_encoder(str(model.folder), cache=tmp_path / "cache").encode(TEXTS)
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert cosine(vector, model.token_vectors(text).mean(0)) > 0.99999


def test_half_precision_tensors_with_old_norm_names_are_read(tiny_model, tmp_path):
    model = tiny_model()
    renamed = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): tensor
        for name, tensor in model.tensors.items()
    }
    halves = {name: tensor.astype(np.float16) for name, tensor in renamed.items()}
    save_file(halves, model.folder / "model.safetensors")
    vector = load_encoder(str(model.folder), cache=tmp_path / "cache").encode(["the cat"])[0]
    assert cosine(vector, model.token_vectors("the cat").mean(0)) > 0.999


@pytest.mark.parametrize(("stated", "length"), [(6, 6), (None, 24), (512, 24)])
def test_length_is_the_stated_one_within_the_positions(tiny_model, tmp_path, stated, length):
    model = tiny_model(files={"sentence_bert_config.json": {"max_seq_length": stated}})
    long_text = "the cat sat on a mat " * 9
    vector = load_encoder(str(model.folder), cache=tmp_path / "cache").encode([long_text])[0]
    assert cosine(vector, model.token_vectors(long_text, length=length).mean(0)) > 0.99999


# ------------------------------------------------------------------------------------------------------------ prefixes
def test_prompts_of_the_configuration_stand_before_query_and_passage(tiny_model, tmp_path):
    prompts = {"prompts": {"query": "query : ", "document": "passage : "}}
    model = tiny_model(files={"config_sentence_transformers.json": prompts})
    encoder = load_encoder(str(model.folder), cache=tmp_path / "cache")
    assert cosine(encoder.encode_query("the cat"), model.token_vectors("query : the cat").mean(0)) > 0.99999
    assert cosine(encoder.encode(["the cat"])[0], model.token_vectors("passage : the cat").mean(0)) > 0.99999


@pytest.mark.parametrize(
    ("name", "query", "passage"),
    [
        ("snowflake-arctic-embed-l", "Represent this sentence for searching relevant passages: ", ""),
        ("bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("multilingual-e5-small", "query: ", "passage: "),
        ("e5-base-v2", "query: ", "passage: "),
        ("tiny", "", ""),
    ],
)
def test_known_families_have_their_prefixes(tiny_model, tmp_path, name, query, passage):
    empty_prompts = {"config_sentence_transformers.json": {"prompts": {"query": "", "document": ""}}}
    model = tiny_model(name, files=empty_prompts)
    recipe = load_encoder(str(model.folder), cache=tmp_path / "cache").recipe
    assert (recipe.query_prefix, recipe.passage_prefix) == (query, passage)


# ------------------------------------------------------------------------------------------------------- the cache
def test_the_graph_is_cached_and_a_damaged_one_is_rebuilt(tiny_model, tmp_path):
    model, cache = tiny_model(), tmp_path / "cache"
    first = load_encoder(str(model.folder), cache=cache).encode(TEXTS)
    (cached,) = cache.iterdir()
    whole = cached.read_bytes()
    for damaged in (b"", whole[:100], whole[:-40] + b"x" * 40):
        cached.write_bytes(damaged)
        np.testing.assert_allclose(load_encoder(str(model.folder), cache=cache).encode(TEXTS), first, atol=1e-6)
        assert cached.read_bytes() == whole
    assert list(cache.iterdir()) == [cached]


def test_a_cache_that_cannot_be_written_is_done_without(tiny_model, tmp_path):
    (tmp_path / "file").write_text("")
    encoder = load_encoder(str(tiny_model().folder), cache=tmp_path / "file" / "cache")
    assert encoder.encode(["the cat"]).shape == (1, 32)


# ------------------------------------------------------------------------------------------------- what is refused
@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"model_type": "nomic_bert"}, "model type 'nomic_bert' is not supported"),
        ({"hidden_act": "swish"}, "activation 'swish' is not supported"),
        ({"position_embedding_type": "relative_key"}, "relative position embeddings"),
        ({"num_attention_heads": 5}, "attention heads do not divide"),
        ({"num_hidden_layers": None}, "config.json lacks a number"),
        ({"num_hidden_layers": 3}, r"no tensor encoder\.layer\.2"),
        ({"intermediate_size": 50}, "has shape"),
        ({"vocab_size": 5}, "of two models"),
    ],
)
def test_what_is_not_this_kind_of_model_is_refused(tiny_model, tmp_path, config, message):
    model = tiny_model()
    (model.folder / "config.json").write_text(json.dumps(dict(model.config) | config))
    with pytest.raises(ModelError, match=message):
        load_encoder(str(model.folder), cache=tmp_path / "cache")


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("config.json", "[1]", "not as expected"),
        ("config.json", "{", "cannot be read"),
        ("tokenizer.json", "{}", "cannot be read as a tokenizer"),
        ("model.safetensors", "not tensors", "cannot be read as safetensors"),
        ("modules.json", '[{"type": "sentence_transformers.models.Dense"}]', "module Dense is not supported"),
        ("1_Pooling/config.json", '{"pooling_mode_lasttoken": true}', "pooling is not supported"),
        ("1_Pooling/config.json", '{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}', "pooling"),
        ("sentence_bert_config.json", '{"max_seq_length": "long"}', "not as expected"),
        ("config_sentence_transformers.json", '{"prompts": [1]}', "not as expected"),
    ],
)
def test_a_broken_file_is_named(tiny_model, tmp_path, file, content, message):
    model = tiny_model()
    (model.folder / file).parent.mkdir(exist_ok=True)
    (model.folder / file).write_text(content)
    with pytest.raises(ModelError, match=message):
        load_encoder(str(model.folder), cache=tmp_path / "cache")
