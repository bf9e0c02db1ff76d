"""Where the addresses in a document lead: to a file in the added folder, to the web, or nowhere. Nothing is fetched."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_WHITE = re.compile(r"[\t\r\n]")
MAX_LENGTH = 4096  # of an address; the longest path that Linux takes


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document stands: ``source`` is its absolute path or URL, ``name`` how the user knows it.

    ``root`` is the added folder of a local document (its own folder if None): no file outside is ever read. ``url`` is
    where the document can be opened, if that is known.
    """

    source: str
    name: str
    root: Path | None = None
    url: str | None = None

    @property
    def remote(self) -> bool:
        """Whether the document came from the web, so that its relative addresses lead there as well."""
        return self.source.lower().startswith(("http://", "https://"))


@dataclass(frozen=True, slots=True)
class Resource:
    """What the address ``reference`` leads to: exactly one of ``path``, ``url`` and ``refusal`` (the reason) is set.

    ``fragment`` is what followed the ``#``.
    """

    reference: str
    path: Path | None = None
    url: str = ""
    refusal: str = ""
    fragment: str = ""

    @property
    def address(self) -> str:
        """The path or URL, without fragment; the reference itself if it was refused."""
        return str(self.path) if self.path else self.url or self.reference

    @property
    def url_with_fragment(self) -> str:
        """The URL as a link shows it, "" for a file."""
        return f"{self.url}#{self.fragment}" if self.url and self.fragment else self.url


def resolve(reference: str, place: Place, base: str = "") -> Resource:
    """Find what an address written in the document at ``place`` leads to; ``base`` is its ``<base href>``.

    A path that begins with ``/`` is looked up in the nearest folder above the document, inside the root, in which the
    file exists. Names are tried as written, then without query, percent-decoded, and with ``\\`` read as ``/``.
    """
    written = _WHITE.sub("", reference).strip()
    if not written or len(written) > MAX_LENGTH:
        return Resource(reference, refusal="the address is empty or too long")
    try:
        target = _joined(written, place, base)
    except ValueError:
        return Resource(reference, refusal="the address is not valid")
    if _web(target):
        return _remote(reference, target)
    scheme = _SCHEME.match(target)
    if scheme:
        return Resource(reference, refusal=f"an address that begins with {scheme[1].lower()}: is not followed")
    return _local(reference, target, place, base)


def inside(path: Path, place: Place) -> bool:
    """Whether a local path, and what it links to, lies in the added folder. Raises OSError on a loop of links."""
    root = _root(place)
    return path.is_relative_to(root) and path.resolve().is_relative_to(root.resolve())


def _root(place: Place) -> Path:
    return Path(os.path.abspath(place.root or Path(place.source).parent))  # noqa: PTH100 (links stay unresolved here)


def _joined(written: str, place: Place, base: str) -> str:
    """The address made absolute as far as it leads to the web. Raises ValueError if it is malformed."""
    above = urljoin(place.source, base) if place.remote else base
    target = urljoin(above, written) if _web(above) else written
    return "https:" + target if target.startswith("//") else target


def _web(address: str) -> bool:
    return address[:8].lower().startswith(("http://", "https://"))


def _remote(reference: str, address: str) -> Resource:
    try:
        parts = urlsplit(address)
        if not parts.hostname:
            raise ValueError
    except ValueError:
        return Resource(reference, refusal="the address is not valid")
    # Spaces are the one thing that people leave unescaped and that ends an address elsewhere.
    return Resource(reference, url=parts._replace(fragment="").geturl().replace(" ", "%20"), fragment=parts.fragment)


def _local(reference: str, target: str, place: Place, base: str) -> Resource:
    document, root = Path(place.source), _root(place)
    outside = False
    for name, fragment in _spellings(target):
        for folder in _folders(name, document, root, base):
            path = Path(os.path.normpath(folder / name.lstrip("/")))
            try:
                if not inside(path, place):
                    outside = True
                elif path.is_file():
                    return Resource(reference, path=path, fragment=fragment)
            except (OSError, ValueError, RuntimeError):  # a name too long, a NUL, a loop of links: no such file
                continue
    if outside:
        return Resource(reference, refusal="the path leaves the added folder")
    return Resource(reference, refusal="the file is missing")


def _spellings(target: str) -> Iterator[tuple[str, str]]:
    """The names, with the fragment behind each, under which the file may lie."""
    seen = set()
    bare, _, fragment = target.partition("#")
    plain = bare.partition("?")[0]
    for name, rest in ((target, ""), (bare, fragment), (plain, fragment)):
        for spelled in (name, unquote(name), unquote(name).replace("\\", "/")):
            if spelled and spelled not in seen:
                seen.add(spelled)
                yield spelled, rest


def _folders(name: str, document: Path, root: Path, base: str) -> Iterator[Path]:
    """Where to look for a name: beside the document (or its base); a rooted one in each folder up to the root."""
    here = document.parent
    if base and not base.startswith("/"):
        here = Path(os.path.normpath(here / unquote(base.rpartition("/")[0])))
    if not name.startswith("/"):
        if base.startswith("/"):
            yield from (folder / unquote(base.rpartition("/")[0]).lstrip("/") for folder in _upwards(here, root))
        yield here
    else:
        yield from _upwards(here, root)


def _upwards(folder: Path, root: Path) -> Iterator[Path]:
    for above in (folder, *folder.parents):
        yield above
        if above == root:
            return
