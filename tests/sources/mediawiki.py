"""A real MediaWiki for tests: Debian's, on loopback, filled from our own pages and as many others as a test asks for.

By itself: ``python -m tests.sources.mediawiki FOLDER`` sets one up and prints its address.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from PIL import Image, ImageDraw

from tests.sources.fillers import fillers

PACKAGES = ("mediawiki", "php8.2-cli", "php8.2-sqlite3")
ROOT = Path("/usr/share/mediawiki")
HERE = Path(__file__).parent / "wiki"
_INSTALL = f"apt-get install -y --no-install-recommends {' '.join(PACKAGES)}"
_SERVED = ("api.php", "index.php", "load.php", "thumb.php", "resources", "skins", "extensions")
_LICENCES = {
    "Tomato on the vine.png": "{{Cc-by-sa-4.0|[https://example.org/ada Ada Gardener]}}",
    "Lark camera.png": "{{Cc-by-sa-4.0|Bo Collector}}",
    "Halvard logo.png": "{{Fair use}}",
}


@dataclass(frozen=True)
class MediaWiki:
    """``host`` is ``host:port``; ``folder`` holds its data; beside our pages it has some ``others``."""

    host: str
    folder: Path
    process: subprocess.Popen[bytes]
    others: int

    @property
    def api(self) -> str:
        return f"http://{self.host}/api.php"

    def asked(self) -> list[str]:
        """The requests to its API, as its log tells them, the fixture's own left out."""
        lines = (self.folder / "server.log").read_text(errors="replace").splitlines()
        return [line for line in lines if "/api.php?" in line and "ready=1" not in line]


def installed() -> None:
    """Make sure that the packages are there: in continuous integration by installing them, else by skipping."""
    if shutil.which("php") and (ROOT / "api.php").is_file():
        return
    if os.environ.get("CI") != "true":
        pytest.skip(f"no MediaWiki on this machine: {_INSTALL}")
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in ("apt-get update -qq", _INSTALL):
        subprocess.run(command.split(), env=environment, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def running(folder: Path, others: Mapping[str, str] | None = None) -> Iterator[MediaWiki]:
    """A wiki of our pages, and of ``others`` by title, that is ready to answer; it is stopped at the end."""
    host = f"127.0.0.1:{_free_port()}"
    settings = _set_up(folder, host)
    _fill(folder, settings, others or {})
    site = _site(folder)
    environment = os.environ | {"MW_CONFIG_FILE": str(settings), "MW_INSTALL_PATH": str(ROOT)}
    environment |= {"PHP_CLI_SERVER_WORKERS": "3"}
    with (folder / "server.log").open("wb") as log:
        command = ["php", "-d", "memory_limit=256M", "-S", host, "-t", str(site)]
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        try:
            _wait(host, process)
            yield MediaWiki(host, folder, process, len(others or ()))
        finally:
            _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the server and the workers that it forked, which are a process group of their own."""
    os.killpg(process.pid, 15)
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()


def _set_up(folder: Path, host: str) -> Path:
    """An empty wiki; returns its settings file."""
    data = folder / "data"
    data.mkdir(parents=True)
    options = ["--dbtype", "sqlite", "--dbname", "wiki", "--dbpath", str(data), "--confpath", str(folder)]
    options += ["--server", f"http://{host}", "--scriptpath", "", "--pass", "only-for-tests-1", "--lang", "en"]
    _php("install.php", *options, "Test wiki", "Admin", settings=folder / "none.php")
    settings = folder / "LocalSettings.php"
    lines = [
        f"require {json.dumps(str(HERE / 'Settings.php'))};",
        f"$wgUploadDirectory = {json.dumps(str(folder / 'site' / 'images'))};",
        f"$wgUploadPath = {json.dumps('/images')};",
        f"$wgCacheDirectory = {json.dumps(str(folder / 'cache'))};",
    ]
    settings.write_text("\n".join([settings.read_text(), *lines, ""]))
    return settings


def _fill(folder: Path, settings: Path, others: Mapping[str, str]) -> None:
    dump = folder / "others.xml"
    dump.write_text(_dump(others))
    for file in (HERE / "pages.xml", dump):
        _php("importDump.php", "--no-updates", str(file), settings=settings)
    files = folder / "files"
    files.mkdir()
    for name, words in _LICENCES.items():
        _draw(files / name)
        (files / name).with_suffix(".txt").write_text(words)
    (folder / "site" / "images").mkdir(parents=True)
    _php("importImages.php", "--comment-ext=txt", str(files), settings=settings)
    _php("rebuildtextindex.php", settings=settings)
    _php("initSiteStats.php", "--update", settings=settings)
    _php("refreshLinks.php", "-e", "60", settings=settings)  # page properties too; our pages come first


def _site(folder: Path) -> Path:
    """What is served: the wiki's own scripts, and its pictures."""
    site = folder / "site"
    for name in _SERVED:
        (site / name).symlink_to(ROOT / name)
    return site


def _dump(pages: Mapping[str, str]) -> str:
    written = [
        f"<page><title>{escape(title)}</title><ns>0</ns><id>{number}</id><revision><id>{number}</id>"
        f'<timestamp>2026-01-01T00:00:00Z</timestamp><text xml:space="preserve">{escape(text)}</text>'
        "</revision></page>"
        for number, (title, text) in enumerate(pages.items(), 1000)
    ]
    head = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">'
    return "\n".join([head, *written, "</mediawiki>"])


def _draw(file: Path) -> None:
    """A picture of 1200 x 800 pixels that no other file has."""
    picture = Image.new("RGB", (1200, 800), "white")
    draw = ImageDraw.Draw(picture)
    draw.ellipse((100, 100, 700, 700), fill="firebrick")
    draw.text((750, 400), file.stem, fill="black")
    picture.save(file)


def _php(script: str, *arguments: str, settings: Path) -> None:
    environment = os.environ | {"MW_CONFIG_FILE": str(settings), "MW_INSTALL_PATH": str(ROOT)}
    command = ["php", str(ROOT / "maintenance" / script), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{script}: {done.stdout[-2000:]}{done.stderr[-2000:]}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(host: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        assert process.poll() is None, "the wiki's server ended"
        try:
            address = f"http://{host}/api.php?action=query&meta=siteinfo&format=json&ready=1"
            with urllib.request.urlopen(address, timeout=30) as answer:
                assert json.load(answer)["query"]["general"]
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the wiki did not answer")


def our_titles() -> frozenset[str]:
    """The pages of our own."""
    return frozenset(re.findall("<title>(.*?)</title>", (HERE / "pages.xml").read_text(encoding="utf-8")))


def our_redirects() -> dict[str, str]:
    """Those of them that only lead to another."""
    found = re.findall(
        '<title>([^<]*)</title>[^/]*?/ns><id>\\d+</id><redirect title="(.*?)"',
        (HERE / "pages.xml").read_text(encoding="utf-8"),
    )
    return dict(found)


def searches() -> list[tuple[list[str], str]]:
    """Keywords to search for, and the title of the page that they mean."""
    lines = (HERE / "searches.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(" | ") for line in lines if not line.startswith("#"))
    return [([text.strip() for text in texts.split(",")], title) for texts, title in pairs]


@pytest.fixture(scope="session")
def mediawiki(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MediaWiki]:
    """The wiki for all tests: our pages among others."""
    installed()
    others = fillers(frozenset(title for _, title in searches()), our_titles())
    with running(tmp_path_factory.mktemp("mediawiki") / "wiki", others) as wiki:
        yield wiki


if __name__ == "__main__":
    with running(Path(sys.argv[1])) as started:
        print(started.api, flush=True)  # noqa: T201
        started.process.wait()
