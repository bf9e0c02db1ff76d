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
HEAVY = {"docutils", "faiss", "httpx", "huggingface_hub", "nh3", "numpy", "onnx", "onnxruntime", "PIL", "platformdirs"}
HEAVY |= {"py3langid", "pydantic", "pysubs2", "rich", "safetensors", "selectolax", "tokenizers", "yaml"}


def imported_by(statement: str) -> set[str]:
    code = f"{statement}\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in json.loads(done.stdout)}


@pytest.mark.parametrize("statement", ["import showtell", "import showtell.types, showtell.errors"])
def test_importing_it_loads_nothing_heavy(statement):
    assert imported_by(statement) & HEAVY == set()


def test_the_version_is_told_once():
    assert showtell.__version__ == version("showtell")


def test_the_architecture_names_every_module():
    text = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    tree = text.partition("src/showtell/\n")[2].partition("```")[0]
    named, folder = set(), ""
    for indent, name in re.findall(r"^( +)(\w+(?:/|\.py)) ", tree, re.MULTILINE):
        if name.endswith("/"):
            folder = name
        else:
            named.add(folder + name if len(indent) > 2 else name)
    package = ROOT / "src" / "showtell"
    assert named == {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if not path.name.startswith("__") and (path.parent / "__init__.py").exists()
    }
