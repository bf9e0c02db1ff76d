"""The API's own description: whole, with examples, and nothing made up from it brings the server down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings

from showtell.library import Library
from showtell.settings import Settings
from showtell.web.app import create_app
from tests.web.server import Running, serving

DESCRIPTION = create_app(Settings()).openapi()
NOWHERE = "http://127.0.0.1:9/"  # in place of made-up addresses, which could be somebody's
schema = schemathesis.openapi.from_dict(DESCRIPTION)
operations = [
    (method, path, operation) for path, item in DESCRIPTION["paths"].items() for method, operation in item.items()
]


@pytest.fixture(scope="module")
def fuzzed(handbook: Library, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("fuzzed")
    (folder / "tea.md").write_text("# Tea\n\nLet black tea steep for 4 minutes.\n")
    with Library.open(folder / "library", requests_per_minute=0) as library:
        list(library.add(folder / "tea.md"))
        with serving(library) as running:
            yield running


@schema.parametrize()
@settings(
    max_examples=20,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_whatever_is_sent_the_server_answers_for_it(case: schemathesis.Case, fuzzed: Running) -> None:
    if isinstance(case.body, dict) and "url" in case.body:
        case.body["url"] = NOWHERE
    response = case.call(base_url=f"http://127.0.0.1:{fuzzed.port}", timeout=30)
    assert response.status_code < 500, response.text
    if response.status_code >= 400:
        error: dict[str, Any] = response.json()["error"]
        assert error["code"]
        assert error["message"]


def test_every_operation_has_a_summary_and_an_example() -> None:
    assert len(operations) >= 18
    for method, path, operation in operations:
        assert operation["summary"], path
        assert operation["description"], path
        good = operation["responses"].get("200", {}).get("content", {})
        kinds = set(good) - {"application/json"} or not good
        assert kinds or "example" in good["application/json"], (method, path)
        assert "example" in operation["responses"]["default"]["content"]["application/json"]


def test_the_description_is_served_and_nothing_that_loads_from_elsewhere(fuzzed: Running) -> None:
    assert fuzzed.client.get("/openapi.json").json()["info"]["title"] == "showtell"
    assert fuzzed.client.get("/docs").status_code == 404
