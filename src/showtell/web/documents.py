"""``/api/v1/documents`` and ``/api/v1/passages``: what is in the library, and the text of a section of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from mimetypes import guess_type
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import anyio
from fastapi import APIRouter, Query, Request, Response

from showtell.errors import LibraryError
from showtell.ingest.convert import SUBTITLES, VIDEOS
from showtell.library import Added
from showtell.types import as_json
from showtell.web.bodies import ADDED, DOCUMENTS, SECTION, example, upload
from showtell.web.failures import not_found
from showtell.web.service import UPLOADS, Json, Served, Service, public_block
from showtell.web.uploads import safe_name, sent

router = APIRouter(prefix="/api/v1", tags=["documents"])
SHOWN = ("name", "title", "language", "passages", "images", "tables", "videos", "added")
BESIDE = "kept beside the documents that came with it; send it alone to add it by itself"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was sent, under a safe name."""

    name: str
    content: BinaryIO


@router.get("/documents", summary="What is in the library", responses=example(DOCUMENTS))
def documents(service: Served) -> Response:
    """All documents, by name."""
    told = ({name: getattr(each, name) for name in SHOWN} for each in service.facts().documents)
    return Json({"documents": list(told)})


@router.post("/documents", summary="Add documents", responses=example(ADDED), openapi_extra=upload(many=True))
async def add(request: Request, service: Served) -> Response:
    """Add the files of a form, or the page or sitemap of an address; returns when they are searched.

    A file of a name that was sent before takes its place. Pictures and subtitles beside documents are taken as theirs.
    """
    async with sent(request) as what:
        if isinstance(what, str):
            results = await anyio.to_thread.run_sync(_add_address, service, what)
        else:
            uploads = [Upload(safe_name(file.filename), file.file) for file in what]
            results = await anyio.to_thread.run_sync(_add_files, service, uploads)
    return Json({"results": [_told(service, result) for result in results]})


@router.delete("/documents/{name:path}", summary="Remove a document", status_code=204, response_class=Response)
def remove(name: str, service: Served) -> Response:
    """Remove the document of this name, and its file if it was uploaded."""
    store = service.library.store
    with service.writing:
        source = next((source for source, each in store.known().items() if each.name == name), None)
        if source is None:
            raise not_found("no document is called so", "see /api/v1/documents")
        store.remove([name])
        store.sweep()
        if Path(source).parent == store.folder / UPLOADS:
            Path(source).unlink(missing_ok=True)
    return Response(status_code=204)


@router.get("/passages", summary="A section", responses=example(SECTION))
def section(
    service: Served,
    document: Annotated[str, Query(min_length=1, max_length=4096, description="The document's name.")],
    section: Annotated[list[str], Query(max_length=32, description="The section's headings, one by one.")] = [],  # noqa: B006 (FastAPI copies it)
) -> Response:
    """The blocks of a section in reading order; each passage is those from `first` up to `last`, without it."""
    store = service.library.store
    with store.reading():
        ids = store.sections_at(document, section)
        found = store.sections(ids)
        passages = store.section_passages(ids)
    if not found:
        raise not_found("the library has no such section", "see /api/v1/documents")
    blocks: list[dict[str, Any]] = []
    told: list[dict[str, Any]] = []
    for id_ in ids:
        told += [_passage(each, len(blocks)) for each in passages if each.section_id == id_]
        blocks += [{"type": block.type} | as_json(public_block(block)) for block in found[id_].blocks]
    title = passages[0].title if passages else document
    url = passages[0].url if passages else None
    whole = {"document": document, "title": title, "section": section, "url": url}
    return Json(whole | {"blocks": blocks, "passages": told})


def _passage(passage: Any, before: int) -> dict[str, Any]:
    places = {"first": passage.first + before, "last": passage.last + before}
    return {"text": passage.text} | places | {"start": passage.start, "end": passage.end}


def _add_address(service: Service, url: str) -> list[Added]:
    with service.writing:
        return list(service.library.add(url))


def _add_files(service: Service, uploads: Sequence[Upload]) -> list[Added]:
    """Keep the files in the library's folder of uploads and add them; of those that cannot be added none is kept."""
    library = service.library
    with service.writing:
        library.store.require_writable()
        folder = library.store.folder / UPLOADS
        taken = {each.name for source, each in library.store.known().items() if Path(source).parent != folder}
        paths = [folder / _free(upload.name, taken) for upload in uploads]
        with _kept(dict(zip(paths, uploads, strict=True))) as put_back:
            to_add = _documents(paths)
            results = list(library.add(*to_add, within=folder))
            put_back(Path(result.source) for result in results if result.status in ("failed", "skipped"))
    beside = [path for path in paths if path not in to_add]
    return results + [Added(str(path), path.name, "skipped", error=f"{path.name}: {BESIDE}") for path in beside]


def _free(name: str, taken: set[str]) -> str:
    """The name, or the next like it that no document has which was not uploaded."""
    path, number = Path(name), 2
    while name in taken:
        name, number = f"{path.stem} ({number}){path.suffix}", number + 1
    return name


@contextmanager
def _kept(files: dict[Path, Upload]) -> Iterator[Any]:
    """The files in their places; gives what puts back, for some of them, what was there before.

    All are put back where an error is raised.
    """
    before = {path: path.with_name(f".{path.name}.before") for path in files}

    def put_back(paths: Iterable[Path]) -> None:
        for path in paths:
            if path in before and before[path].exists():
                before[path].replace(path)
            elif path in before:
                path.unlink(missing_ok=True)

    try:
        for path, upload in files.items():
            path.parent.mkdir(exist_ok=True)
            if path.exists() and not before[path].exists():
                path.replace(before[path])
            with path.open("wb") as file:
                shutil.copyfileobj(upload.content, file, 1 << 20)
        yield put_back
    except OSError as error:
        put_back(files)
        raise LibraryError(f"cannot keep what was uploaded: {error.strerror}; make room or allow writing") from error
    except BaseException:
        put_back(files)
        raise
    finally:
        for path in before.values():
            path.unlink(missing_ok=True)


def _documents(paths: Sequence[Path]) -> list[Path]:
    """Those that are added by themselves: pictures and subtitles only where no document came with them."""
    videos = {path.stem for path in paths if path.suffix.lower() in VIDEOS}
    own = [path for path in paths if not (_is_picture(path) or _belongs(path, videos))]
    return list(dict.fromkeys(own or paths))


def _is_picture(path: Path) -> bool:
    return (guess_type(path.name)[0] or "").startswith("image/")


def _belongs(path: Path, videos: set[str]) -> bool:
    return path.suffix.lower() in SUBTITLES and path.stem.partition(".")[0] in videos


def _told(service: Service, added: Added) -> dict[str, Any]:
    """What became of a document, without paths of this computer."""
    hide = service.without_folders
    dropped = tuple(replace(each, source=hide(each.source), reason=hide(each.reason)) for each in added.dropped)
    shown = replace(
        added, source=hide(added.source), name=hide(added.name), error=hide(added.error),
        warnings=tuple(map(hide, added.warnings)), dropped=dropped,
    )  # fmt: skip
    told: dict[str, Any] = as_json(shown)
    return told
