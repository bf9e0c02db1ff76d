"""Chat models behind the OpenAI protocol, which Ollama, llama.cpp, vLLM, LM Studio and the hosted ones speak.

What can go wrong with a server is translated here, once, into a ModelError of one line that holds no key.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal

from showtell.errors import ModelError, PicturesRefused
from showtell.models.base import ChatRequest
from showtell.models.protocol import (
    Dialect,
    ThoughtFilter,
    is_about_pictures,
    is_about_thoughts,
    read_delta,
    shows_pictures,
)
from showtell.models.server import CONNECT_TIMEOUT, ChatServer, find_server, guarded_client

if TYPE_CHECKING:  # openai takes more than a second to import
    import openai

FIRST_WAIT = 0.5  # seconds before a request is sent again; doubled each time
LONGEST_WAIT = 20.0  # seconds that a server may make us wait by Retry-After
CHARACTERS_PER_TOKEN = (
    16  # more than a written language has; a reply that is longer than this was not bounded by its server
)
MOST_THOUGHT = 200_000  # characters of thoughts around a reply
WORDLESS = 20  # characters that an event without words counts for, so that these end too
_BAD_REQUEST = frozenset({400, 413, 415, 422})

_Outcome = Literal["text", "nothing", "thoughts"]


def load_chat(
    name: str, *, key: str | None = None, context_tokens: int = 4096, timeout: float = 60.0, retries: int = 2
) -> OpenAIChat:
    """The chat model of that name. Nothing is sent until it is asked. Raises ModelError: no such form, no key.

    Args:
        name: ``ollama/NAME``, ``openai/NAME`` or ``http(s)://HOST:PORT/v1#NAME``; without ``#NAME`` the only one there.
        key: sent to that server alone.
        context_tokens: what prompt and reply may have together.
        timeout: seconds until the first word, and between words; ten times that for the whole reply.
        retries: how often a request is sent again that met a busy or failing server, within the time-out.
    """
    return OpenAIChat(find_server(name, key), context_tokens=context_tokens, timeout=timeout, retries=retries)


class OpenAIChat:
    """A chat model behind the OpenAI protocol; may be used from several threads.

    What its server does not take (a form of the reply, a spelling) is found out when it refuses, and remembered.
    """

    def __init__(
        self, server: ChatServer, *, context_tokens: int = 4096, timeout: float = 60.0, retries: int = 2
    ) -> None:
        import openai

        self._server = server
        self._context_tokens = context_tokens
        self._timeout = timeout
        self._retries = retries
        self._dialect = Dialect()
        self._model = server.model
        self._client = openai.OpenAI(
            base_url=server.address,
            api_key="unused",  # guarded_client sets the key, if there is one
            max_retries=0,  # the client would also repeat what timed out
            timeout=timeout,
            http_client=guarded_client(server, timeout),
        )

    @property
    def name(self) -> str:
        """As it was given, such as ``ollama/qwen3-vl``."""
        return self._server.name

    @property
    def context_tokens(self) -> int:
        """Tokens that prompt and reply may have together."""
        return self._context_tokens

    def __repr__(self) -> str:
        return f"OpenAIChat({self.name!r})"

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def stream(self, request: ChatRequest) -> Iterator[str]:
        """The reply in pieces, without thoughts; nothing at all for an empty reply.

        A reply that is longer than ``max_tokens`` allows is cut. Raises ModelError, also after some pieces, when what
        was written so far is not the whole reply; PicturesRefused if without its pictures the request may be taken.
        """
        try:
            yield from self._reply(request)
            return
        except _faults() as error:
            fault = self._translated(error, request)
        raise fault  # here, so that the error before it, which knows the key, is not attached

    def models(self) -> list[str]:
        """The names of the models that the server has. Raises ModelError."""
        try:
            page = self._client.models.list()
            found = [getattr(model, "id", None) for model in getattr(page, "data", None) or []]
            if hasattr(page, "data"):
                return [_plain(name) for name in found if isinstance(name, str)]
            fault = ModelError(f"{self._server.address} has no list of models; {_CHECK_ADDRESS}")
        except _faults() as error:
            fault = self._translated(error, None)
        raise fault

    def require(self) -> None:
        """Ask the server whether it has the model; the model writes nothing. Raises ModelError, if not."""
        names = self.models()
        if not self._server.model:
            self._only_of(names)
        elif not {self._server.model, f"{self._server.model}:latest"} & set(names):
            raise ModelError(self._about_missing_model(names))

    # -------------------------------------------------------------------------------------------------- one request
    def _reply(self, request: ChatRequest) -> Iterator[str]:
        """The reply; where it was all thoughts, that of a second request for none."""
        dialect = self._dialect
        for attempt in [dialect, replace(dialect, thinks=False)] if dialect.thinks else [dialect]:
            outcome = yield from self._attempt(request, attempt)
            if outcome != "thoughts":
                return
        raise self._only_thoughts(request)

    def _attempt(self, request: ChatRequest, dialect: Dialect) -> Generator[str, None, _Outcome]:
        """The reply in a dialect, or in one that is understood, which is then remembered."""
        dialect, stream = self._opened(request, dialect)
        try:
            outcome = yield from _written(stream, request.max_tokens)
        finally:
            stream.close()
        if outcome == "text":
            self._dialect = dialect
        return outcome

    def _opened(self, request: ChatRequest, dialect: Dialect) -> tuple[Dialect, openai.Stream[Any]]:
        """The reply about to be read, after as many changes of dialect as its server wants."""
        import openai

        while True:
            try:
                stream = self._sent(request, dialect)
                break
            except openai.APIStatusError as error:
                complaint = _said(error) if error.status_code in _BAD_REQUEST else ""
                following = dialect.after(complaint, request) if error.status_code in _BAD_REQUEST else None
                if following is None and (dialect.thinks or not is_about_thoughts(complaint)):
                    raise
            if following is None:
                raise self._only_thoughts(request)
            dialect = following
        kind = stream.response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "text/event-stream":
            stream.close()
            told = _plain(kind) or "something unnamed"
            raise ModelError(f"{self.name} answered with {told} instead of a stream of words; {_CHECK_ADDRESS}")
        return dialect, stream

    def _sent(self, request: ChatRequest, dialect: Dialect) -> openai.Stream[Any]:
        """The request sent, again and again while its server is busy or failing and there is time."""
        import openai

        body: dict[str, Any] = {"model": self._model or self._only_of(self.models()), **dialect.parameters(request)}
        end = time.monotonic() + self._timeout
        retry = 0
        while True:
            try:
                stream: openai.Stream[Any] = self._client.chat.completions.create(**body, stream=True)
                return stream
            except openai.APIError as error:
                wait = _wait(error, retry)
                hopeless = shows_pictures(request) and is_about_pictures(_said(error))
                if wait is None or hopeless or retry == self._retries or time.monotonic() + wait > end:
                    raise
            time.sleep(wait)
            retry += 1

    def _only_of(self, names: list[str]) -> str:
        """The one model of a server of which none was named."""
        if len(names) != 1:
            has = f"has several models ({_listed(names)})" if names else "has no model"
            raise ModelError(f"{self._server.address} {has}; name one: {self._server.address}#NAME")
        self._model = names[0]
        return self._model

    # ------------------------------------------------------------------------------------------------ what went wrong
    def _translated(self, error: Exception, request: ChatRequest | None) -> ModelError:
        """What a failure means for the user, in one line without a key."""
        import openai

        if isinstance(error, openai.APIStatusError):
            refused = error.status_code in _BAD_REQUEST or is_about_pictures(_said(error))
            if request is not None and shows_pictures(request) and refused:
                return PicturesRefused(
                    f"{self.name} does not take the pictures{self._quoted(error)}; "
                    "choose a model that sees, or, where only figures were sent, set model_sees to false"
                )
            return ModelError(self._about_status(error, listing=request is None))
        if isinstance(error, openai.APIConnectionError):
            return ModelError(self._about_connection(error.__cause__ or error))
        if isinstance(error, openai.APIError):  # told in the middle of the stream
            return ModelError(f"{self.name} broke off{self._quoted(error)}; ask again")
        if isinstance(error, ValueError | RecursionError):
            return ModelError(f"{self.name} sent a broken reply ({_reason(error)}); ask again, or check its server")
        return ModelError(self._about_connection(error))

    def _about_status(self, error: openai.APIStatusError, listing: bool) -> str:
        status, server, said = error.status_code, self._server, self._quoted(error)
        if status in (401, 403):
            variable = server.provider.key_variable
            has_key = f"refused the key; check {variable}" if server.key else f"wants a key; set {variable}"
            return f"{self.name} {has_key} in the environment{said}"
        if status == 404 and not listing:
            return self._about_refused_model()
        if status == 404:
            return f"there is nothing of the chat protocol at {server.address}; {_CHECK_ADDRESS}"
        if status < 400:
            return f"{server.address} sends us elsewhere, where we do not follow; give the address it moved to"
        if status == 429:
            return f"{self.name} is busy or its limit is used up{said}; try again later"
        if status >= 500:
            return f"{self.name} failed with status {status}{said}; try again, or check its server"
        return f"{self.name} refused the request{said}; check the model, and whether model_context is what it has"

    def _about_refused_model(self) -> str:
        try:
            names = self.models()
        except ModelError as error:
            return str(error)
        if self._model in names:
            return f"{self._server.address} has {self._model!r} but does not chat with it; choose a model that chats"
        return self._about_missing_model(names)

    def _about_missing_model(self, names: list[str]) -> str:
        way = self._server.provider.to_get.format(model=self._model) or "choose one of those, or load it there"
        return f"{self._server.address} has no model {self._model!r}, it has {_listed(names) or 'none'}; {way}"

    def _about_connection(self, cause: BaseException) -> str:
        import httpx2

        address, told = self._server.address, self._without_key(_reason(cause))
        if isinstance(cause, httpx2.ConnectTimeout):
            return (
                f"{address} cannot be reached within {CONNECT_TIMEOUT:g} s; check that the server runs, and the address"
            )
        if isinstance(cause, httpx2.TimeoutException):
            return f"{self.name} gave no word for {self._timeout:g} s ({told}); try again, or raise model_timeout"
        if isinstance(cause, httpx2.ConnectError):
            return f"{address} cannot be reached ({told}); check that the server runs, and the address"
        return f"the connection to {address} broke ({told}); check that the server runs, and ask again"

    def _only_thoughts(self, request: ChatRequest) -> ModelError:
        return ModelError(
            f"{self.name} only thought and wrote nothing in its {request.max_tokens} tokens; "
            "raise model_reply, or choose a model that does not think"
        )

    def _quoted(self, error: openai.APIError) -> str:
        said = self._without_key(_said(error))
        return f' ("{said}")' if said else ""

    def _without_key(self, text: str) -> str:
        """One printable line of at most 200 characters; servers are known to repeat a key that they refuse."""
        return _plain(text.replace(self._server.key, "[key]") if self._server.key else text)


_CHECK_ADDRESS = "check the address, which usually ends in /v1"


def _faults() -> tuple[type[Exception], ...]:
    """What openai, the HTTP library below it, and the decoding of a reply may raise."""
    import httpx2
    import openai

    return openai.OpenAIError, httpx2.HTTPError, httpx2.StreamError, ValueError, RecursionError


def _written(stream: openai.Stream[Any], max_tokens: int) -> Generator[str, None, _Outcome]:
    """The text of a reply as it comes, cut where it is longer than it may be."""
    thoughts = ThoughtFilter()
    left, thought_left, wrote, ended = CHARACTERS_PER_TOKEN * max_tokens, MOST_THOUGHT, False, False
    for event in stream:
        delta = read_delta(event)
        ended = ended or delta.last
        thoughts.thought = thoughts.thought or bool(delta.thought)
        text = thoughts.feed(delta.text)
        text = text if wrote else text.lstrip()
        if text:
            wrote = True
            yield text[:left]
            left -= len(text)
        else:
            thought_left -= len(delta.thought) + len(delta.text) + WORDLESS
        if left <= 0 or thought_left <= 0:
            break
    else:
        if not ended:
            raise ValueError("it breaks off")
        if tail := thoughts.end():
            wrote = True
            yield tail
    if thought_left <= 0 and (wrote or not thoughts.thought):
        raise ValueError("it goes on without words")
    return "text" if wrote else "thoughts" if thoughts.thought else "nothing"


def _wait(error: openai.APIError, retry: int) -> float | None:
    """Seconds before the request is worth sending again; None if it is not, or not soon."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return None
    if isinstance(error, openai.APIConnectionError):
        return FIRST_WAIT * 2.0**retry
    if isinstance(error, openai.APIStatusError) and (error.status_code == 429 or error.status_code >= 500):
        asked = _retry_after(error.response.headers.get("retry-after", ""))
        wait = FIRST_WAIT * 2.0**retry if asked is None else asked
        return wait if wait <= LONGEST_WAIT else None
    return None


def _retry_after(header: str) -> float | None:
    """The seconds that a Retry-After header asks for, as a number or a date."""
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(0.0, seconds) if seconds == seconds else None  # NaN is no number of seconds


def _said(error: openai.APIError) -> str:
    """The server's own words, with the parameter they are about; untrusted."""
    import openai

    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        body = inner.get("message") or inner.get("detail") if isinstance(inner, dict) else inner
    if isinstance(error, openai.APIConnectionError) or not isinstance(body, str) or "<" in body[:20]:
        return ""
    return f"{body} (parameter {error.param})" if error.param and error.param not in body else body


def _reason(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__


def _listed(names: list[str]) -> str:
    shown = names[:10]
    return ", ".join(shown) + (f" and {len(names) - len(shown)} more" if len(names) > len(shown) else "")


def _plain(text: str) -> str:
    """Untrusted text as one printable line."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[:2000]).split())
    return line if len(line) <= 200 else f"{line[:199]}…"
