"""What each measure says of answers small enough to score by hand."""

from __future__ import annotations

from typing import Any

import pytest

from showtell.evaluate.datasets import EvaluationQuestion, GoldMedia
from showtell.evaluate.metrics import MEASURES, bootstrap, latency, most_pairs, overlap, score, summarise, wilson

Json = dict[str, Any]


def image(name: str, role: str = "core") -> GoldMedia:
    return GoldMedia.model_validate(
        {"type": "image", "ref": f"guide/img/{name}.png", "doc": "guide/brew.md", "section": "Pour", "role": role}
    )


def table(header: str, number: int = 1) -> GoldMedia:
    ref = f"guide/brew.md#table:{number}"
    return GoldMedia(type="table", ref=ref, doc="guide/brew.md", section="Pour", role="core", header=header)


def gold(**changes: Any) -> EvaluationQuestion:
    return EvaluationQuestion.model_validate(
        {
            "id": "q",
            "question": "How?",
            "answerable": True,
            "kind": "howto",
            "doc": "guide/brew.md",
            "alt_docs": ("guide/filter.md",),
            "sections": ("Pour",),
            "answer": "Pour 60 grams slowly",
        }
        | changes
    )


def result(*parts: Json, **changes: Any) -> Json:
    citations = [{"number": 1, "document": "/docs/guide/brew.md", "section": ["Brew", "Pour"]}]
    return {"id": "q", "status": "answered", "parts": list(parts), "citations": citations, "hits": []} | changes


def text(words: str, *citations: int) -> Json:
    return {"type": "text", "text": words, "citations": list(citations)}


def picture(name: str) -> Json:
    return {"type": "image", "media": {"document": "guide/brew.md", "source": f"/docs/guide/img/{name}.png"}}


def grid(header: list[str], number: int = 1, rows: int = 1) -> Json:
    media = {"document": "guide/brew.md", "ref": f"guide/brew.md#table:{number}", "header": header}
    return {"type": "table", "media": media | {"rows": [["60"]] * rows}}


# --------------------------------------------------------------------------------------------------------- one answer
def test_search_recall_counts_ranks_of_sections() -> None:
    hits = [{"document": "other.md", "section": ["Brew", "Pour"]}] * 3
    hits += [{"document": "filter.md", "section": ["Pour", "Rinse"]}, {"document": "brew.md", "section": ["Pour"]}]
    scores = score(gold(), result(hits=hits))
    assert [scores[f"document@{rank}"] for rank in (1, 3, 5, 10)] == [0, 0, 1, 1]
    assert [scores[f"section@{rank}"] for rank in (1, 3, 5, 10)] == [0, 0, 1, 1]
    at_four = score(gold(), result(hits=hits[:4]))
    assert at_four["document@5"] == 1
    assert at_four["section@5"] == 0, "a page's title in front of other headings is not the section"


def test_only_citations_that_a_part_uses_count_in_reading_order() -> None:
    citations = [
        {"number": 1, "document": "guide/brew.md", "section": ["Brew", "**Pour**"]},
        {"number": 2, "document": "guide/beans.md", "section": ["Beans"]},
        {"number": 3, "document": "guide/brew.md", "section": ["Pour"]},
    ]
    scores = score(gold(), result(text("First [2].", 2), text("Then [1].", 1), citations=citations))
    assert (scores["first document"], scores["any section"], scores["citations"]) == (0, 1, 2)


def test_media_are_scored_by_role_and_repeats_are_seen() -> None:
    asked = gold(media=(image("kettle"), image("cone"), image("cup", "ok")))
    scores = score(asked, result(text("a"), picture("kettle"), picture("kettle"), picture("cup"), picture("cat")))
    assert scores["precision"] == 3 / 4
    assert scores["recall"] == 1 / 2
    assert scores["f1"] == pytest.approx(0.6)
    assert scores["repeated"] == 1 / 4
    assert scores["order"] is None


def test_two_alike_tables_are_found_only_by_two_shown() -> None:
    asked = gold(media=(table("Pot | Grams"), table("Pot | Gramme", 2)))
    once = score(asked, result(grid(["Pot", "Grams"]), grid(["Pot", "Grams"])))
    assert (once["recall"], once["repeated"]) == (1 / 2, 1 / 2)
    assert score(asked, result(grid(["Pot", "Grams"]), grid(["Pot", "Gramme"], 2)))["recall"] == 1


@pytest.mark.parametrize(
    ("header", "number", "found"),
    [
        (["**Pot**", "`Grams`"], 9, 1),
        (["Pot", "Gram"], 9, 1),
        (["Bean", "Origin", "Height"], 1, 0),
        ([], 1, 1),
        ([], 2, 0),
    ],
)
def test_a_table_is_known_by_its_header_or_without_one_by_its_number(
    header: list[str], number: int, found: int
) -> None:
    assert score(gold(media=(table("Pot | Grams"),)), result(grid(header, number)))["recall"] == found


def test_a_gold_header_of_one_cell_needs_only_the_first_cell() -> None:
    assert score(gold(media=(table("Pot"),)), result(grid(["Pot", "Grams of coffee", "Water"])))["recall"] == 1


def test_videos_are_known_by_id_and_remote_pictures_by_address() -> None:
    media = (
        GoldMedia(type="video", ref="https://www.youtube.com/watch?v=a_b-1", role="core"),
        GoldMedia(type="image", ref="https://cdn.example.org/pour.png", role="core"),
    )
    parts = (
        {"type": "video", "media": {"source": "https://www.youtube.com/embed/a_b-1?start=3"}},
        {"type": "image", "media": {"source": "http://cdn.example.org/pour.png?w=800", "document": "x.md"}},
    )
    assert score(gold(media=media), result(*parts))["recall"] == 1


def test_order_and_tail() -> None:
    asked = gold(media=(image("a"), image("b"), image("c")))
    scores = score(asked, result(text("x"), text("y"), picture("b"), picture("a"), picture("c")))
    assert scores["order"] == pytest.approx(2 / 3)
    assert scores["tail"] == 1
    assert score(asked, result(text("x"), picture("a"), text("y"), picture("b")))["tail"] == 0
    assert score(asked, result(text("x"), picture("a"), picture("b")))["tail"] is None


def test_text_counts_what_is_told_or_stands_in_a_table() -> None:
    scores = score(gold(), result(text("Then pour.", 1), grid(["Pot"], rows=3)))
    assert scores["text"] == 2 / 4, "pour and 60, of pour 60 grams slowly"
    assert (scores["words"], scores["rows"]) == (2, 3)


def test_a_refusal_shows_and_cites_nothing() -> None:
    refusal = result(text("The sources do not say.", 1), picture("kettle"), status="no_answer")
    scores = score(gold(media=(image("kettle"),)), refusal)
    assert scores["false refusal"] == 1
    assert (scores["any document"], scores["recall"], scores["f1"], scores["text"]) == (0, 0, 0, 0)
    assert (scores["words"], scores["citations"], scores["precision"]) == (None, None, None)
    assert score(gold(answerable=False), refusal)["refused"] == 1


def test_media_where_none_are_wanted() -> None:
    asked = gold(kind="no_media")
    assert score(asked, result(text("x"), picture("cat")))["needless media"] == 1
    assert score(asked, result(text("x")))["needless media"] == 0
    assert score(gold(), result(text("x"), picture("cat")))["needless media"] is None


def test_the_share_of_questions_that_got_media_counts_every_question() -> None:
    questions = [gold(id="1"), gold(id="2", answerable=False), gold(id="3", kind="no_media"), gold(id="4")]
    results = [
        result(text("x"), picture("cat"), picture("dog"), id="1"),
        result(picture("cat"), status="no_answer", id="2"),
        result(text("x"), id="3"),
        {"id": "4", "status": "error", "error": "x"},
    ]
    mean = summarise(questions, results)["ALL"]["with media"]
    assert (mean.value, mean.scored, mean.total) == (pytest.approx(1 / 3), 3, 4)


def test_checks_and_requests_are_counted_where_there_are_some_to_count() -> None:
    checks = [{"verdict": verdict} for verdict in ("supported", "contradicted", "unsupported")]
    verified = score(gold(), result(text("x"), checks=checks, requests={"model": 2, "wiki": 4}))
    assert (verified["checks failed"], verified["model requests"]) == (2, 2)
    assert score(gold(), result(text("x"), checks=[], timings_ms={"verify": 1.0}))["checks failed"] == 0
    unverified = score(gold(), result(text("x"), checks=[], requests={}))
    assert (unverified["checks failed"], unverified["model requests"]) == (None, None)
    assert score(gold(), result(status="no_answer", checks=checks))["checks failed"] is None


def test_what_cannot_be_scored_is_none_never_zero() -> None:
    names = {measure.name for measure in MEASURES}
    assert score(gold(), {"id": "q", "status": "error", "error": "locked"}) == dict.fromkeys(names)
    bare = score(gold(doc=None, alt_docs=None, sections=None, answer=None), result(text("x")))
    assert {name for name, value in bare.items() if value is not None} == {
        "citations",
        "words",
        "false refusal",
        "with media",
    }
    without_hits = {key: value for key, value in result(text("x")).items() if key != "hits"}
    assert score(gold(), without_hits)["document@1"] is None


# -------------------------------------------------------------------------------------------------------------- means
def test_means_tell_how_many_were_scored_and_leave_failures_out() -> None:
    questions = [gold(id="1"), gold(id="2"), gold(id="3", kind="table"), gold(id="4"), gold(id="5", answerable=False)]
    results = [
        result(text("pour", 1), id="1"),
        result(text("no"), id="2"),
        {"id": "3", "status": "error", "error": "x"},
        result(status="no_answer", id="5"),
    ]
    means = summarise(questions, results)
    assert list(means) == ["howto", "table", "ALL"]
    mean = means["ALL"]["first section"]
    assert (mean.value, mean.scored, mean.total) == (0.5, 2, 5)
    assert mean.interval == pytest.approx(wilson([1, 0], [1, 1]))
    assert (means["table"]["first section"].value, means["table"]["first section"].scored) == (None, 0)
    assert means["ALL"]["refused"].interval is None, "one answer tells no spread"


def test_precision_and_recall_pool_media() -> None:
    asked = [gold(id="1", media=(image("a"),)), gold(id="2", media=(image("a"), image("b"), image("c")))]
    results = [result(picture("a"), id="1"), result(picture("x"), picture("y"), picture("a"), id="2")]
    means = summarise(asked, results)["ALL"]
    assert means["precision"].value == pytest.approx(2 / 4)
    assert means["recall"].value == pytest.approx(2 / 4)


def test_wilson_agrees_with_published_values() -> None:
    # Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29
    for yes, of, low, high in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ]:
        assert wilson([1.0] * yes + [0.0] * (of - yes), [1.0] * of) == pytest.approx((low, high), abs=5e-5)


def test_bootstrap_is_the_same_every_time_and_holds_the_mean() -> None:
    values = [0.1, 0.4, 0.5, 0.9, 1.0, 0.3, 0.2, 0.8]
    low, high = bootstrap(values, [1.0] * 8)
    assert (low, high) == bootstrap(values, [1.0] * 8)
    assert 0.1 < low < 0.525 < high < 1
    assert bootstrap([0.5, 0.5], [1, 3]) == (0.5, 0.5)


def test_pairs_are_the_most_that_fit() -> None:
    assert most_pairs([[True, True], [True, False]]) == 2
    assert most_pairs([[True, False], [True, False]]) == 1
    assert most_pairs([]) == 0


def test_overlap_of_stretches() -> None:
    assert overlap((0, 10), (5, 15)) == pytest.approx(1 / 3)
    assert overlap((0, 10), (10, 20)) == 0
    assert overlap((3, 9), (3, 9)) == 1


def test_latency_is_of_answers_that_tell_it() -> None:
    times = [{"timings_ms": {"total": float(ms)}} for ms in range(1, 102)]
    assert latency([*times, {"status": "error"}]) == (51.0, 96.0)
    assert latency([{}]) is None
