"""The examples of the guide to models run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from showtell.library import Library

ROOT = Path(__file__).resolve().parents[1]


def test_the_python_example_runs_on_the_sample_handbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Library.open("library") as library:
        list(library.add(ROOT / "src" / "showtell" / "handbook"))
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "MODELS.md").read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    assert names["answer"].status == "answered"  # type: ignore[attr-defined]
    assert names["answer"].model == "scripted"  # type: ignore[attr-defined]
