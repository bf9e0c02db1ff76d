"""What the guides say can be run: the Python of those to models and pictures, and the commands as far as parsing."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from showtell.cli import _parser
from showtell.library import Library

ROOT = Path(__file__).resolve().parents[1]
GUIDES = [ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in ("MODELS", "PICTURES", "SERVING"))]


def blocks(guide: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", guide.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture
def in_a_folder_with_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, handbook: Library) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHOWTELL_MODEL", raising=False)
    with Library.open("library") as library:
        list(library.add(ROOT / "src" / "showtell" / "handbook"))


@pytest.mark.usefixtures("in_a_folder_with_a_library")
@pytest.mark.parametrize(("guide", "count"), [("MODELS.md", 3), ("PICTURES.md", 1)])
def test_the_python_examples_run_on_the_sample_handbook(guide: str, count: int) -> None:
    examples = blocks(ROOT / "docs" / guide, "python")
    assert len(examples) == count
    for code in examples:
        names: dict[str, object] = {}
        exec(code, names)
        assert names["answer"].status == "answered"  # type: ignore[attr-defined]


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_the_commands_exist_as_they_are_written(guide: Path) -> None:
    lines = [line for block in blocks(guide, "sh") for line in block.splitlines()]
    commands = [
        shlex.split(found[1], comments=False)
        for line in lines
        if (found := re.search(r"\bshowtell (.+?)(?: {2,}#.*)?$", line))
    ]
    assert len(commands) >= 4
    for command in commands:
        _parser().parse_args(command)
