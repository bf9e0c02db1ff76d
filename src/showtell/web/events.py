"""The steps of an answer as server-sent events (HTML Standard, section 9.2)."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from showtell.answer.look import Look
from showtell.answer.pipeline import Step
from showtell.answer.rewrite import Rewriting
from showtell.errors import ShowtellError
from showtell.web.failures import UNEXPECTED, Failure, failure_of
from showtell.web.questions import Running

HEARTBEAT = 15.0  # seconds of silence after which a comment is sent, so that no proxy takes the stream for dead
log = logging.getLogger(__name__)


async def events(running: Running, tell_answer: Callable[[Any], dict[str, Any]]) -> AsyncIterator[bytes]:
    """The events of a question that is being answered; ``tell_answer`` gives the last one's data."""
    teller = _Teller()
    try:
        async for step in running.steps(HEARTBEAT):
            if step is None:
                yield b": still at it\n\n"
            elif step.name == "answer":
                yield event("answer", tell_answer(step.value))
            else:
                for told in teller.events(step):
                    yield told
    except (Failure, ShowtellError) as error:
        failure = error if isinstance(error, Failure) else failure_of(error)
        log.warning("a question failed: %s", type(error).__name__)
        yield event("error", failure.told()["error"])
    except Exception:
        code, message = UNEXPECTED
        yield event("error", {"code": code, "message": message})
        raise


def event(name: str, data: Any) -> bytes:
    """One event; JSON holds no line break."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


class _Teller:
    """Knows whether the text so far was written in the same go."""

    def __init__(self) -> None:
        self._has_text = False
        self._is_writing = False

    def events(self, step: Step) -> Iterator[bytes]:
        if step.name != "writing":
            self._is_writing = False
            yield event("step", told(step))
            return
        if self._has_text and not self._is_writing:
            yield event("reset", {})
        self._has_text = self._is_writing = True
        yield event("text", {"text": step.value})


def told(step: Step) -> dict[str, Any]:
    """What someone who waits may want to know of a step."""
    shown: dict[str, Any] = {"name": step.name, "milliseconds": step.milliseconds}
    if isinstance(step.value, (Look, Rewriting)):
        shown["searches"] = list(step.value.searches)
    if step.name == "read":
        shown["pages"] = [{"title": page.title, "url": page.url} for page in step.value]
    return shown
