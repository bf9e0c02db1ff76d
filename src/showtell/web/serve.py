"""The server: uvicorn, patient with slow connections only so far, in one process or several."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors import Multiprocess

from showtell.errors import SettingsError
from showtell.settings import Settings
from showtell.web.access import Access
from showtell.web.app import create_app
from showtell.web.logs import log_to_stderr

HEAD = 10.0  # seconds for a request's head
STUCK = 60.0  # seconds for which a client may take nothing of what is sent to it
IDLE = 30  # seconds for which a connection is kept between two requests
FINISH = 30  # seconds for the streams under way when the server is stopped, and for a worker to say that it lives
BACKLOG = 1024  # connections that wait to be taken
SWITCH = 0.001  # seconds after which a thread that answers lets the event loop in; Python's own are five times that
CONNECTIONS = 500  # at once, of one process; most systems allow it 1,024 files


class Patient(H11Protocol):
    """A connection that ends where the head of a request, or the taking of an answer, takes too long."""

    _timer: asyncio.TimerHandle | None = None
    _stuck: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """The first head is awaited."""
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Some of a head, or of a body."""
        super().data_received(data)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is awaited any more."""
        super().connection_lost(exc)
        for timer in filter(None, (self._timer, self._stuck)):
            timer.cancel()

    def pause_writing(self) -> None:
        """The client takes less than is sent to it."""
        super().pause_writing()
        self._stuck = self.loop.call_later(STUCK, self.transport.abort)

    def resume_writing(self) -> None:
        """It took enough."""
        super().resume_writing()
        if self._stuck:
            self._stuck.cancel()

    def _await_head(self) -> None:
        """From the first byte of a head on the clock runs; what follows does not set it back."""
        is_at_rest = self.cycle is None or self.cycle.response_complete
        is_awaited = is_at_rest and (self.cycle is None or self.conn.trailing_data[0] != b"")
        if not is_awaited and self._timer:
            self._timer.cancel()
            self._timer = None
        elif is_awaited and self._timer is None:
            self._timer = self.loop.call_later(HEAD, self.transport.abort)


def serve(settings: Settings, ready: Callable[[str], None]) -> None:
    """Serve the library until the process is told to stop; ``ready`` is called with the address once it is bound.

    Raises SettingsError: the address cannot be used, or others could reach it without a key.
    """
    Access.of(settings)
    bound = _bound(settings)
    log_to_stderr()
    host, port = bound.getsockname()[:2]
    ready(f"http://{f'[{host}]' if ':' in host else host}:{port}")
    config = configured(partial(_app, settings), settings.workers)
    try:
        if settings.workers > 1:
            Multiprocess(config, sockets=[bound]).run()
        else:
            uvicorn.Server(config).run(sockets=[bound])
    finally:
        bound.close()


def configured(make: Callable[[], Any], workers: int = 1) -> uvicorn.Config:
    """How uvicorn serves the app that ``make`` makes, in each of the processes."""
    return uvicorn.Config(
        make,
        factory=True,
        http=Patient,
        ws="none",
        lifespan="on",
        workers=workers,
        log_config=None,
        access_log=False,
        server_header=False,
        backlog=BACKLOG,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=IDLE,
        timeout_worker_healthcheck=FINISH,
        timeout_graceful_shutdown=FINISH,
    )


def _app(settings: Settings) -> Any:
    """The app in a process of its own."""
    log_to_stderr()
    sys.setswitchinterval(SWITCH)
    return create_app(settings)


def _bound(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name != "nt":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((settings.host.strip("[]"), settings.port))
        bound.listen(BACKLOG)  # whoever comes before the library is open waits
    except OSError as error:
        bound.close()
        reason = error.strerror or error
        place = f"{settings.host}:{settings.port}"
        raise SettingsError(f"cannot serve at {place}: {reason}; choose another with --port or --host") from error
    bound.set_inheritable(True)
    return bound
