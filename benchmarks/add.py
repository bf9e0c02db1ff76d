"""What ``add`` costs beyond encoding: ``python -m benchmarks.add [FOLDER]`` (default: the sample handbook).

Adds the folder to a new library in a process of its own, then encodes the same passages there in one call: the whole
time over the encoder's own. Both are given as time on the clock and as processor time, because the first depends on
what else the machine does. Then the folder is added again, unchanged, from the command line.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import showtell
from showtell.library import Library

HANDBOOK = Path(showtell.__file__).parent / "handbook"
MEGABYTE = 1 << (10 if sys.platform.startswith("linux") else 20)  # ru_maxrss counts kilobytes, on macOS bytes


def measure(folder: Path) -> dict[str, float]:
    """The figures, by name."""
    with tempfile.TemporaryDirectory() as place:
        library = Path(place) / "library"
        figures: dict[str, float] = json.loads(_run("-m", "benchmarks.add", "--once", str(folder), str(library)))
        command = ("-m", "showtell.cli", "add", "--quiet", "--library", str(library), str(folder))
        figures["second_s"], _ = _timed(lambda: _run(*command))[0]
    return figures


def add_once(folder: Path, place: Path) -> dict[str, float]:
    """Add a folder to a new library here, then encode its passages anew."""
    with Library.open(place) as library:
        encoder = library.searcher.encoder
        assert encoder is not None, "no encoder to measure"
        encoder.encode(["warm up"])
        (add_s, add_cpu), results = _timed(lambda: list(library.add(folder)))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTE
        ids = library.store.vector_ids("passage_vectors")
        found = library.store.passages(ids).values()
        texts = [f"{' > '.join(dict.fromkeys([p.title, *p.section]))}\n{p.text}" for p in found]
        (encode_s, encode_cpu), _ = _timed(lambda: encoder.encode(texts))
    media = sum(result.images + result.tables + result.videos for result in results)
    return {
        "documents": len(results), "passages": len(texts), "media": media,
        "add_s": add_s, "encode_s": encode_s, "ratio": add_s / encode_s, "cpu_ratio": add_cpu / encode_cpu,
        "passages_per_s": len(texts) / add_s, "peak_mb": peak,
    }  # fmt: skip


def _timed(work: Callable[[], Any]) -> tuple[tuple[float, float], Any]:
    """Seconds on the clock and of the processor, and the result."""
    began = time.perf_counter(), time.process_time()
    result = work()
    return (time.perf_counter() - began[0], time.process_time() - began[1]), result


def _run(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True)
    return done.stdout


def report(figures: dict[str, float]) -> str:
    """The figures as lines."""
    return (
        "{documents:.0f} documents, {passages:.0f} passages, {media:.0f} media\n"
        "add {add_s:.1f} s, {passages_per_s:.1f} passages a second; encoder alone {encode_s:.1f} s\n"
        "whole time / encoder's own: {ratio:.2f} on the clock, {cpu_ratio:.2f} of the processor (goal 1.35)\n"
        "second add, cold command line: {second_s:.2f} s (goal 3)\n"
        "peak memory: {peak_mb:.0f} MB (goal 1000)"
    ).format(**figures)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--once"]:
        print(json.dumps(add_once(Path(sys.argv[2]), Path(sys.argv[3]))))
    else:
        print(report(measure(Path(sys.argv[1]) if sys.argv[1:] else HANDBOOK)))
