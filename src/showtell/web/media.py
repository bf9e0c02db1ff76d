"""``/media`` and ``/api/v1/pictures``: stored bytes by their hash. Nothing of a document is ever active here."""

from __future__ import annotations

import re
from pathlib import Path

import anyio
from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse

from showtell.pictures import MEDIA_TYPES as PICTURES
from showtell.pictures import QuestionPicture, question_picture
from showtell.render.figures import web_vtt
from showtell.svg import sanitise
from showtell.types import Video
from showtell.web.bodies import PICTURE, example, upload
from showtell.web.failures import Failure, not_found
from showtell.web.service import Json, Served, Service
from showtell.web.uploads import sent

router = APIRouter(tags=["media"])
MAX_PICTURE = 20_000_000  # bytes of a picture to ask with
_ASSET = re.compile(r"[0-9a-f]{64}\.[a-z0-9]{1,5}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_VIDEOS = {"mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/mp4", "webm": "video/webm", "ogv": "video/ogg"}
_TYPES = PICTURES | _VIDEOS
HEADERS = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
}


@router.get("/media/{asset}", summary="A picture or video", response_class=Response)
def media(asset: str, service: Served) -> Response:
    """The bytes of a stored asset, or a range of them."""
    return shown(_file(service, asset))


@router.get("/media/{asset}/thumbnail", summary="A picture, small", response_class=Response)
def thumbnail(asset: str, service: Served) -> Response:
    """A WebP of at most 320 by 320 pixels; of a drawing (SVG) the drawing itself."""
    file = _file(service, asset)
    if file.suffix == ".svg":
        return shown(file)
    if file.suffix[1:] not in PICTURES:
        raise not_found("a video has no thumbnail", "take the video itself")
    return Response(service.thumbnail(file), media_type="image/webp", headers=HEADERS)


@router.get("/media/{asset}/captions", summary="The captions of a video", response_class=Response)
def captions(asset: str, service: Served) -> Response:
    """The transcript of a stored video as WebVTT."""
    shown_at = service.library.store.media_of_asset(asset).values() if _ASSET.fullmatch(asset) else ()
    cues = next((each.block.cues for each in shown_at if isinstance(each.block, Video) and each.block.cues), ())
    if not cues:
        raise not_found("the library has no captions of this video", "it may be older than its document")
    return Response(web_vtt(cues), media_type="text/vtt", headers=HEADERS)


@router.get("/api/v1/pictures/{sha256}", summary="A picture to ask with", response_class=Response)
def picture(sha256: str, service: Served) -> Response:
    """The picture that was sent, as it is kept: upright and without metadata."""
    file = service.library.shelf.find(sha256) if _SHA256.fullmatch(sha256) else None
    if file is None:
        raise not_found("this picture is not kept, or not any more", "send it again")
    return shown(file)


@router.post("/api/v1/pictures", summary="Send a picture", responses=example(PICTURE), openapi_extra=upload(many=False))
async def send_picture(request: Request, service: Served) -> Response:
    """Keep a picture to ask with: a form's file, or one that is fetched from an address."""
    async with sent(request) as what:
        if isinstance(what, str):
            kept = await anyio.to_thread.run_sync(_fetched, service, what)
        else:
            content = await what[0].read(MAX_PICTURE + 1)
            kept = await anyio.to_thread.run_sync(_kept, service, content)
    return Json({"sha256": kept.sha256, "width": kept.width, "height": kept.height})


def shown(file: Path) -> Response:
    """A stored file as it may be shown; a drawing is cleaned once more, for a library may come from someone else."""
    kind = _TYPES.get(file.suffix[1:])
    if kind == PICTURES["svg"]:
        return Response(sanitise(file.read_bytes())[0], media_type=kind, headers=HEADERS)
    if kind is None:
        return FileResponse(file, media_type="application/octet-stream", headers=HEADERS, filename=file.name)
    return FileResponse(file, media_type=kind, headers=HEADERS)


def _file(service: Service, asset: str) -> Path:
    file = service.library.asset(asset) if _ASSET.fullmatch(asset) else None
    if file is None:
        raise not_found("the library has no such picture or video", "its answer may be older than its document")
    return file


def _fetched(service: Service, url: str) -> QuestionPicture:
    return _kept(service, service.library.fetcher.get(url, accept="image/*, */*;q=0.1", max_bytes=MAX_PICTURE).data)


def _kept(service: Service, content: bytes) -> QuestionPicture:
    if len(content) > MAX_PICTURE:
        raise Failure(413, "too_large", f"the picture is larger than {MAX_PICTURE // 1_000_000} MB; make it smaller")
    made = question_picture(content)
    service.library.shelf.put(made.name, made.content)
    return made
