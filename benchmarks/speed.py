"""How long an answer takes: ``python -m benchmarks.speed [PASSAGES ...]`` (default: 10000 100000).

A library of synthetic text and random unit vectors is built for each size, in a folder of its own that is removed
afterwards; then questions are asked in one warm process, and one from a cold command line. Words follow Zipf's law, so
that the commonest stand in every passage; half of a question's words are common ones.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from showtell.index.store import DocumentRow, MediaRow, PassageRow
from showtell.index.terms import terms
from showtell.library import Library
from showtell.types import Image, Section, Text

DIMENSION, PER_DOCUMENT, PER_SECTION, WORDS, VOCABULARY, QUESTIONS = 384, 100, 5, 120, 50_000, 60
GOALS = {10_000: 60, 100_000: 120}  # milliseconds, of half of the questions


def main(sizes: list[int]) -> None:
    """Print the figures of each size."""
    print(f"import showtell: {import_seconds():.3f} s (goal 0.15)")
    for size in sizes:
        p50, p95, cold = measure(size)
        goal = f" (goal {GOALS[size]})" if size in GOALS else ""
        print(
            f"{size} passages: ask p50 {p50:.0f} ms{goal}, p95 {p95:.0f} ms; cold command line {cold:.2f} s (goal 1.5)"
        )


def measure(size: int) -> tuple[float, float, float]:
    """Milliseconds of a warm question (median, 95th percentile) and seconds of a cold one."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        build(folder, size)
        warm = sorted(_warm(folder))
        command = ("-m", "showtell.cli", "ask", "--library", str(folder), "--json", "How do I start?")
        cold = statistics.median(_seconds(*command) for _ in range(3))
    return statistics.median(warm), warm[int(len(warm) * 0.95)], cold


def import_seconds() -> float:
    """Seconds that ``import showtell`` adds to starting Python."""
    with_it, without = (
        statistics.median(_seconds("-c", code) for _ in range(5)) for code in ("import showtell", "pass")
    )
    return max(0.0, with_it - without)


def build(folder: Path, size: int, seed: int = 1) -> None:
    """A library of ``size`` passages whose words follow Zipf's law, and whose vectors are random."""
    chance, numbers = random.Random(seed), np.random.default_rng(seed)
    with Library.open(folder) as library:
        encoder = library.searcher.encoder
        library.store.set_meta("encoder", encoder.name if encoder else "none")
        for number in range(size // PER_DOCUMENT):
            library.store.put(_document(number, chance, numbers))


def _document(number: int, chance: random.Random, numbers: np.random.Generator) -> DocumentRow:
    texts = [_text(chance) for _ in range(PER_DOCUMENT)]
    vectors = numbers.standard_normal((PER_DOCUMENT, DIMENSION), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    blobs = [vector.tobytes() for vector in vectors]
    first = range(0, PER_DOCUMENT, PER_SECTION)
    picture = Image("a.png", "/none/a.png", alt="A picture")
    title = f"Document {number}"
    sections = tuple(
        Section((title, f"Part {at}"), (*(Text(text) for text in texts[at : at + PER_SECTION]), picture))
        for at in first
    )
    passages = tuple(
        PassageRow(
            n // PER_SECTION, n % PER_SECTION, n % PER_SECTION + 1, text, None, None,
            (f"document {number}", "part", " ".join(terms(text))), blobs[n],
        )
        for n, text in enumerate(texts)
    )  # fmt: skip
    media = tuple(
        MediaRow(
            f"{number}-{at}", at // PER_SECTION, PER_SECTION, texts[at][:200], "",
            ("pictur", " ".join(terms(texts[at][:200]))), blobs[at],
        )
        for at in first
    )  # fmt: skip
    name = f"document-{number}.md"
    return DocumentRow(
        f"/none/{name}", name, "/none", "hash", title, "", "en", None, None, None, 0, sections, passages, media, {}
    )


def _text(chance: random.Random) -> str:
    picked = [drawn(chance, 0.9) for _ in range(WORDS)]
    return " ".join(f"{word}." if n % 15 == 14 else word for n, word in enumerate(picked)).capitalize()


def drawn(chance: random.Random, exponent: float) -> str:
    """A word by its rank, which follows a Pareto distribution; a smaller exponent makes it rarer."""
    rank = min(VOCABULARY, int(chance.paretovariate(exponent)))
    letters, word = "bdfgklmnprstvz", ""
    while rank or not word:
        rank, at = divmod(rank, len(letters))
        word += letters[at] + "aeiou"[at % 5]
    return word


def _questions(chance: random.Random) -> Iterator[str]:
    for _ in range(QUESTIONS):
        yield f"How do I {' '.join(drawn(chance, 0.5) for _ in range(8))}?"


def _warm(folder: Path) -> Iterator[float]:
    with Library.open(folder) as library:
        library.ask("How do I warm up?")
        for question in _questions(random.Random(2)):
            began = time.perf_counter()
            library.ask(question)
            yield (time.perf_counter() - began) * 1000


def _seconds(*arguments: str) -> float:
    """Seconds of a Python process."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or list(GOALS))
