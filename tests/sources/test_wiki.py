"""How a wiki is asked: politely, within a budget, with a clear error whatever it answers."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from showtell.errors import SettingsError, WikiError
from showtell.ingest.fetch import Fetcher
from showtell.sources.base import FoundPage
from showtell.sources.cache import Cache
from showtell.sources.wiki import Wiki, wikipedia_api
from showtell.sources.wikipedia import Wikipedia
from tests.sources.scripted import SITE, Says, ScriptedWiki, fault, parsed, titles

CONTACT = "me@example.org"
LOOP = Says("", 302, {"Location": "/w/api.php"})


def wiki(scripted: ScriptedWiki, cache: Cache | None = None, timeout: float = 5) -> Wiki:
    return Wiki(Fetcher([scripted.host], timeout=timeout), api=scripted.api, contact=CONTACT, cache=cache)


def pages(*names: str) -> list[FoundPage]:
    return [FoundPage(name, f"https://example.org/wiki/{name}") for name in names]


# ------------------------------------------------------------------------------------------------------------ settings
@pytest.mark.parametrize("contact", ["", "me", "@", "me@example.org\r\nX-Evil: 1", "mé@example.org", "a@b" + "c" * 200])
def test_a_wiki_is_not_asked_without_a_contact(contact):
    with pytest.raises(SettingsError, match=r"is no contact\. Wikipedia blocks programs"):
        Wiki(Fetcher(), api=wikipedia_api(), contact=contact)


@pytest.mark.parametrize("api", ["file:///w/api.php", "https://example.org/", "example.org/w/api.php", ""])
def test_an_address_that_is_no_api_is_refused(api):
    with pytest.raises(SettingsError, match=r"give the address of its api\.php"):
        Wiki(Fetcher(), api=api, contact=CONTACT)


def test_wikipedia_has_an_address_in_each_language():
    assert wikipedia_api("zh-yue") == "https://zh-yue.wikipedia.org/w/api.php"
    for language in ("", "EN", "en.evil.example", "en/../x", "e"):
        with pytest.raises(SettingsError, match="language"):
            wikipedia_api(language)


def test_pictures_have_widths_that_wikimedia_serves(scripted):
    with pytest.raises(SettingsError, match="20, 40, 60"):
        Wikipedia(wiki(scripted), picture_width=800)


# ---------------------------------------------------------------------------------------------------------- politeness
def test_requests_name_the_contact_and_ask_to_be_refused_when_the_wiki_is_busy(scripted):
    list(Wikipedia(wiki(scripted)).documents(pages("Tomato")))
    for parameters, agent in scripted.asked:
        assert agent.startswith("showtell")
        assert CONTACT in agent
        assert parameters["maxlag"] == "5"


def test_at_most_three_requests_are_in_hand_at_once(scripted):
    scripted.answers["parse"] = lambda asked: Says(parsed(asked["page"], "<p>Text.</p>"), after=0.1)
    shared = wiki(scripted)
    read = list(Wikipedia(shared).documents(pages(*"abcdefg")))
    assert [document.title for document in read] == list("abcdefg")
    assert scripted.most == 3


@pytest.mark.parametrize(
    "busy",
    [
        Says("slow down", 429, {"Retry-After": "1"}),
        Says("later", 503, {"Retry-After": "1"}),
        Says(fault("maxlag", "Waiting for a database: 6 seconds lagged."), headers={"Retry-After": "1"}),
        Says(fault("ratelimited"), headers={"Retry-After": "1"}),
    ],
    ids=["429", "503", "maxlag", "ratelimited"],
)
def test_a_busy_wiki_is_asked_again_when_it_says(scripted, busy):
    scripted.first = [busy]
    before = time.monotonic()
    asking = Wikipedia(wiki(scripted))
    assert [page.title for page in asking.search(["tomato"])] == ["Tomato"]
    assert 0.9 < time.monotonic() - before < 4
    assert asking.requests == len(scripted.asked), "the refused request counts"


def test_a_wiki_that_asks_for_too_long_a_wait_is_left_alone_until_then(scripted):
    scripted.first = [Says("", 429, {"Retry-After": "3600"})]
    shared = wiki(scripted)
    before = time.monotonic()
    for _ in range(2):
        with pytest.raises(WikiError, match=r"busy and asks to wait 3[56]\d\d s; ask again then"):
            Wikipedia(shared, seconds=5).search(["tomato"])
    assert len(scripted.asked) == 1
    assert time.monotonic() - before < 2


def test_a_wiki_that_stays_busy_is_given_up(scripted):
    scripted.first = [Says("", 503, {"Retry-After": "0"})] * 9
    with pytest.raises(WikiError, match=r"busy or out of order \(503\); try again later"):
        Wikipedia(wiki(scripted)).search(["tomato"])
    assert len(scripted.asked) == 3


# -------------------------------------------------------------------------------------------------------------- errors
@pytest.mark.parametrize(
    ("says", "told"),
    [
        (Says("<html><title>Login</title>", headers={"Content-Type": "text/html"}), "not JSON; check that the address"),
        (Says("", headers={"Content-Type": "application/json"}), "not JSON"),
        (Says('{"query": '), "not what the API promises"),
        (Says("{" + '"a":{' * 50_000), "not what the API promises"),
        (Says({"query": {"search": [{"title": 7}]}}), r"not what the API promises \(query\.search"),
        (Says({"query": {"search": "no"}}), "not what the API promises"),
        (Says("Please set a user-agent", 403), r"refuses this program \(403\); check the contact"),
        (Says("gone", 404), "404"),
        (Says(fault("readapidenied", "You need read permission")), "wants a login"),
        (Says(fault("search-error", "An error\noccurred")), "it refused: An error occurred"),
        (Says({"error": {}}), "it refused: unknown"),
        (LOOP, "redirects"),
        (Says("", 302, {"Location": "http://10.0.0.1/w/api.php"}), "10.0.0.1 is"),
        (Says("", 302, {"Location": "file:///etc/passwd"}), "only http"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_a_wiki_does_wrong_is_one_clear_line(scripted, says, told):
    scripted.first = [says] * 20
    with pytest.raises(WikiError, match=told) as error:
        Wikipedia(wiki(scripted)).search(["tomato"])
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(scripted.host)
    assert len(str(error.value)) < 400


def test_a_slow_wiki_is_given_up_in_time(scripted):
    scripted.first = [Says(after=5)] * 9
    before = time.monotonic()
    with pytest.raises(WikiError, match="no whole answer within"):
        Wikipedia(wiki(scripted, timeout=30), seconds=0.5).search(["tomato", "berry"])
    assert time.monotonic() - before < 3


def test_an_unreachable_wiki_is_told():
    unreachable = Wiki(Fetcher(["127.0.0.1:9"]), api="http://127.0.0.1:9/api.php", contact=CONTACT)
    with pytest.raises(WikiError, match=r"127\.0\.0\.1:9: the connection failed"):
        Wikipedia(unreachable).search(["tomato"])


def test_a_private_wiki_needs_its_setting(scripted):
    private = Wiki(Fetcher(), api=scripted.api, contact=CONTACT)
    with pytest.raises(WikiError, match="allow_hosts"):
        Wikipedia(private).search(["tomato"])
    assert not scripted.asked


def test_a_page_that_cannot_be_had_costs_only_itself(scripted):
    def parse(asked):
        return Says(fault("missingtitle", "No such page")) if asked["page"] == "Gone" else Says(parsed("Here", "<p>x"))

    scripted.answers["parse"] = parse
    asking = Wikipedia(wiki(scripted))
    assert [document.title for document in asking.documents(pages("Gone", "Here"))] == ["Here"]
    assert any("No such page" in warning for warning in asking.warnings)
    with pytest.raises(WikiError, match="No such page"):
        list(asking.documents(pages("Gone")))


def test_an_addition_to_the_replies_does_no_harm(scripted):
    scripted.answers["site"] = lambda asked: Says(SITE | {"batchcomplete": True, "warnings": {"main": {"x": 1}}})
    assert Wikipedia(wiki(scripted)).search(["tomato"])


# -------------------------------------------------------------------------------------------------- budget, cache, age
def test_a_question_costs_no_more_than_its_budget(scripted):
    shared = wiki(scripted)
    asking = Wikipedia(shared, requests=6)
    found = asking.search(["tomato"])
    read = list(asking.documents([*found, *pages("b", "c", "d")]))
    assert asking.requests == len(scripted.asked) == 5, "one is kept for pictures, of which there are none"
    assert len(read) == 2
    assert any("6 requests that one question may cost" in warning for warning in asking.warnings)
    with pytest.raises(WikiError, match="0 requests that one question may cost"):
        Wikipedia(shared, requests=0).search(["anything"])


def test_a_question_asked_again_sends_nothing(scripted, tmp_path):
    for _ in range(2):
        asking = Wikipedia(wiki(scripted, Cache(tmp_path)))
        assert list(asking.documents(asking.search(["tomato"])))
    assert asking.requests == 0
    assert sorted(scripted.kinds()) == ["parse", "search", "site", "titles"]


def test_errors_are_not_kept(scripted, tmp_path):
    scripted.first = [Says("<html>")]
    with pytest.raises(WikiError):
        Wikipedia(wiki(scripted, Cache(tmp_path))).search(["tomato"])
    assert Wikipedia(wiki(scripted, Cache(tmp_path))).search(["tomato"])


def test_a_kept_reply_that_no_longer_fits_is_asked_for_again(scripted, tmp_path):
    class Wrong(Cache):
        def get(self, url):
            return b'{"query": 1}'

    assert Wikipedia(wiki(scripted, Wrong(tmp_path))).search(["tomato"])


# ------------------------------------------------------------------------------------------------------ what is asked
def test_few_requests_carry_many_keywords(scripted):
    asking = Wikipedia(wiki(scripted))
    asking.search(["tomato plant", "height of tomato", "berry", "vine", "tomato plant"])
    searched = [asked["srsearch"] for asked, _ in scripted.asked if "srsearch" in asked]
    assert sorted(searched) == ["berry", "height of tomato", "tomato plant"]
    (looked_up,) = [asked["titles"].split("|") for asked, _ in scripted.asked if "titles" in asked]
    assert {"Tomato plant", "Tomato Plant", "Vine", "Tomato"} <= set(looked_up)
    assert len(looked_up) <= 50


def test_what_an_address_can_hold_is_not_exceeded(scripted):
    name = "山" * 200
    scripted.answers["search"] = lambda asked: Says(
        {"query": {"search": [{"title": f"{name}{number}"} for number in range(15)]}}
    )
    asking = Wikipedia(wiki(scripted))
    assert asking.search(["tomato"])
    assert not asking.warnings


def test_no_search_is_sent_for_nothing(scripted):
    asking = Wikipedia(wiki(scripted))
    assert asking.search([]) == asking.search(["", "  ?! "]) == []
    assert list(asking.documents([])) == []
    assert not scripted.asked


def test_a_search_without_hits_finds_nothing(scripted):
    scripted.answers["search"] = lambda asked: Says({"query": {"search": []}})
    scripted.answers["titles"] = lambda asked: Says(
        titles({"title": "Tomato", "missing": True}, {"title": "User:X", "ns": 2}, {"title": "<", "invalid": True})
    )
    assert Wikipedia(wiki(scripted)).search(["tomato"]) == []


def test_addresses_of_pages_are_those_of_the_wiki_itself(scripted):
    scripted.answers["titles"] = lambda asked: Says(
        titles({"ns": 0, "title": "Tomato?#/x", "fullurl": "https://evil.example/"})
    )
    (page,) = Wikipedia(wiki(scripted)).search(["tomato"])
    assert page.url == f"http://{scripted.host}/wiki/Tomato%3F%23/x"
    for path in ("//evil.example/$1", "https://evil.example/$1", "/\\evil.example/$1", "/wiki/"):
        scripted.answers["site"] = lambda asked, path=path: Says({"query": {"general": {"articlepath": path}}})
        with pytest.raises(WikiError, match=r"query\.general\.articlepath"):
            Wikipedia(wiki(scripted)).search(["tomato"])


# ------------------------------------------------------------------------------------------------------------ pictures
def test_pictures_come_from_where_the_wiki_keeps_them_and_at_a_width_it_serves(scripted):
    def image(name: str) -> str:
        return f'<p>x</p><img src="//upload.example.org/wiki/thumb/a/ab/{name}/220px-{name}" width="220" height="150">'

    def file(name: str, **info: object) -> dict[str, object]:
        told = {"LicenseShortName": {"value": "CC BY 4.0"}, "Artist": {"value": "<a href='x'>Ada &amp; Bo</a>"}}
        usual = {"url": f"https://upload.example.org/wiki/a/ab/{name}", "extmetadata": told}
        return {"title": f"Datei:{name.replace('_', ' ')}", "imageinfo": [usual | info]}

    thumb = {"thumburl": "https://upload.example.org/wiki/t/960px-Red_one.jpg", "thumbwidth": 960, "thumbheight": 640}
    names = ("Red_one.jpg", "Elsewhere.jpg", "Owned.jpg", "Untold.jpg", "Missing.jpg", "Flag.svg")
    text = "".join(map(image, names[:5])) + image("Flag.svg").replace('"220"', '"20"').replace('"150"', '"12"')
    scripted.answers["parse"] = lambda asked: Says(parsed("Tomato", text, images=list(names)))
    found = [
        file("Red_one.jpg", **thumb),
        file("Elsewhere.jpg", url="http://169.254.169.254/latest"),
        file("Owned.jpg", extmetadata={"LicenseShortName": {"value": "Fair use"}}),
        file("Untold.jpg", extmetadata=[]),
        {"title": "Datei:Missing.jpg", "missing": True},
    ]
    scripted.answers["files"] = lambda asked: Says({"query": {"pages": found}})
    (document,) = Wikipedia(wiki(scripted)).documents(pages("Tomato"))
    (shown,) = [block for section in document.sections for block in section.blocks if block.type == "image"]
    assert (shown.source, shown.width, shown.height) == (thumb["thumburl"], 960, 640)
    assert (shown.credit, shown.licence) == ("Ada & Bo", "CC BY 4.0")
    reasons = {each.source: each.reason for each in document.dropped}
    assert "leads away" in reasons["Elsewhere.jpg"]
    assert "not free (Fair use)" in reasons["Owned.jpg"]
    assert "tells no licence" in reasons["Untold.jpg"]
    assert "not known" in reasons["Missing.jpg"]
    (asked,) = [asked for asked, _ in scripted.asked if asked.get("prop") == "imageinfo"]
    assert asked["iiurlwidth"] == "960"
    assert "Flag" not in asked["titles"], "icons are not asked about"


def test_a_wiki_that_tells_no_licences_shows_its_pictures_as_such(scripted):
    site = {"query": SITE["query"] | {"extensions": []}}
    scripted.answers["site"] = lambda asked: Says(site)
    image = '<img src="/images/a/ab/Lamp.png" width="300" height="200">'
    scripted.answers["parse"] = lambda asked: Says(parsed("Lamp", f"<p>A lamp.</p>{image}", images=["Lamp.png"]))
    info = {"url": "/images/a/ab/Lamp.png", "width": 300, "height": 200, "extmetadata": []}
    scripted.answers["files"] = lambda asked: Says(
        {"query": {"pages": [{"title": "File:Lamp.png", "imageinfo": [info]}]}}
    )
    (document,) = Wikipedia(wiki(scripted)).documents(pages("Lamp"))
    shown = document.sections[0].blocks[1]
    assert shown.source == f"http://{scripted.host}/images/a/ab/Lamp.png"
    assert shown.licence == "licence not told by the wiki"


def test_pages_are_read_although_their_pictures_cannot_be_asked_for(scripted):
    image = '<p>A lamp.</p><img src="/images/a/ab/Lamp.png" width="300" height="200">'
    scripted.answers["parse"] = lambda asked: Says(parsed("Lamp", image, images=["Lamp.png"]))
    scripted.answers["files"] = lambda asked: Says("<html>")
    asking = Wikipedia(wiki(scripted))
    (document,) = asking.documents(pages("Lamp"))
    assert [block.type for block in document.sections[0].blocks] == ["text"]
    assert any("pictures" in warning for warning in asking.warnings)


# --------------------------------------------------------------------------------------------------------------- cache
def test_a_cache_keeps_answers_by_address_for_a_while(tmp_path):
    cache = Cache(tmp_path / "new" / "folder", max_age=0.2)
    assert cache.get("https://a.example/") is None
    cache.put("https://a.example/", b"one\ntwo")
    assert cache.get("https://a.example/") == b"one\ntwo"
    assert cache.get("https://b.example/") is None
    time.sleep(0.3)
    assert cache.get("https://a.example/") is None


def test_a_cache_ignores_what_is_broken(tmp_path):
    cache = Cache(tmp_path)
    for number, damage in enumerate((b"", b"garbage", None)):
        url = f"https://a.example/{number}"
        cache.put(url, b"answer")
        (file,) = set(tmp_path.glob("*.answer")) - {old for old in tmp_path.glob("*.answer") if old.stat().st_size < 20}
        file.write_bytes(file.read_bytes()[:-1] if damage is None else damage)
        assert cache.get(url) is None
        file.write_bytes(b"")


def test_a_cache_stays_small_and_leaves_other_files_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    cache = Cache(tmp_path, max_bytes=1000)
    for number in range(20):
        cache.put(f"https://a.example/{number}", b"x" * 200)
        time.sleep(0.01)
    assert sum(file.stat().st_size for file in tmp_path.glob("*.answer")) <= 1000
    assert cache.get("https://a.example/19") == b"x" * 200
    assert cache.get("https://a.example/0") is None
    cache.put("https://a.example/large", b"x" * 2000)
    assert cache.get("https://a.example/large") is None
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path: Path):
    (tmp_path / "file").write_text("no folder")
    cache = Cache(tmp_path / "file")
    cache.put("https://a.example/", b"x")
    assert cache.get("https://a.example/") is None
