"""Files and addresses that clients send: a form's files, or the JSON of an address; and safe names for files."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path, PurePosixPath

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.datastructures import UploadFile

from showtell.web.bodies import Address
from showtell.web.failures import Failure

MOST_FILES = 50
LONGEST_NAME = 100  # characters, ending included
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\/\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd]+')


@asynccontextmanager
async def sent(request: Request) -> AsyncIterator[list[UploadFile] | str]:
    """The files of a form, at least one, or the address that was sent in their place. Raises Failure."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        yield _address(await request.body())
    elif kind == "multipart/form-data":
        async with request.form(max_files=MOST_FILES, max_fields=4) as form:
            files = [value for _, value in form.multi_items() if isinstance(value, UploadFile)]
            if not files:
                raise Failure(422, "invalid", "the form holds no file; send each as a field named file")
            yield files
    else:
        message = "send a form with files (multipart/form-data), or an address as JSON"
        raise Failure(415, "unsupported", message)


def _address(body: bytes) -> str:
    try:
        return Address.model_validate_json(body).url
    except ValidationError as error:
        faults = [{**fault, "loc": ("body", *fault["loc"])} for fault in error.errors(include_input=False)]
        raise RequestValidationError(faults) from error


def safe_name(name: str | None) -> str:
    """A file's name as it may be kept: the last part of what the client calls it, without what a path could hide in.

    Raises Failure where nothing is left of it.
    """
    plain = unicodedata.normalize("NFC", (name or "").encode("utf-8", "replace").decode().replace("\\", "/"))
    kept = " ".join(_UNSAFE.sub(" ", PurePosixPath(plain).name).split()).lstrip(". ").rstrip(". ")
    ending = Path(kept).suffix[:16]
    kept = kept[: len(kept) - len(ending)][: LONGEST_NAME - len(ending)].rstrip(". ") + ending
    if not Path(kept).stem:
        raise Failure(422, "invalid", "a file has no name; name it, with the ending of its kind")
    return kept
