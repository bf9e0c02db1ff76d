from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from showtell.models.partial import parse_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)
PLAIN = st.text(alphabet="abc .,:!\n", max_size=20)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        (" [1, 2]\n", [1, 2]),
        ('"text"', "text"),
        ("42", 42),
        ('Sure! Here it is:\n```json\n{"a": [1, 2]}\n```\nAnything else?', {"a": [1, 2]}),
        ('```\n{"a": 1}\n```', {"a": 1}),
        ('```json\n{"a": [1, 2\n```\nI had to stop.', {"a": [1, 2]}),
        ('As [1] says, the answer is {"a": "b"} (see [2]).', {"a": "b"}),
        ('{"a": [1, 2,], "b": "x, ]",\n}', {"a": [1, 2], "b": "x, ]"}),
        ('{"a": "two\nlines\tand a tab"}', {"a": "two\nlines\tand a tab"}),
        ('{"a": "half of a sent', {"a": "half of a sent"}),
        ('{"a": 1, "b": {"c": [1, {"d": 2', {"a": 1, "b": {"c": [1, {"d": 2}]}}),
        ('{"a": "ends with a backslash\\', {"a": "ends with a backslash"}),
        ('{"a": 1} or, longer, {"a": 1, "b": 2}', {"a": 1, "b": 2}),
        ('[see {"a": 1}]', {"a": 1}),
        ('{"a": "b\ud800"}', {"a": "b"}),
        ('{"a": "a } in a string"} and a stray }', {"a": "a } in a string"}),
    ],
)
def test_a_value_is_found_in_a_reply(reply: str, value: Any) -> None:
    assert parse_json(reply) == value


@pytest.mark.parametrize(
    "reply",
    ["", "no JSON at all", "I can't.", "[M1]", "see [", "{", "[}", "{'a': 1}", '{"a": NaN}', "\ud800"],
)
def test_there_is_nothing_where_there_is_no_value(reply: str) -> None:
    assert parse_json(reply) is None


@pytest.mark.parametrize(
    "reply",
    [
        "[" * 1_000_000,
        '{"a":' * 200_000,
        "\\" * 1_000_000,
        '["' + "\\" * 1_000_000,
        '\\"' * 500_000,
        '["[' * 300_000,
        "[ " + " ," * 500_000,
        "[1" + "0" * 1_000_000,
        '["a' + "\x00" * 1_000_000,
        "```\n" * 250_000,
        "[}" * 500_000,
    ],
    ids=lambda reply: repr(reply[:6]),
)
def test_hostile_replies_take_no_time(reply: str) -> None:
    began = time.monotonic()
    parse_json(reply)
    assert time.monotonic() - began < 5


@given(VALUES.filter(lambda value: isinstance(value, dict | list)), PLAIN, PLAIN)
def test_words_around_a_value_do_not_change_it(value: Any, before: str, after: str) -> None:
    assert parse_json(f"{before}{json.dumps(value)}{after}") == value


@given(st.dictionaries(st.text(max_size=5), VALUES, min_size=1), st.data())
def test_of_a_value_that_is_cut_off_keys_are_kept_in_order(value: dict[str, Any], data: st.DataObject) -> None:
    whole = json.dumps(value)
    part = parse_json(whole[: data.draw(st.integers(1, len(whole)))])
    assert part is None or list(part) == list(value)[: len(part)]


@given(st.text(alphabet='[]{}",:\\ntrue1.e-+`\n\ud800 ', max_size=60))
def test_no_reply_raises(reply: str) -> None:
    parse_json(reply)
