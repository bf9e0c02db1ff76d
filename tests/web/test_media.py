"""Pictures and videos by hash: ranges, headers, thumbnails, nothing active, no way out of the folder."""

from __future__ import annotations

import io
import json
from http.client import HTTPConnection

import pytest
from PIL import Image

from showtell.library import Library
from tests.web.server import Running, serving

SCRIPT = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><script>alert(1)</script><rect width="9"/></svg>'
)


def assets(running: Running, library: Library, ending: str) -> str:
    return next(path.name for path in sorted(library.store.assets.iterdir()) if path.suffix == ending)


def test_a_video_is_sent_in_ranges_and_kept_for_good(served: Running, handbook: Library):
    name = assets(served, handbook, ".webm")
    content = (handbook.store.assets / name).read_bytes()
    whole = served.client.get(f"/media/{name}")
    assert whole.content == content
    assert whole.headers["content-type"] == "video/webm"
    assert whole.headers["accept-ranges"] == "bytes"
    assert whole.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert whole.headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    for wanted, expected in (("0-0", content[:1]), ("100-299", content[100:300]), ("-50", content[-50:])):
        part = served.client.get(f"/media/{name}", headers={"Range": f"bytes={wanted}"})
        assert part.status_code == 206
        assert part.content == expected
    beyond = served.client.get(f"/media/{name}", headers={"Range": f"bytes={len(content) + 1}-"})
    assert beyond.status_code == 416
    for odd in ("bytes=", "bytes=9-1", "lines=1-2", "bytes=" + ",".join(["0-0"] * 500)):
        assert served.client.get(f"/media/{name}", headers={"Range": odd}).status_code < 500
    assert served.client.get(f"/media/{name}/thumbnail").status_code == 404


def test_a_picture_has_a_thumbnail(served: Running, handbook: Library):
    name = assets(served, handbook, ".png")
    small = served.client.get(f"/media/{name}/thumbnail")
    assert small.headers["content-type"] == "image/webp"
    assert "immutable" in small.headers["cache-control"]
    assert max(Image.open(io.BytesIO(small.content)).size) <= 320


@pytest.mark.parametrize(
    "path",
    [
        "..%2flibrary.sqlite", "%2e%2e/library.sqlite", "..", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "library.sqlite",
        "%2fetc%2fpasswd", "....//library.sqlite", "0" * 64, f"{'0' * 64}.png", f"{'0' * 64}.png%00", "x\\..\\y",
        f"{'A' * 64}.png", f"{'0' * 64}.png%0a", "uploads", ".",
    ],
)  # fmt: skip
def test_nothing_but_assets_is_found(served: Running, path):
    places = "/media/{}", "/media/{}/thumbnail", "/static/{}", "/static/../{}", "/api/v1/pictures/{}", "/a/../media/{}"
    for place in places:
        connection = HTTPConnection("127.0.0.1", served.port, timeout=10)  # which sends a path as it is
        connection.request("GET", place.format(path))
        response = connection.getresponse()
        assert response.status == 404, place
        assert json.loads(response.read())["error"]["message"]
        connection.close()


def test_a_drawing_is_harmless_even_if_it_was_put_into_the_library_by_others(library: Library):
    name = f"{'1' * 64}.svg"
    library.store.assets.mkdir(exist_ok=True)
    (library.store.assets / name).write_bytes(SCRIPT)
    (library.store.assets / f"{'2' * 64}.html").write_bytes(b"<script>alert(1)</script>")
    with serving(library) as running:
        for path in (f"/media/{name}", f"/media/{name}/thumbnail"):
            shown = running.client.get(path)
            assert shown.headers["content-type"] == "image/svg+xml"
            assert b"script" not in shown.content
            assert "sandbox" in shown.headers["content-security-policy"]
        page = running.client.get(f"/media/{'2' * 64}.html")
        assert page.headers["content-type"] == "application/octet-stream"
        assert page.headers["content-disposition"].startswith("attachment")


def test_a_picture_is_sent_shown_and_asked_with(served: Running, handbook: Library):
    name = assets(served, handbook, ".png")
    content = (handbook.store.assets / name).read_bytes()
    sent = served.client.post("/api/v1/pictures", files={"file": ("photo.png", content, "image/png")})
    assert sent.status_code == 200, sent.text
    told = sent.json()
    assert told["width"] > 0
    assert served.client.get(f"/api/v1/pictures/{told['sha256']}").headers["content-type"] == "image/png"
    answer = served.ask("What does this show?", images=[told["sha256"]]).json()["answer"]
    assert answer["question"]["images"] == [told["sha256"]]
    assert answer["status"] == "answered"


def test_what_is_no_picture_is_refused(served: Running):
    for content in (b"", b"hello", b"<html>", SCRIPT, b"\x89PNG\r\n\x1a\n broken"):
        response = served.client.post("/api/v1/pictures", files={"file": ("x.png", content)})
        assert response.status_code == 422
        assert response.json()["error"]["code"] == "picture_unusable"


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/x.png", "http://169.254.169.254/latest/meta-data", "http://[::1]/", "http://localhost:1/"],
)
def test_a_picture_is_never_fetched_from_inside(served: Running, url):
    response = served.client.post("/api/v1/pictures", json={"url": url})
    assert (response.status_code, response.json()["error"]["code"]) == (422, "fetch_failed")


def test_only_the_web_is_fetched(served: Running):
    for url in ("file:///etc/passwd", "/etc/passwd", "ftp://example.org/x.png", ""):
        for path in ("/api/v1/pictures", "/api/v1/documents"):
            assert served.client.post(path, json={"url": url}).status_code == 422
