from __future__ import annotations

from pathlib import Path

import pytest

from showtell.ingest.html import read_html
from showtell.ingest.page import Converted
from showtell.ingest.resources import Place
from showtell.ingest.rst import rst_to_html
from showtell.types import Document, Image, Table, Text, Video


def _convert(text: str, root: Path) -> Converted:
    return rst_to_html(text, Place(str(root / "page.rst"), "page.rst", root))


def _read(text: str, root: Path) -> Document:
    return read_html(_convert(text, root).markup, Place(str(root / "page.rst"), "page.rst", root))


def _text(text: str, root: Path) -> str:
    blocks = [block for section in _read(text, root).sections for block in section.blocks]
    return " ".join(" ".join(block.text.split()) for block in blocks if isinstance(block, Text))


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (":ref:`the part <label>` and :doc:`/guide/first-steps`.", "the part and first steps."),
        (":guilabel:`&File` :menuselection:`File --> Open`", "File File > Open"),
        (":class:`~pkg.mod.Klass`, :py:func:`os.path.join`", "Klass, os.path.join"),
        (":unheard:`of words` and |release| and `dangling`_.", "of words and release and dangling."),
        ("``code`` and :fa:`check` *words*", "code and words"),
        ("Tune [1]_ it.\n\n.. [1] Gently.", "Tune it. Gently."),
    ],
)
def test_roles_and_references_leave_their_words(source: str, shown: str, tmp_path: Path) -> None:
    assert _text(source + "\n", tmp_path) == shown


def test_words_on_the_screen_are_bold(tmp_path: Path) -> None:
    (section,) = _read(":guilabel:`Save` in :menuselection:`File --> More`.\n", tmp_path).sections
    assert [block.markdown for block in section.blocks if isinstance(block, Text)] == ["**Save** in **File > More**."]


def test_file_wide_fields_and_tables_of_contents_are_no_text(tmp_path: Path) -> None:
    source = (
        ":orphan:\n:tocdepth: 2\n\nPage\n====\n\n.. toctree::\n   :hidden:\n\n   a\n   b\n\n.. contents::\n\nWords.\n"
    )
    document = _read(source, tmp_path)
    assert [section.path for section in document.sections] == [("Page",)]
    assert _text(source, tmp_path) == "Words."


def test_sections_have_their_anchors(tmp_path: Path) -> None:
    document = _read("Top\n===\n\na\n\nLow part\n--------\n\nb\n", tmp_path)
    assert [(section.path, section.anchor) for section in document.sections] == [
        (("Top",), "top"),
        (("Top", "Low part"), "low-part"),
    ]


@pytest.mark.parametrize(
    "source",
    [
        ".. note::\n   Mind the gap.",
        ".. warning:: Mind the gap.",
        ".. seealso:: Mind the gap.",
        ".. hint::\n\n   Mind the gap.",
    ],
)
def test_every_spelling_of_a_note(source: str, tmp_path: Path) -> None:
    document = _read(f"A\n=\n\nBefore.\n\n{source}\n\nAfter.\n", tmp_path)
    kinds = [(block.text, block.kind) for block in document.sections[0].blocks if isinstance(block, Text)]
    assert kinds == [("Before.", "paragraph"), ("Mind the gap.", "note"), ("After.", "paragraph")]


def test_versions_tabs_cards_and_folds_keep_title_and_content(tmp_path: Path) -> None:
    source = """
.. versionadded:: 3.2
   The thing.

.. tabs::

   .. tab:: Linux

      Run it.

.. grid:: 2

   .. grid-item-card:: Card
      :link: x

      On it.

.. dropdown:: More

   Inside.
"""
    assert _text(source, tmp_path) == "Added in version 3.2 The thing. Linux Run it. Card On it. More Inside."


def test_code_is_kept_with_its_caption(tmp_path: Path) -> None:
    source = ".. code-block:: python\n   :caption: run.py\n   :emphasize-lines: 1\n\n   x = '|a|'\n"
    assert _text(source, tmp_path) == "run.py x = '|a|'"


def test_options_that_docutils_does_not_know_cost_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"x")
    source = ".. figure:: a.png\n   :alt: A\n   :zoom: x\n   :width: wide\n   :align: nowhere\n\n   Caption\n"
    converted = _convert(source, tmp_path)
    assert '<img alt="A" src="a.png"' in converted.markup
    assert "<p>Caption</p>" in converted.markup
    assert converted.warnings == ()


def test_pictures_of_any_kind_are_looked_up(tmp_path: Path) -> None:
    (tmp_path / "shot.jpg").write_bytes(b"x")
    assert 'alt="" src="shot.jpg"' in _convert(".. image:: shot.*\n", tmp_path).markup


@pytest.mark.parametrize("option", [":loading: embed", ":scale: 50 %"])
def test_no_option_of_a_picture_opens_a_file(option: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.svg"
    secret.write_text("<svg>secret</svg>", encoding="utf-8")
    assert ">secret<" not in _convert(f".. image:: {secret}\n   {option}\n", tmp_path / "inside").markup


def test_videos(tmp_path: Path) -> None:
    source = "V\n=\n\n.. youtube:: abcdefghijk\n\n.. vimeo:: 146022717\n\n.. raw:: html\n\n   <video src='https://x.test/a.mp4'></video>\n"
    videos = [block for block in _read(source, tmp_path).sections[0].blocks if isinstance(block, Video)]
    assert [video.source for video in videos] == [
        "https://www.youtube.com/watch?v=abcdefghijk",
        "https://vimeo.com/146022717",
        "https://x.test/a.mp4",
    ]


def test_tables_from_files_inside_the_folder(tmp_path: Path) -> None:
    (tmp_path / "sizes.csv").write_text('Drum,Note\nSnare,"coated, single"\n', encoding="utf-8")
    table = _read(".. csv-table:: Sizes\n   :file: sizes.csv\n   :header-rows: 1\n", tmp_path).sections[0].blocks[0]
    assert isinstance(table, Table)
    assert (table.caption, table.header, table.rows) == ("Sizes", ("Drum", "Note"), (("Snare", "coated, single"),))


def test_a_broken_table_keeps_its_words_and_is_told(tmp_path: Path) -> None:
    converted = _convert(".. list-table:: T\n\n   * - a\n     - b\n   * - only\n", tmp_path)
    assert "only" in converted.markup
    assert "list-table" in converted.warnings[0]


def test_includes_stay_inside_the_folder(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    (inside / "part.rst").write_text("Part *one*.\n\n.. include:: part.rst\n", encoding="utf-8")
    source = "".join(
        f"{directive}\n\n"
        for directive in (
            ".. include:: part.rst",
            ".. include:: ../secret.txt",
            ".. literalinclude:: ../secret.txt",
            ".. raw:: html\n   :file: ../secret.txt",
            ".. csv-table::\n   :file: ../secret.txt",
            ".. csv-table::\n   :url: http://127.0.0.1/",
        )
    )
    converted = _convert(source, inside)
    assert converted.markup.count("Part <em>one</em>.") == 1
    assert ">secret" not in converted.markup
    assert sum("secret.txt" in warning for warning in converted.warnings) >= 1
    assert any("circle" in warning for warning in converted.warnings)
    assert any("127.0.0.1" in warning for warning in converted.warnings)


def test_an_unknown_directive_keeps_its_content_and_is_told(tmp_path: Path) -> None:
    converted = _convert(".. frobnicate:: Title\n   :opt: x\n\n   Kept *words*.\n", tmp_path)
    assert "Kept <em>words</em>." in converted.markup
    assert "'frobnicate' is unknown" in converted.warnings[0]


def test_nothing_is_printed_and_no_complaint_is_text(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = "Title\n==\n\n*open and |gone| and `x\n\n.. figure::\n\n   - a\n  - b\n\n====\nBad\n"
    converted = _convert(source, tmp_path)
    assert capfd.readouterr() == ("", "")
    assert "System Message" not in converted.markup
    assert "problematic" not in converted.markup


def test_pictures_by_substitution(tmp_path: Path) -> None:
    source = "See |logo|.\n\n.. |logo| image:: https://x.test/logo-large.png\n   :alt: The logo\n"
    images = [block for block in _read(source, tmp_path).sections[0].blocks if isinstance(block, Image)]
    assert [image.alt for image in images] == ["The logo"]


@pytest.mark.parametrize(
    "source",
    [
        "*" * 20_000,
        "`" * 9_999,
        "- " * 300 + "x",
        ".. note::\n" * 2_000,
        "x" * 200_000,
        "|a " * 5_000,
        "=" * 50 + "\n" * 50,
    ],
    ids=lambda source: source[:8],
)
def test_hostile_input_ends(source: str, tmp_path: Path) -> None:
    assert _convert(source, tmp_path).markup
