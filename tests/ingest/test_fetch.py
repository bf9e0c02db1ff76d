"""The guarded fetch, against a real server on loopback: what is refused, what is pinned, what is bounded."""

from __future__ import annotations

import gzip
import time
from email.utils import formatdate

import httpcore2
import pytest

from showtell.errors import FetchError
from showtell.ingest.addresses import is_plain_host, refusal
from showtell.ingest.fetch import Fetcher, gunzip, open_socket

PUBLIC = "93.184.215.14"


@pytest.fixture
def fetcher(site) -> Fetcher:
    return Fetcher([site.host], max_bytes=100_000, timeout=5, user_agent="showtell-test")


class Internet:
    """A network in which one public address is that of the local server."""

    def __init__(self, site, **names: list[list[str]]) -> None:
        self.site = site
        self.answers = {name.replace("_", "."): answers for name, answers in names.items()}
        self.connected: list[str] = []

    def resolve(self, host: str, port: int) -> list[str]:
        answers = self.answers[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def connect(self, address: str, port: int, timeout: float):
        self.connected.append(address)
        return open_socket("127.0.0.1", self.site.server_port, timeout)

    def fetcher(self, *allowed: str) -> Fetcher:
        return Fetcher(allowed, timeout=5, resolve=self.resolve, connect=self.connect)


# ------------------------------------------------------------------------------------------------------ what comes back
def test_a_page_comes_with_its_type_and_final_address(site, fetcher):
    site.redirect("/old", "/new?q=1#part")
    site.put("/new?q=1", b"<p>hi", Content_Type="text/html; charset=utf-8", ETag='"1"', X_Other="no")
    fetched = fetcher.get(site.url("/old#top"), accept="text/html")
    assert (fetched.url, fetched.data) == (site.url("/new?q=1"), b"<p>hi")
    assert (fetched.content_type, fetched.headers) == ("text/html; charset=utf-8", {"etag": '"1"'})
    path, headers = site.asked[0]
    assert path == "/old"
    assert (headers["user-agent"], headers["accept"]) == ("showtell-test", "text/html")


def test_nothing_identifying_is_sent_and_cookies_are_not_kept(site, fetcher):
    site.redirect("/", "/next")
    site.put("/next")
    for _ in range(2):
        fetcher.get(site.url("/"))
    assert {name for _, headers in site.asked for name in headers} == {
        "host",
        "user-agent",
        "accept",
        "accept-encoding",
    }


def test_a_compressed_body_is_decompressed(site, fetcher):
    site.put("/", gzip.compress(b"one") + gzip.compress(b" two"), Content_Encoding="gzip")
    assert fetcher.get(site.url("/")).data == b"one two"


def test_a_chunked_body_is_joined(site, fetcher):
    def chunked(request):
        request.protocol_version = "HTTP/1.1"
        request.send_response(200)
        request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        request.wfile.write(b"3\r\none\r\n4\r\n two\r\n0\r\n\r\n")

    site.answers["/"] = chunked
    assert fetcher.get(site.url("/")).data == b"one two"


def test_the_environment_names_no_proxy(site, fetcher, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    site.put("/")
    assert fetcher.get(site.url("/")).data == b"hello"


# ------------------------------------------------------------------------------------------------------ what is refused
@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("file:///etc/passwd", "only http and https"),
        ("ftp://example.com/", "only http and https"),
        ("gopher://example.com/", "only http and https"),
        ("data:text/html,hi", "only http and https"),
        ("example.com", "only http and https"),
        ("http://user:secret@example.com/", "user name or password"),
        ("http://user@example.com/", "user name or password"),
        ("http://", "host is missing"),
        ("http:///path", "host is missing"),
        ("http://2130706433/", "oddly spelled"),
        ("http://0x7f000001/", "oddly spelled"),
        ("http://0177.0.0.1/", "not a valid address"),
        ("http://127.1/", "oddly spelled"),
        ("http://0x7f.1/", "oddly spelled"),
        ("http://ex%61mple.com/", "oddly spelled"),
        ("http://[fe80::1%25eth0]/", "oddly spelled"),
        ("http://exa mple.com/", "oddly spelled"),
        ("http://example.com:70000/", "oddly spelled"),
        ("http://[::1/", "not a valid address"),
        ("http://example.com/\nHost: other", "not a valid address"),
        ("http://example.com/" + "a" * 5000, "longer than"),
    ],
)
def test_an_address_that_may_not_be_asked_for_is_refused_before_anything_is_looked_up(url, reason):
    def never(*_: object):
        raise AssertionError("looked up")

    with pytest.raises(FetchError, match=reason) as refused:
        Fetcher(resolve=never).get(url)
    assert "\n" not in str(refused.value)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("127.0.0.1", "loopback"), ("127.255.255.254", "loopback"), ("::1", "loopback"),
        ("10.1.2.3", "private"), ("172.16.0.1", "private"), ("192.168.1.1", "private"), ("fd00:ec2::254", "private"),
        ("100.64.0.1", "private"), ("100.100.100.200", "private"), ("64:ff9b:1::a00:1", "private"),
        ("169.254.169.254", "link-local"), ("fe80::1", "link-local"), ("fe80::1%eth0", "link-local"),
        ("168.63.129.16", "metadata"), ("0.0.0.0", "unspecified"), ("::", "unspecified"),
        ("224.0.0.1", "multicast"), ("ff02::1", "multicast"), ("240.0.0.1", ""), ("255.255.255.255", ""),
        ("192.0.0.192", "reserved"), ("198.18.0.1", "private"), ("203.0.113.9", "private"), ("2001:db8::1", "private"),
        ("fec0::1", ""), ("::ffff:127.0.0.1", "loopback"), ("::ffff:10.0.0.1", "private"), ("::127.0.0.1", "loopback"),
        ("2002:7f00:1::", "loopback"), ("2002:a00:1::1", "private"), ("64:ff9b::a9fe:a9fe", "link-local"),
        ("2001:0:7f00:1::1", "private"), ("3fff::1", "reserved"), ("5f00::1", "reserved"),
    ],
)  # fmt: skip
def test_an_address_that_is_not_public_is_refused(address, kind):
    assert refusal(address)
    assert kind in refusal(address)
    with pytest.raises(FetchError, match=r"site\.example at .* allow_hosts"):
        Fetcher(resolve=lambda host, port: [PUBLIC, address]).get("http://site.example/")


@pytest.mark.parametrize(
    "address", [PUBLIC, "8.8.8.8", "2606:2800:21f:cb07::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"]
)
def test_a_public_address_is_not_refused(address):
    assert refusal(address) == ""


def test_names_and_usual_addresses_are_plain_hosts():
    hosts = ["example.com", "a-b.c_d.example.", "xn--strae-oqa.de", "localhost", "8.8.8.8", "::1", "4.example"]
    assert [host for host in hosts if not is_plain_host(host)] == []


def test_loopback_is_refused_unless_a_setting_names_it(site):
    site.put("/")
    with pytest.raises(FetchError, match=r"127\.0\.0\.1 is a loopback address; .*allow_hosts"):
        Fetcher().get(site.url("/"))
    with pytest.raises(FetchError, match="loopback"):
        Fetcher(["127.0.0.1:1", "localhost"]).get(site.url("/"))
    assert site.asked == []
    assert Fetcher(["127.0.0.1"]).get(site.url("/")).data == b"hello"
    assert Fetcher([f"LOCALHOST:{site.server_port}"]).get(f"http://localhost:{site.server_port}/").data == b"hello"


def test_a_redirect_is_judged_like_any_address(site):
    internet = Internet(site, site_example=[[PUBLIC]], inner_example=[["10.0.0.1"]])
    for target, reason in [
        ("http://inner.example/secret", r"inner\.example at 10\.0\.0\.1 is a private address"),
        ("http://127.0.0.1:9/", "loopback"),
        ("http://169.254.169.254/latest/meta-data/", "metadata"),
        ("//0x7f000001/", "oddly spelled"),
        ("file:///etc/passwd", "only http and https"),
        ("http://user:secret@site.example/", "user name or password"),
        ("http://[::1", "not valid"),
    ]:
        site.redirect("/", target)
        internet.answers["127.0.0.1"], internet.answers["169.254.169.254"] = [["127.0.0.1"]], [["169.254.169.254"]]
        with pytest.raises(FetchError, match=reason):
            internet.fetcher().get("http://site.example/")
    assert set(internet.connected) == {PUBLIC}
    assert {path for path, _ in site.asked} == {"/"}


def test_a_refused_redirect_says_that_it_was_one(site):
    internet = Internet(site, site_example=[[PUBLIC]], inside_example=[["169.254.169.254"]])
    site.redirect("/", f"http://inside.example:{site.server_port}/")
    with pytest.raises(FetchError, match=r"site\.example.*: it redirects to inside\.example: "):
        internet.fetcher().get(f"http://site.example:{site.server_port}/")


def test_tls_is_for_the_name_and_no_redirect_leads_out_of_it():
    names = []

    class Stream(httpcore2.MockStream):
        def start_tls(self, ssl_context, server_hostname=None, timeout=None):
            names.append(server_hostname)
            return self

    def connect(address: str, port: int, timeout: float):
        return Stream([b"HTTP/1.1 301 Moved\r\nLocation: http://site.example/\r\nContent-Length: 0\r\n\r\n"])

    with pytest.raises(FetchError, match=r"redirects from https to http://site\.example/; add that address itself"):
        Fetcher(resolve=lambda *_: [PUBLIC], connect=connect).get("https://site.example/")
    assert names == ["site.example"]


def test_redirects_end(site, fetcher):
    site.redirect("/", "/")
    with pytest.raises(FetchError, match="more than 5 redirects"):
        fetcher.get(site.url("/"))
    assert len(site.asked) == 6


def test_a_host_is_looked_up_once_and_the_socket_goes_to_what_was_judged(site):
    """DNS rebinding: the name server's second answer is loopback."""
    internet = Internet(site, site_example=[[PUBLIC], ["127.0.0.1"]])
    site.put("/")
    fetcher = internet.fetcher()
    assert fetcher.get("http://site.example/").data == b"hello"
    assert internet.connected == [PUBLIC]
    assert site.asked[0][1]["host"] == "site.example"
    with pytest.raises(FetchError, match="loopback"):
        fetcher.get("http://site.example/")
    assert internet.connected == [PUBLIC]


def test_rebinding_between_redirects_is_seen(site):
    internet = Internet(site, one_example=[[PUBLIC], ["127.0.0.1"]], two_example=[[PUBLIC]])
    site.redirect("/", "http://two.example/back")
    site.redirect("/back", "http://one.example:81/again")
    with pytest.raises(FetchError, match=r"one\.example at 127\.0\.0\.1"):
        internet.fetcher().get("http://one.example/")


def test_the_next_address_is_tried_where_one_does_not_answer(site):
    site.put("/")
    with pytest.raises(FetchError, match="connection failed"):
        Fetcher(["x.example"], timeout=5, resolve=lambda *_: ["127.0.0.2"]).get(f"http://x.example:{site.server_port}/")
    both = Fetcher(["x.example"], timeout=5, resolve=lambda *_: ["127.0.0.2", "127.0.0.1"])
    assert both.get(f"http://x.example:{site.server_port}/").data == b"hello"


@pytest.mark.parametrize("problem", [OSError("no such name"), UnicodeError("label too long")])
def test_an_unknown_host_is_told(problem):
    def fail(*_: object):
        raise problem

    with pytest.raises(FetchError, match=r"http://nowhere\.example/: the host nowhere\.example is not known; check"):
        Fetcher(resolve=fail).get("http://nowhere.example/")


# ------------------------------------------------------------------------------------------------------ what is bounded
@pytest.mark.parametrize(
    ("status", "advice"),
    [(404, "404 .Not Found.; check the address"), (403, "wants a login"), (429, "later"), (503, "later"), (299, "")],
)
def test_an_error_of_the_server_is_told_with_its_status(site, fetcher, status, advice):
    site.put("/", b"sorry", status)
    if status < 300:
        assert fetcher.get(site.url("/")).data == b"sorry"
        return
    with pytest.raises(FetchError, match=advice) as refused:
        fetcher.get(site.url("/"))
    assert refused.value.status == status


def test_a_body_that_is_declared_too_large_is_not_read(site, fetcher):
    site.put("/", b"x", Content_Length="100000001")
    with pytest.raises(FetchError, match=r"larger than 0\.1 MB"):
        fetcher.get(site.url("/"))


def test_an_endless_body_is_cut(site, fetcher):
    sent = []

    def endless(request):
        request.send_response(200)
        request.end_headers()
        for _ in range(1000):
            request.wfile.write(b"x" * 10_000)
            sent.append(10_000)

    site.answers["/"] = endless
    with pytest.raises(FetchError, match=r"larger than 0\.1 MB"):
        fetcher.get(site.url("/"))
    assert sum(sent) < 10_000_000
    site.put("/small", b"x" * 50)
    with pytest.raises(FetchError, match="larger than 4e-05 MB"):
        fetcher.get(site.url("/small"), max_bytes=40)


@pytest.mark.parametrize("part", ["headers", "body"])
def test_trickling_does_not_stretch_the_time(site, part):
    def trickle(request):
        request.wfile.write(b"HTTP/1.1 200 OK\r\n" + (b"\r\n" if part == "body" else b""))
        for number in range(100):
            request.wfile.write(b"x" if part == "body" else b"X-%d: y\r\n" % number)
            time.sleep(0.05)

    site.answers["/"] = trickle
    before = time.monotonic()
    with pytest.raises(FetchError, match=r"no whole answer within 0\.4 s"):
        Fetcher([site.host], timeout=0.4).get(site.url("/"))
    assert time.monotonic() - before < 2


def test_a_server_that_says_nothing_is_given_up(site):
    site.answers["/"] = lambda request: time.sleep(1)
    with pytest.raises(FetchError, match="within"):
        Fetcher([site.host], timeout=0.2).get(site.url("/"))


def test_one_fetch_may_have_less_time_than_the_fetcher(site, fetcher):
    site.answers["/"] = lambda request: time.sleep(1)
    with pytest.raises(FetchError, match=r"within 0\.2 s"):
        fetcher.get(site.url("/"), timeout=0.2)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("7", 7), ("", None), ("soon", None), ("-3", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0), ("²", None)],
)
def test_how_long_a_server_asks_to_wait_is_told(site, fetcher, written, seconds):
    site.put("/", b"", 429, Retry_After=written)
    with pytest.raises(FetchError) as refused:
        fetcher.get(site.url("/"))
    assert refused.value.retry_after == seconds


def test_the_time_to_wait_may_be_a_date(site, fetcher):
    site.put("/", b"", 503, Retry_After=formatdate(time.time() + 60, usegmt=True))
    with pytest.raises(FetchError) as refused:
        fetcher.get(site.url("/"))
    assert refused.value.retry_after == pytest.approx(60, abs=3)


def test_a_fetcher_may_go_under_another_name(site, fetcher):
    site.put("/")
    fetcher.named("other (me@example.org)").get(site.url("/"))
    fetcher.get(site.url("/"))
    assert [headers["user-agent"] for _, headers in site.asked] == ["other (me@example.org)", "showtell-test"]


def test_an_answer_that_is_no_http_is_told(site, fetcher):
    site.answers["/"] = lambda request: request.wfile.write(b"SSH-2.0-OpenSSH\r\n\r\n")
    with pytest.raises(FetchError, match="connection failed"):
        fetcher.get(site.url("/"))
    site.put("/short", b"x", Content_Length="10")
    with pytest.raises(FetchError, match="connection failed"):
        fetcher.get(site.url("/short"))


def test_a_gzip_bomb_is_refused_by_size_and_by_ratio(site, fetcher):
    site.put("/", gzip.compress(b"\0" * 1_000_000), Content_Encoding="gzip")
    with pytest.raises(FetchError, match=r"larger than 0\.1 MB"):
        fetcher.get(site.url("/"))
    with pytest.raises(FetchError, match="when decompressed, as bombs do"):
        gunzip(gzip.compress(b"\0" * 20_000_000), 10**9)


@pytest.mark.parametrize("body", [gzip.compress(b"hello" * 100)[:-9], b"no gzip at all"])
def test_broken_compression_is_told(site, fetcher, body):
    site.put("/", body, Content_Encoding="gzip")
    with pytest.raises(FetchError, match="broken"):
        fetcher.get(site.url("/"))


def test_an_encoding_that_was_not_asked_for_is_refused(site, fetcher):
    site.put("/", b"x", Content_Encoding="br")
    with pytest.raises(FetchError, match="encoding 'br'"):
        fetcher.get(site.url("/"))
