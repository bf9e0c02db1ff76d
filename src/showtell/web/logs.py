"""The server's log: one JSON object a line on stderr, without anything that a user wrote."""

from __future__ import annotations

import json
import logging
import time
import traceback
from types import TracebackType


class JsonLines(logging.Formatter):
    """Of an error its kind and where it was raised are told; its text may hold a user's words."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        told: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "from": record.name,
            "message": record.getMessage().strip(),
        }
        told |= getattr(record, "told", {})
        if record.exc_info and record.exc_info[0]:
            told |= {"error": record.exc_info[0].__name__, "at": _places(record.exc_info[2])}
        return json.dumps(told, ensure_ascii=False)


def _places(trace: TracebackType | None) -> list[str]:
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)[-8:]]


def log_to_stderr() -> None:
    """Have the log of this process written so."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in ("showtell.web.access", "uvicorn.error"):
        logging.getLogger(name).setLevel(logging.INFO)
