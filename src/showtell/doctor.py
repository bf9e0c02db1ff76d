"""What is installed and reachable, and what to do about what is not."""

from __future__ import annotations

import contextlib
import io
import os
import platform
import socket
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from showtell import __version__
from showtell.errors import LibraryError, MissingExtra, ModelError, SettingsError
from showtell.settings import Settings

PATIENCE = 10.0  # seconds for a chat model that is configured
GLANCE = 0.5  # seconds for one that may be there


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing examined; ``advice`` says what to do where it is not fine."""

    subject: str
    fine: bool
    fact: str
    advice: str = ""
    optional: bool = False


def examine(settings: Settings) -> list[Finding]:
    """Examine everything that showtell needs or can use; nothing is fetched or changed."""
    return [
        Finding("showtell", True, f"{__version__} on Python {platform.python_version()}"),
        _full_text_search(),
        _encoder(settings),
        *_image_encoder(settings),
        *_chat_models(settings),
        _words_in_pictures(),
        _offline_wikipedia(),
        _wikipedia(settings),
        *_library(settings),
        _writable("cache", settings.cache),
    ]


def report(findings: list[Finding]) -> str:
    """The findings for the terminal, one a line, with advice below those that are not fine."""
    return "\n".join(line for finding in findings for line in _lines(finding))


def _lines(finding: Finding) -> Iterator[str]:
    mark = "ok" if finding.fine else "--" if finding.optional else "no"
    yield f"{mark}  {finding.subject}: {finding.fact}"
    if finding.advice and not finding.fine:
        yield f"    {finding.advice}"


def _full_text_search() -> Finding:
    with sqlite3.connect(":memory:") as db:
        has = db.execute("SELECT sqlite_compileoption_used('ENABLE_FTS5')").fetchone()[0]
    advice = "use a Python whose sqlite3 has FTS5; those of python.org, Debian and conda do"
    return Finding("full-text search", bool(has), f"SQLite {sqlite3.sqlite_version}", advice)


def _encoder(settings: Settings) -> Finding:
    from showtell.models.encoder import load_encoder

    try:
        encoder = load_encoder(settings.encoder, cache=settings.cache, threads=settings.encoder_threads)
    except ModelError as error:
        return Finding("encoder", False, "no weights, so search goes by words alone", str(error))
    return Finding("encoder", True, encoder.name)


def _image_encoder(settings: Settings) -> Iterator[Finding]:
    """The one that is configured, if any."""
    if settings.image_encoder is None:
        return
    from showtell.models.clip import load_image_encoder

    try:
        encoder = load_image_encoder(settings.image_encoder, cache=settings.cache, threads=settings.encoder_threads)
    except ModelError as error:
        yield Finding("image encoder", False, "no weights, so no picture is found by its looks", str(error))
    else:
        yield Finding("image encoder", True, encoder.name)


def _chat_models(settings: Settings) -> Iterator[Finding]:
    """The models that are configured; where none writes the answers, those that could."""
    if settings.model is None:
        yield _possible_models(settings)
    else:
        yield _chat_model("chat model", settings, settings.model, sees=settings.model_sees)
    if settings.caption is not None:
        yield _chat_model("caption model", settings, settings.caption, sees=True)


def _chat_model(subject: str, settings: Settings, name: str, *, sees: bool) -> Finding:
    """Whether the server has the model and, if pictures are to be sent to it, takes one."""
    from showtell.models.base import ChatRequest, Message
    from showtell.models.chat import load_chat

    timeout = min(PATIENCE, settings.model_timeout)
    try:
        chat = load_chat(name, key=settings.key_for(name), timeout=timeout, retries=0)
        with contextlib.closing(chat):
            chat.require()
            if sees:
                question = Message("user", "What colour is this?", (_white_picture(),))
                next(chat.stream(ChatRequest((question,), max_tokens=5)), "")
    except ModelError as error:
        return Finding(subject, False, "cannot be used as set", str(error))
    return Finding(subject, True, f"{chat.name}, {'takes pictures' if sees else 'is sent no pictures'}")


def _possible_models(settings: Settings) -> Finding:
    """What could be set as a model; no other machine is asked."""
    ways = []
    if models := _ollama_models():
        ways.append(f"set --model ollama/NAME, NAME being one of: {', '.join(models)}")
    if settings.openai_api_key is not None:
        ways.append("set --model openai/NAME; your passages would be sent to OpenAI")
    advice = "; or ".join(ways) or "if you want one, start Ollama, or name your server with --model"
    return Finding("chat model", False, "none, so answers are quotations", advice, optional=True)


def _ollama_models() -> list[str]:
    """The models of an Ollama on this machine; none if there is no Ollama."""
    from showtell.models.server import PROVIDERS

    address = urlsplit(PROVIDERS["ollama"].address)
    try:
        socket.create_connection((address.hostname, address.port), GLANCE).close()
    except OSError:
        return []

    from showtell.models.chat import load_chat

    try:
        with contextlib.closing(load_chat("ollama/any", timeout=GLANCE, retries=0)) as chat:
            return chat.models()
    except ModelError:  # another program at Ollama's port
        return []


def _white_picture() -> bytes:
    """A picture large enough for a vision model, which may refuse one below 28 px."""
    from PIL import Image

    data = io.BytesIO()
    Image.new("RGB", (64, 64), "white").save(data, "PNG")
    return data.getvalue()


def _words_in_pictures() -> Finding:
    """Whether the words in a question's picture can be read."""
    from showtell.models.ocr import require_rapidocr

    subject = "words in pictures"
    try:
        require_rapidocr()
    except MissingExtra as error:
        return Finding(subject, False, "are not read", str(error), optional=True)
    return Finding(subject, True, "are read by RapidOCR in the picture of a question")


def _offline_wikipedia() -> Finding:
    from showtell.sources.archive import require_libzim

    subject = "offline Wikipedia"
    try:
        require_libzim()
    except MissingExtra as error:
        return Finding(subject, False, "ZIM files cannot be read", str(error), optional=True)
    return Finding(subject, True, "ask --from FILE.zim reads a ZIM file")


def _wikipedia(settings: Settings) -> Finding:
    """Whether Wikipedia, or the wiki in its place, can be asked; it is not."""
    from showtell.ingest.fetch import Fetcher
    from showtell.sources.wiki import NO_CONTACT, Wiki, wikipedia_api

    subject, contact = "Wikipedia", settings.wikipedia_contact
    if contact is None:
        return Finding(subject, False, "is not asked, for it is not told who asks", NO_CONTACT, optional=True)
    api = settings.wikipedia_api or wikipedia_api(settings.wikipedia_language or "en")
    try:
        host = Wiki(Fetcher(settings.allow_hosts), api=api, contact=contact).host
    except SettingsError as error:
        return Finding(subject, False, "cannot be asked as set", str(error))
    chosen = settings.wikipedia_api or settings.wikipedia_language
    place = host if chosen else "the Wikipedia in the question's language"
    return Finding(subject, True, f"ask --from wikipedia asks {place} in the name of {contact}")


def _library(settings: Settings) -> Iterator[Finding]:
    from showtell.index.store import Store

    try:
        store = Store(settings.library)
    except LibraryError as error:
        exists = (settings.library / "library.sqlite").exists()
        yield Finding("library", False, str(settings.library), str(error), optional=not exists)
        return
    documents, passages, media = store.counts()
    held = f"{documents} documents, {passages} passages, {media} media, encoder {store.meta('encoder')}"
    fact = f"{settings.library}: {held}"
    yield Finding("library", True, fact)
    if not store.writable:
        yield Finding("library", False, "read-only", "nothing can be added; change its permissions", optional=True)


def _writable(subject: str, folder: Path) -> Finding:
    existing = next(parent for parent in [folder, *folder.parents] if parent.exists())
    advice = f"allow writing to {existing}, or set {subject} elsewhere (environment: SHOWTELL_{subject.upper()})"
    return Finding(subject, os.access(existing, os.W_OK), str(folder), advice)
