"""A scripted chat model, for tests: of showtell, and of what others build on it."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence

from showtell.errors import ModelError
from showtell.models.base import ChatRequest


class ScriptedModel:
    """Replies as it was told, in pieces of a word each; keeps what it was asked in ``requests``.

    ``replies`` are given one a request, in order, or made from each request by a function. An error among them is
    raised in its place. A request after the last reply is an error of the test: ModelError.
    """

    def __init__(
        self,
        replies: Sequence[str | ModelError] | Callable[[ChatRequest], str],
        name: str = "scripted",
        context_tokens: int = 8192,
    ) -> None:
        self.requests: list[ChatRequest] = []
        self._replies = replies
        self._name = name
        self._context_tokens = context_tokens
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """As it was given."""
        return self._name

    @property
    def context_tokens(self) -> int:
        """As they were given."""
        return self._context_tokens

    def stream(self, request: ChatRequest) -> Iterator[str]:
        """The reply that is next, word by word. Raises ModelError: one was given, or no reply is left."""
        reply = self._next(request)
        if isinstance(reply, ModelError):
            raise reply
        yield from re.findall(r"\s*\S+|\s+", reply)

    def _next(self, request: ChatRequest) -> str | ModelError:
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
        if callable(self._replies):
            return self._replies(request)
        if number > len(self._replies):
            raise ModelError(
                f"{self._name} has {len(self._replies)} replies and was asked {number} times; give it more"
            )
        return self._replies[number - 1]
