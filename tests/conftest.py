"""What all tests share: where the shared material lies, and that nothing is skipped in continuous integration."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

IN_CI = os.environ.get("CI") == "true"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared material beside the checkout; tests that need it are skipped where there is none."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("no folder `shared` beside the checkout")
    return folder


def pytest_sessionfinish(session: pytest.Session) -> None:
    if IN_CI and _skipped(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if IN_CI and (count := _skipped(config)):
        terminalreporter.write_line(f"CI=true: {count} skipped, which counts as failed", red=True)


def _skipped(config: pytest.Config) -> int:
    reporter = config.pluginmanager.get_plugin("terminalreporter")  # None in a worker process
    return len(reporter.stats.get("skipped", [])) if reporter else 0
