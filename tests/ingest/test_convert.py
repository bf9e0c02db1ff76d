from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from showtell.errors import SourceError, UnsupportedError
from showtell.ingest import convert
from showtell.ingest.convert import read_file, read_page, walk
from showtell.ingest.decode import decode
from showtell.types import Text, Video

CUES = "WEBVTT\n\n00:01.000 --> 00:03.000\nOpen the left valve first, then wait.\n"


def _file(folder: Path, name: str, data: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def _zip(member: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(member, "x")
    return buffer.getvalue()


# ------------------------------------------------------------------------------------------------------------- files
def test_a_document_is_known_by_its_path_below_the_folder(tmp_path: Path) -> None:
    document = read_file(_file(tmp_path, "guide/install-on_windows.txt", "Run the installer and wait.\n"), tmp_path)
    assert document.name == "guide/install-on_windows.txt"
    assert document.source == str(tmp_path / "guide/install-on_windows.txt")
    assert document.title == "Install on windows"


def test_plain_text_is_no_markup(tmp_path: Path) -> None:
    document = read_file(_file(tmp_path, "a.txt", "# <b>One</b>\n\n![x](y.png) & so on\n"), tmp_path)
    texts = [block.text for block in document.sections[0].blocks if isinstance(block, Text)]
    assert texts == ["# <b>One</b>", "![x](y.png) & so on"]


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a"])
def test_a_page_of_html_is_html_whatever_its_name(name: str, tmp_path: Path) -> None:
    path = _file(tmp_path, name, "<!doctype html><html><body><h1>Tea</h1><p>Brew it for three minutes.</p>")
    assert read_file(path, tmp_path).sections[0].path == ("Tea",)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.md", b"", "empty"),
        ("a.txt", b" \n\t\n", "empty"),
        ("a.txt", _zip("word/document.xml"), "zip"),
        ("a.md", b"%PDF-1.7 x", "PDF is not supported"),
        ("a.html", b"\x00\x01\x02\x03" * 100, "binary"),
        ("a.pdf", b"%PDF-1.7 x", "PDF is not supported"),
        ("a.docx", _zip("word/document.xml"), "DOCX is not supported"),
        ("a.pptx", _zip("ppt/presentation.xml"), "PPTX is not supported"),
        ("a.xlsx", _zip("xl/workbook.xml"), "XLSX is not supported"),
        ("a.adoc", b"= Title\n\nWords.\n", "AsciiDoc is not supported"),
        ("a.ipynb", b"{}", "notebooks are not supported"),
        ("a.exe", b"MZ\x90\x00\x03", "not supported"),
        ("a.gz", b"\x1f\x8b\x08\x00", "not supported"),
        ("a.xyz", b"words\n", "not supported"),
        ("a.vtt", b"WEBVTT\n\n", "no timed line"),
        ("a.srt", b"1\n00:00:01,000 --> 00:00:02,000\n\n", "empty"),
        ("a.png", b"no picture at all, really none", "a.png"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_names_the_file(name: str, data: bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=said) as caught:
        read_file(_file(tmp_path, name, data), tmp_path)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"gone\.md: there is no such file"):
        read_file(tmp_path / "gone.md", tmp_path)
    with pytest.raises(SourceError, match="it is a folder"):
        read_file(tmp_path, tmp_path)


def test_an_oversized_file_is_refused_unread(tmp_path: Path) -> None:
    path = _file(tmp_path, "big.html", "<p>x")
    with path.open("r+b") as file:
        file.truncate(convert.MAX_BYTES + 1)
    with pytest.raises(SourceError, match="too large"):
        read_file(path, tmp_path)


def test_warnings_of_decoding_reach_the_document(tmp_path: Path) -> None:
    path = _file(tmp_path, "a.md", "# Öl\n\nFür zwölf Körbe \x00".encode().replace(b"\0", b"\x93") + b"x\n")
    document = read_file(path, tmp_path)
    assert "not valid UTF-8" in document.warnings[0]
    assert document.sections[0].path == ("Öl",)


# ------------------------------------------------------------------------------------------------------------ videos
def test_a_video_brings_the_subtitles_beside_it(tmp_path: Path) -> None:
    video = _file(tmp_path, "clips/valve tour.mp4", b"\0\0\0\x18ftypmp42")
    captions = _file(tmp_path, "clips/valve tour.en.vtt", CUES)
    document = read_file(video, tmp_path)
    (block,) = document.sections[0].blocks
    assert isinstance(block, Video)
    assert (block.source, block.captions) == (str(video), str(captions))
    assert block.cues[0].text == "Open the left valve first, then wait."
    assert (document.title, document.language) == ("Valve tour", "en")


def test_subtitles_bring_their_video(tmp_path: Path) -> None:
    video = _file(tmp_path, "tour.mp4", b"\0\0\0\x18ftypmp42")
    captions = _file(tmp_path, "tour.de.vtt", CUES)
    document = read_file(captions, tmp_path)
    (block,) = document.sections[0].blocks
    assert isinstance(block, Video)
    assert (document.name, block.source, block.captions) == ("tour.de.vtt", str(video), str(captions))
    assert document.language == "de"


def test_subtitles_alone_are_a_transcript(tmp_path: Path) -> None:
    captions = _file(tmp_path, "tour.vtt", CUES)
    document = read_file(captions, tmp_path)
    (block,) = document.sections[0].blocks
    assert isinstance(block, Video)
    assert (block.source, block.captions, len(block.cues)) == (str(captions), str(captions), 1)
    assert document.language == "en"


def test_broken_subtitles_leave_the_video(tmp_path: Path) -> None:
    _file(tmp_path, "tour.vtt", "no times\n")
    document = read_file(_file(tmp_path, "tour.webm", b"\x1aE\xdf\xa3"), tmp_path)
    assert isinstance(document.sections[0].blocks[0], Video)
    assert "no timed line" in document.warnings[0]


# ------------------------------------------------------------------------------------------------------------- pages
@pytest.mark.parametrize(
    ("content_type", "url", "data"),
    [
        (
            "text/html; charset=iso-8859-1",
            "https://x.test/a",
            "<h1>Café</h1><p>It costs “two” euros.</p>".encode("cp1252"),
        ),
        ("text/markdown", "https://x.test/a", "# Café\n\nIt costs “two” euros.\n".encode()),
        ("text/plain", "https://x.test/a.md?raw=1", "# Café\n\nIt costs “two” euros.\n".encode()),
        ("text/plain", "https://x.test/a.rst", "Café\n====\n\nIt costs “two” euros.\n".encode()),
        ("", "https://x.test/a", "<!doctype html><h1>Café</h1><p>It costs “two” euros.</p>".encode()),
    ],
)
def test_a_fetched_page_is_read_by_its_type(content_type: str, url: str, data: bytes) -> None:
    document = read_page(data, content_type, url)
    assert document.sections[0].path == ("Café",)
    assert document.name == document.source == url
    assert isinstance(document.sections[0].blocks[0], Text)
    assert document.sections[0].blocks[0].text == "It costs “two” euros."


def test_fetched_pages_include_no_files(tmp_path: Path) -> None:
    document = read_page(b"# A\n\nSome words.\n\n{{$include /etc/passwd}}\n", "text/markdown", "https://x.test/a.md")
    assert any("passwd" in warning for warning in document.warnings)
    assert "root:" not in str(document.sections)


@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        (b"%PDF-1.7", "application/pdf"),
        (b"\x89PNG\r\n", "image/png"),
        (b"PK\x03\x04", "text/html"),
        (b'{"error": "none"}', "application/json; charset=utf-8"),
        (b"<rss><channel/></rss>", "application/rss+xml"),
        (b"body { color: red }", "text/css"),
    ],
)
def test_a_fetched_file_that_is_no_page_is_unsupported(data: bytes, content_type: str) -> None:
    with pytest.raises(UnsupportedError, match=r"https://x\.test/a"):
        read_page(data, content_type, "https://x.test/a")


# ---------------------------------------------------------------------------------------------------------- decoding
@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("gb18030", "关闭电源后等待三十秒再打开盖板。按下按钮。"),
        ("big5", "請先關閉電源，然後拔下插頭。等待三十秒後再次開啟。"),
        ("shift_jis", "電源を切ってください。しばらく待ちます。"),
        ("euc_jp", "電源を切ってください。しばらく待ちます。"),
        ("cp949", "전원을 끄고 플러그를 뽑으세요. 삼십 초 기다립니다."),
        ("cp1251", "Закройте крышку и подождите десять минут. Потом откройте."),
        ("koi8_r", "Закройте крышку и подождите десять минут. Потом откройте."),
        ("cp1252", "Größe über Straße – schön für „uns“ und €5"),
        ("cp1252", "Ein Müller"),
        ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy. Zavřete víko."),
        ("cp1253", "Κλείστε το καπάκι και περιμένετε δέκα λεπτά."),
        ("cp1254", "Kapağı kapatın ve on dakika bekleyin. Şimdi açın."),
        ("cp1256", "أغلق الصمام الرئيسي قبل تنظيف المرشح."),
        ("utf-16", "Öfen"),
        ("utf-16-le", "Plain words without a mark"),
        ("utf-8-sig", "Öfen"),
    ],
)
def test_encodings_that_nobody_declared(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == (text, ())


def test_declared_encodings() -> None:
    assert decode("联通".encode("gbk"), "gb2312")[0] == "联通"
    assert decode("“x”".encode("cp1252"), "ISO-8859-1")[0] == "“x”"
    assert decode("テスト".encode("iso2022_jp"), "ISO-2022-JP")[0] == "テスト"
    assert decode("Größe".encode(), "iso-8859-1")[0] == "Größe"
    assert decode(b"+ADw-script+AD4-", "utf-7")[0] == "+ADw-script+AD4-"
    assert decode('<meta charset="shift_jis">テスト'.encode("shift_jis"), markup=True)[0].endswith("テスト")
    assert decode(b"plain", "no-such-encoding") == ("plain", ())


def test_few_bad_bytes_spoil_their_own_place_only() -> None:
    text, warnings = decode("Röster für zwölf Körbe.\n".encode() + b"Stelle: \x93 hier.\n")
    assert text == "Röster für zwölf Körbe.\nStelle: “ hier.\n"
    assert len(warnings) == 1


# -------------------------------------------------------------------------------------------------------- the folder
def test_a_walk_takes_documents_in_order(tmp_path: Path) -> None:
    for name in (
        "b.md",
        "a/z.html",
        "a/c.rst",
        "pic.png",
        ".hidden.md",
        ".git/x.md",
        "node_modules/r.md",
        "x.pdf",
        "v.mp4",
    ):
        _file(tmp_path, name, "x")
    for name in ("v.vtt", "v.en.srt", "alone.vtt"):
        _file(tmp_path, name, CUES)
    told: list[str] = []
    found = [path.relative_to(tmp_path).as_posix() for path in walk(tmp_path, told.append)]
    assert found == ["a/c.rst", "a/z.html", "alone.vtt", "b.md", "v.mp4"]
    assert [line.split(": ")[1] for line in told] == ["1 .pdf file skipped"]


def test_links_out_of_the_folder_are_told(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    _file(inside, "a.md", "x")
    _file(tmp_path, "outside/secret.md", "x")
    (inside / "out").symlink_to(tmp_path / "outside")
    (inside / "secret.md").symlink_to(tmp_path / "outside/secret.md")
    (inside / "nowhere.md").symlink_to(inside / "gone.md")
    (inside / "self").symlink_to(inside)
    (inside / "same.md").symlink_to(inside / "a.md")
    told: list[str] = []
    assert [path.name for path in walk(inside, told.append)] == ["a.md", "same.md"]
    assert len(told) == 3


def test_a_folder_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    assert list(walk(tmp_path / "gone", told.append)) == []
    assert "cannot be read" in told[0]


def test_a_walk_tells_what_kinds_of_documents_it_cannot_read(tmp_path: Path) -> None:
    for name in ("a.md", "b.pdf", "c.pdf", "d.docx", "e.bin"):
        (tmp_path / name).write_text("text")
    told: list[str] = []
    assert [path.name for path in walk(tmp_path, told.append)] == ["a.md"]
    assert [line.split(": ")[1] for line in told] == ["1 .docx file skipped", "2 .pdf files skipped"]
