"""Who is let in: names, origins, keys, how often; and the headers that every answer has."""

from __future__ import annotations

import re
from hashlib import sha256

import pytest

from showtell.errors import SettingsError
from showtell.library import Library
from showtell.settings import Settings
from showtell.web.access import Access, Rate, is_loopback
from showtell.web.failures import Failure
from tests.web.server import ASK, Running, serving

KEY = "a key that is long enough"


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "", "10.0.0.1"]
)
def test_a_name_that_is_not_the_servers_own_is_refused(own: Running, host):
    response = own.client.get("/api/v1/library", headers={"Host": host})
    assert response.status_code == 421

    assert response.json()["error"]["code"] == "host_refused"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1234", "127.0.0.1", "[::1]:8484"])
def test_local_names_are_its_own(own: Running, host):
    assert own.client.get("/api/v1/library", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1"])
def test_a_page_of_another_origin_is_refused(own: Running, origin):
    asked = {"question": "What?", "stream": False}
    response = own.client.post(ASK, json=asked, headers={"Origin": origin})
    assert (response.status_code, response.json()["error"]["code"]) == (403, "origin_refused")
    assert "access-control-allow-origin" not in response.headers
    sent_on = own.client.request("DELETE", "/api/v1/documents/kettle.md", headers={"Sec-Fetch-Site": "cross-site"})
    assert sent_on.status_code == 403


def test_the_page_itself_is_let_in(own: Running):
    origin = f"http://127.0.0.1:{own.port}"
    headers = {"Origin": origin, "Sec-Fetch-Site": "same-origin"}
    assert own.client.post(ASK, json={"question": "Lid?", "stream": False}, headers=headers).status_code == 200


def test_with_a_key_nothing_is_told_without_it(library: Library):
    with serving(with_key(library, KEY)) as running:
        client = running.client
        for path in ("/api/v1/library", "/api/v1/documents", "/metrics", "/openapi.json", "/nothing"):
            response = client.get(path)
            assert (response.status_code, response.json()["error"]["code"]) == (401, "key_needed")
            assert response.headers["www-authenticate"] == "Bearer"
        wrong = {"Authorization": f"Bearer {KEY}x"}
        assert client.get("/api/v1/library", headers=wrong).status_code == 401
        assert client.get("/api/v1/library", headers={"Authorization": f"Basic {KEY}"}).status_code == 401
        accented = {"Authorization": "Bearer \xe9".encode("latin-1")}
        assert client.get("/api/v1/library", headers=accented).status_code == 401
        assert client.get("/api/v1/library", headers={"Authorization": f"Bearer {KEY}"}).status_code == 200
        for path in ("/health", "/ready"):
            assert client.get(path).status_code == 200


def test_the_page_asks_for_the_key_once(library: Library):
    with serving(with_key(library, f"sha256:{sha256(KEY.encode()).hexdigest()}")) as running:
        client = running.client
        form = client.get("/a/0123456789abcdef")
        assert form.status_code == 401
        to = re.search(r'name="to" value="([^"]*)"', form.text)[1]
        assert to == "/a/0123456789abcdef"
        assert client.post("/sign-in", data={"key": "wrong", "to": to}).status_code == 401
        entered = client.post("/sign-in", data={"key": KEY, "to": to})
        assert (entered.status_code, entered.headers["location"]) == (303, to)
        cookie = entered.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert client.get("/api/v1/library").status_code == 200
        for elsewhere in ("https://evil.example", "//evil.example", "/\\evil.example"):
            assert client.post("/sign-in", data={"key": KEY, "to": elsewhere}).headers["location"] == "/"


def test_other_addresses_need_a_key(library: Library):
    for host in ("0.0.0.0", "192.168.1.5", "::", "example.org"):
        with pytest.raises(SettingsError, match="SHOWTELL_API_KEY"):
            Access.of(library.settings.model_copy(update={"host": host}))
    assert is_loopback("127.1.2.3")
    assert is_loopback("::1")
    with pytest.raises(ValueError, match="16 characters"):
        Settings(api_key="short")


def test_a_client_that_asks_too_often_waits():
    rate = Rate(3)
    for _ in range(3):
        rate.take("one")
    with pytest.raises(Failure) as refused:
        rate.take("one")
    assert (refused.value.status, refused.value.retry_after) == (429, 20)
    rate.take("another")


def test_keys_cannot_be_guessed_for_long(library: Library):
    settings = with_key(library, KEY).model_copy(update={"requests_per_minute": 5})
    with serving(settings) as running:
        wrong = {"Authorization": "Bearer guess"}
        statuses = [running.client.get("/api/v1/library", headers=wrong).status_code for _ in range(8)]
    assert statuses == [401] * 5 + [429] * 3


def test_every_answer_has_safe_headers(own: Running):
    for response in (
        own.client.get("/"),
        own.client.get("/static/app.js"),
        own.client.get("/api/v1/library"),
        own.client.get("/nothing"),
        own.client.get("/", headers={"Host": "evil.example"}),
    ):
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert "server" not in response.headers


def with_key(library: Library, key: str) -> Settings:
    return Settings(**library.settings.model_dump() | {"api_key": key})


def test_the_command_refuses_to_serve_others_without_a_key(shell):
    status, out, told = shell("serve", "--host", "0.0.0.0", "--port", "0")
    assert (status, out) == (1, "")
    assert "SHOWTELL_API_KEY" in told
    assert told.count("\n") == 1


def test_a_port_that_is_taken_is_told(shell, own: Running):
    status, _, told = shell("serve", "--port", str(own.port))
    assert status == 1
    assert "--port" in told
