"""All benchmarks, small: ``python -m benchmarks``; each alone and in full by its own name (``benchmarks.speed`` …)."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from benchmarks import add, durability, segments, speed

KILLS, PASSAGES = 5, 10_000


def main() -> None:
    """Run them and print one table."""
    console = Console()
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    table = Table(title=f"{os.cpu_count()} processors{load}", title_justify="left")
    for column in ("measured", "figure", "goal", "in full"):
        table.add_column(column)
    with console.status("adding the sample handbook"):
        added = add.measure(add.HANDBOOK)
    table.add_row(
        "add a small folder: whole time / encoder's own, clock (processor)",
        f"{added['ratio']:.2f} ({added['cpu_ratio']:.2f})", "1.35 of a large one", "benchmarks.add FOLDER",
    )  # fmt: skip
    table.add_row("add again, unchanged, cold command line", f"{added['second_s']:.2f} s", "3 s")
    table.add_row("add: peak memory", f"{added['peak_mb']:.0f} MB", "1000 MB")
    with console.status(f"asking a library of {PASSAGES} passages"):
        p50, p95, cold = speed.measure(PASSAGES)
    table.add_row(
        f"ask, warm, p50 (p95), {PASSAGES} passages", f"{p50:.0f} ({p95:.0f}) ms",
        f"{speed.GOALS[PASSAGES]} ms", "benchmarks.speed",
    )  # fmt: skip
    table.add_row("ask, cold command line", f"{cold:.2f} s", "1.5 s")
    table.add_row("import showtell", f"{speed.import_seconds():.3f} s", "0.15 s")
    with console.status(f"killing add {KILLS} times"):
        whole = _printed(lambda: durability.main(KILLS))[-1]
    table.add_row("kill -9 during add", whole.partition(" left")[0], "all", "benchmarks.durability 50")
    with console.status("asking for moments of two lectures"):
        overlap = _printed(segments.main)[0]
    table.add_row("video segments", overlap.partition(" (")[0], "0.45", "benchmarks.segments --each")
    console.print(table)


def _printed(run: Callable[[], object]) -> list[str]:
    """What a benchmark prints, by line."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        run()
    return out.getvalue().splitlines()


if __name__ == "__main__":
    main()
