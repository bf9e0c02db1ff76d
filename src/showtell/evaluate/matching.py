"""When two paths, headings or media are the same, however they are written.

The rules agree in meaning with the scorer that comes with the development set: paths are compared by their endings, so
that neither side needs to know the other's root; headings by their words; images by path, videos by id, tables by
document and look-alike header.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any
from urllib.parse import unquote

from showtell.evaluate.datasets import GoldMedia

Steps = tuple[str, ...]

ALIKE = 0.8
"""Headers whose similarity ratio reaches this are of the same table (the development set's definition)."""

_MARKUP = (
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), " "),  # Markdown images
    (re.compile(r"\[!\w+ ([^\]]*)\]"), r"\1"),  # [!DNL Adobe's words]
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),  # Markdown links
    (re.compile(r"\{[#:.][^}]*\}|\{\w+=[^}]*\}"), " "),  # {#anchors} and {attribute=lists}
    (re.compile(r"<[^>]+>"), " "),  # HTML tags
    (re.compile(r":[\w:-]+:(?=`)"), " "),  # reStructuredText roles
)
_NOT_A_WORD = re.compile(r"[\W_]+")
_HOST = re.compile(r"^[a-z][\w+.-]+://[^/]*", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][\w+.-]*:", re.IGNORECASE)
_SCHEME_AND_WWW = re.compile(r"(?:\w+:)?(?://)?(?:www\.)?")
_QUERY_OR_FRAGMENT = re.compile(r"[?#]")
_VIDEO_ID = re.compile(r"(?:[?&]v=|/(?:embed|v)/|youtu\.be/)([\w-]+)")


# ----------------------------------------------------------------------------------------------------- words and paths
def plain(text: str) -> str:
    """The words of a heading or cell: no markup, no punctuation, no case."""
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return _NOT_A_WORD.sub(" ", html.unescape(text)).strip().casefold()


def path_of(address: str) -> Steps:
    """The folders and the name in a path or URL: no scheme, host, query, nor steps upwards that lead out of it."""
    path = _HOST.sub("", html.unescape(address).replace("\\", "/"))
    path = unquote(_QUERY_OR_FRAGMENT.split(path)[0])
    return tuple(step for step in posixpath.normpath(path.lstrip("/")).split("/") if step not in (".", "..", ""))


def same_path(one: Steps, other: Steps) -> bool:
    """Whether one path is the other with more folders in front."""
    length = min(len(one), len(other))
    return length > 0 and one[-length:] == other[-length:]


def in_documents(document: str, documents: Iterable[str]) -> bool:
    """Whether a document is one of several."""
    path = path_of(document)
    return any(same_path(path, path_of(name)) for name in documents)


def in_sections(section: Sequence[str], headings: Iterable[str]) -> bool:
    """Whether a heading path holds one of the headings; a page's title in front of others does not count."""
    below_title = section[1:] if len(section) > 1 else section
    return bool({plain(heading) for heading in below_title} & {plain(heading) for heading in headings} - {""})


# --------------------------------------------------------------------------------------------------------------- media
@dataclass(frozen=True, slots=True)
class Shown:
    """A media item that an answer shows, with all that it can be recognised by.

    ``files`` are the paths at which it may lie; ``address`` is a video's id or the URL without scheme and query;
    ``number`` counts the document's tables; ``place`` tells two tables of one document apart.
    """

    type: str
    document: Steps
    files: tuple[Steps, ...]
    address: str
    header: tuple[str, ...]
    number: str
    place: tuple[Any, ...]
    rows: Sequence[Sequence[Any]]

    @classmethod
    def from_part(cls, part: Mapping[str, Any]) -> Shown:
        """Read a figure of an answer's ``parts``."""
        media = part.get("media") or {}
        ref = media.get("ref") or ""
        source = media.get("source") or ref
        document = media.get("document") or ref.split("#")[0]
        return cls(
            type=part["type"],
            document=path_of(document),
            files=_files(source, document),
            address=_address(part["type"], source),
            header=_cells(media.get("header")),
            number=_number(ref),
            place=tuple(media.get(key) for key in ("header", "section", "position", "ref")),
            rows=media.get("rows") or () if part["type"] == "table" else (),
        )

    def is_gold(self, gold: GoldMedia, alt_docs: Iterable[str] = ()) -> bool:
        """Whether this is the gold item; a table may also stand in one of the ``alt_docs``."""
        if self.type != gold.type:
            return False
        if gold.type == "table":
            return self._is_gold_table(gold, alt_docs)
        if "://" in gold.ref:
            return self.address == _address(gold.type, gold.ref)
        return any(same_path(file, path_of(gold.ref)) for file in self.files)

    def _is_gold_table(self, gold: GoldMedia, alt_docs: Iterable[str]) -> bool:
        if not any(same_path(self.document, path_of(document)) for document in (gold.doc, *alt_docs)):
            return False
        wanted = _cells(gold.header)
        if not wanted or not self.header:
            return self.number == _number(gold.ref) != ""
        return wanted == self.header[:1] or _alike(" ".join(self.header), " ".join(wanted))

    def repeats(self, other: Shown) -> bool:
        """Whether both are one and the same item."""
        if self.type != other.type:
            return False
        if self.type == "video":
            return self.address == other.address
        if self.type == "image":
            return any(same_path(mine, theirs) for mine in self.files for theirs in other.files)
        return same_path(self.document, other.document) and self.place == other.place


def _files(source: str, document: str) -> tuple[Steps, ...]:
    """A source resolved against its document; one of three steps or more may already be a path from the root."""
    if not document or source.startswith("/") or _SCHEME.match(source):
        return (path_of(source),)
    bare = _QUERY_OR_FRAGMENT.split(source.replace("\\", "/"))[0]
    beside = path_of("/".join((*path_of(document)[:-1], bare)))
    return (beside, path_of(bare)) if bare.count("/") >= 2 and not bare.startswith("..") else (beside,)


def _address(kind: str, url: str) -> str:
    url = html.unescape(url)
    found = _VIDEO_ID.search(url) if kind == "video" else None
    if found:
        return found[1]
    return re.split(r"[?#&]", _SCHEME_AND_WWW.sub("", url, count=1))[0].rstrip("/").casefold()


def _cells(header: str | Sequence[str] | None) -> tuple[str, ...]:
    cells = header.split("|") if isinstance(header, str) else header or ()
    return tuple(words for cell in cells if (words := plain(str(cell))))


def _number(ref: str) -> str:
    return ref.partition("#table:")[2]


def _alike(one: str, other: str) -> bool:
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE
