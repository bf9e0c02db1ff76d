"""A library of two small documents that tests may change, and servers of it and of the handbook."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from showtell.library import Library
from tests.web.server import Running, serving

KETTLE = """# Kettle

## Descaling

1. Fill the kettle with vinegar and water.
2. Wait for 30 minutes.
3. Rinse it three times.

| Part | Price |
| --- | --- |
| Lid | 4 EUR |
| Filter | 7 EUR |

## Warranty

The kettle has a warranty of 24 months.
"""


@pytest.fixture(scope="module")
def served(handbook: Library) -> Iterator[Running]:
    """The handbook, served; not to be changed."""
    with serving(handbook) as running:
        yield running


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """One document about a kettle."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "kettle.md").write_text(KETTLE, encoding="utf-8")
    with Library.open(tmp_path / "library", requests_per_minute=0) as library:
        assert [result.status for result in library.add(tmp_path / "docs")] == ["added"]
        yield library


@pytest.fixture
def own(library: Library) -> Iterator[Running]:
    """The small library, served."""
    with serving(library) as running:
        yield running
