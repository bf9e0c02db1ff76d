"""Documents over HTTP: listed, uploaded under safe names, fetched, removed, read section by section."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from showtell.library import Library
from showtell.web.failures import Failure
from showtell.web.uploads import safe_name
from tests.conftest import Site
from tests.web.server import Running, serving

DOCUMENTS = "/api/v1/documents"
TOASTER = "# Toaster\n\n## Crumbs\n\nEmpty the crumb tray of the toaster every 14 days.\n"


def upload(running: Running, *files: tuple[str, str | bytes]):
    return running.client.post(DOCUMENTS, files=[("file", file) for file in files])


def test_an_uploaded_document_is_listed_asked_about_replaced_and_removed(own: Running, library: Library):
    added = upload(own, ("toaster.md", TOASTER))
    assert added.status_code == 200, added.text
    (result,) = added.json()["results"]
    assert (result["name"], result["source"], result["status"]) == ("toaster.md", "toaster.md", "added")
    listed = own.client.get(DOCUMENTS).json()["documents"]
    assert [each["name"] for each in listed] == ["kettle.md", "toaster.md"]
    assert {"title", "language", "passages"} <= set(listed[0])
    assert "source" not in listed[0]
    asked = "How often is the crumb tray emptied?"
    assert "14 days" in own.ask(asked).json()["answer"]["parts"][0]["text"]
    again = upload(own, ("toaster.md", TOASTER.replace("14", "21"))).json()["results"]
    assert [each["status"] for each in again] == ["replaced"]
    assert "21 days" in own.ask(asked).json()["answer"]["parts"][0]["text"]
    assert own.client.delete(f"{DOCUMENTS}/toaster.md").status_code == 204
    assert own.client.delete(f"{DOCUMENTS}/toaster.md").status_code == 404
    assert not list((library.store.folder / "uploads").iterdir())
    assert own.ask(asked).json()["answer"]["status"] == "no_answer"


def test_a_page_is_uploaded_with_its_pictures(own: Running, handbook: Library):
    picture = next(path for path in handbook.store.assets.iterdir() if path.suffix == ".png").read_bytes()
    page = "# Toaster\n\n![The tray](tray.png)\n\nPull out the tray of the toaster.\n"
    results = upload(own, ("tray.png", picture), ("toaster.md", page)).json()["results"]
    states = {each["name"]: each["status"] for each in results}
    assert states == {"toaster.md": "added", "tray.png": "skipped"}
    parts = own.ask("How do I pull out the tray of the toaster?").json()["answer"]["parts"]
    (media,) = [part["media"] for part in parts if part["type"] == "image"]
    assert own.client.get(f"/media/{media['asset']}").content == picture


def test_what_cannot_be_read_is_told_and_not_kept(own: Running, library: Library):
    upload(own, ("toaster.md", TOASTER))
    results = upload(own, ("old.doc", b"\xd0\xcf\x11\xe0 rest"), ("toaster.md", b"\x00\x01" * 50)).json()["results"]
    assert {each["status"] for each in results} <= {"failed", "skipped"}
    assert all(each["error"] and str(library.store.folder) not in str(each) for each in results)
    kept = [path.name for path in (library.store.folder / "uploads").iterdir()]
    assert kept == ["toaster.md"]
    assert (library.store.folder / "uploads" / "toaster.md").read_text() == TOASTER


def test_an_upload_does_not_take_the_place_of_another_folders_document(own: Running):
    (result,) = upload(own, ("kettle.md", TOASTER)).json()["results"]
    assert (result["name"], result["status"]) == ("kettle (2).md", "added")


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("manual.md", "manual.md"),
        ("../../etc/passwd.md", "passwd.md"),
        ("C:\\Users\\me\\a b.md", "a b.md"),
        (".hidden.md", "hidden.md"),
        ("a\x00b\n.md", "a b.md"),
        ("Überblick 概要.md", "Überblick 概要.md"),
        ("x" * 300 + ".md", "x" * 97 + ".md"),
        ("\u202egpj.md", "gpj.md"),
        ('q"<>|?*.md', "q.md"),
    ],
)
def test_file_names_are_made_safe(name, safe):
    assert safe_name(name) == safe


@pytest.mark.parametrize("name", ["", None, "..", "/", ".md", "...", "a/"])
def test_a_file_without_a_name_is_refused(name):
    if name == "a/":
        assert safe_name(name) == "a"
        return
    if name == ".md":
        assert safe_name(name) == "md"
        return
    with pytest.raises(Failure):
        safe_name(name)


def test_a_page_of_the_web_is_added_by_its_address(library: Library, site: Site):
    site.put("/toaster.html", f"<html><body><main><h1>Toaster</h1><p>{TOASTER}</p></main></body></html>")
    opened = Library.open(library.store.folder, allow_hosts=(site.host,), requests_per_minute=0)
    with opened, serving(opened) as running:
        (result,) = running.client.post(DOCUMENTS, json={"url": site.url("/toaster.html")}).json()["results"]
        assert (result["status"], result["name"]) == ("added", site.url("/toaster.html"))
        name = result["name"].replace("/", "%2F").replace(":", "%3A")
        assert running.client.delete(f"{DOCUMENTS}/{name}").status_code == 204


def test_a_section_is_read_in_order_with_its_passages(own: Running):
    asked = {"document": "kettle.md", "section": ["Kettle", "Descaling"]}
    section = own.client.get("/api/v1/passages", params=asked).json()
    assert [block["type"] for block in section["blocks"]] == ["text", "text", "text", "table"]
    assert section["blocks"][0]["kind"] == "step"
    (passage,) = section["passages"]
    cited = own.ask("How long do I wait when descaling the kettle?").json()["answer"]["citations"][0]
    assert cited["section"] == asked["section"]
    assert passage["text"] == cited["text"]
    assert (passage["first"], passage["last"]) == (0, 4)
    assert own.client.get("/api/v1/passages", params=asked | {"section": ["No"]}).status_code == 404
    assert own.client.get("/api/v1/passages").status_code == 422


def test_readers_go_on_while_documents_are_written(own: Running):
    failed: list[str] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            for question in ("How long is the warranty?", "How often is the crumb tray emptied?"):
                response = own.ask(question)
                if response.status_code != 200:
                    failed.append(response.text)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    try:
        for turn in range(12):
            results = upload(own, *((f"toaster{n}.md", f"{TOASTER}\n{turn} {n}") for n in range(3))).json()["results"]
            assert {each["status"] for each in results} <= {"added", "replaced"}
            assert own.client.delete(f"{DOCUMENTS}/toaster0.md").status_code == 204
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert not failed


def test_a_library_that_another_process_writes_is_read_and_can_be_written_later(own: Running, library: Library):
    with library.store.writing():
        assert own.ask("How long is the warranty?").json()["answer"]["status"] == "answered"
        assert own.client.get("/ready").status_code == 200


def test_a_library_that_is_damaged_is_told_without_its_path(tmp_path: Path):
    with Library.open(tmp_path / "library") as library, serving(library) as running:
        with closing(sqlite3.connect(tmp_path / "library" / "library.sqlite")) as damaging:
            damaging.execute("DROP TABLE passages")
        response = running.client.get("/ready")
        assert response.status_code == 503
        assert response.json()["error"]["code"] == "library_failed"
        assert str(tmp_path) not in response.text
        assert running.client.get("/health").status_code == 200
