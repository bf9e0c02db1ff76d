"""Media that a document only names by address: its pictures and transcripts are fetched, its videos stay links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from showtell import pictures
from showtell.errors import FetchError, PictureError, SourceError
from showtell.ingest.fetch import Fetched, Fetcher
from showtell.ingest.images import SMALLEST, small
from showtell.ingest.subtitles import read_cues
from showtell.types import Block, Document, Dropped, Image, Section, Video

MAX_PICTURES = 300  # of one document
MAX_PICTURE_BYTES = 20_000_000
MAX_DOCUMENT_BYTES = 200_000_000  # of all pictures of one document
MAX_TRACK_BYTES = 5_000_000
MAX_SILENCES = 3  # fetches of a host without any answer
REMEMBERED_BYTES = 50_000_000  # of pictures that several pages of a site show


class RemoteMedia:
    """Fetches what documents name; a picture that many pages show is fetched once."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self._known: dict[str, pictures.Stored | str] = {}
        self._known_bytes = 0
        self._silent: Counter[str] = Counter()

    def stored_in(self, document: Document) -> Document:
        """The document with its remote pictures as assets and the words of its remote transcripts.

        A picture that cannot be had, is too small or no picture is dropped with the reason.
        """
        gathered = _Gathered(document)
        sections = tuple(
            Section(section.path, tuple(self._blocks(section, gathered)), section.anchor)
            for section in document.sections
        )
        return replace(
            document,
            sections=sections,
            files=gathered.files,
            dropped=tuple(dict.fromkeys([*document.dropped, *gathered.dropped])),
            warnings=tuple(dict.fromkeys([*document.warnings, *gathered.warnings])),
        )

    def _blocks(self, section: Section, gathered: _Gathered) -> Iterator[Block]:
        for block in section.blocks:
            if isinstance(block, Image) and block.asset is None and _is_remote(block.source):
                try:
                    yield self._image(block, gathered)
                except PictureError as error:
                    gathered.dropped.append(Dropped("image", block.source, str(error)))
            elif isinstance(block, Video) and not block.cues and _is_remote(block.captions or ""):
                yield self._video(block, gathered)
            else:
                yield block

    def _image(self, image: Image, gathered: _Gathered) -> Image:
        gathered.look_at(image.source)
        kept = self._picture(image.source)
        declared = (image.width, image.height)
        if small(kept.width, kept.height) and not (kept.name.endswith(".svg") and any(declared)):
            size = f"{kept.width} x {kept.height}"
            raise PictureError(f"smaller than {SMALLEST} px ({size}): an icon, spacer or tracker")
        gathered.keep(kept)
        return replace(image, asset=kept.name, width=kept.width, height=kept.height)

    def _picture(self, address: str) -> pictures.Stored:
        """The picture at an address, from memory if it was met before. Raises PictureError with the reason."""
        if address not in self._known:
            known = self._fetched(address)
            self._known_bytes += 0 if isinstance(known, str) else len(known.data)
            if self._known_bytes > REMEMBERED_BYTES:
                self._known.clear()
                self._known_bytes = 0
            self._known[address] = known
        known = self._known[address]
        if isinstance(known, str):
            raise PictureError(known)
        return known

    def _fetched(self, address: str) -> pictures.Stored | str:
        """The picture, or why there is none."""
        try:
            return pictures.stored(self._get(address, "image/*, */*;q=0.1", MAX_PICTURE_BYTES).data)
        except (FetchError, PictureError) as error:
            return str(error).removeprefix(f"{address}: ")

    def _video(self, video: Video, gathered: _Gathered) -> Video:
        address = video.captions or ""
        try:
            return replace(video, cues=read_cues(self._get(address, "text/vtt, */*;q=0.5", MAX_TRACK_BYTES).data))
        except (FetchError, SourceError) as error:
            gathered.warnings.append(f"captions {address}: {str(error).removeprefix(f'{address}: ')}")
            return video

    def _get(self, address: str, accept: str, max_bytes: int) -> Fetched:
        """Fetch, unless the host was silent too often: waiting for each of its pictures would take hours."""
        host = urlsplit(address).netloc
        if self._silent[host] >= MAX_SILENCES:
            raise FetchError("its host gave no answer before; try again later")
        try:
            return self._fetcher.get(address, accept=accept, max_bytes=max_bytes)
        except FetchError as error:
            self._silent[host] += error.status is None
            raise


@dataclass(slots=True)
class _Gathered:
    """What is gathered for one document: files by name, what was dropped and why, warnings."""

    document: Document
    files: dict[str, str | bytes] = field(default_factory=dict)
    dropped: list[Dropped] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    _addresses: set[str] = field(default_factory=set)
    _bytes: int = 0

    def __post_init__(self) -> None:
        self.files.update(self.document.files)

    def look_at(self, address: str) -> None:
        """Count an address. Raises PictureError when the document names too many."""
        if address not in self._addresses and len(self._addresses) >= MAX_PICTURES:
            raise PictureError(f"the document shows more than {MAX_PICTURES} pictures")
        self._addresses.add(address)

    def keep(self, picture: pictures.Stored) -> None:
        """Add a picture's bytes. Raises PictureError when the document's are too many."""
        if picture.name in self.files:
            return
        if self._bytes + len(picture.data) > MAX_DOCUMENT_BYTES:
            raise PictureError(f"the document's pictures are larger than {MAX_DOCUMENT_BYTES // 1_000_000} MB together")
        self.files[picture.name] = picture.data
        self._bytes += len(picture.data)


def _is_remote(address: str) -> bool:
    return address[:8].lower().startswith(("http://", "https://"))
