"""What every converter hands over: one HTML page for the reader, and what could not be carried into it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path

from showtell.errors import SourceError
from showtell.ingest.decode import decode
from showtell.ingest.resources import Place, resolve

MAX_INCLUDE_BYTES = 5_000_000
MAX_INCLUDE_DEPTH = 8
MAX_FILES_LOOKED_AT = 20_000


@dataclass(frozen=True, slots=True)
class Converted:
    """A whole HTML page and the warnings that came up on the way to it."""

    markup: str
    warnings: tuple[str, ...] = ()


def page(body: str, *, title: str = "", language: str = "", description: str = "") -> str:
    """A body with the little head that the reader looks at."""
    lang = f' lang="{escape(language)}"' if language else ""
    about = f'<meta name="description" content="{escape(description)}">' if description else ""
    return (
        f'<!doctype html>\n<html{lang}><head><meta charset="utf-8"><title>{escape(title)}</title>{about}</head>\n'
        f"<body>\n{body}\n</body></html>\n"
    )


def plain_text_page(text: str) -> str:
    """Plain text: blank lines part paragraphs, and nothing in it is markup."""
    paragraphs = [part.strip() for part in text.replace("\r\n", "\n").replace("\r", "\n").split("\n\n")]
    return page("\n".join(f"<p>{escape(part)}</p>" for part in paragraphs if part))


@dataclass(slots=True)
class Inclusions:
    """The files that one document names as parts of itself: read from inside its folder only, warned of otherwise."""

    place: Place
    warnings: list[str] = field(default_factory=list)
    open_files: list[Path] = field(default_factory=list)
    _names: dict[str, str] | None = None

    def warn(self, message: str) -> None:
        """Remembers a warning once."""
        if message not in self.warnings:
            self.warnings.append(message)

    def find(self, ref: str) -> Path | None:
        """The file that ``ref`` names, seen from the file in hand, then from each folder above it up to the root."""
        wanted = ref.strip().strip("\"'<>")
        if self.place.remote or not wanted:
            return None
        place = replace(self.place, source=str(self.open_files[-1])) if self.open_files else self.place
        return resolve(wanted, place).path or resolve("/" + wanted.lstrip("/"), place).path

    def find_by_name(self, ref: str) -> Path | None:
        """Like :meth:`find`; failing that, a file of that name anywhere under the root, as Obsidian does."""
        found = self.find(ref)
        if found is not None or self.place.remote or "/" in ref:
            return found
        if self._names is None:
            self._names = dict(_names_under(self.place.root or Path(self.place.source).parent))
        return self.find("/" + self._names[ref]) if ref in self._names else None

    def read(self, ref: str) -> str | None:
        """The text of an included file, or None and a warning that names it."""
        path = self.find(ref)
        if path is None:
            self.warn(f"include {ref!r} was left out: no such file inside the folder; add it there or remove the line")
        elif len(self.open_files) >= MAX_INCLUDE_DEPTH or path in self.open_files or path == Path(self.place.source):
            self.warn(f"include {ref!r} was left out: files include each other in a circle or too deeply")
        else:
            return self._text(path, ref)
        return None

    def _text(self, path: Path, ref: str) -> str | None:
        try:
            if path.stat().st_size > MAX_INCLUDE_BYTES:
                self.warn(f"include {ref!r} was left out: larger than {MAX_INCLUDE_BYTES // 1_000_000} MB")
                return None
            text, warnings = decode(path.read_bytes())
        except (OSError, SourceError) as problem:
            self.warn(f"include {ref!r} was left out: it cannot be read ({problem})")
            return None
        for warning in warnings:
            self.warn(f"include {ref!r}: {warning}")
        return text


def _names_under(root: Path) -> Iterator[tuple[str, str]]:
    """Names of files and their paths below the root, the nearer last; links to folders are not followed."""
    found: list[tuple[str, str]] = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [(name, (Path(folder) / name).relative_to(root).as_posix()) for name in sorted(files)]
        if len(found) > MAX_FILES_LOOKED_AT:
            break
    yield from reversed(found)
