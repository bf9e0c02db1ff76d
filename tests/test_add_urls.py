"""Pages and sitemaps as sources: what is stored of them, what is left out and told, and what refresh makes of them."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest
from PIL import Image as Pillow

from showtell.cli import main
from showtell.ingest.sitemap import is_sitemap, read_sitemap
from showtell.library import Added, Library
from showtell.types import Image, Video

LAMP = """<!doctype html><html lang="en"><head><title>Lamp</title></head><body><main><h1 id="lamp">Lamp</h1>
<p>The lamp shines when the switch on its foot is turned to the right until it clicks.</p>
<h2 id="bulb">Change the bulb</h2><p>Pull the plug, let the bulb cool down and turn it to the left to take it out.</p>
{media}</main></body></html>"""
TRACK = "WEBVTT\n\n00:00.000 --> 00:04.000\nFirst unscrew the brass collar.\n"


def page(title: str, media: str = "") -> str:
    return LAMP.format(media=media).replace("Lamp", title).replace("The lamp", f"The {title.lower()}")


def picture(width: int = 200, height: int = 100, colour: str = "red") -> bytes:
    out = io.BytesIO()
    Pillow.new("RGB", (width, height), colour).save(out, "PNG")
    return out.getvalue()


def sitemap(*pages: str, element: str = "url") -> str:
    entries = "".join(f"<{element}><loc> {address} </loc></{element}>" for address in pages)
    root = {"url": "urlset", "sitemap": "sitemapindex"}[element]
    return f'<?xml version="1.0"?><!-- made --><{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</{root}>'


@pytest.fixture
def library(tmp_path, site):
    with opened(tmp_path, site) as library:
        yield library


def opened(tmp_path: Path, site, **settings) -> Library:
    words_alone = {"encoder": str(tmp_path / "no-encoder"), "allow_hosts": (site.host,), "fetch_timeout": 5}
    return Library.open(tmp_path / "library", **(words_alone | settings))


def add(library: Library, *sources: str) -> list[Added]:
    return list(library.add(*sources))


def told(results: list[Added]) -> list[tuple[str, str]]:
    return [(result.status, result.name.rpartition("/")[2]) for result in results]


def media_of(library: Library, kind: type) -> list:
    rows = library.store.section_media(list(range(1, 50)))
    return [media.block for media in rows.values() if isinstance(media.block, kind)]


# -------------------------------------------------------------------------------------------------------------- a page
def test_a_page_is_known_by_its_final_address_and_cited_with_a_deep_link(site, library):
    site.redirect("/lamp", "/docs/lamp.html")
    site.put("/docs/lamp.html", page("Lamp"), Content_Type="text/html")
    (added,) = add(library, site.url("/lamp#bulb"))
    assert (added.status, added.name, added.passages) == ("added", site.url("/docs/lamp.html"), 2)
    hit = library.search("change the bulb")[0]
    assert hit.passage.url == site.url("/docs/lamp.html#bulb")
    assert [document.name for document in library.documents()] == [site.url("/docs/lamp.html")]


def test_pictures_of_a_page_become_assets_and_videos_stay_links(site, library):
    media = (
        '<img src="big.png" alt="The bulb"><img src="/docs/big.png" alt="Again"><img src="tiny.png" alt="dot">'
        '<img src="gone.png"><img src="page.png"><img src="http://10.0.0.1/inner.png">'
        '<video src="film.mp4" title="Film"><track src="film.vtt"></video>'
    )
    site.put("/docs/lamp", page("Lamp", media), Content_Type="text/html")
    site.put("/docs/big.png", picture())
    site.put("/docs/tiny.png", picture(8, 8))
    site.put("/docs/page.png", "<html>login</html>")
    site.put("/docs/film.vtt", TRACK)
    (added,) = add(library, site.url("/docs/lamp"))
    first, second = media_of(library, Image)
    assert (first.source, first.width, first.height) == (site.url("/docs/big.png"), 200, 100)
    assert first.asset == second.asset
    assert library.asset(first.asset).read_bytes() == picture()
    reasons = {dropped.source.rpartition("/")[2]: dropped.reason for dropped in added.dropped}
    assert reasons.keys() == {"tiny.png", "gone.png", "page.png", "inner.png"}
    assert reasons["tiny.png"].startswith("smaller than 32 px")
    assert reasons["gone.png"].startswith("the server answered 404")
    assert reasons["page.png"].startswith("not a picture")
    assert reasons["inner.png"].startswith("10.0.0.1 is a private address")
    (film,) = media_of(library, Video)
    assert (film.source, film.asset) == (site.url("/docs/film.mp4"), None)
    assert [hit.passage.start for hit in library.search("brass collar")] == [0.0]
    assert site.paths.count("/docs/big.png") == 1
    assert "/docs/film.mp4" not in site.paths


def test_a_host_that_never_answers_is_asked_three_times_only(site, library):
    site.put("/lamp", page("Lamp", "".join(f'<img src="{n}.png">' for n in range(9))), Content_Type="text/html")
    for number in range(9):
        site.answers[f"/{number}.png"] = lambda request: request.wfile.write(b"nonsense\r\n\r\n")
    (added,) = add(library, site.url("/lamp"))
    assert added.status == "added"
    assert len(added.dropped) == 9
    assert len(site.paths) == 4


@pytest.mark.parametrize(
    ("status", "content_type", "body", "reason"),
    [
        (404, "text/html", "none", "the server answered 404"),
        (200, "text/html", " ", "the page is empty"),
        (200, "application/pdf", "%PDF-1.7", "PDF is not supported yet"),
    ],
)
def test_a_page_that_cannot_be_read_is_told_and_the_rest_goes_on(site, library, status, content_type, body, reason):
    site.put("/bad", body, status, Content_Type=content_type)
    site.put("/lamp", page("Lamp"), Content_Type="text/html")
    bad, good = add(library, site.url("/bad"), site.url("/lamp"))
    assert (bad.status, good.status) == ("failed", "added")
    assert bad.error.startswith(f"{site.url('/bad')}: {reason}")


def test_private_hosts_are_refused_unless_a_setting_names_them(tmp_path, site):
    with opened(tmp_path, site, allow_hosts=()) as library:
        (refused,) = add(library, site.url("/lamp"))
    assert refused.status == "failed"
    assert f"name {site.host} in the setting allow_hosts" in refused.error
    assert site.asked == []


def test_a_password_in_an_address_is_not_shown_again(library):
    (refused,) = add(library, "https://user:secret@example.com/")
    assert refused.status == "failed"
    assert "secret" not in f"{refused.error} {refused.name} {refused.source}"


# ----------------------------------------------------------------------------------------------------------- a sitemap
def lay_out(site, *names: str) -> None:
    for name in names:
        site.put(f"/{name}", page(name.title()), Content_Type="text/html")


def test_a_sitemap_adds_its_pages_and_each_failing_one_is_one_warning(site, library):
    lay_out(site, "lamp", "chair", "old")
    site.redirect("/seat", "/chair")
    pages = ["lamp", "chair", "missing", "seat", "lamp#bulb"]
    site.put("/sitemap.xml", sitemap(*(site.url(f"/{name}") for name in pages)), Content_Type="application/xml")
    results = add(library, site.url("/sitemap.xml"))
    assert told(results) == [("added", "lamp"), ("added", "chair"), ("failed", "missing")]
    assert [document.root for document in library.documents()] == [site.url("/sitemap.xml")] * 2


def test_an_index_of_compressed_sitemaps_is_followed(site, library):
    lay_out(site, "lamp", "chair")
    site.put(
        "/index.xml", sitemap(site.url("/a.xml.gz"), site.url("/b.xml"), site.url("/index.xml"), element="sitemap")
    )
    site.put("/a.xml.gz", gzip.compress(sitemap(site.url("/lamp")).encode()), Content_Type="application/gzip")
    site.put("/b.xml", sitemap(site.url("/chair")))
    assert told(add(library, site.url("/index.xml"))) == [("added", "lamp"), ("added", "chair")]


def test_pages_of_other_hosts_and_those_closed_to_programs_are_skipped_and_told(site, library):
    lay_out(site, "lamp", "secret")
    site.put("/robots.txt", "User-agent: showtell\nDisallow: /secret\n\nUser-agent: *\nDisallow: /\n")
    site.redirect("/away", "http://127.0.0.1:1/")
    addresses = [site.url("/lamp"), site.url("/secret"), "http://other.example/", "http://[", "file:///etc/passwd"]
    site.put("/sitemap.xml", sitemap(*addresses))
    hosts, robots, lamp = add(library, site.url("/sitemap.xml"))
    assert (hosts.status, robots.status, lamp.status) == ("skipped", "skipped", "added")
    assert "1 of the pages lie on other hosts" in hosts.error
    assert "1 of the pages are not for programs, by the site's robots.txt" in robots.error
    assert "/secret" not in site.paths


def test_nothing_is_crawled_while_robots_txt_cannot_be_had(site, library):
    lay_out(site, "lamp")
    site.put("/sitemap.xml", sitemap(site.url("/lamp")))
    site.put("/robots.txt", "busy", 503)
    (failed,) = add(library, site.url("/sitemap.xml"))
    assert (failed.status, "/lamp" in site.paths) == ("failed", False)
    assert "robots.txt: the server answered 503" in failed.error


def test_no_more_pages_than_the_setting_says_are_taken(tmp_path, site):
    lay_out(site, "one", "two", "three")
    site.put("/sitemap.xml", sitemap(*(site.url(f"/{name}") for name in ("one", "two", "three"))))
    with opened(tmp_path, site, max_pages=2) as library:
        skipped, *added = add(library, site.url("/sitemap.xml"))
    assert told(added) == [("added", "one"), ("added", "two")]
    assert "1 of the pages are beyond max_pages" in skipped.error


@pytest.mark.parametrize(
    "body", ["<urlset><url><loc>", '<!DOCTYPE x [<!ENTITY a "b">]><urlset>&a;</urlset>', "<urlset/>"]
)
def test_a_sitemap_that_gives_nothing_is_told(site, library, body):
    site.put("/sitemap.xml", body, Content_Type="application/xml")
    (failed,) = add(library, site.url("/sitemap.xml"))
    assert failed.status == "failed"
    assert failed.error.startswith(f"{site.url('/sitemap.xml')}: ")


def test_only_the_addresses_of_pages_are_taken():
    image = "<image:image xmlns:image='urn:image'><image:loc>http://x/a.png</image:loc></image:image>"
    written = f"<urlset xmlns='urn:s'><url>{image}<loc><![CDATA[http://x/?a=1&b=2]]></loc></url></urlset>".encode()
    assert is_sitemap(written)
    assert read_sitemap(written).pages == ["http://x/?a=1&b=2"]
    assert not is_sitemap(b"<html><body><urlset></urlset></body></html>")


# ------------------------------------------------------------------------------------------------------------- refresh
def test_refresh_replaces_what_changed_and_fetches_no_picture_of_what_did_not(site, library):
    site.put("/lamp", page("Lamp", '<img src="big.png"><!-- token 1 -->'), Content_Type="text/html")
    site.put("/big.png", picture())
    add(library, site.url("/lamp"))
    site.put("/lamp", page("Lamp", '<img src="big.png"><!-- token 2 -->'), Content_Type="text/html")
    assert told(list(library.refresh())) == [("unchanged", "lamp")]
    assert told(add(library, site.url("/lamp"))) == [("unchanged", "lamp")]
    assert site.paths.count("/big.png") == 1
    site.put("/lamp", page("Lamp", "<p>Never look into it.</p>"), Content_Type="text/html")
    assert told(list(library.refresh())) == [("replaced", "lamp")]
    assert list(library.store.assets.iterdir()) == []


def test_refresh_follows_the_sitemap(site, library):
    lay_out(site, "one", "two", "three", "four")
    site.put("/sitemap.xml", sitemap(*(site.url(f"/{name}") for name in ("one", "two", "three"))))
    add(library, site.url("/sitemap.xml"))
    site.put("/two", "gone", 410)
    site.put("/sitemap.xml", sitemap(*(site.url(f"/{name}") for name in ("one", "two", "four"))))
    results = told(list(library.refresh()))
    assert sorted(results) == [("added", "four"), ("removed", "three"), ("removed", "two"), ("unchanged", "one")]


@pytest.mark.parametrize("status", [404, 500])
def test_refresh_keeps_pages_while_their_site_fails(site, library, status):
    lay_out(site, "one", "two", "alone")
    site.put("/sitemap.xml", sitemap(site.url("/one"), site.url("/two")))
    add(library, site.url("/sitemap.xml"))
    site.put("/one", "down", 500)
    site.put("/sitemap.xml", sitemap(site.url("/one")))
    assert told(list(library.refresh())) == [("failed", "one")]
    site.put("/sitemap.xml", "down", status)
    assert told(list(library.refresh())) == [("failed", "sitemap.xml")]
    assert len(library.documents()) == 2


def test_refresh_removes_a_page_that_is_gone(site, library):
    lay_out(site, "one")
    add(library, site.url("/one"))
    site.put("/one", "gone", 404)
    assert told(list(library.refresh())) == [("removed", "one")]
    assert library.documents() == []


# ------------------------------------------------------------------------------------------- media of local documents
def test_remote_pictures_of_local_documents_stay_links_unless_asked_for(tmp_path, site):
    site.put("/big.png", picture())
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "lamp.md").write_text(f"# Lamp\n\nTurn it on.\n\n![Bulb]({site.url('/big.png')})\n")
    with opened(tmp_path, site) as library:
        assert told(add(library, str(folder))) == [("added", "lamp.md")]
        assert [image.asset for image in media_of(library, Image)] == [None]
        assert site.asked == []
    with opened(tmp_path, site, fetch_media=True) as library:
        assert told(add(library, str(folder))) == [("replaced", "lamp.md")]
        assert [image.width for image in media_of(library, Image)] == [200]
        assert told(add(library, str(folder))) == [("unchanged", "lamp.md")]
    with opened(tmp_path, site) as library:
        assert told(list(library.refresh())) == [("unchanged", "lamp.md")]
        assert [image.width for image in media_of(library, Image)] == [200]


# ----------------------------------------------------------------------------------------------------- the command line
def test_the_command_line_adds_addresses(tmp_path, site, monkeypatch, capsys):
    monkeypatch.setenv("SHOWTELL_ALLOW_HOSTS", f"wiki.local, {site.host}")
    lay_out(site, "lamp")
    site.put("/sitemap.xml", sitemap(site.url("/lamp"), "http://other.example/"))
    common = ["--library", str(tmp_path / "library"), "--encoder", str(tmp_path / "no-encoder")]
    assert main(["add", "--json", site.url("/sitemap.xml"), *common]) == 0
    out, err = capsys.readouterr()
    assert [result["status"] for result in json.loads(out)] == ["skipped", "added"]
    assert f"warning: {site.url('/sitemap.xml')}: 1 of the pages lie on other hosts" in err
    assert main(["refresh", "--fetch-media", *common]) == 0
    assert "1 unchanged, 1 skipped" in capsys.readouterr().out
    assert main(["add", site.url("/nothing"), *common]) == 1
    assert "404" in capsys.readouterr().err
