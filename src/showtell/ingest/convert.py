"""One file or fetched page to one Document: what it is, how it is decoded, and which converter leads to the reader."""

from __future__ import annotations

import logging
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from email.message import Message
from html import escape
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from showtell.errors import SourceError, UnsupportedError
from showtell.ingest.decode import decode, require_text
from showtell.ingest.html import read_html
from showtell.ingest.image import read_image
from showtell.ingest.language import detect
from showtell.ingest.markdown import markdown_to_html
from showtell.ingest.page import Converted, page, plain_text_page
from showtell.ingest.resources import Place
from showtell.ingest.rst import rst_to_html
from showtell.ingest.subtitles import read_cues
from showtell.types import Document, Section, Video

log = logging.getLogger(__name__)

HTML = frozenset({".html", ".htm", ".xhtml"})
MARKDOWN = frozenset({".md", ".markdown", ".mdx", ".mkd", ".mdown"})
RST = frozenset({".rst", ".rest"})
TEXT = frozenset({".txt", ".text", ""})
SUBTITLES = (".vtt", ".srt")
VIDEOS = frozenset({".mp4", ".webm", ".mov", ".m4v", ".mkv", ".ogv"})
SUFFIXES = HTML | MARKDOWN | RST | {".txt"} | frozenset(SUBTITLES) | VIDEOS
"""The endings that a walk through a folder takes; pictures are read when they are named themselves."""

MAX_BYTES = 50_000_000  # of a document of text; videos are not read
HEAD = 4096  # bytes that tell what a file is
LANGUAGE_TAG = re.compile(r"\.([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*)$")
PASSED_OVER = frozenset({"node_modules", "__pycache__"})

SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"%PDF", "pdf"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"{\\rtf", "RTF"),
    (b"\x89PNG", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"BM", "image"),
    (b"II*\x00", "image"),
    (b"MM\x00*", "image"),
    (b"\x00\x00\x01\x00", "image"),
    (b"\x1aE\xdf\xa3", "video"),
    (b"OggS", "video"),
    (b"\x1f\x8b", "a compressed archive"),
    (b"7z\xbc\xaf", "a compressed archive"),
    (b"Rar!", "a compressed archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a program"),
    (b"SQLite format 3", "a database"),
)
PLAIN_TYPES = frozenset({"text/plain", "text/x-rst", "text/prs.fallenstein.rst", "application/octet-stream"})
"""Content types of pages that are read as plain text; data such as JSON, CSS and feeds is text but no page."""
ADVICE = {
    "pdf": "PDF is not supported yet; save it as HTML or Markdown and add that",
    ".docx": "DOCX is not supported yet; save it as HTML and add that",
    ".pptx": "PPTX is not supported yet; save it as HTML and add that",
    ".xlsx": "XLSX is not supported; save the sheet as HTML and add that",
    ".odt": "ODT is not supported; save it as HTML and add that",
    ".epub": "EPUB is not supported; unpack it and add the HTML files inside",
    ".ipynb": "notebooks are not supported yet; export it as HTML or Markdown and add that",
    ".adoc": "AsciiDoc is not supported; convert it to HTML (asciidoctor) and add that",
    ".asciidoc": "AsciiDoc is not supported; convert it to HTML (asciidoctor) and add that",
    ".tex": "LaTeX is not supported; convert it to HTML and add that",
    ".org": "Org is not supported; export it as HTML or Markdown and add that",
    ".csv": "CSV is not supported; put the table into an HTML or Markdown page and add that",
    ".zip": "archives are not supported; unpack it and add the folder",
}


# ----------------------------------------------------------------------------------------------------------- a file
def read_file(path: Path, root: Path, name: str | None = None) -> Document:
    """One local file as a Document; nothing outside ``root`` is read and nothing is fetched.

    Args:
        path: the file.
        root: the added folder.
        name: how the user knows the file; the path relative to ``root`` if None.

    Raises:
        SourceError: the file is missing, empty, too large, damaged or binary.
        UnsupportedError: it is of a kind that no reader is there for.
    """
    path, root = Path(os.path.abspath(path)), Path(os.path.abspath(root))  # noqa: PTH100 (links stay as written)
    place = Place(str(path), name or _relative(path, root), root)
    head = _head(path, place.name)
    kind = _kind(head, path.suffix.lower())
    if kind == "image":
        return read_image(path, place)
    if kind == "video":
        return _read_video(path, place)
    if kind not in READERS:
        raise UnsupportedError(f"{place.name}: {_advice(kind, path.suffix.lower())}")
    data = _bytes(path, place.name)
    if kind == "subtitles":
        return _read_subtitles(path, data, place)
    return _titled(_read_text(data, kind, place), path.stem)


def read_page(data: bytes, content_type: str, url: str) -> Document:
    """A fetched page as a Document: HTML, Markdown, reStructuredText or plain text, by its type, then its address.

    Args:
        data: the body.
        content_type: the header as sent, e.g. ``text/html; charset=utf-8``.
        url: the final address.

    Raises:
        SourceError: the page is empty or no text.
        UnsupportedError: it is of a kind that no reader is there for.
    """
    if not data.strip():
        raise SourceError(f"{url}: the page is empty")
    header = Message()
    header["content-type"] = content_type or "application/octet-stream"
    declared, charset = header.get_content_type(), str(header.get_param("charset") or "")
    path = Path(unquote(urlsplit(url).path))
    suffix = path.suffix.lower()
    kind = _kind(data[:HEAD], suffix if suffix in MARKDOWN | RST else "")
    if kind == "text" and declared in ("text/html", "application/xhtml+xml"):
        kind = "html"
    elif kind == "text" and declared in ("text/markdown", "text/x-markdown"):
        kind = "markdown"
    elif kind == "text" and declared not in PLAIN_TYPES:
        kind = declared
    if kind not in READERS or kind == "subtitles":
        raise UnsupportedError(f"{url}: {_advice(kind, suffix)}")
    return _titled(_read_text(data, kind, Place(url, url, url=url), charset), path.stem or urlsplit(url).netloc)


def _read_text(data: bytes, kind: str, place: Place, charset: str = "") -> Document:
    text, warnings = decode(data, charset, markup=kind == "html")
    try:
        require_text(text)
    except SourceError as problem:
        raise SourceError(f"{place.name}: {problem}; add it under its real ending") from None
    if not text.strip():
        raise SourceError(f"{place.name}: the file is empty; put text into it or leave it out")
    converted = READERS[kind](text, place)
    document = read_html(converted.markup, place)
    return replace(document, warnings=(*warnings, *converted.warnings, *document.warnings))


READERS: dict[str, Callable[[str, Place], Converted]] = {
    "html": lambda text, _: Converted(text),
    "markdown": markdown_to_html,
    "rst": rst_to_html,
    "text": lambda text, _: Converted(plain_text_page(text)),
    "subtitles": lambda text, _: Converted(plain_text_page(text)),
}


def _titled(document: Document, stem: str) -> Document:
    """The reader falls back on the file's name, which can be written more nicely."""
    return replace(document, title=_pretty(stem)) if document.title in ("", stem) else document


def _pretty(stem: str) -> str:
    """``install-on-windows`` as "Install on windows"."""
    words = re.sub(r"[\s_-]+", " ", stem).strip()
    return words[:1].upper() + words[1:]


# ------------------------------------------------------------------------------------------------------ what it is
def _head(path: Path, name: str) -> bytes:
    try:
        if not path.is_file():
            told = "it is a folder; name one of its files" if path.is_dir() else "there is no such file; check the path"
            raise SourceError(f"{name}: {told}")
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError as problem:
        raise SourceError(f"{name}: the file cannot be read ({problem.strerror}); check its permissions") from None
    if not head:
        raise SourceError(f"{name}: the file is empty (0 bytes); put text into it or leave it out")
    return head


def _bytes(path: Path, name: str) -> bytes:
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise SourceError(
            f"{name}: the file is too large ({size / 1e6:.0f} MB, the limit is {MAX_BYTES / 1e6:.0f} MB); split it"
        )
    try:
        return path.read_bytes()
    except OSError as problem:
        raise SourceError(f"{name}: the file cannot be read ({problem.strerror}); check its permissions") from None


def _kind(head: bytes, suffix: str) -> str:
    """What a file is: by its first bytes, then by its ending."""
    signature = next((kind for mark, kind in SIGNATURES if head.startswith(mark)), "")
    if head[4:8] == b"ftyp":
        signature = "image" if head[8:12] in (b"avif", b"avis", b"heic", b"mif1") else "video"
    elif head[:4] == b"RIFF":
        signature = "image" if head[8:12] == b"WEBP" else "a sound or video file"
    if signature and not (signature in ("image", "video") and _is_text(head)):
        return signature
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:512].lower()
    if suffix == ".svg" or re.match(
        rb"(?:<\?xml[^>]*\?>\s*)?(?:<!--[\s\S]*?-->\s*)*(?:<!doctype svg[^>]*>\s*)?<svg\b", start
    ):
        return "image"
    if (
        re.match(rb"(?:<\?xml[^>]*\?>\s*)?(?:<!--[\s\S]*?-->\s*)*(?:<!doctype html|<html)\b", start)
        and suffix not in RST
    ):
        return "html"
    if start.startswith(b"webvtt") or suffix in SUBTITLES:
        return "subtitles"
    for endings, kind in ((HTML, "html"), (MARKDOWN, "markdown"), (RST, "rst"), (TEXT, "text"), (VIDEOS, "video")):
        if suffix in endings:
            return kind
    return suffix


def _is_text(head: bytes) -> bool:
    return b"\0" not in head and max(head) < 128


def _advice(kind: str, suffix: str) -> str:
    if kind == "zip":
        return (
            ADVICE.get(suffix)
            or "the content is a zip archive or an Office document, not text; unpack it or save it as HTML"
        )
    advice = ADVICE.get(kind) or ADVICE.get(suffix)
    if advice and kind in ("pdf", suffix):
        return advice
    what = f"files that end in {kind} are" if kind.startswith(".") else f"the content is {kind}, which is"
    return f"{what} not supported; add HTML, Markdown, reStructuredText, plain text, pictures or videos"


# ------------------------------------------------------------------------------------------- videos and subtitles
def _read_video(path: Path, place: Place, captions: Path | None = None) -> Document:
    """A page that shows nothing but the video, with the subtitles beside it."""
    captions = captions or next(_captions_of(path), None)
    track = f'<track src="{quote(captions.name)}">' if captions else ""
    title = _pretty(path.stem)
    element = f'<video src="{quote(path.name)}" title="{escape(title)}">{track}</video>'
    local = replace(place, source=str(path))
    return _with_language(replace(read_html(page(element, title=title), local), source=place.source), captions)


def _read_subtitles(path: Path, data: bytes, place: Place) -> Document:
    try:
        cues = read_cues(data)
    except SourceError as problem:
        raise SourceError(f"{place.name}: {problem}") from None
    if not cues:
        raise SourceError(f"{place.name}: all of its cues are empty; add one with words")
    video = _video_of(path)
    if video is not None:
        return _read_video(video, place, path)
    title = _pretty(LANGUAGE_TAG.sub("", path.stem))
    alone = Video(path.name, str(path), title, captions=str(path), cues=cues)
    return _with_language(Document(place.source, place.name, title, "", (Section((), (alone,)),)), path)


def _with_language(document: Document, captions: Path | None) -> Document:
    """The language that the subtitles' name tells, or that is spoken."""
    tag = LANGUAGE_TAG.search(captions.stem) if captions else None
    blocks = [block for section in document.sections for block in section.blocks]
    spoken = " ".join(cue.text for block in blocks if isinstance(block, Video) for cue in block.cues)
    return replace(document, language=tag[1].replace("_", "-").lower() if tag else detect(spoken))


def _captions_of(video: Path) -> Iterator[Path]:
    """Subtitle files beside a video: of the same name, then with a language tag in between."""
    yield from (path for suffix in SUBTITLES if (path := video.with_suffix(suffix)).is_file())
    beside = sorted(video.parent.iterdir()) if video.parent.is_dir() else []
    for path in beside:
        if (
            path.suffix.lower() in SUBTITLES
            and path.stem != video.stem
            and LANGUAGE_TAG.sub("", path.stem) == video.stem
        ):
            yield path


def _video_of(subtitles: Path) -> Path | None:
    stems = (subtitles.stem, LANGUAGE_TAG.sub("", subtitles.stem))
    candidates = (subtitles.with_name(stem + suffix) for stem in stems for suffix in sorted(VIDEOS))
    return next((path for path in candidates if path.is_file()), None)


# --------------------------------------------------------------------------------------------------------- a folder
def walk(folder: Path, tell: Callable[[str], None] = log.warning) -> Iterator[Path]:
    """The documents under a folder, sorted; hidden files and folders are passed over.

    ``tell`` is called with one line for each link that leads out of the folder and each folder that cannot be read.
    Subtitles that belong to a video beside them are no documents of their own.
    """
    yield from _walk(folder, folder.resolve(), tell)


def _walk(folder: Path, inside: Path, tell: Callable[[str], None]) -> Iterator[Path]:
    waiting = _entries(folder, tell)  # no recursion: a path may have a thousand parts
    unread: Counter[str] = Counter()
    while waiting:
        entry = waiting.pop()
        if entry.is_symlink() and not _leads_inside(entry, inside):
            tell(f"{entry}: skipped, the link leads out of the folder or nowhere; add its target by itself")
        elif entry.is_dir():
            if not entry.is_symlink():  # what a link inside the folder leads to is met anyway
                waiting += _entries(entry, tell)
        elif _is_document(entry):
            yield entry
        elif entry.suffix.lower() in SUFFIXES and entry.exists() and not entry.is_file():
            tell(f"{entry}: skipped, it is no file but a pipe, socket or device; leave it out")
        elif entry.suffix.lower() in ADVICE or entry.suffix.lower() == ".pdf":
            unread[entry.suffix.lower()] += 1
    for suffix, count in sorted(unread.items()):
        files = f"{count} {suffix} file{'s' * (count > 1)}"
        tell(f"{folder}: {files} skipped: {ADVICE.get(suffix, ADVICE['pdf'])}")


def _entries(folder: Path, tell: Callable[[str], None]) -> list[Path]:
    """What a folder holds, the first by name last; hidden and foreign folders are left out."""
    try:
        entries = sorted(folder.iterdir(), reverse=True)
    except OSError as problem:
        tell(f"{folder}: skipped, the folder cannot be read ({problem.strerror}); check its permissions")
        return []
    return [entry for entry in entries if not entry.name.startswith(".") and entry.name not in PASSED_OVER]


def _leads_inside(link: Path, inside: Path) -> bool:
    try:
        return link.resolve(strict=True).is_relative_to(inside)
    except (OSError, RuntimeError):  # a link to nothing, or in a circle
        return False


def _is_document(path: Path) -> bool:
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES or not path.is_file():
        return False
    return suffix not in SUBTITLES or _video_of(path) is None


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
