"""What all tests share: where the shared material lies, and that nothing is skipped in continuous integration."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from showtell.cli import main
from showtell.library import Library
from tests.models.llama_server import llama_server as llama_server  # fixtures
from tests.sources.archives import archive as archive
from tests.sources.mediawiki import mediawiki as mediawiki

Shell = Callable[..., tuple[int, str, str]]
IN_CI = os.environ.get("CI") == "true"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared material beside the checkout; tests that need it are skipped where there is none."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("no folder `shared` beside the checkout")
    return folder


@pytest.fixture(scope="session")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A library of the sample handbook with the default encoder; skipped where its weights are not installed."""
    from showtell.demo import HANDBOOK

    with Library.open(tmp_path_factory.mktemp("handbook")) as library:
        if library.warnings:
            pytest.skip(library.warnings[0])
        assert {result.status for result in library.add(HANDBOOK)} == {"added"}
        yield library


@pytest.fixture
def shell(handbook: Library, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The command in this process, on the handbook: exit status, stdout, stderr."""
    monkeypatch.setenv("SHOWTELL_LIBRARY", str(handbook.store.folder))
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = int(end.code or 0)
        return status, *capsys.readouterr()

    return run


class Screen(io.StringIO):
    """Standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Screen]:
    """Makes standard error a new terminal; to be called in the test, for pytest sets the stream up late."""
    monkeypatch.setenv("TERM", "xterm")

    def made() -> Screen:
        monkeypatch.setattr(sys, "stderr", Screen())
        assert isinstance(sys.stderr, Screen)
        return sys.stderr

    return made


class Site(ThreadingHTTPServer):
    """A web site on loopback: paths are answered by functions, others are a 404; ``asked`` keeps paths and headers."""

    daemon_threads = True

    def __init__(self) -> None:
        self.answers: dict[str, Callable[[BaseHTTPRequestHandler], None]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]

    def url(self, path: str) -> str:
        return f"http://{self.host}{path}"

    def put(self, path: str, body: bytes | str = b"hello", status: int = 200, **headers: str) -> None:
        data = body if isinstance(body, bytes) else body.encode()

        def send(request: BaseHTTPRequestHandler) -> None:
            request.send_response(status)
            for name, value in ({"Content_Length": str(len(data))} | headers).items():
                request.send_header(name.replace("_", "-"), value)
            request.end_headers()
            request.wfile.write(data)

        self.answers[path] = send

    def redirect(self, path: str, target: str) -> None:
        self.put(path, b"", 302, Location=target)


class _Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self.server.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        if self.path not in self.server.answers:
            self.server.put(self.path, b"none", 404)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.server.answers[self.path](self)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[Site]:
    server = Site()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def pytest_sessionfinish(session: pytest.Session) -> None:
    if IN_CI and _skipped(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if IN_CI and (count := _skipped(config)):
        terminalreporter.write_line(f"CI=true: {count} skipped, which counts as failed", red=True)


def _skipped(config: pytest.Config) -> int:
    reporter = config.pluginmanager.get_plugin("terminalreporter")  # None in a worker process
    return len(reporter.stats.get("skipped", [])) if reporter else 0
