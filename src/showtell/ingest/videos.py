"""Videos in a page: files, players of other sites, and the transcripts beside them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from selectolax.lexbor import LexborNode

from showtell.errors import SourceError
from showtell.ingest.embeds import FILE, moments, player
from showtell.ingest.findings import Findings
from showtell.ingest.inline import squeeze
from showtell.ingest.resources import Resource, inside
from showtell.ingest.subtitles import read_cues
from showtell.types import Cue, Video

MAX_TRACK_BYTES = 5_000_000
MAX_ASSET_BYTES = 2_000_000_000
_LAZY = ("data-src", "data-lazy-src", "data-original", "data-litespeed-src", "data-cookieblock-src", "src", "data")
_WISTIA = re.compile(r"wistia_async_(\w+)")


class Videos:
    """Reads the videos of one page; what is left out is noted in ``findings``."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    def of_video(self, node: LexborNode) -> Video | None:
        """A ``video`` with its sources, tracks and poster: the first source that exists."""
        attributes = node.attributes
        references = [attributes.get(name) or "" for name in ("data-src", "src")]
        references += [
            source.attributes.get("src") or source.attributes.get("data-src") or "" for source in node.css("source")
        ]
        refused: list[Resource] = []
        for reference in filter(None, references):
            resource = self._findings.resolve(reference)
            if not resource.refusal:
                track, cues = self._transcript(node, resource)
                poster = self._poster(attributes.get("poster") or attributes.get("data-poster") or "")
                return self._video(resource, _label(attributes), poster=poster, track=track, cues=cues)
            refused.append(resource)
        if refused:
            self._findings.drop("video", refused[0].address, refused[0].refusal)
        return None

    def of_frame(self, node: LexborNode) -> Video | None:
        """An ``iframe``, ``embed`` or ``object`` that shows a video; any other is noted as dropped."""
        attributes = node.attributes
        written = [attributes.get(name) or "" for name in _LAZY]
        reference = next((address for address in written if address and not address.startswith("about:")), "")
        if not reference:
            return None
        video = self.at(reference, _label(attributes))
        if video is None:
            resource = self._findings.resolve(reference)
            self._findings.drop(
                "embed", resource.address, resource.refusal or "an embedded page that shows no known video"
            )
        return video

    def of_element(self, node: LexborNode) -> Video | None:
        """A player that a script puts in place: ``lite-youtube``, ``lite-vimeo``, ``amp-youtube``, Wistia's ``div``."""
        attributes = node.attributes
        number = attributes.get("videoid") or attributes.get("data-videoid")
        title = attributes.get("playlabel") or attributes.get("videotitle") or _label(attributes)
        if number and node.tag in ("lite-youtube", "amp-youtube"):
            return self.at(f"https://www.youtube.com/embed/{number}?{attributes.get('params') or ''}", title)
        if number and node.tag in ("lite-vimeo", "amp-vimeo"):
            return self.at(f"https://vimeo.com/{number}", title)
        found = _WISTIA.search(attributes.get("class") or "")
        return self.at(f"https://fast.wistia.net/embed/iframe/{found[1]}", title) if found else None

    def at(self, reference: str, title: str = "", poster: str | None = None) -> Video | None:
        """The video that an address shows, or None if it shows none."""
        resource = self._findings.resolve(reference)
        if resource.path is not None and FILE.search(resource.path.name):
            track, cues = self._transcript(None, resource)
            return self._video(resource, title, poster=poster, track=track, cues=cues)
        shown = player(resource.url_with_fragment) if resource.url else None
        if shown is None:
            return None
        return Video(reference, shown.address, title, "", shown.start, shown.end, poster)

    def _video(
        self, resource: Resource, title: str, *, poster: str | None, track: str | None, cues: tuple[Cue, ...]
    ) -> Video:
        shown = player(resource.url_with_fragment) if resource.url else None
        start, end = (shown.start, shown.end) if shown else moments("", resource.fragment)
        source = shown.address if shown else resource.address
        asset = self._asset(resource.path) if resource.path else None
        return Video(resource.reference, source, title, "", start, end, poster, track, asset, cues)

    def _asset(self, path: Path) -> str | None:
        """The stored name of a local video; the file is hashed piece by piece."""
        if not FILE.search(path.name) or path.stat().st_size > MAX_ASSET_BYTES:
            return None
        with path.open("rb") as file:
            name = hashlib.file_digest(file, "sha256").hexdigest() + path.suffix.lower()
        self._findings.files[name] = str(path)
        return name

    def _poster(self, reference: str) -> str | None:
        resource = self._findings.resolve(reference) if reference else None
        return resource.address if resource and not resource.refusal else None

    def _transcript(self, node: LexborNode | None, video: Resource) -> tuple[str | None, tuple[Cue, ...]]:
        """Address and cues of the track that says what is spoken, or of the subtitles lying beside a local file."""
        for track in self._tracks(node):
            resource = self._findings.resolve(track)
            if resource.refusal:
                self._findings.warn(f"captions {track}: {resource.refusal}")
            elif resource.path is None:
                return resource.url, ()
            else:
                return str(resource.path), self._cues(resource.path)
        beside = next(self._beside(video.path), None) if video.path else None
        return (str(beside), self._cues(beside)) if beside else (None, ())

    def _tracks(self, node: LexborNode | None) -> list[str]:
        """Addresses of a video's captions and subtitles: the page's language first, then the default."""
        tracks = [track.attributes for track in node.css("track[src]")] if node else []
        spoken = [track for track in tracks if (track.get("kind") or "subtitles").lower() in ("captions", "subtitles")]
        language = self._findings.language.partition("-")[0].lower()

        def rank(track: dict[str, str | None]) -> tuple[bool, bool]:
            return (track.get("srclang") or language).lower().partition("-")[0] != language, "default" not in track

        return [track["src"] or "" for track in sorted(spoken, key=rank)]

    def _beside(self, path: Path) -> Iterator[Path]:
        names = [path.with_suffix(ending) for ending in (".vtt", ".srt")]
        language = self._findings.language.partition("-")[0] or "en"
        names += [path.with_suffix(f".{language}{ending}") for ending in (".vtt", ".srt")]
        return (name for name in names if name.is_file() and inside(name, self._findings.place))

    def _cues(self, path: Path) -> tuple[Cue, ...]:
        try:
            if path.stat().st_size > MAX_TRACK_BYTES:
                raise SourceError(f"larger than {MAX_TRACK_BYTES // 1_000_000} MB")
            return read_cues(path.read_bytes())
        except (SourceError, OSError) as error:
            self._findings.warn(f"captions {path.name}: {error}")
            return ()


def _label(attributes: dict[str, str | None]) -> str:
    return squeeze(attributes.get("title") or attributes.get("aria-label") or "")
