"""Kill ``add`` at random moments: ``python -m benchmarks.durability [KILLS]`` (default: 50).

Each round a process adds a generated folder of documents with pictures and tables, half of the time over a library that
holds an older state of it, and is killed (SIGKILL) at a random moment. Then every document that was acknowledged (its
result was yielded) must stand there whole in its new state, every other one whole in its old state or not at all, the
database must be sound, and adding again must complete the library.
"""

from __future__ import annotations

import hashlib
import io
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from PIL import Image

from showtell.library import Library

DOCUMENTS = 24
ADD = """
import sys
from showtell.library import Library
with Library.open(sys.argv[1]) as library:
    library.searcher
    print("open", flush=True)
    for result in library.add(sys.argv[2]):
        print(result.name, flush=True)
print("done", flush=True)
"""
WHOLE = {
    "section": "SELECT s.ordinal, s.path, s.blocks FROM sections s WHERE s.document_id = ? ORDER BY s.id",
    "passage": """SELECT p.text, t.title, t.heading, t.text, length(v.vector) FROM passages p
        JOIN sections s ON s.id = p.section_id LEFT JOIN passage_terms t ON t.rowid = p.id
        LEFT JOIN passage_vectors v ON v.id = p.id WHERE s.document_id = ? ORDER BY p.id""",
    "media": """SELECT m.key, m.position, t.description, t.context, length(v.vector) FROM media m
        JOIN sections s ON s.id = m.section_id LEFT JOIN media_terms t ON t.rowid = m.id
        LEFT JOIN media_vectors v ON v.id = m.id WHERE s.document_id = ? ORDER BY m.id""",
    "asset": "SELECT name FROM assets WHERE document_id = ? ORDER BY name",
}
ORPHANS = """SELECT (SELECT count(*) FROM passage_terms) - (SELECT count(*) FROM passages),
    (SELECT count(*) FROM media_terms) - (SELECT count(*) FROM media),
    (SELECT count(*) FROM passage_vectors WHERE id NOT IN (SELECT id FROM passages)),
    (SELECT count(*) FROM media_vectors WHERE id NOT IN (SELECT id FROM media))"""


def main(kills: int, seed: int = 1) -> bool:
    """Run the rounds and print what was found; returns whether all were sound."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        bench = Bench(Path(place))
        sound = 0
        for number in range(1, kills + 1):
            acknowledged, faults = bench.round(chance, over_old=bool(number % 2))
            sound += not faults
            told = "; ".join(faults) or "sound"
            print(f"kill {number:>3}: {acknowledged:>2} of {DOCUMENTS} documents acknowledged, {told}", flush=True)
    print(f"{sound} of {kills} kills left every acknowledged document whole and no half one")
    return sound == kills


class Bench:
    """A folder in an old and a new state, whole libraries of both, and how long adding takes."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.old, self.new = place / "old", place / "new"
        self.source = place / "docs"
        for revision, library in enumerate((self.old, self.new)):
            write_documents(self.source, revision)
            self.seconds = _add(library, self.source)
        self.states = [snapshot(self.old), snapshot(self.new)]

    def round(self, chance: random.Random, *, over_old: bool) -> tuple[int, list[str]]:
        """Kill one run; returns how many documents were acknowledged, and the faults that were found."""
        library = self.place / "library"
        shutil.rmtree(library, ignore_errors=True)
        if over_old:
            shutil.copytree(self.old, library)
        acknowledged = killed(library, self.source, chance, self.seconds)
        faults = list(self._faults(library, acknowledged, over_old))
        _add(library, self.source)
        if snapshot(library) != self.states[1]:
            faults.append("adding again did not complete the library")
        faults += unsound(library)
        return len(acknowledged), faults

    def _faults(self, library: Path, acknowledged: list[str], over_old: bool) -> Iterator[str]:
        if not (library / "library.sqlite").exists() or not (library / "library.sqlite").stat().st_size:
            yield from ["acknowledged documents are gone"] * bool(acknowledged)
            return
        yield from unsound(library)
        before, after = self.states
        found = snapshot(library)
        for name, whole in after.items():
            allowed = [whole] if name in acknowledged else [whole, before[name] if over_old else None]
            if found.get(name) not in allowed:
                yield f"{name} is {'not whole' if name in found else 'gone'}"


def killed(library: Path, source: Path, chance: random.Random, seconds: float) -> list[str]:
    """Kill a process that adds; returns the names that it acknowledged.

    The moment is up to ``seconds`` after it opened the library, or a few milliseconds after some document was
    acknowledged, when another is being stored.
    """
    with subprocess.Popen([sys.executable, "-c", ADD, library, source], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        awaited = chance.choice([0, chance.randint(1, DOCUMENTS)])
        told = [process.stdout.readline().strip() for _ in range(1 + awaited)]
        time.sleep(chance.uniform(0, 0.03 if awaited else seconds))
        process.kill()
        told += process.stdout.read().splitlines()
    return [name for name in told if name.endswith(".md")]


def _add(library: Path, source: Path) -> float:
    """Add to the end; returns the seconds that it took."""
    with Library.open(library) as opened:
        assert opened.searcher.encoder, "no encoder: vectors cannot be checked"
        began = time.perf_counter()
        failed = [result.error for result in opened.add(source) if result.status == "failed"]
        assert not failed, failed
        return time.perf_counter() - began


def snapshot(library: Path) -> dict[str, str]:
    """A digest of all that belongs to each document, by name."""
    with closing(sqlite3.connect(library / "library.sqlite")) as db:
        try:
            documents = db.execute("SELECT id, name, title, hash FROM documents").fetchall()
        except sqlite3.OperationalError:  # killed before the tables were made
            return {}
        found = {}
        for id_, name, *rest in documents:
            parts = {part: db.execute(query, (id_,)).fetchall() for part, query in WHOLE.items()}
            files = [_is_whole(library / "assets" / asset) for (asset,) in parts["asset"]]
            found[name] = hashlib.sha256(json.dumps([rest, parts, files]).encode()).hexdigest()
        return found


def _is_whole(asset: Path) -> bool:
    return asset.is_file() and hashlib.sha256(asset.read_bytes()).hexdigest() == asset.stem


def unsound(library: Path) -> list[str]:
    """What is wrong with the database itself, and rows that belong to nothing."""
    with closing(sqlite3.connect(library / "library.sqlite")) as db:
        faults = [text for (text,) in db.execute("PRAGMA integrity_check") if text != "ok"]
        faults += [f"foreign key of {row[0]}" for row in db.execute("PRAGMA foreign_key_check")]
        if db.execute("PRAGMA user_version").fetchone()[0]:
            faults += ["rows without a document"] * any(db.execute(ORPHANS).fetchone())
            for table in ("passage_terms", "media_terms"):
                db.execute(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")  # raises if it is not sound
    return faults


def write_documents(folder: Path, revision: int, count: int = DOCUMENTS) -> None:
    """Documents with two pictures, a table and a few sections each; a revision has other words and other pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        chance = random.Random(number * 100 + revision)
        for name in ("one", "two"):
            colour = tuple(chance.randrange(256) for _ in range(3))
            (folder / f"{number}-{name}.png").write_bytes(_picture(colour))
        rows = "\n".join(f"| part {row} | {chance.randrange(900)} g |" for row in range(8))
        sections = "\n\n".join(
            f"## Step {step}\n\nTurn screw {chance.randrange(99)} until it holds, then wait {chance.randrange(60)} s."
            f"\n\n![Screw of step {step}]({number}-{name}.png)"
            for step, name in enumerate(("one", "two"))
        )
        title = f"---\nlang: en\n---\n# Machine {number}, state {revision}"
        text = f"{title}\n\n| Part | Weight |\n| --- | --- |\n{rows}\n\n{sections}\n"
        (folder / f"machine-{number:02}.md").write_text(text, encoding="utf-8")


def _picture(colour: tuple[int, ...]) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (240, 160), colour).save(out, "PNG")
    return out.getvalue()


if __name__ == "__main__":
    sys.exit(not main(int(sys.argv[1]) if sys.argv[1:] else 50))
