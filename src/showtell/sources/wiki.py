"""One wiki's Action API: asked politely, within a budget, and believed only as far as its replies fit.

The limits are those of the Wikimedia Foundation's API etiquette and robot policy (2026): a User-Agent with the
operator's contact, at most three requests at once, ``maxlag``, and ``Retry-After`` obeyed.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from threading import BoundedSemaphore, Lock
from typing import TypeVar
from urllib.parse import quote, urlencode, urlsplit

from pydantic import ValidationError

from showtell.errors import FetchError, SettingsError, WikiError
from showtell.ingest.fetch import Fetched, Fetcher, retry_after
from showtell.sources.cache import Cache
from showtell.sources.replies import Reply

AT_ONCE = 3  # requests to one wiki
ATTEMPTS = 3  # for one reply
MAX_LAG = 5  # seconds that the wiki's databases may lag behind; the value its etiquette names
MAX_BYTES = 20_000_000  # of a reply
PAUSE = 1.0  # seconds before a second attempt where the server names none
LONGEST_ADDRESS = 3800  # below the fetch's limit
NO_CONTACT = (
    "Wikipedia blocks programs that do not say whom to write to when they misbehave; set SHOWTELL_WIKIPEDIA_CONTACT (or"
    " wikipedia_contact in showtell.toml) to your e-mail address or web page"
)
_LANGUAGE = re.compile(r"[a-z]{2,12}(-[a-z]{2,12}){0,3}")
_CONTACT = re.compile(r"\w@\w|https?://\w", re.ASCII)
_CROWDED = frozenset({"maxlag", "ratelimited"})
_TRANSIENT = frozenset({429, 500, 502, 503, 504})

Parameters = dict[str, str | int]
R = TypeVar("R", bound=Reply)


@dataclass(slots=True)
class Budget:
    """What one question may cost: requests that go out, and seconds from now on.

    ``kept`` of the requests are set aside for what comes last.
    """

    requests: int = 10
    seconds: float = 60.0
    used: int = 0
    kept: int = 0
    _end: float = field(init=False)
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self._end = time.monotonic() + self.seconds

    @property
    def time_left(self) -> float:
        """Seconds that are left, 0 or more."""
        return max(0.0, self._end - time.monotonic())

    def take(self) -> None:
        """Count a request. Raises WikiError with the reason alone when there are none, or no time, left."""
        with self._lock:
            if self.used >= self.requests - self.kept:
                raise WikiError(f"the {self.requests} requests that one question may cost are used up; ask for less")
            if not self.time_left:
                raise WikiError(f"no answer within {self.seconds:g} s; try again later")
            self.used += 1


class Wiki:
    """A wiki that is asked; may be used by several questions and threads at once."""

    def __init__(self, fetcher: Fetcher, *, api: str, contact: str, cache: Cache | None = None) -> None:
        """Nothing is asked yet.

        Args:
            fetcher: the guarded fetch; it is used under a name that holds the contact.
            api: address of the wiki's ``api.php``, such as :func:`wikipedia_api` gives.
            contact: the e-mail address or web page of whoever runs showtell.
            cache: where replies are kept; None keeps none.

        Raises SettingsError: the contact or the address cannot be used.
        """
        if not _CONTACT.search(contact) or not (contact.isascii() and contact.isprintable()) or len(contact) > 200:
            raise SettingsError(f"{contact[:200]!r} is no contact. {NO_CONTACT}")
        parts = urlsplit(api)
        if parts.scheme not in ("http", "https") or not parts.path.endswith("/api.php") or parts.query:
            raise SettingsError(f"{api!r} is no wiki's API; give the address of its api.php")
        self.api = api
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.host = parts.netloc.lower()
        self._fetcher = fetcher.named(f"showtell ({contact})")
        self._cache = cache
        self._slots = BoundedSemaphore(AT_ONCE)
        self._open_at = 0.0  # when the wiki may be asked again, by the monotonic clock

    def address(self, parameters: Parameters) -> str:
        """The address of a request; the same parameters always give the same one."""
        every: Parameters = {"format": "json", "formatversion": 2, "maxlag": MAX_LAG, **parameters}
        return f"{self.api}?{urlencode(sorted(every.items()), quote_via=quote)}"

    def ask(self, parameters: Parameters, reply: type[R], budget: Budget) -> R:
        """The wiki's reply, from the cache where it is there.

        A wiki that asks to wait is asked again when it says, if the budget lasts so long. Raises WikiError: it is
        unreachable, too slow, refuses, answers something else, or the budget is used up.
        """
        url = self.address(parameters)
        if self._cache and (kept := self._cache.get(url)):
            try:
                return self._read(kept, reply)
            except WikiError:
                pass  # written by another version: asked for again
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._asked(url, reply, budget)
            except _Busy as busy:
                wait = PAUSE * attempt if busy.wait is None else busy.wait
                self._open_at = max(self._open_at, time.monotonic() + wait)
                reason = str(busy)
        raise self._error(f"{reason}; try again later")

    def _asked(self, url: str, reply: type[R], budget: Budget) -> R:
        with self._slots:
            self._wait(budget)
            try:
                budget.take()
                fetched = self._fetcher.get(
                    url, accept="application/json", max_bytes=MAX_BYTES, timeout=max(0.1, budget.time_left)
                )
            except WikiError as spent:
                raise self._error(str(spent)) from None
            except FetchError as fault:
                raise self._fault(fault, url) from None
        value = self._checked(fetched, reply)
        if self._cache:
            self._cache.put(url, fetched.data)
        return value

    def _wait(self, budget: Budget) -> None:
        """Until the wiki may be asked again. Raises WikiError if that is too long."""
        wait = self._open_at - time.monotonic()
        if wait > budget.time_left:
            raise self._error(f"it is busy and asks to wait {wait:.0f} s; ask again then")
        if wait > 0:
            time.sleep(wait)

    def _checked(self, fetched: Fetched, reply: type[R]) -> R:
        """The reply, unless it is an error. Raises WikiError, _Busy."""
        value = self._read(fetched.data, reply)
        if value.error is None:
            return value
        if value.error.code in _CROWDED:
            raise _Busy(f"it is busy ({value.error.code})", retry_after(fetched.headers) or PAUSE)
        raise self._refused(value.error.code, value.error.info)

    def _read(self, data: bytes, reply: type[R]) -> R:
        if not data.lstrip()[:1] == b"{":
            raise self._error("it answered something that is not JSON; check that the address is that of its api.php")
        try:
            return reply.model_validate_json(data)
        except ValidationError as problem:
            first = problem.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"])) or "it"
            raise self._error(f"its reply is not what the API promises ({place}: {first['msg']})") from None

    def _refused(self, code: str, info: str) -> WikiError:
        if code in ("readapidenied", "permissiondenied"):
            return self._error("it wants a login; ask a wiki that everybody may read")
        told = " ".join(info.split())[:200] or code
        return PageMissing(told) if code in ("missingtitle", "invalidtitle") else self._error(f"it refused: {told}")

    def _fault(self, fault: FetchError, url: str) -> WikiError | _Busy:
        """What a failed fetch means. A status that passes is worth another attempt, silence is not."""
        if fault.status == 403:
            return self._error("it refuses this program (403); check the contact that you gave, or ask its operators")
        if fault.status in _TRANSIENT:
            return _Busy(f"it is busy or out of order ({fault.status})", fault.retry_after)
        return self._error(str(fault).removeprefix(f"{url[:300]}: "))

    def _error(self, reason: str) -> WikiError:
        return WikiError(f"{self.host}: {reason}")


class PageMissing(WikiError):
    """There is no such page; the message is the wiki's."""


class _Busy(Exception):
    """The wiki asks to come again in ``wait`` seconds, or does not say when."""

    def __init__(self, reason: str, wait: float | None) -> None:
        super().__init__(reason)
        self.wait = wait


def wikipedia_api(language: str = "en") -> str:
    """The API of Wikipedia in a language, by its code. Raises SettingsError: it is no such code."""
    if not _LANGUAGE.fullmatch(language):
        raise SettingsError(f"{language!r} is no language of Wikipedia; give its code, such as en, de or zh")
    return f"https://{language}.wikipedia.org/w/api.php"
