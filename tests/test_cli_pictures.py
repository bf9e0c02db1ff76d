"""Questions with pictures, and from Wikipedia or a copy of it, on the command line."""

from __future__ import annotations

import base64
import io
import json
import os
import re
import shutil
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.screenshots import as_screenshot
from PIL import Image, ImageDraw

from showtell.demo import HANDBOOK
from showtell.library import Library
from tests.models.chat_server import Behaviour, ChatServer, chat_server, error, reply, unless
from tests.sources.mediawiki import MediaWiki

from .conftest import Screen, Shell, Site

FOLD = "How do I fold it?"
TALL = "How tall are the plants that produce this fruit?"
FIGURES = HANDBOOK / "figures"
LOOK = json.dumps({"needs": "search", "searches": ["tomato plant", "tomato plant height"], "says": ""})
SAID = "The plants grow to 1–3 m (3–10 ft) [1]."


def screenshot(figure: str) -> bytes:
    """A figure of the handbook as a user's screenshot shows it: smaller, without its margins, as a JPEG."""
    with Image.open(FIGURES / figure) as picture:
        return as_screenshot(picture.convert("RGB"))


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    (tmp_path / "shot.jpg").write_bytes(screenshot("fold-filter.png"))
    return tmp_path / "shot.jpg"


def photo(size: tuple[int, int] = (900, 600), **saved: object) -> bytes:
    """A picture without words that is like none of any library."""
    picture = Image.new("RGB", size, "white")
    ImageDraw.Draw(picture).ellipse((size[0] // 5, 2, size[0] // 2, size[1] - 2), fill="firebrick")
    out = io.BytesIO()
    picture.save(out, **({"format": "JPEG"} | saved))  # type: ignore[arg-type]
    return out.getvalue()


@pytest.fixture
def fruit(tmp_path: Path) -> Path:
    (tmp_path / "fruit.jpg").write_bytes(photo())
    return tmp_path / "fruit.jpg"


def told(shell: Shell, *arguments: str | Path) -> dict[str, Any]:
    """The answer as ``--json`` prints it."""
    status, out, err = shell("ask", *arguments, "--json")
    assert (status, err) == (0, "")
    answer: dict[str, Any] = json.loads(out)
    return answer


def failed(shell: Shell, *arguments: str | Path) -> str:
    """The one line that says why there is no answer."""
    status, out, err = shell("ask", *arguments)
    assert (status, out) == (1, "")
    assert (err.count("\n"), err[:10]) == (1, "showtell: ")
    return err


def words(text: str) -> str:
    return " ".join(text.split())


# ---------------------------------------------------------------------------------------------- of one's own documents
def test_a_screenshot_leads_to_the_step_that_it_shows(shell: Shell, shot: Path) -> None:
    status, out, err = shell("ask", FOLD, "--image", shot)
    assert (status, err) == (0, "")
    assert out.startswith(f"{FOLD}\n▣ asked with a picture\n")
    assert "1. Fold the paper filter along its glued seam" in words(out)
    assert "fold-filter.png" in out
    assert "[1] Brew a pour-over › Brew it, step by step" in out
    assert max(map(len, out.splitlines())) <= 80


def test_json_tells_pictures_searches_and_requests(shell: Shell, shot: Path, handbook: Library) -> None:
    other = shot.with_name("other.png")
    other.write_bytes((FIGURES / "bench.png").read_bytes())
    answer = told(shell, "What is this?", "--image", shot, "--image", other)
    names = answer["question"]["images"]
    assert [len(name) for name in names] == [64, 64]
    kept = [handbook.asset(name) for name in names]
    assert [file and file.suffix for file in kept] == [".jpg", ".png"]
    assert answer["requests"] == {}
    assert len(answer["searches"]) == 2  # the words in each
    assert "seam" in answer["searches"][0]


def test_a_picture_is_fetched_from_a_site_that_may_be_asked(
    shell: Shell, shot: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.put("/shot", shot.read_bytes())
    assert "allow_hosts" in failed(shell, FOLD, "--image", site.url("/shot"))
    assert site.asked == []
    monkeypatch.setenv("SHOWTELL_ALLOW_HOSTS", site.host)
    answer = told(shell, FOLD, "--image", site.url("/shot"))
    assert answer["citations"][0]["section"] == ["Brew a pour-over", "Brew it, step by step"]
    site.put("/page", "<!doctype html><title>Not a picture</title>")
    assert f"{site.url('/page')}: not a picture" in failed(shell, FOLD, "--image", site.url("/page"))


def bomb(width: int, height: int) -> bytes:
    """The head of a PNG that declares so many pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    size = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    head = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size + b"\x08\x02\0\0\0")
    return head + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file"),
        ("folder", "Is a directory"),
        (b"", "not a picture"),
        (b"no picture", "not a picture"),
        (photo()[:2000], "broken"),
        (photo()[:100], "broken"),
        (bomb(60_000, 60_000), "too large"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG"),
    ],
    ids=["none", "folder", "empty", "text", "truncated", "head", "huge", "svg"],
)
def test_what_is_no_picture_is_one_line_that_names_it(
    shell: Shell, tmp_path: Path, shot: Path, content: bytes | str | None, reason: str
) -> None:
    path = tmp_path / "question.png"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content:
        path.mkdir()
    message = failed(shell, FOLD, "--image", shot, "--image", path)
    assert message.startswith(f"showtell: {path}: ")
    assert reason in message
    assert "; " in message, "it says what to do"


def test_a_file_without_an_end_is_read_to_a_bound(shell: Shell) -> None:
    assert "larger than" in failed(shell, FOLD, "--image", "/dev/zero")


@pytest.mark.parametrize("kind", ["animated", "cmyk", "turned", "grey", "clear", "webp"])
def test_pictures_of_every_kind_are_understood(shell: Shell, tmp_path: Path, kind: str) -> None:
    with Image.open(io.BytesIO(screenshot("fold-filter.png"))) as opened:
        picture = opened.convert("RGB")
    path, saved = tmp_path / "picture", dict[str, Any](format="PNG")
    if kind == "animated":
        saved = {"format": "GIF", "save_all": True, "append_images": [Image.new("RGB", picture.size, "red")] * 3}
    elif kind == "turned":
        exif = Image.Exif()
        exif[0x0112] = 6  # to be turned by a quarter, clockwise
        picture, saved = picture.transpose(Image.Transpose.ROTATE_90), {"format": "JPEG", "exif": exif}
    elif kind == "webp":
        saved = {"format": "WEBP"}
    else:
        picture = picture.convert({"cmyk": "CMYK", "grey": "L", "clear": "RGBA"}[kind])
        saved = {"format": "JPEG"} if kind == "cmyk" else saved
    picture.save(path, **saved)
    answer = told(shell, FOLD, "--image", path)
    assert answer["citations"][0]["section"] == ["Brew a pour-over", "Brew it, step by step"]


def test_a_picture_of_something_else_says_what_would_help(shell: Shell, fruit: Path) -> None:
    (warning,) = told(shell, "Wobble?", "--image", fruit)["warnings"]
    assert "--model" in warning
    assert "it is like no picture of the library" in warning
    assert "no words were read in it" in warning
    assert "--search" in warning


def test_without_ocr_pictures_are_recognised_all_the_same(
    shell: Shell, shot: Path, fruit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    answer = told(shell, FOLD, "--image", shot)
    assert answer["citations"][0]["section"] == ["Brew a pour-over", "Brew it, step by step"]
    assert answer["warnings"] == []
    (warning,) = told(shell, "Wobble?", "--image", fruit)["warnings"]
    assert "pip install 'showtell[ocr]'" in warning


def test_searches_of_the_user_take_the_place_of_words_in_the_picture(shell: Shell, shot: Path) -> None:
    answer = told(shell, "How is it done?", "--image", shot, "--search", "descale the machine")
    assert answer["searches"] == ["descale the machine"]
    status, out, _ = shell("ask", "How is it done?", "--search", "descale the machine")
    assert status == 0
    assert "searched: descale the machine" in out
    assert "citric acid" in out


def test_a_question_that_follows_is_about_the_same_picture(shell: Shell, shot: Path, tmp_path: Path) -> None:
    first, gone = tmp_path / "first.json", tmp_path / "gone.json"
    answer = told(shell, "What is this?", "--image", shot)
    first.write_text(json.dumps(answer), encoding="utf-8")
    second = told(shell, FOLD, "--after", first)
    assert second["question"]["images"] == answer["question"]["images"]
    assert second["citations"][0]["section"] == ["Brew a pour-over", "Brew it, step by step"]
    gone.write_text(json.dumps(answer | {"question": {"text": "What?", "images": ["0" * 64]}}), encoding="utf-8")
    assert "name it again with --image" in failed(shell, FOLD, "--after", gone)


def test_the_page_shows_the_picture_that_was_asked_with(shell: Shell, shot: Path, tmp_path: Path) -> None:
    assert shell("ask", FOLD, "--image", shot, "--image", FIGURES / "bench.png", "--html", tmp_path / "a.html")[0] == 0
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    kinds = re.findall(r'<img src="data:image/(\w+);base64,[^"]+" alt="The question\'s picture (\d of 2)"', page)
    assert kinds == [("jpeg", "1 of 2"), ("png", "2 of 2")]
    assert "*asked with a picture*\n" in shell("ask", FOLD, "--image", shot, "--markdown")[1]


def test_a_library_that_may_only_be_read_answers(
    shell: Shell, shot: Path, handbook: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "library"
    shutil.copytree(handbook.store.folder, copy, ignore=shutil.ignore_patterns("shelf"))
    monkeypatch.setenv("SHOWTELL_CACHE", str(tmp_path / "cache"))
    with monkeypatch.context() as only_read:
        only_read.setattr(os, "access", lambda _path, mode: mode != os.W_OK)
        assert shell("ask", FOLD, "--image", shot, "--library", copy, "--html", tmp_path / "a.html")[0] == 0
    assert "The question's picture" in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert not (copy / "shelf").exists()
    (copy / "shelf").write_text("in the way")
    (warning,) = told(shell, FOLD, "--image", shot, "--library", copy)["warnings"]
    assert "cannot keep a picture" in warning


# ---------------------------------------------------------------------------------------------- a model behind a server
def kind_of(body: Any) -> str:
    """What a request asks of the model."""
    beginnings = {
        "You prepare a search": "look",
        "You choose": "choose",
        "You answer a question": "draft",
        "You revise": "refine",
        "The passages found so far": "further",
    }
    system = body["messages"][0]["content"]
    return next(kind for words, kind in beginnings.items() if system.startswith(words))


def seeing(**replies: str) -> Behaviour:
    """A model that replies by what is asked of it."""
    replies = {"choose": '{"pages": [1]}', "further": '{"searches": []}', "refine": SAID, "look": LOOK} | replies
    return lambda exchange: reply(replies[kind_of(exchange.asked.body)])(exchange)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        yield running


def pictures(body: Any) -> list[Image.Image]:
    """The pictures in a request, as the server decodes them from their data URLs."""
    urls = [part["image_url"]["url"] for part in body["messages"][-1]["content"] if part["type"] == "image_url"]
    found = []
    for url in urls:
        head, _, data = url.partition(";base64,")
        picture = Image.open(io.BytesIO(base64.b64decode(data, validate=True)))
        assert head == f"data:image/{str(picture.format).lower()}"
        found.append(picture)
    return found


def test_a_model_is_sent_the_pictures_upright_and_scaled(
    shell: Shell, server: ChatServer, wiki: MediaWiki, tmp_path: Path
) -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "where it was taken"
    (tmp_path / "turned.jpg").write_bytes(photo((3000, 2000), exif=exif))
    (tmp_path / "small.png").write_bytes(photo((40, 30), format="PNG"))
    searches = json.dumps({"needs": "search", "searches": ["polar bear weight", "lion weight"], "says": ""})
    server.answers = [seeing(look=searches, choose='{"pages": [1, 2]}', draft="Males weigh 300–800 kg [1].")]
    images = "--image", tmp_path / "turned.jpg", "--image", tmp_path / "small.png"
    answer = told(shell, "Which is heavier?", *images, "--from", "wikipedia", "--model", server.model)
    assert answer["status"] == "answered"
    asked = {kind_of(body): body for body in server.bodies}
    assert {"look", "choose", "draft"} <= set(asked)
    for kind in ("look", "choose", "draft"):
        large, small = pictures(asked[kind])
        assert [(large.format, large.size), (small.format, small.size)] == [("JPEG", (683, 1024)), ("PNG", (40, 30))]
        assert not large.getexif()
        red, _, blue = large.convert("RGB").getpixel((341, 300))  # type: ignore[misc]
        assert red > blue + 50, "the ellipse lies where it is after the turn"
    assert answer["requests"]["model"] == len(server.bodies)


@pytest.mark.parametrize("message", ["image input is not supported - you may need to provide the mmproj", "no images"])
def test_a_model_that_refuses_pictures_answers_from_what_was_found(
    shell: Shell, server: ChatServer, shot: Path, message: str
) -> None:
    draft = "Fold the paper filter along its glued seam and open it into the cone [1]."
    server.answers = [unless(lambda body: "image_url" not in str(body), error(400, message), seeing(draft=draft))]
    answer = told(shell, FOLD, "--image", shot, "--model", server.model)
    assert answer["model"] == server.model
    assert answer["citations"][0]["section"] == ["Brew a pour-over", "Brew it, step by step"]
    assert any("the model was not shown the picture" in warning for warning in answer["warnings"])
    assert len([body for body in server.bodies if "image_url" in str(body)]) == 1, "it is not asked to look again"


def test_a_server_that_is_down_is_waited_for_once(shell: Shell, shot: Path) -> None:
    with chat_server() as gone:
        name = gone.model
    answer = told(shell, FOLD, "--image", shot, "--model", name)
    assert answer["model"] == "extractive"
    assert answer["citations"][0]["section"] == ["Brew a pour-over", "Brew it, step by step"]
    assert len([warning for warning in answer["warnings"] if "cannot be reached" in warning]) == 1


# ------------------------------------------------------------------------------------------------------------ Wikipedia
@pytest.fixture
def wiki(mediawiki: MediaWiki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MediaWiki:
    """The wiki, which the settings name in Wikipedia's place, and a library that is not there yet."""
    monkeypatch.setenv("SHOWTELL_WIKIPEDIA_API", mediawiki.api)
    monkeypatch.setenv("SHOWTELL_WIKIPEDIA_CONTACT", "someone@example.org")
    monkeypatch.setenv("SHOWTELL_ALLOW_HOSTS", mediawiki.host)
    monkeypatch.setenv("SHOWTELL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SHOWTELL_LIBRARY", str(tmp_path / "library"))
    return mediawiki


def test_wikipedia_is_not_asked_in_nobodys_name(shell: Shell, wiki: MediaWiki, monkeypatch: pytest.MonkeyPatch) -> None:
    before = len(wiki.asked())
    for contact, said in (("", "Wikipedia blocks programs"), ("me", "'me' is no contact")):
        monkeypatch.setenv("SHOWTELL_WIKIPEDIA_CONTACT", contact)
        message = failed(shell, "How tall are tomato plants?", "--from", "wikipedia")
        assert said in message
        assert "set SHOWTELL_WIKIPEDIA_CONTACT" in message
    assert len(wiki.asked()) == before


def test_wikipedia_answers_words_without_a_model(shell: Shell, wiki: MediaWiki) -> None:
    status, out, err = shell("ask", "How tall are tomato plants?", "--from", "wikipedia")
    assert (status, err) == (0, "")
    assert "1–3 m (3–10 ft)" in out
    source = words(out.partition("Sources\n")[2])
    page = f"http://{wiki.host}/index.php/Tomato#Description"
    licence = "Creative Commons Attribution-Share Alike 4.0 · revision "
    assert re.match(rf"\[1\] Tomato › Description {re.escape(page)} · {licence}\d+", source)


def test_a_picture_question_of_wikipedia(
    shell: Shell, server: ChatServer, wiki: MediaWiki, fruit: Path, tmp_path: Path
) -> None:
    server.answers = [seeing(draft=SAID)]
    question = TALL, "--image", fruit, "--from", "wikipedia", "--model", server.model
    answer = told(shell, *question)
    assert answer["searches"] == ["tomato plant", "tomato plant height"]
    assert 0 < answer["requests"]["wikipedia"] <= 10
    assert {check["verdict"] for check in answer["checks"]} == {"supported"}
    out = shell("ask", *question)[1]
    assert "searched: tomato plant · tomato plant height\nwritten by http" in out
    text = shell("ask", *question, "--markdown")[1]
    assert re.search(r"1\. \[Tomato › Description\]\(http://\S+\) · Creative Commons [^·]+ · revision \d+\n", text)
    show = "Show me a picture of a tomato on the vine", "--from", "wikipedia", "--html", tmp_path / "a.html"
    assert shell("ask", *show)[0] == 0
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert re.search(r'<figure class="picture"><button[^>]*><img src="data:image/png;base64,', page)
    assert "Ada Gardener, CC BY-SA 4.0" in page


def test_searches_and_pages_are_seen_while_one_waits(
    shell: Shell, server: ChatServer, wiki: MediaWiki, fruit: Path, screen: Callable[[], Screen]
) -> None:
    server.answers = [seeing(draft=SAID)]
    stderr = screen()
    status, out, _ = shell("ask", TALL, "--image", fruit, "--from", "wikipedia", "--model", server.model)
    assert (status, "1–3 m" in out) == (0, True)
    shown = stderr.getvalue()
    assert "look" in shown
    assert "searching for: tomato plant · tomato plant height" in shown
    assert "read: Tomato" in shown
    assert shown.count("\n") == shown.count("\x1b[1A"), "and then it is gone"


def test_a_picture_that_does_not_show_it_is_no_answer_and_no_search(
    shell: Shell, server: ChatServer, wiki: MediaWiki, fruit: Path, tmp_path: Path
) -> None:
    says = json.dumps({"needs": "nothing", "searches": [], "says": "It shows a red ellipse on white."})
    server.answers = [seeing(look=says)]
    question = "Which fish is this?", "--image", fruit, "--from", "wikipedia", "--model", server.model
    before = len(wiki.asked())
    assert shell("ask", *question, "--html", tmp_path / "a.html")[0] == 0
    assert len(wiki.asked()) == before
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert ">Not answered</span>" in page
    assert "It shows a red ellipse on white." in page


def test_a_picture_that_nobody_understood_is_not_said_to_be_unlike_the_librarys(
    shell: Shell, wiki: MediaWiki, fruit: Path
) -> None:
    answer = told(shell, "How heavy is it?", "--image", fruit, "--from", "wikipedia")
    assert answer["status"] == "no_answer"
    assert "--search" in answer["warnings"][0]
    assert "library" not in answer["warnings"][0]
    found = told(shell, "How heavy is it?", "--image", fruit, "--from", "wikipedia", "--search", "polar bear")
    assert found["citations"][0]["title"] == "Polar bear"


def test_a_place_that_is_none_is_one_line(shell: Shell) -> None:
    message = failed(shell, FOLD, "--from", "moon")
    assert "there is no source moon" in message
    assert "wikipedia" in message


# --------------------------------------------------------------------------------------------------- offline Wikipedia
def test_an_archive_answers_without_a_network(shell: Shell, archive: Path, tmp_path: Path) -> None:
    library = "--library", tmp_path / "new"
    answer = told(shell, "How tall are tomato plants?", "--from", archive, *library)
    assert answer["citations"][0]["title"] == "Tomato"
    assert answer["citations"][0]["revision"] == "2026-01-31"
    show = "Show me a picture of a tomato on the vine", "--from", archive, "--html", tmp_path / "a.html"
    assert shell("ask", *show, *library)[0] == 0
    assert re.search(r'class="zoom"[^>]*><img src="data:image/png', (tmp_path / "a.html").read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", ["none", "text", "cut"])
def test_a_file_that_is_no_archive_is_one_line(shell: Shell, archive: Path, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.zim"
    if kind != "none":
        path.write_bytes(b"no archive" if kind == "text" else archive.read_bytes()[:5000])
    message = failed(shell, "How tall are tomato plants?", "--from", path)
    assert "x.zim" in message
    assert ("check the path" if kind == "none" else "download it again") in message


def test_without_libzim_the_command_that_installs_it_is_told(
    shell: Shell, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "libzim", None)
    assert "pip install 'showtell[zim]'" in failed(shell, "How tall are tomato plants?", "--from", archive)


# ----------------------------------------------------------------------------------------------------------- evaluation
def test_screenshots_of_the_handbook_find_their_sections(shell: Shell, tmp_path: Path) -> None:
    questions = [json.loads(line) for line in (HANDBOOK / "picture_questions.jsonl").read_text("utf8").splitlines()]
    assert len(questions) >= 10
    for question in questions:
        name = Path(question["image"]).name
        (tmp_path / name).write_bytes(screenshot(name))
        question["image"] = name
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, questions)), encoding="utf-8")
    status, out, err = shell("evaluate", tmp_path / "q.jsonl", "--out", tmp_path / "r.jsonl")
    assert (status, err) == (0, "")
    for measure in ("first section", "with media"):
        assert re.search(rf"^{measure} +1\.00 .* {len(questions)} of {len(questions)} ", out, re.MULTILINE), out
    results = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text("utf8").splitlines()]
    assert all(len(result["question"]["images"]) == 1 and "hits" not in result for result in results)


def test_a_set_is_asked_of_other_places_and_a_picture_that_is_gone_is_told(
    shell: Shell, archive: Path, tmp_path: Path
) -> None:
    one = {"id": "1", "question": "How tall are tomato plants?", "answerable": True, "kind": "fact", "doc": "x"}
    two = one | {"id": "2", "image": "gone.png"}
    (tmp_path / "q.jsonl").write_text(f"{json.dumps(one)}\n{json.dumps(two)}\n", encoding="utf-8")
    to = "--from", archive, "--library", tmp_path / "new", "--out", tmp_path / "r.jsonl"
    status, out, _ = shell("evaluate", tmp_path / "q.jsonl", *to)
    assert status == 0
    assert f"not scored, because asking failed: 1; the first, 2: {tmp_path / 'gone.png'}" in words(out)
    first = json.loads((tmp_path / "r.jsonl").read_text("utf8").splitlines()[0])
    assert first["citations"][0]["title"] == "Tomato"
