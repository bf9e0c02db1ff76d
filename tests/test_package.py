"""The package as a whole: what importing it costs, and that the repository keeps its own promises."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import showtell

ROOT = Path(__file__).resolve().parents[1]
HEAVY = {"docutils", "faiss", "httpx2", "huggingface_hub", "nh3", "numpy", "onnx", "onnxruntime", "PIL", "platformdirs"}
HEAVY |= {
    "markdown_it",
    "py3langid",
    "pydantic",
    "pysubs2",
    "rich",
    "safetensors",
    "selectolax",
    "Stemmer",
    "tokenizers",
    "yaml",
}


HELP = """
import contextlib, showtell.cli
with contextlib.suppress(SystemExit):
    showtell.cli.main(["--help"])
"""


def imported_by(code: str) -> set[str]:
    code += "\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


@pytest.mark.parametrize("code", ["import showtell", "import showtell.types, showtell.errors", HELP])
def test_nothing_heavy_is_loaded_before_it_is_needed(code):
    assert imported_by(code) & HEAVY == set()


def test_the_version_is_told_once():
    assert showtell.__version__ == version("showtell")


def test_the_architecture_names_every_module():
    text = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    tree = text.partition("src/showtell/\n")[2].partition("```")[0]
    named: set[str] = set()
    folders: list[str] = []
    for indent, name in re.findall(r"^( +)(\w+(?:/|\.py)) ", tree, re.MULTILINE):
        folders = folders[: len(indent) // 2 - 1]
        if name.endswith("/"):
            folders.append(name)
        else:
            named.add("".join([*folders, name]))
    package = ROOT / "src" / "showtell"
    assert named == {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if not path.name.startswith("__") and (path.parent / "__init__.py").exists()
    }
