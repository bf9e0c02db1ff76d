"""Addresses of videos: the players of other sites in their canonical form, and files by their ending."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

FILE = re.compile(r"\.(mp4|m4v|webm|ogv|mov|mkv|m3u8|mpd)\Z", re.I)

# What a host's address looks like (host without "www.", then path, then "?" and query) and the canonical form.
_PLAYERS = [
    (re.compile(pattern), canonical)
    for pattern, canonical in (
        (
            r"(?:[\w-]+\.)?youtube(?:-nocookie)?\.com/(?:embed|v|e|shorts|live)/(?!videoseries\b)([\w-]+)",
            "https://www.youtube.com/watch?v={}",
        ),
        (r"(?:[\w-]+\.)?youtube\.com/(?:watch|embed/?)?\?(?:.*&)?v=([\w-]+)", "https://www.youtube.com/watch?v={}"),
        (
            r"(?:[\w-]+\.)?youtube(?:-nocookie)?\.com/(?:embed/videoseries|playlist)\?(?:.*&)?list=([\w-]+)",
            "https://www.youtube.com/playlist?list={}",
        ),
        (r"youtu\.be/([\w-]+)", "https://www.youtube.com/watch?v={}"),
        (r"player\.vimeo\.com/video/(\d+)\?(?:.*&)?h=(\w+)", "https://vimeo.com/{}/{}"),
        (r"player\.vimeo\.com/video/(\d+)", "https://vimeo.com/{}"),
        (r"vimeo\.com/(\d+)/(\w+)", "https://vimeo.com/{}/{}"),
        (r"vimeo\.com/(?:(?:channels|groups)/[\w-]+/(?:videos/)?|video/)?(\d+)", "https://vimeo.com/{}"),
        (r"video\.tv\.adobe\.com/v/(\w+)", "https://video.tv.adobe.com/v/{}"),
        (r"(?:[\w-]+\.)?wistia\.(?:com|net)/(?:embed/(?:iframe|medias)|medias)/(\w+)", "https://fast.wistia.net/embed/iframe/{}"),
        (r"loom\.com/(?:embed|share)/(\w+)", "https://www.loom.com/share/{}"),
        (r"(?:geo\.)?dailymotion\.com/(?:embed/)?video/(\w+)", "https://www.dailymotion.com/video/{}"),
        (r"geo\.dailymotion\.com/player[\w/.]*\?(?:.*&)?video=(\w+)", "https://www.dailymotion.com/video/{}"),
        (r"dai\.ly/(\w+)", "https://www.dailymotion.com/video/{}"),
        (r"player\.twitch\.tv/\?(?:.*&)?video=v?(\d+)", "https://www.twitch.tv/videos/{}"),
        (r"player\.bilibili\.com/player\.html\?(?:.*&)?bvid=(\w+)", "https://www.bilibili.com/video/{}"),
        (r"play\.vidyard\.com/(\w+)", "https://play.vidyard.com/{}"),
        (r"streamable\.com/(?:[eo]/)?(\w+)", "https://streamable.com/{}"),
        (r"embed\.ted\.com/talks/(?:lang/\w+/)?(\w+)", "https://www.ted.com/talks/{}"),
        (r"microsoft\.com/(?:[\w-]+/)?videoplayer/embed/(\w+)", "https://www.microsoft.com/videoplayer/embed/{}"),
        (r"learn-video\.azurefd\.net/vod/player\?(?:.*&)?id=([\w-]+)", "https://learn-video.azurefd.net/vod/player?id={}"),
        (r"(players\.brightcove\.net/[\w/.-]+\?(?:.*&)?videoId=[\w-]+)", "https://{}"),
        (r"drive\.google\.com/file/d/([\w-]+)/preview", "https://drive.google.com/file/d/{}/view"),
    )
]  # fmt: skip
_STILL = re.compile(r"(?:^|[&;])format=(?:jpe?g|png|webp)\b", re.I)  # a player's address that gives a still picture
_CLOCK = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?\Z", re.I)
_COLONS = re.compile(r"(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)\Z")


@dataclass(frozen=True, slots=True)
class Player:
    """A video on another site: its canonical address and the seconds to play."""

    address: str
    start: float | None = None
    end: float | None = None


def player(url: str) -> Player | None:
    """The video that an http(s) address of a known player or of a video file shows; None if it shows something else."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    host = (parts.hostname or "").removeprefix("www.")
    if _STILL.search(parts.query):
        return None
    start, end = moments(parts.query.replace("&amp;", "&"), parts.fragment)
    if FILE.search(parts.path):
        return Player(parts._replace(fragment="").geturl(), start, end)
    key = f"{host}{parts.path}" + (f"?{parts.query}" if parts.query else "")
    for pattern, canonical in _PLAYERS:
        found = pattern.match(key)
        if found:
            return Player(canonical.format(*found.groups()), start, end)
    return None


def moments(query: str, fragment: str) -> tuple[float | None, float | None]:
    """Start and end in seconds, from a player's query or a media fragment (``t=5,40``, ``t=1m5s``, ``t=npt:0:05``).

    The fragment's form is that of W3C Media Fragments URI 1.0, section 4.2.1.
    """
    values = parse_qs(query) | parse_qs(fragment)

    def first(*names: str) -> str:
        return next((values[name][0] for name in names if name in values), "")

    begin, _, finish = first("t", "start", "time_continue", "starttime").removeprefix("npt:").partition(",")
    start, end = seconds(begin), seconds(finish or first("end"))
    return start or (0.0 if end is not None and begin else None), end


def seconds(written: str) -> float | None:
    """``90``, ``90s``, ``1m30s`` or ``1:30`` as seconds; None where it is none of these."""
    colons = _COLONS.match(written)
    clock = None if colons else _CLOCK.match(written)
    found = colons or clock
    if not written or not found:
        return None
    hours, minutes, rest = (float(part or 0) for part in found.groups())
    return hours * 3600 + minutes * 60 + rest
