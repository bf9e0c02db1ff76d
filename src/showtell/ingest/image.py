"""The reader of a bare picture file."""

from __future__ import annotations

from pathlib import Path

from showtell import pictures
from showtell.ingest.resources import Place
from showtell.types import Document, Image, Section


def read_image(path: Path, place: Place) -> Document:
    """A document with one section that holds the picture. Raises PictureError as :func:`pictures.stored` does."""
    picture = pictures.stored(path)
    name = path.stem.replace("_", " ").replace("-", " ").strip()
    source = str(path)
    image = Image(path.name, source, name, "", "", picture.name, picture.width, picture.height)
    return Document(
        source=place.source,
        name=place.name,
        title=name or path.name,
        language="",
        sections=(Section((), (image,)),),
        url=place.url,
        files={picture.name: picture.data},
    )
