"""Where a chat model is: from the name that a user gives to a server's address, and a client for that server alone.

A key goes to the server it was given for and nowhere else: redirects are not followed, and of the headers that
libraries and the environment would add, only those named below are sent.
"""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import urlsplit

import httpx2

from showtell.errors import ModelError

CONNECT_TIMEOUT = 5.0  # seconds
OVERALL = 10  # times the time-out, for a whole reply; a slow machine writes 800 tokens in three minutes
MOST_BYTES = 64_000_000  # of one reply on the wire; a token takes about 300, so 100,000 tokens take half of it
FORMS = "ollama/NAME, openai/NAME or http://HOST:PORT/v1#NAME"
_SENT = frozenset({"host", "connection", "accept", "content-type", "content-length", "transfer-encoding"})


@dataclass(frozen=True, slots=True)
class Provider:
    """A kind of server that has a short name: its address, the variable for its key, how a missing model is had."""

    address: str
    key_variable: str = "SHOWTELL_MODEL_KEY"
    needs_key: bool = False
    to_get: str = ""


PROVIDERS: Mapping[str, Provider] = {
    "ollama": Provider("http://127.0.0.1:11434/v1", to_get="run: ollama pull {model}"),
    "openai": Provider("https://api.openai.com/v1", key_variable="OPENAI_API_KEY", needs_key=True),
}


@dataclass(frozen=True, slots=True)
class ChatServer:
    """A server of the OpenAI chat protocol and the model that is wanted of it, "" for the only one that it has."""

    name: str
    provider: Provider
    model: str
    key: str | None = field(default=None, repr=False)

    @property
    def address(self) -> str:
        """The address that paths such as ``/chat/completions`` are added to."""
        return self.provider.address

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine."""
        return is_loopback(urlsplit(self.address).hostname or "")


def find_server(name: str, key: str | None = None) -> ChatServer:
    """The server that a model's name stands for; nothing is connected. Raises ModelError: no such form, no key."""
    name, key = name.strip(), (key or "").strip() or None
    if key and not (key.isascii() and key.isprintable()):  # which would show it in an error of the HTTP library
        raise ModelError("the key for the model holds characters that no key has; copy it again")
    if not name.isprintable() or len(name) > 500:
        raise ModelError(f"a model's name holds odd characters or is too long; write it as {FORMS}")
    if "://" in name:
        return _addressed(name, key)
    kind, _, model = name.partition("/")
    provider = PROVIDERS.get(kind)
    if provider is None or not model:
        raise ModelError(f"{name!r} names no model; write it as {FORMS}")
    if provider.needs_key and not key:
        raise ModelError(f"{name} needs a key; set the environment variable {provider.key_variable}")
    return ChatServer(name, provider, model, key)


def _addressed(name: str, key: str | None) -> ChatServer:
    address, _, model = name.partition("#")
    try:
        parts = urlsplit(address)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 80) > 0
    except ValueError:
        valid = False
    if not valid:
        raise ModelError(f"the model's address is not valid; write it as {FORMS}")
    if "@" in parts.netloc or parts.query:  # not shown: either may hold a secret
        raise ModelError(
            "the model's address holds a user name, a password or a query; "
            "remove them and give a key by the environment variable SHOWTELL_MODEL_KEY"
        )
    plain = address.rstrip("/")
    return ChatServer(f"{plain}#{model}" if model else plain, Provider(plain), model, key)


def is_loopback(host: str) -> bool:
    """Whether a host's name or IP address is this machine's own."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def guarded_client(server: ChatServer, timeout: float) -> httpx2.Client:
    """A client for one server. ``timeout`` is in seconds: until it begins to answer, and between its words.

    Proxies of the environment are used, but never for this machine's own addresses.
    """
    return httpx2.Client(
        timeout=httpx2.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT)),
        trust_env=not server.is_local,
        follow_redirects=False,
        event_hooks={"request": [_headers(server.key)], "response": [_watch(timeout)]},
    )


def _headers(key: str | None) -> Callable[[httpx2.Request], None]:
    def reduce(request: httpx2.Request) -> None:
        kept = [(name, value) for name, value in request.headers.items() if name in _SENT]
        request.headers = httpx2.Headers([*kept, ("User-Agent", "showtell"), ("Accept-Encoding", "identity")])
        if key:
            request.headers["Authorization"] = f"Bearer {key}"

    return reduce


def _watch(timeout: float) -> Callable[[httpx2.Response], None]:
    def wrap(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
            raise httpx2.DecodingError("it is compressed, which was not asked for")
        response.stream = _Watched(cast(httpx2.SyncByteStream, response.stream), timeout)

    return wrap


class _Watched(httpx2.SyncByteStream):
    """A body that must bring data, not only signs of life, within the time-out, and an end to itself."""

    def __init__(self, stream: httpx2.SyncByteStream, timeout: float) -> None:
        self._stream = stream
        self._timeout = timeout

    def __iter__(self) -> Iterator[bytes]:
        began = latest = time.monotonic()
        size = 0
        for chunk in self._stream:
            now = time.monotonic()
            if now - began > OVERALL * self._timeout:
                raise httpx2.ReadTimeout(f"not complete after {OVERALL * self._timeout:g} s")
            if b"data:" in chunk or b"{" in chunk:
                latest = now
            elif now - latest > self._timeout:
                raise httpx2.ReadTimeout("signs of life, but no word")
            size += len(chunk)
            if size > MOST_BYTES:
                raise httpx2.ReadError(f"more than {MOST_BYTES / 1e6:g} MB")
            yield chunk

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()
