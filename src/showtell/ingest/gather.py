"""What the user named as the documents that are to be read; here files and folders, in ``site`` pages and sitemaps."""

from __future__ import annotations

import hashlib
import os
import stat
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from showtell.index.store import Known
from showtell.types import Document

WithMedia = Callable[[Document], Document]
UNNAMEABLE = {"Cc", "Cs", "Zl", "Zp"}  # control characters, bytes that are no text, line ends


@dataclass(frozen=True, slots=True)
class Found:
    """A document that can be read.

    ``origin`` is what the user named to add it. ``digest`` tells whether it has changed; ``read`` reads it whole. Both
    may raise SourceError or OSError.
    """

    source: str
    name: str
    origin: str
    digest: Callable[[], str]
    read: Callable[[], Document]


@dataclass(frozen=True, slots=True)
class Missed:
    """A source without a document: it failed, is gone for good, or was skipped on purpose; ``reason`` says why."""

    source: str
    reason: str
    kind: Literal["failed", "gone", "skipped"] = "failed"


def is_url(source: str | Path) -> bool:
    """Whether a source is an address in the web."""
    return str(source)[:8].lower().startswith(("http://", "https://"))


def gather_files(
    source: Path, known: Mapping[str, Known], with_media: WithMedia | None = None, within: Path | None = None
) -> Iterator[Found | Missed]:
    """The document of a file, or those under a folder, in order.

    Args:
        source: the file or folder.
        known: what the library holds, by absolute path.
        with_media: fetches the remote media of a document; unset, they stay links.
        within: the folder that the document belongs to, as if that had been added.
    """
    from showtell.ingest.convert import walk  # the readers take half a second to import, and asking needs none

    problem = _problem(source)
    if problem:
        yield Missed(printable(source), problem)
        return
    added = Path(os.path.abspath(source))  # noqa: PTH100 (links stay as written)
    folders = {Path(each.root) for path, each in known.items() if each.root != path and not is_url(each.root)}
    roots = [added, *filter(None, [within]), *(folder for folder in folders if folder.is_dir())]
    taken = {each.name: path for path, each in known.items()}
    problems: list[str] = []
    met = 0
    for path in walk(source, problems.append) if source.is_dir() else [source]:
        met += 1
        yield _found(path, roots, taken, with_media)
    yield from (Missed(printable(source), printable(problem), "skipped") for problem in problems)
    if not met and not problems:
        yield Missed(
            printable(source),
            f"{printable(source)}: holds no file of a kind that showtell reads; see: showtell add --help",
        )


def printable(text: str | Path) -> str:
    """The text on one line, with escapes for what no terminal should print."""
    return "".join(_escaped(letter) if unicodedata.category(letter) in UNNAMEABLE else letter for letter in str(text))


def _escaped(letter: str) -> str:
    """``\\n``; a byte that is no text as ``\\xe9`` (PEP 383 puts it at U+DC00 and above)."""
    return f"\\x{ord(letter) - 0xDC00:02x}" if "\udc80" <= letter <= "\udcff" else repr(letter)[1:-1]


def _problem(source: Path) -> str:
    """Why a file or folder cannot be added, or ""."""
    try:
        mode = source.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return f"{printable(source)}: no such file or folder; check the path"
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) else error
        return f"{printable(source)}: cannot be read ({reason}); check the path and its permissions"
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return f"{printable(source)}: neither file nor folder but a pipe, socket or device; name a file"
    return ""


def _found(path: Path, roots: Sequence[Path], taken: Mapping[str, str], with_media: WithMedia | None) -> Found | Missed:
    """A file's place. It belongs to the outermost of the folders that it was ever added with, and is named from there.

    A name that another document has already gives way to the path.
    """
    absolute = Path(os.path.abspath(path))  # noqa: PTH100
    if printable(absolute) != str(absolute):
        told = printable(absolute)
        return Missed(told, f"{told}: its name holds a control character or is not UTF-8; rename it")
    origin = min((root for root in roots if absolute.is_relative_to(root)), key=lambda root: len(root.parts))
    folder, name = (
        (absolute.parent, path.as_posix()) if origin == absolute else (origin, absolute.relative_to(origin).as_posix())
    )
    if taken.get(name, str(absolute)) != str(absolute):
        name = str(absolute)

    def digest() -> str:
        with absolute.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        return f"{content}+media" if with_media else content

    def read() -> Document:
        from showtell.ingest.convert import read_file

        document = read_file(absolute, folder, name)
        return with_media(document) if with_media else document

    return Found(str(absolute), name, str(origin), digest, read)
