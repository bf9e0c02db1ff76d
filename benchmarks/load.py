"""How many can ask at once: ``python -m benchmarks.load [--seconds 60] [--passages 10000] [--workers 1]``.

A server in a process of its own, on loopback, is asked by users who think five seconds between two questions, on the
library of ``benchmarks.speed``: 50 of them, then 50 beside 200 who take their answers byte by byte, then 250, then
again 50. Meanwhile ``/health`` is asked four times a second, and the server's memory is read once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from benchmarks.speed import build, drawn

USERS, MANY, SLOW = 50, 250, 200
A_SECOND = 8  # slow ones that come
THINK = 5.0  # seconds between an answer and the next question, on average
GOAL_SECONDS, GOAL_HEALTH, GOAL_MEMORY = 1.5, 0.1, 5.0
WARM = 10.0  # seconds of asking before anything is measured
RECOVERY = 5.0  # seconds after which a server that was asked too much answers all again
ASK = "/api/v1/answers"


@dataclass
class Seen:
    """What one phase showed: seconds of the answers, of ``/health``, statuses other than 200, megabytes by second."""

    answers: list[float] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    memory: list[tuple[float, float]] = field(default_factory=list)

    def told(self, name: str) -> str:
        """One line."""
        others = ", ".join(f"{count} of {status}" for status, count in self.others.items()) or "no errors"
        return (
            f"{name}: {len(self.answers)} answers, p50 {quantile(self.answers, 0.5):.2f} s, p95"
            f" {quantile(self.answers, 0.95):.2f} s; {others}; /health p95 {quantile(self.health, 0.95) * 1000:.0f} ms,"
            f" at most {max(self.health, default=0) * 1000:.0f} ms; memory {self.megabytes()}"
        )

    def megabytes(self) -> str:
        """The first and the last tenth of the phase, and by how much the two differ."""
        tenth = max(1, len(self.memory) // 10)
        first, last = (sum(mb for _, mb in part) / tenth for part in (self.memory[:tenth], self.memory[-tenth:]))
        return f"{first:.0f} MB to {last:.0f} MB ({100 * (last / first - 1):+.1f}%)" if first else "unknown"


def main() -> None:
    """Print a line for each phase."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        build(Path(place), options.passages)
        with served(Path(place), options.workers) as (address, pid):
            asyncio.run(measure(address, pid, options.seconds))


async def measure(address: str, pid: int, seconds: float) -> None:
    """All phases."""
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=MANY)
    async with httpx2.AsyncClient(base_url=address, timeout=60, limits=limits) as client:
        print(f"goals: p95 {GOAL_SECONDS} s, /health {GOAL_HEALTH * 1000:.0f} ms, memory within {GOAL_MEMORY:.0f}%")
        await phase(client, pid, USERS, WARM)
        print((await phase(client, pid, USERS, seconds)).told(f"{USERS} users"), flush=True)
        slow = [asyncio.create_task(take_slowly(address, number / A_SECOND)) for number in range(SLOW)]
        await asyncio.sleep(SLOW / A_SECOND)
        print((await phase(client, pid, USERS, seconds / 2)).told(f"beside {SLOW} slow ones"), flush=True)
        for each in slow:
            each.cancel()
        ended = await asyncio.gather(*slow, return_exceptions=True)
        print(f"of the slow ones {sum(isinstance(each, asyncio.CancelledError) for each in ended)} were still at it")
        print((await phase(client, pid, MANY, seconds / 2)).told(f"{MANY} users"), flush=True)
        await asyncio.sleep(RECOVERY)
        print((await phase(client, pid, USERS, seconds / 2)).told(f"{USERS} users, {RECOVERY:.0f} s later"))


async def phase(client: httpx2.AsyncClient, pid: int, users: int, seconds: float) -> Seen:
    """So many users ask for so long; answers that are not there at the end are waited for."""
    seen, until = Seen(), time.monotonic() + seconds
    chance = random.Random(users)
    asking = (use(client, random.Random(chance.random()), seen, until) for _ in range(users))
    await asyncio.gather(watch(client, pid, seen, until), *asking)
    return seen


async def use(client: httpx2.AsyncClient, chance: random.Random, seen: Seen, until: float) -> None:
    """One user, who begins somewhere within the time to think."""
    await asyncio.sleep(chance.uniform(0, THINK))
    while time.monotonic() < until:
        began = time.perf_counter()
        status = await ask(client, question(chance))
        if status == "200":
            seen.answers.append(time.perf_counter() - began)
        else:
            seen.others[status] += 1
        await asyncio.sleep(min(chance.expovariate(1 / THINK), max(0.0, until - time.monotonic())))


async def ask(client: httpx2.AsyncClient, text: str) -> str:
    """Ask and read the stream to its end; the status, or what went wrong."""
    try:
        async with client.stream("POST", ASK, json={"question": text}) as response:
            last = ""
            async for line in response.aiter_lines():
                last = line.removeprefix("event: ") if line.startswith("event: ") else last
    except httpx2.HTTPError as error:
        return type(error).__name__
    return str(response.status_code) if response.status_code != 200 or last == "answer" else f"event {last}"


async def watch(client: httpx2.AsyncClient, pid: int, seen: Seen, until: float) -> None:
    """Ask for the server's health and look at its memory."""
    began = time.monotonic()
    while time.monotonic() < until:
        at = time.perf_counter()
        await client.get("/health")
        seen.health.append(time.perf_counter() - at)
        seen.memory.append((time.monotonic() - began, megabytes(pid)))
        await asyncio.sleep(0.25)


async def take_slowly(address: str, wait: float) -> None:
    """Ask, and take a byte of the answer a second."""
    await asyncio.sleep(wait)
    host, _, port = address.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=64)
    body = json.dumps({"question": question(random.Random(wait))}).encode()
    head = (
        f"POST {ASK} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    try:
        writer.write(head.encode() + body)
        while await reader.read(1):
            await asyncio.sleep(1)
    finally:
        writer.close()


def question(chance: random.Random) -> str:
    """Half of its words are common ones."""
    return f"How do I {' '.join(drawn(chance, 0.5) for _ in range(8))}?"


def quantile(values: list[float], share: float) -> float:
    """The value that so many are below; 0 of none."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(len(ranked) * share))] if ranked else 0.0


def megabytes(pid: int) -> float:
    """Resident memory of a process, 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def served(folder: Path, workers: int) -> Iterator[tuple[str, int]]:
    """The command that serves it, without a limit for one client, for all users come from here."""
    command = [sys.executable, "-m", "showtell.cli", "serve", "--port", "0", "--workers", str(workers)]
    environment = os.environ | {"SHOWTELL_LIBRARY": str(folder), "SHOWTELL_REQUESTS_PER_MINUTE": "0"}
    log = folder / "server.log"
    with log.open("w") as file, subprocess.Popen(command, stderr=file, env=environment) as process:
        try:
            yield _address(log, process), process.pid
        finally:
            process.terminate()
            process.wait(60)


def _address(log: Path, process: subprocess.Popen[bytes]) -> str:
    while "http://" not in log.read_text():
        if process.poll() is not None:
            raise SystemExit(log.read_text())
        time.sleep(0.1)
    return "http://" + log.read_text().split("http://")[1].split()[0]


if __name__ == "__main__":
    main()
