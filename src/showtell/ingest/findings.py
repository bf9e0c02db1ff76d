"""What is gathered while a page is read, beside its text: files, what was dropped and why, warnings."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from showtell import pictures
from showtell.ingest.resources import Place, Resource, resolve
from showtell.types import Dropped


@dataclass(slots=True)
class Findings:
    """Grows while the page at ``place`` is read; ``base`` is its ``<base href>``, ``language`` what it declares."""

    place: Place
    base: str = ""
    language: str = ""
    files: dict[str, str | bytes] = field(default_factory=dict)
    dropped: dict[Dropped, None] = field(default_factory=dict)
    warnings: dict[str, None] = field(default_factory=dict)
    _stored: dict[Path, pictures.Stored] = field(default_factory=dict)

    def resolve(self, reference: str) -> Resource:
        """What an address written in the page leads to."""
        return resolve(reference, self.place, self.base)

    def link(self, reference: str) -> str:
        """The http(s) address that a link leads to, or "" if it leads elsewhere."""
        leads = reference[:8].lower().startswith(("http://", "https://", "//")) or self.place.remote or self.base
        return self.resolve(reference).url_with_fragment if leads and not reference.startswith("#") else ""

    def drop(self, kind: str, source: str, reason: str) -> None:
        """Note a media item that is left out, once."""
        self.dropped[Dropped(kind, source, reason)] = None

    def warn(self, message: str) -> None:
        """Note something that the user should know, once."""
        self.warnings[message] = None

    def keep(self, source: bytes | Path) -> pictures.Stored:
        """Store a picture's harmless bytes under its name. Raises PictureError."""
        if isinstance(source, bytes):
            picture = pictures.stored(source)
            self.files[picture.name] = picture.data
            return picture
        if source not in self._stored:
            picture = pictures.stored(source)
            unchanged = len(picture.data) == source.stat().st_size and picture.data == source.read_bytes()
            self.files[picture.name] = str(source) if unchanged else picture.data
            self._stored[source] = picture._replace(data=b"")
        return self._stored[source]
