"""Settings: what wins, what is refused and how it is told, and that the documentation's examples load."""

from __future__ import annotations

import os
import re
import traceback
from pathlib import Path

import pytest
from platformdirs import user_config_path

from showtell.errors import SettingsError
from showtell.settings import Settings, load_settings

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = [
    pytest.param(block, id=f"{path.name}-{number}")
    for path in DOCUMENTS
    for number, block in enumerate(re.findall(r"^```toml\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S))
]


@pytest.fixture(autouse=True)
def user_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without settings; returns the folder where their configuration file would lie."""
    for variable in [name for name in os.environ if name.startswith(("SHOWTELL_", "XDG_", "OPENAI_"))]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = user_config_path("showtell", appauthor=False)
    folder.mkdir(parents=True)
    return folder


def write(folder: Path, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "showtell.toml").write_text(text, encoding="utf-8")


def test_defaults_hold_where_nothing_is_set():
    assert load_settings() == Settings()
    assert load_settings().passage_words == 180


def test_the_nearest_place_wins(tmp_path, user_folder, monkeypatch):
    library = tmp_path / "library"
    write(user_folder, f'library = "{library}"\ncitations = 2\ntable_rows = 2\nanswer_words = 102\npassage_words = 102')
    write(library, "citations = 3\ntable_rows = 3\nanswer_words = 103")
    monkeypatch.setenv("SHOWTELL_CITATIONS", "4")
    monkeypatch.setenv("SHOWTELL_TABLE_ROWS", "4")
    settings = load_settings(citations=5)
    assert settings.library == library
    shown = (settings.citations, settings.table_rows, settings.answer_words, settings.passage_words)
    assert shown == (5, 4, 103, 102)


def test_the_library_that_is_asked_for_brings_its_own_file(tmp_path, monkeypatch):
    write(tmp_path / "one", "citations = 1")
    write(tmp_path / "two", "citations = 2")
    monkeypatch.setenv("SHOWTELL_LIBRARY", str(tmp_path / "one"))
    assert load_settings().citations == 1
    assert load_settings(library=tmp_path / "two").citations == 2


def test_an_argument_of_none_and_an_empty_variable_count_as_not_set(monkeypatch):
    monkeypatch.setenv("SHOWTELL_CITATIONS", "")
    assert load_settings(citations=None).citations == 3


def test_the_environment_gives_every_type(monkeypatch):
    monkeypatch.setenv("SHOWTELL_FETCH_MEDIA", "true")
    monkeypatch.setenv("SHOWTELL_ENCODER_THREADS", "2")
    monkeypatch.setenv("SHOWTELL_CACHE", "~/made")
    monkeypatch.setenv("SHOWTELL_ALLOW_HOSTS", "localhost, [::1]:8080,")
    settings = load_settings()
    assert (settings.fetch_media, settings.encoder_threads) == (True, 2)
    assert settings.cache == Path("~/made").expanduser()
    assert settings.allow_hosts == ("localhost", "[::1]:8080")


def test_a_value_out_of_bounds_is_refused_with_the_place_that_set_it(tmp_path, user_folder, monkeypatch):
    write(user_folder, "citations = 0")
    with pytest.raises(SettingsError, match=r"showtell\.toml, citations: .*greater than or equal to 1"):
        load_settings()
    monkeypatch.setenv("SHOWTELL_CITATIONS", "many")
    with pytest.raises(SettingsError, match=r"environment variable SHOWTELL_CITATIONS: .*integer"):
        load_settings()
    with pytest.raises(SettingsError, match=r"argument citations: .*less than or equal to 10; correct or remove it"):
        load_settings(citations=11)


@pytest.mark.parametrize("host", ["http://localhost", "a b", "::1", "localhost:port", ""])
def test_a_host_that_is_none_is_refused(host):
    with pytest.raises(SettingsError, match=r"argument allow_hosts: .*is no host or host:port"):
        load_settings(allow_hosts=[host])


def test_a_name_for_web_sites_cannot_hold_another_header():
    with pytest.raises(SettingsError, match="argument user_agent"):
        load_settings(user_agent="showtell\nCookie: a=b")


def test_an_unknown_setting_is_refused_and_the_nearest_one_offered(user_folder, monkeypatch):
    monkeypatch.setenv("SHOWTELL_CITATION", "3")
    with pytest.raises(SettingsError, match="SHOWTELL_CITATION: there is no setting citation; did you mean citations"):
        load_settings()
    monkeypatch.delenv("SHOWTELL_CITATION")
    write(user_folder, "zzz = 1")
    with pytest.raises(SettingsError, match="no setting zzz; there are: library, cache, encoder"):
        load_settings()


@pytest.mark.parametrize("content", [b"citations = ", b"\xff\xfe"])
def test_a_file_that_is_not_toml_is_told(user_folder, content):
    (user_folder / "showtell.toml").write_bytes(content)
    with pytest.raises(SettingsError, match="not a TOML file"):
        load_settings()


def test_a_file_that_cannot_be_read_is_told(user_folder):
    (user_folder / "showtell.toml").mkdir()
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings()


@pytest.mark.parametrize("name", ["library", "model", "model_key", "openai_api_key", "caption", "record", "replay"])
def test_a_library_cannot_point_elsewhere(tmp_path, name):
    write(tmp_path / "library", f'{name} = "/elsewhere"')
    with pytest.raises(SettingsError, match=f"own file cannot set {name}"):
        load_settings(library=tmp_path / "library")


@pytest.mark.parametrize("none", ["none", "None", " ", ""])
def test_no_model_can_be_asked_for_against_a_file(user_folder, none):
    write(user_folder, 'model = "ollama/qwen3"\ncaption = "ollama/qwen3-vl"')
    assert load_settings().model == "ollama/qwen3"
    settings = load_settings(model=none, caption=none)
    assert (settings.model, settings.caption) == (None, None)


def test_a_key_goes_only_to_the_server_it_is_for(monkeypatch):
    monkeypatch.setenv("SHOWTELL_MODEL_KEY", "mine")
    monkeypatch.setenv("OPENAI_API_KEY", "theirs")
    keys = {"http://host/v1#a": "mine", "http://host/v1#b": "mine", "http://host/v1/": "mine", "http://host/v2#a": None}
    keys |= {"openai/gpt-5": "theirs", "ollama/qwen3": None, "http://host/v1.evil/#a": None, "https://host/v1#a": None}
    settings = load_settings(model="http://host/v1#a")
    assert {name: settings.key_for(name) for name in keys} == keys
    assert load_settings(model="openai/gpt-5").key_for("openai/gpt-5-mini") == "mine"
    assert load_settings(caption="http://host/v1#a").key_for("http://host/v1#a") == "mine"
    assert load_settings().key_for("http://host/v1#a") is None


def test_the_key_of_openai_is_read_from_its_own_variable(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "theirs")
    assert load_settings().key_for("openai/gpt-5") == "theirs"
    monkeypatch.setenv("SHOWTELL_OPENAI_API_KEY", "another")
    assert load_settings().key_for("openai/gpt-5") == "another"


def test_a_key_is_not_shown(user_folder, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    settings = load_settings(model_key="sk-secret")
    assert "sk-secret" not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"
    write(user_folder, 'model_key = ["sk-secret"]')
    with pytest.raises(SettingsError, match="model_key") as refused:
        load_settings()
    assert "sk-secret" not in "".join(traceback.format_exception(refused.value))


def test_files_for_replies_may_begin_with_the_home_folder():
    settings = load_settings(record="~/replies.jsonl", replay="replies.jsonl")
    assert (settings.record, settings.replay) == (Path.home() / "replies.jsonl", Path.cwd() / "replies.jsonl")


def test_every_complaint_is_one_line(user_folder, monkeypatch):
    write(user_folder, "citations = [\n")
    with pytest.raises(SettingsError) as refused:
        load_settings()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("block", EXAMPLES)
def test_every_example_in_the_documentation_loads(block, user_folder):
    write(user_folder, block)
    load_settings()


def test_the_documentation_names_every_setting_with_its_default(user_folder):
    blocks = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "SETTINGS.md").read_text(encoding="utf-8"), re.S)
    write(user_folder, blocks[0])
    assert load_settings() == Settings()
    named = re.findall(r"^(\w+) = ", "".join(blocks), re.M)
    assert sorted(named) == sorted(Settings.model_fields)
