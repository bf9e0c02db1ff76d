"""The reranker: its scores are those that a plain forward pass of a cross-encoder gives, for each pair by itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from showtell.errors import ModelError
from showtell.models.base import Reranker
from showtell.models.encoder import load_encoder
from showtell.models.reranker import load_reranker
from tests.models.conftest import TinyModel

QUERY = "the cat on a hill"
TEXTS = (
    "The cat sat on a mat",
    "dogs",
    "",
    "the blue boat sails : tack the red boat, wind on the hill, the dog sat on the boat and on the mat",
    "日本 \ud800 🎉",
)
ONE_SCORE = {"id2label": {"0": "LABEL_0"}, "architectures": ["BertForSequenceClassification"]}
BERT_HEAD = {
    "bert.pooler.dense.weight": (32, 32),
    "bert.pooler.dense.bias": (32,),
    "classifier.weight": (1, 32),
    "classifier.bias": (1,),
}
XLM_ROBERTA = {
    "max_position_embeddings": 26,
    "model_type": "xlm-roberta",
    "pad_token_id": 1,
    "type_vocab_size": 1,
    "architectures": ["XLMRobertaForSequenceClassification"],
    "id2label": {"0": "LABEL_0"},
}
XLM_ROBERTA_HEAD = {
    "classifier.dense.weight": (32, 32),
    "classifier.dense.bias": (32,),
    "classifier.out_proj.weight": (1, 32),
    "classifier.out_proj.bias": (1,),
}


@pytest.fixture
def cross_encoder(tiny_model: Callable[..., TinyModel]) -> TinyModel:
    """A tiny BERT with a pooler and a classifier."""
    return tiny_model(prefix="bert.", head=BERT_HEAD, **ONE_SCORE)


def score(model: TinyModel, text: str, first: str, last: str) -> float:
    """A cross-encoder's score in numpy: tanh of the first map on the first token, then the last map."""
    hidden = model.token_vectors(QUERY, text.encode("utf-8", "replace").decode())[0]
    tensors = model.tensors
    pooled = np.tanh(tensors[f"{first}.weight"] @ hidden + tensors[f"{first}.bias"])
    return float((tensors[f"{last}.weight"] @ pooled + tensors[f"{last}.bias"])[0])


def test_scores_are_those_of_a_bert_with_pooler_and_classifier(cross_encoder, tmp_path):
    reranker: Reranker = load_reranker(str(cross_encoder.folder), cache=tmp_path / "cache")
    scores = reranker.scores(QUERY, TEXTS)
    assert scores.dtype == np.float32
    np.testing.assert_allclose(
        scores, [score(cross_encoder, text, "pooler.dense", "classifier") for text in TEXTS], atol=1e-4
    )
    assert np.ptp(scores) > 0.05  # far more than the tolerance


def test_scores_are_those_of_an_xlm_roberta_with_its_own_head(tiny_model, tmp_path):
    model = tiny_model(prefix="roberta.", head=XLM_ROBERTA_HEAD, **XLM_ROBERTA)
    scores = load_reranker(str(model.folder), cache=tmp_path / "cache").scores(QUERY, TEXTS)
    expected = [score(model, text, "classifier.dense", "classifier.out_proj") for text in TEXTS]
    np.testing.assert_allclose(scores, expected, atol=1e-4)


def test_a_score_does_not_depend_on_the_other_texts(cross_encoder, tmp_path):
    reranker = load_reranker(str(cross_encoder.folder), cache=tmp_path / "cache")
    together = reranker.scores(QUERY, TEXTS)
    alone = [reranker.scores(QUERY, [text])[0] for text in TEXTS]
    np.testing.assert_allclose(together, alone, atol=1e-5)
    assert reranker.scores(QUERY, []).shape == (0,)


def test_a_long_question_or_text_is_cut_not_refused(cross_encoder, tmp_path):
    reranker = load_reranker(str(cross_encoder.folder), cache=tmp_path / "cache")
    assert np.isfinite(reranker.scores("the cat " * 90, ["a dog", "the boat " * 90])).all()


def test_it_shares_the_cached_graph_of_an_encoder_of_its_size(cross_encoder, tiny_model, tmp_path):
    load_encoder(str(tiny_model("encoder").folder), cache=tmp_path / "cache")
    load_reranker(str(cross_encoder.folder), cache=tmp_path / "cache")
    assert len(list((tmp_path / "cache").iterdir())) == 1


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"architectures": ["BertModel"]}, r"reranker tiny: not a cross-encoder .* use one such as"),
        ({"architectures": 5}, "not a cross-encoder"),
        ({"id2label": {"0": "no", "1": "yes"}}, "not a cross-encoder with one score"),
        ({"id2label": None}, "not a cross-encoder with one score"),
        ({"model_type": "deberta-v2"}, "model type 'deberta-v2' is not supported"),
    ],
)
def test_what_is_not_a_cross_encoder_is_refused(cross_encoder, tmp_path, config, message):
    (cross_encoder.folder / "config.json").write_text(json.dumps(dict(cross_encoder.config) | config))
    with pytest.raises(ModelError, match=message):
        load_reranker(str(cross_encoder.folder), cache=tmp_path / "cache")


def test_a_head_that_is_missing_or_of_another_shape_is_told(tiny_model, tmp_path):
    bare = tiny_model("bare", prefix="bert.", **ONE_SCORE)
    with pytest.raises(ModelError, match=r"reranker bare: .*no tensor bert\.pooler\.dense"):
        load_reranker(str(bare.folder), cache=tmp_path / "cache")
    wide = tiny_model("wide", prefix="bert.", head=BERT_HEAD | {"classifier.weight": (2, 32)}, **ONE_SCORE)
    with pytest.raises(ModelError, match=r"classifier\.weight has shape \(2, 32\)"):
        load_reranker(str(wide.folder), cache=tmp_path / "cache")


def test_a_reranker_that_cannot_be_had_says_which_setting_to_change(tmp_path):
    def no_hub(name: str) -> Path:
        raise ModelError(f"the hub gave no {name}")

    with pytest.raises(ModelError, match=r"reranker acme/absent: .*rerank = \"FOLDER\""):
        load_reranker("acme/absent", cache=tmp_path / "cache", fetch=no_hub)
