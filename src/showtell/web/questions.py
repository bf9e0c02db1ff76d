"""Questions are answered in a few threads; each step comes back to the event loop when it is done.

More questions than threads wait, so many; past that a question is sent away at once instead of piling up.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import cast

from showtell.answer.pipeline import Step
from showtell.web.failures import Failure

WAITING = 4  # times as many questions may wait as are answered at once
RETRY_AFTER = 2  # seconds


class Questions:
    """Takes questions, on the event loop."""

    def __init__(self, at_once: int) -> None:
        """Answer so many at once, each in a thread."""
        self._pool = ThreadPoolExecutor(at_once, thread_name_prefix="question")
        self._room = at_once * (1 + WAITING)
        self._taken: set[Running] = set()

    def __len__(self) -> int:
        """How many are being answered, or wait for it."""
        return len(self._taken)

    def require_room(self) -> None:
        """Raises Failure (429) where too many wait; asked first, so that sending away costs next to nothing."""
        if len(self._taken) >= self._room:
            message = "more questions are waiting than can be answered; try again in a while"
            raise Failure(429, "busy", message, RETRY_AFTER)

    def ask(self, begin: Callable[[], Iterator[Step]]) -> Running:
        """Answer a question: ``begin`` gives its steps, in a thread. Raises Failure (429) where too many wait."""
        self.require_room()
        running = Running(begin, self._pool, self._taken.discard)
        self._taken.add(running)
        return running

    def close(self) -> None:
        """Stop all that are left, and wait until the threads are at rest."""
        for running in self._taken:
            running.stop()
        self._pool.shutdown(cancel_futures=True)


class Running:
    """One question that is being answered."""

    def __init__(
        self,
        begin: Callable[[], Iterator[Step]],
        pool: ThreadPoolExecutor,
        ended: Callable[[Running], None],
    ) -> None:
        """``ended`` is called on the event loop when its thread is free again."""
        self._loop = asyncio.get_running_loop()
        self._steps: asyncio.Queue[Step | None] = asyncio.Queue()
        self._is_stopped = threading.Event()
        self._ended = ended
        self._future: Future[None] = pool.submit(self._run, begin)
        self._future.add_done_callback(lambda _: self._loop.call_soon_threadsafe(self._end))

    async def steps(self, patience: float | None = None) -> AsyncIterator[Step | None]:
        """The steps as they are done; None each time that nothing was done for ``patience`` seconds.

        Raises what went wrong. When nobody takes further steps, the question is stopped.
        """
        try:
            while True:
                try:
                    step = await asyncio.wait_for(self._steps.get(), patience)
                except TimeoutError:
                    yield None
                    continue
                if step is None:
                    break
                yield step
            await asyncio.wrap_future(self._future)
        finally:
            self.stop()

    def stop(self) -> None:
        """End it before its next step; what a model is asked meanwhile is cut off with its next words."""
        self._is_stopped.set()
        self._future.cancel()

    def _run(self, begin: Callable[[], Iterator[Step]]) -> None:
        with closing(cast(Generator[Step], begin())) as steps:
            for step in steps:
                if self._is_stopped.is_set():
                    return
                self._loop.call_soon_threadsafe(self._steps.put_nowait, step)

    def _end(self) -> None:
        self._steps.put_nowait(None)
        self._ended(self)
