"""Who is let in: under which names the server is reached, from which pages, with which key, and how often."""

from __future__ import annotations

import hmac
import time
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import cookie_parser

from showtell.errors import SettingsError
from showtell.settings import Settings
from showtell.web.failures import Failure

COOKIE = "showtell_key"
LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]"})
READING = frozenset({"GET", "HEAD", "OPTIONS"})
OPEN = frozenset({"/health", "/ready"})  # for those who look after servers: under any name, without a key
MOST_CLIENTS = 10_000  # that are counted; of more, those that were away longest are forgotten


@dataclass(frozen=True, slots=True)
class Access:
    """The rules. ``hosts`` are the names, None for any; ``key_hash`` is the SHA-256 of the key, "" without one."""

    hosts: frozenset[str] | None
    key_hash: str = ""

    @classmethod
    def of(cls, settings: Settings) -> Access:
        """The rules that the settings make.

        On a loopback address only local names reach the server, so that no page elsewhere reaches it by a name of its
        own that leads here. Raises SettingsError for another address without a key.
        """
        names = frozenset(host.lower() for host in settings.hosts)
        hashed = _hashed(settings.api_key.get_secret_value()) if settings.api_key else ""
        if is_loopback(settings.host):
            return cls(LOCAL | names, hashed)
        if not hashed:
            raise SettingsError(
                f"others could reach the library at {settings.host}, so a key is needed; set SHOWTELL_API_KEY to one of"
                " 16 characters or more, or serve at 127.0.0.1"
            )
        return cls(names | LOCAL if names else None, hashed)

    def fits(self, key: str) -> bool:
        """Whether it is the key; takes the same time for any."""
        return hmac.compare_digest(sha256(key.encode("utf-8", "replace")).hexdigest(), self.key_hash)

    def check(self, method: str, path: str, headers: Headers) -> None:
        """Raises Failure where the request is not let in: 421 for its name, 403 for its origin, 401 for its key."""
        if path in OPEN:
            return
        host = headers.get("host", "").lower()
        if self.hosts is not None and not ({host, _without_port(host)} & self.hosts):
            message = "the server does not go by this name; reach it as localhost, or add the name to the setting hosts"
            raise Failure(421, "host_refused", message)
        if _is_foreign(method, host, headers):
            raise Failure(403, "origin_refused", "a page of another origin may not use this server")
        if self.key_hash and not (_needs_no_key(path) or self._holds_key(headers)):
            raise Failure(401, "key_needed", "a key is needed; send it as: Authorization: Bearer KEY")

    def _holds_key(self, headers: Headers) -> bool:
        scheme, _, key = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.fits(key.strip())
        return self.fits(cookie_parser(headers.get("cookie", "")).get(COOKIE, ""))


def is_loopback(host: str) -> bool:
    """Whether only this computer reaches the address."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _hashed(key: str) -> str:
    kind, _, digest = key.partition(":")
    return digest if kind == "sha256" and len(digest) == 64 else sha256(key.encode()).hexdigest()


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _needs_no_key(path: str) -> bool:
    return path == "/sign-in" or path.startswith("/static/")


def _is_foreign(method: str, host: str, headers: Headers) -> bool:
    """Whether a page of another origin sent it; other programs send neither header."""
    origin = headers.get("origin")
    if origin is not None:
        return urlsplit(origin.lower()).netloc != host
    return method not in READING and headers.get("sec-fetch-site", "none") not in ("same-origin", "none")


class Rate:
    """How much each client may ask: a bucket of tokens that fills again over a minute."""

    def __init__(self, a_minute: int) -> None:
        """``a_minute`` 0 is any number."""
        self._most = a_minute
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> None:
        """Take a token. Raises Failure (429) where none is left."""
        if not self._most:
            return
        now = time.monotonic()
        left, at = self._left.pop(client, (float(self._most), now))
        left = min(self._most, left + (now - at) * self._most / 60)
        self._left[client] = (max(left - 1, 0) if left >= 1 else left, now)
        if len(self._left) > MOST_CLIENTS:
            self._left.popitem(last=False)
        if left < 1:
            wait = int((1 - left) * 60 / self._most) + 1
            raise Failure(429, "too_many", f"too many requests in a minute; try again in {wait} s", wait)
