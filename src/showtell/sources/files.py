"""Files of a wiki: which may be shown, and whom to credit."""

from __future__ import annotations

import base64
import re
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from showtell.errors import PictureError
from showtell.ingest.inline import squeeze
from showtell.sources.replies import FileInfo

THUMBNAIL_WIDTHS = (20, 40, 60, 120, 250, 330, 500, 960, 1280, 1920, 3840)
"""Pixels; Wikimedia serves no others (2026)."""
UNKNOWN_LICENCE = "licence not told by the wiki"
_NOT_FREE = re.compile(r"\bfair[ -]?(?:use|dealing)\b|\bnon[ -]?free\b|\ball rights reserved\b", re.I)
_LONGEST = 300  # characters of a credit


@dataclass(frozen=True, slots=True)
class WikiPicture:
    """A picture that may be shown: its address at a width that the wiki serves, whom to credit, under which licence.

    One that is at hand has its ``content``, and the address ``asset:<sha256>``.
    """

    url: str
    width: int | None
    height: int | None
    credit: str | None
    licence: str
    content: bytes | None = None

    @property
    def address(self) -> str:
        """What a page shows it by: the address, or the bytes themselves."""
        if self.content is None:
            return self.url
        return "data:;base64," + base64.b64encode(self.content).decode("ascii")


def picture(info: FileInfo, page_url: str, hosts: Collection[str], tells_licences: bool) -> WikiPicture:
    """What may be shown of a file.

    Args:
        info: the wiki's own words.
        page_url: the page that shows it; an address may be relative to it.
        hosts: ``host`` or ``host:port`` of the wiki and of where it says that it keeps its files.
        tells_licences: whether the wiki knows the licences of its files, so that none means that it may not be shown.

    Raises PictureError with the reason: it is not free, its licence is not known, its address leads elsewhere.
    """
    url = urljoin(page_url, info.thumburl or info.url)
    if not leads_to(url, hosts):
        raise PictureError("its address leads away from the wiki")
    licence = _told(info, "LicenseShortName", "UsageTerms", "License")
    if _is_set(info, "NonFree") or _NOT_FREE.search(f"{licence} {_told(info, 'License')}"):
        raise PictureError(f"not free ({licence or 'non-free'}): it may be shown on the wiki only")
    if not licence and tells_licences:
        raise PictureError("the wiki tells no licence of it")
    size = (info.thumbwidth, info.thumbheight) if info.thumburl else (info.width or None, info.height or None)
    return WikiPicture(url, *size, _told(info, "Attribution", "Artist", "Credit") or None, licence or UNKNOWN_LICENCE)


def leads_to(url: str, hosts: Collection[str]) -> bool:
    """Whether an absolute address leads to one of the hosts."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() in hosts


def _told(info: FileInfo, *names: str) -> str:
    """The first of the values that says something, as plain text."""
    for name in names:
        value = info.extmetadata[name].value if name in info.extmetadata else ""
        text = squeeze(LexborHTMLParser(value).text()) if isinstance(value, str) and value else ""
        if text:
            return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0] + " …"
    return ""


def _is_set(info: FileInfo, name: str) -> bool:
    value = info.extmetadata[name].value if name in info.extmetadata else ""
    return str(value).strip().lower() not in ("", "0", "false", "none", "no")
