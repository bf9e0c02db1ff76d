from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from showtell.errors import QuestionsError
from showtell.evaluate.datasets import load_questions

QUESTION: dict[str, Any] = {
    "id": "q1",
    "question": "How do I grind for a moka pot?",
    "answerable": True,
    "kind": "howto",
    "doc": "grinding.md",
    "alt_docs": ["moka.md"],
    "sections": ["Moka pot"],
    "media": [
        {"type": "image", "ref": "a.png", "doc": "grinding.md", "section": "Moka pot", "role": "ok", "alt": "x"},
        {
            "type": "table",
            "ref": "grinding.md#table:1",
            "doc": "grinding.md",
            "role": "core",
            "header": ["Pot", "Size"],
        },
    ],
    "answer": "Medium fine.",
}


def write(folder: Path, *lines: str | dict[str, Any] | bytes) -> Path:
    path = folder / "questions.jsonl"
    texts = [
        line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
        for line in lines
    ]
    path.write_bytes(b"\n".join(texts) + b"\n")
    return path


def test_reads_a_set_and_leaves_its_own_keys_alone(tmp_path: Path) -> None:
    path = write(tmp_path, QUESTION | {"notes": "hard", "tags": [1]}, "", QUESTION | {"id": "q2", "alt_docs": None})
    first, second = load_questions(path)
    assert (first.id, second.id) == ("q1", "q2")
    assert first.documents == ("grinding.md", "moka.md")
    assert second.documents == ("grinding.md",)
    assert [medium.ref for medium in first.core] == ["grinding.md#table:1"]


def test_reads_the_development_set(shared: Path) -> None:
    questions = load_questions(shared / "eval" / "dev_eval.jsonl")
    assert len(questions) == 70
    assert sum(question.answerable for question in questions) == 63


def test_a_line_separator_inside_a_text_does_not_end_the_line(tmp_path: Path) -> None:
    line = json.dumps(QUESTION | {"question": "one\u2028two"}, ensure_ascii=False)
    assert load_questions(write(tmp_path, b"\xef\xbb\xbf" + line.encode() + b"\r"))[0].question == "one\u2028two"


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"id": "q1", ', "Invalid JSON"),
        ("[]", "object"),
        (b'{"id": "\xff"}', "Invalid JSON"),
        ({key: value for key, value in QUESTION.items() if key != "answerable"}, "answerable: Field required"),
        (QUESTION | {"answerable": "perhaps"}, "answerable"),
        (QUESTION | {"id": "q0"}, "id 'q0' stands in line 1 too"),
        (QUESTION | {"media": [{"type": "song", "ref": "a", "role": "core"}]}, "media.0.type"),
        (QUESTION | {"media": [{"type": "image", "ref": "a", "role": "main"}]}, "media.0.role"),
        (QUESTION | {"question": ""}, "question"),
    ],
)
def test_a_bad_line_is_named_with_its_fault(tmp_path: Path, line: str | bytes | dict[str, Any], fault: str) -> None:
    path = write(tmp_path, QUESTION | {"id": "q0"}, line)
    with pytest.raises(QuestionsError) as caught:
        load_questions(path)
    message = str(caught.value)
    assert f"{path}, line 2" in message
    assert fault in message
    assert "\n" not in message


def test_an_empty_file_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(QuestionsError, match="holds no questions"):
        load_questions(write(tmp_path, "", "  "))
    with pytest.raises(QuestionsError, match="cannot read"):
        load_questions(tmp_path / "none.jsonl")
    with pytest.raises(QuestionsError, match="cannot read"):
        load_questions(tmp_path)


@pytest.mark.parametrize(
    ("image", "found"),
    [
        ("a.png", "{}/a.png"),
        ("../a.png", "{}/../a.png"),
        ("/pictures/a.png", "/pictures/a.png"),
        ("https://example.org/a.png", "https://example.org/a.png"),
        (None, None),
    ],
)
def test_a_picture_lies_beside_the_questions_or_in_the_web(
    tmp_path: Path, image: str | None, found: str | None
) -> None:
    (question,) = load_questions(write(tmp_path, QUESTION | {"image": image}))
    assert question.image == (found and found.format(tmp_path))
