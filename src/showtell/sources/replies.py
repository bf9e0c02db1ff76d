"""What a wiki's Action API answers, as far as it is used; nothing of a reply is believed before it fits these.

Replies of ``formatversion=2``. Fields that are not used are ignored: extensions add their own.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, StringConstraints

Title = Annotated[str, StringConstraints(min_length=1, max_length=300)]
_Words = Annotated[str, StringConstraints(max_length=100_000)]
_Address = Annotated[str, StringConstraints(max_length=4096)]


class Fault(BaseModel):
    """Why the API refused."""

    code: str = Field(default="unknown", max_length=200)
    info: str = ""


class Reply(BaseModel):
    """Every reply: it has an ``error``, or what was asked for."""

    error: Fault | None = None


# ------------------------------------------------------------------------------------------------------- of the wiki
class General(BaseModel):
    """The wiki itself; ``articlepath`` is where its pages lie, such as ``/wiki/$1``."""

    sitename: str = Field(default="", max_length=300)
    lang: str = Field(default="", max_length=30, pattern=r"^[A-Za-z0-9-]*$")
    articlepath: str = Field(default="/index.php/$1", max_length=300, pattern=r"^(/[^/\s\\][^\s\\]*|/)\$1")


class Rights(BaseModel):
    """The licence of its texts."""

    text: str = Field(default="", max_length=500)
    url: str = Field(default="", max_length=500)


class Named(BaseModel):
    """An extension of the wiki's software."""

    name: str = ""


class Repository(BaseModel):
    """A place that the wiki takes files from."""

    rootUrl: _Address = ""  # noqa: N815 (as the API spells it)
    thumbUrl: _Address = ""  # noqa: N815
    url: _Address = ""


class SiteQuery(BaseModel):
    """What ``meta=siteinfo|filerepoinfo`` tells."""

    general: General
    rightsinfo: Rights = Rights()
    extensions: tuple[Named, ...] = ()
    repos: tuple[Repository, ...] = ()


class SiteReply(Reply):
    """The wiki's description of itself."""

    query: SiteQuery | None = None


# --------------------------------------------------------------------------------------------------------- of pages
class SearchHit(BaseModel):
    """A page of a search; ``snippet`` is HTML."""

    title: Title
    snippet: _Words = ""


class Searched(BaseModel):
    """Hits, best first."""

    search: tuple[SearchHit, ...] = ()


class SearchReply(Reply):
    """The answer to a search."""

    query: Searched = Searched()


def _as_mapping(value: Any) -> Any:
    return {} if value == [] else value  # PHP's empty array


class PageInfo(BaseModel):
    """A title that was asked for: there is no such page where it is ``missing`` or ``invalid``."""

    title: str = Field(default="", max_length=1000)
    ns: int = 0
    missing: bool = False
    invalid: bool = False
    extract: _Words | None = None
    pageprops: Annotated[dict[str, Any], BeforeValidator(_as_mapping)] = {}

    @property
    def exists(self) -> bool:
        """Whether it is an article."""
        return bool(self.title) and self.ns == 0 and not self.missing and not self.invalid


class Renamed(BaseModel):
    """``source`` was asked for, ``to`` is what it is called."""

    source: str = Field(alias="from")
    to: str


class Titles(BaseModel):
    """The pages of the titles asked for, and how these lead to them."""

    pages: tuple[PageInfo, ...] = ()
    redirects: tuple[Renamed, ...] = ()
    normalized: tuple[Renamed, ...] = ()
    converted: tuple[Renamed, ...] = ()


class TitlesReply(Reply):
    """The answer to a query of titles."""

    query: Titles = Titles()


class Parsed(BaseModel):
    """A page as HTML; ``images`` are the names of the files it uses."""

    title: Title
    text: str
    revid: int = Field(default=0, ge=0)
    images: tuple[str, ...] = ()
    properties: Annotated[dict[str, Any], BeforeValidator(_as_mapping)] = {}
    redirects: tuple[Renamed, ...] = ()


class ParseReply(Reply):
    """The answer to ``action=parse``."""

    parse: Parsed | None = None


# --------------------------------------------------------------------------------------------------------- of files
class Told(BaseModel):
    """A value of a file's extended metadata; text ones are HTML."""

    value: str | int | float | bool | dict[str, Any] | list[Any] | None = ""


class FileInfo(BaseModel):
    """A version of a file; sizes are pixels."""

    url: _Address = ""
    thumburl: _Address = ""
    thumbwidth: int | None = Field(default=None, ge=1)
    thumbheight: int | None = Field(default=None, ge=1)
    width: int = Field(default=0, ge=0)
    height: int = Field(default=0, ge=0)
    extmetadata: Annotated[dict[str, Told], BeforeValidator(_as_mapping)] = {}


class FilePage(BaseModel):
    """A file and its newest version, if the wiki has it."""

    title: str
    imageinfo: tuple[FileInfo, ...] = ()


class Files(BaseModel):
    """The files asked for."""

    pages: tuple[FilePage, ...] = ()
    normalized: tuple[Renamed, ...] = ()


class FilesReply(Reply):
    """The answer to ``prop=imageinfo``."""

    query: Files = Files()
