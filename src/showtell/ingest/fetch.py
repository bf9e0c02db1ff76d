"""The one guarded fetch: every page, picture and track that comes from the web comes through here.

Only ``http`` and ``https``. A host is looked up once for each connection, all its addresses are judged, and the socket
goes to one that was judged: this happens where the socket is opened, so that no redirect and no second answer of a
name server leads around it. The name stays the name for TLS and for the ``Host`` header. Nothing is sent that could
identify the user: no cookies, no credentials, no referrer.

A proxy from the environment is not used: it would look the name up itself, and the judgement here would be empty.
"""

from __future__ import annotations

import gzip
import io
import re
import socket
import ssl
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from http import HTTPStatus
from typing import Any

import httpcore2 as httpcore
from httpx2 import URL, InvalidURL

from showtell.errors import FetchError
from showtell.ingest.addresses import is_plain_host, refusal

MAX_REDIRECTS = 5
MAX_LENGTH = 4096  # of an address
CONNECT_TIMEOUT = 10.0  # seconds for one address of a host, so that the next one gets its turn
MAX_RATIO = 200  # of decompressed to compressed bytes; HTML stays below 100, gzip reaches 1,032
RATIO_COUNTS_FROM = 2_000_000  # decompressed bytes; less does no harm at any ratio
_STEP = 1_000_000  # bytes decompressed at a time
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_KEPT_HEADERS = frozenset({"etag", "last-modified", "retry-after", "content-language"})

Resolve = Callable[[str, int], Sequence[str]]
Connect = Callable[[str, int, float], httpcore.NetworkStream]


@dataclass(frozen=True, slots=True)
class Fetched:
    """What an address gave: ``url`` is the final one, ``data`` decompressed, ``content_type`` the header as sent.

    ``headers`` holds those of etag, last-modified, retry-after and content-language that were sent, in lower case.
    """

    url: str
    content_type: str
    data: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def look_up(host: str, port: int) -> list[str]:
    """The IP addresses of a host, as the system's resolver orders them. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def open_socket(address: str, port: int, timeout: float) -> httpcore.NetworkStream:
    """A connection to an IP address within ``timeout`` seconds."""
    return httpcore.SyncBackend().connect_tcp(address, port, timeout)


class Fetcher:
    """Fetches addresses, each by itself; may be used from several threads."""

    def __init__(
        self,
        allow_private: Sequence[str] = (),
        *,
        max_bytes: int = 50_000_000,
        timeout: float = 30.0,
        user_agent: str = "showtell",
        resolve: Resolve = look_up,
        connect: Connect = open_socket,
    ) -> None:
        """Nothing is opened yet.

        Args:
            allow_private: hosts that may lie at private or loopback addresses, as ``host`` or ``host:port``.
            max_bytes: largest body, both as sent and decompressed.
            timeout: seconds for one fetch with all its redirects; the system's name look-up is not interrupted.
            user_agent: how showtell names itself.
            resolve: gives a host's IP addresses.
            connect: opens the socket to an IP address.
        """
        self.user_agent = user_agent
        self._allowed = frozenset(host.lower() for host in allow_private)
        self._max_bytes = max_bytes
        self._timeout = timeout
        self._resolve = resolve
        self._connect = connect

    def named(self, user_agent: str) -> Fetcher:
        """The same fetcher under another name."""
        other = copy(self)
        other.user_agent = user_agent
        return other

    def get(
        self, url: str, *, accept: str = "*/*", max_bytes: int | None = None, timeout: float | None = None
    ) -> Fetched:
        """Fetch an address; at most five redirects are followed, none from https to http.

        Raises FetchError: the address is refused, or it gave no answer within ``timeout`` seconds, an error, or more
        than ``max_bytes`` (the fetcher's own limits if None). Its ``status`` is the HTTP status where there was one,
        its ``retry_after`` the seconds that the server asked to wait.
        """
        limit = self._max_bytes if max_bytes is None else max_bytes
        seconds = self._timeout if timeout is None else min(timeout, self._timeout)
        deadline = _Deadline(seconds)
        guard = _Guard(self._allowed, self._resolve, self._connect, deadline)
        try:
            with httpcore.ConnectionPool(ssl_context=self._tls, network_backend=guard) as pool:
                return self._follow(pool, checked(url), accept, limit)
        except FetchError as fault:
            reason, status, wait = str(fault), fault.status, fault.retry_after
        except httpcore.TimeoutException:
            reason = f"no whole answer within {seconds:.3g} s; try again later or raise fetch_timeout"
            status = wait = None
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            reason = f"the connection failed ({_first_line(error)}); check the address and the network"
            status = wait = None
        raise FetchError(f"{_shown(url)}: {reason}", status, wait)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return httpcore.default_ssl_context()

    def _follow(self, pool: httpcore.ConnectionPool, address: URL, accept: str, limit: int) -> Fetched:
        asked = address
        for _ in range(MAX_REDIRECTS + 1):
            try:
                answer = self._request(pool, address, accept, limit)
            except FetchError as error:
                if address.host == asked.host:
                    raise
                raise FetchError(f"it redirects to {address.host}: {error}", error.status, error.retry_after) from error
            if isinstance(answer, Fetched):
                return answer
            if address.scheme == "https" and answer.scheme == "http":
                raise FetchError(f"it redirects from https to {answer}; add that address itself if you trust it")
            address = answer
        raise FetchError(f"more than {MAX_REDIRECTS} redirects; check the address")

    def _request(self, pool: httpcore.ConnectionPool, address: URL, accept: str, limit: int) -> Fetched | URL:
        """What the address gives, or where it redirects to."""
        target = httpcore.URL(
            scheme=address.raw_scheme, host=address.raw_host, port=address.port, target=address.raw_path
        )
        headers: list[tuple[str | bytes, str | bytes]] = [
            ("Host", address.netloc),
            ("User-Agent", self.user_agent),
            ("Accept", accept),
            ("Accept-Encoding", "gzip"),
        ]
        with pool.stream("GET", target, headers=headers) as response:
            sent = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
            if response.status in _REDIRECTS and sent.get("location"):
                return _joined(address, sent["location"])
            if not 200 <= response.status < 300:
                raise FetchError(_complaint(response.status), response.status, retry_after(sent))
            body = _body(response, sent, limit)
        kept = {name: value for name, value in sent.items() if name in _KEPT_HEADERS}
        return Fetched(str(address), sent.get("content-type", ""), body, kept)


def _bracketed(host: str) -> str:
    """The host as it stands before a port."""
    return f"[{host}]" if ":" in host else host


class _Deadline:
    """Counts down from ``seconds``, from now on."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left. Raises the timeout of the library below when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("the time is over")
        return left


class _Guard(httpcore.NetworkBackend):
    """Opens sockets to judged addresses only, and lets no operation outlast the deadline."""

    def __init__(self, allowed: frozenset[str], resolve: Resolve, connect: Connect, deadline: _Deadline) -> None:
        self._allowed = allowed
        self._resolve = resolve
        self._connect = connect
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 (the deadline rules)
        local_address: str | None = None,  # noqa: ARG002
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        """Connect to the first address of the host that answers, if all of them may be reached."""
        failure: Exception | None = None
        for address in self._judged(host, port):
            try:
                stream = self._connect(address, port, min(CONNECT_TIMEOUT, self._deadline.left()))
                return _Timed(stream, self._deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure or FetchError("the host has no address; check its name")

    def _judged(self, host: str, port: int) -> list[str]:
        try:
            addresses = list(self._resolve(host, port))
        except (OSError, UnicodeError):
            raise FetchError(f"the host {host} is not known; check its name and the network") from None
        if not self._is_allowed(host, port):
            for address in addresses:
                if kind := refusal(address):
                    told = address if address == host else f"{host} at {address}"
                    raise FetchError(
                        f"{told} is {kind}; if you trust it, name {_bracketed(host)}:{port} in the setting allow_hosts"
                    )
        return addresses

    def _is_allowed(self, host: str, port: int) -> bool:
        plain = host.rstrip(".").lower()
        bracketed = f"[{plain}]" if ":" in plain else plain
        return not self._allowed.isdisjoint({plain, bracketed, f"{bracketed}:{port}"})


class _Timed(httpcore.NetworkStream):
    """A connection of which each operation gets the seconds that are left, so that trickling does not stretch them."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: _Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        """At most ``max_bytes``."""
        return self._stream.read(max_bytes, self._deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        """All of ``buffer``."""
        self._stream.write(buffer, self._deadline.left())

    def close(self) -> None:
        """Close it."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        """The same connection under TLS, for the host's name."""
        stream = self._stream.start_tls(ssl_context, server_hostname, self._deadline.left())
        return _Timed(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """What the socket knows."""
        return self._stream.get_extra_info(info)


def checked(url: str) -> URL:
    """The address without fragment, if it is one that may be asked for. Raises FetchError with the reason alone."""
    try:
        address = URL(url.strip())
    except (InvalidURL, TypeError, ValueError):
        raise FetchError("not a valid address; check how it is written") from None
    if address.scheme not in ("http", "https"):
        raise FetchError("only http and https addresses are fetched; save it as a file and add that")
    if address.userinfo:
        raise FetchError("the address holds a user name or password, which are never sent; remove them")
    if len(url) > MAX_LENGTH:
        raise FetchError(f"the address is longer than {MAX_LENGTH} characters; check it")
    if not is_plain_host(address.raw_host.decode("ascii")) or not 0 < (address.port or 80) < 65536:
        raise FetchError("the host is missing or oddly spelled; write its name, or its IP address as usual")
    return address.copy_with(fragment=None)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait (RFC 9110, section 10.2.3), or None; ``headers`` have lower-case names."""
    written = headers.get("retry-after", "").strip()
    if written.isascii() and written.isdigit():
        return float(written[:9])
    try:
        when = parsedate_to_datetime(written)
    except ValueError:
        return None
    return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _joined(address: URL, location: str) -> URL:
    try:
        target = address.join(location.strip())
    except (InvalidURL, ValueError):
        raise FetchError("it redirects to an address that is not valid; check the address") from None
    return checked(str(target))


def _body(response: httpcore.Response, headers: Mapping[str, str], limit: int) -> bytes:
    """The decompressed body; no more than ``limit`` bytes are ever held, before or after."""
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", "", "gzip", "x-gzip"):
        raise FetchError(f"it came in the encoding {encoding!r}, which was not asked for; save it and add the file")
    if headers.get("content-length", "").isdecimal() and int(headers["content-length"]) > limit:
        raise _too_large(limit)
    body = bytearray()
    for chunk in response.iter_stream():
        body += chunk
        if len(body) > limit:
            raise _too_large(limit)
    return gunzip(bytes(body), limit) if encoding.endswith("gzip") and body else bytes(body)


def gunzip(data: bytes, limit: int) -> bytes:
    """Decompress gzip, all its members. Raises FetchError with the reason alone: broken, a bomb, above ``limit``."""
    out = bytearray()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            while piece := file.read(_STEP):
                out += piece
                if len(out) > limit:
                    raise _too_large(limit)
                if len(out) > RATIO_COUNTS_FROM and len(out) > MAX_RATIO * len(data):
                    raise FetchError(
                        f"it grows {MAX_RATIO} times and more when decompressed, as bombs do; leave it out"
                    )
    except (OSError, EOFError, zlib.error):
        raise FetchError("its compressed data is broken; try again later") from None
    return bytes(out)


def _too_large(limit: int) -> FetchError:
    return FetchError(f"larger than {limit / 1e6:g} MB; leave it out or raise the limit in the settings")


def _complaint(status: int) -> str:
    try:
        phrase = f" ({HTTPStatus(status).phrase})"
    except ValueError:
        phrase = ""
    if status in (401, 403):
        advice = "it wants a login or refuses programs; save the page as a file and add that"
    elif status == 429 or status >= 500:
        advice = "try again later"
    else:
        advice = "check the address"
    return f"the server answered {status}{phrase}; {advice}"


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__


def without_credentials(url: str) -> str:
    """The address without user name and password, fit to be shown."""
    return re.sub(r"//[^/?#]*@", "//", url)


def _shown(url: str) -> str:
    return re.sub(r"\s+", " ", without_credentials(url.strip()))[:300]
