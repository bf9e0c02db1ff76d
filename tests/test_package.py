"""The package as a whole: what importing it costs, and that the repository keeps its own promises."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version

import pytest

import showtell

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
