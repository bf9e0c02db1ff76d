from __future__ import annotations

from pathlib import Path

import pytest

from showtell.ingest.html import read_html
from showtell.ingest.markdown import markdown_to_html
from showtell.ingest.page import Converted
from showtell.ingest.resources import Place
from showtell.types import Document, Image, Table, Text, Video


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "guide").mkdir()
    return tmp_path


def _convert(text: str, root: Path) -> Converted:
    return markdown_to_html(text, Place(str(root / "guide" / "page.md"), "guide/page.md", root))


def _read(text: str, root: Path) -> Document:
    place = Place(str(root / "guide" / "page.md"), "guide/page.md", root)
    return read_html(markdown_to_html(text, place).markup, place)


def _words(document: Document) -> str:
    blocks = [block for section in document.sections for block in section.blocks]
    return " ".join(" ".join(block.text.split()) for block in blocks if isinstance(block, Text))


def _text(text: str, root: Path) -> str:
    return _words(_read(text, root))


# ------------------------------------------------------------------------------------------------------ front matter
def test_front_matter_is_the_head_of_the_page(root: Path) -> None:
    document = _read("---\ntitle: 1.10\ndescription: A page\nlang: de\ntags: [x]\n---\n# Start\n\nWords.\n", root)
    assert (document.title, document.description, document.language) == ("1.10", "A page", "de")
    assert _words(document) == "Words."


def test_toml_front_matter_is_no_collapsible_part(root: Path) -> None:
    document = _read('+++\ntitle = "Hugo"\n+++\nWords.\n\n+++More\n\nInside.\n\n+++\n', root)
    assert document.title == "Hugo"
    assert "Inside." in _words(document)
    assert "+++" not in _words(document)


def test_broken_front_matter_is_told_and_its_title_read(root: Path) -> None:
    converted = _convert('---\ntitle: "Mixer: a tour"\nbad: [a\n---\nWords.\n', root)
    assert "front matter is broken" in converted.warnings[0]
    assert "<title>Mixer: a tour</title>" in converted.markup


def test_rules_around_prose_are_not_front_matter(root: Path) -> None:
    assert "First words." in _text("---\n\nFirst words.\n\n---\n\nMore.\n", root)
    assert _read("Before.\n\n---\ntitle: Note\n---\n", root).sections[-1].path == ("title: Note",)


def test_front_matter_that_refers_to_itself_does_no_harm(root: Path) -> None:
    assert _text("---\na: &a [*a, *a]\ntitle: *a\n---\nWords.\n", root) == "Words."


# --------------------------------------------------------------------------------------------------- marks in a line
@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("Select **[!UICONTROL Save]** in [!DNL Orbit].", "Select Save in Orbit."),
        ("A [!UICONTROL **[!UICONTROL Add]**] button.", "A Add button."),
        ("A [!BADGE Beta]{type=Informative} mark.", "A Beta mark."),
        ("See [[Page#Part|the part]] and [[Other]].", "See the part and Other."),
        ("A ==bright== word; a == b and c == d.", "A bright word; a == b and c == d."),
        ("Press {kbd}`Ctrl+C` as in {doc}`the guide <../guide>`.", "Press Ctrl+C as in the guide."),
        ('A {{< glossary_tooltip text="Pod" term_id="pod" >}} here.', "A Pod here."),
        ("Write {{</* youtube x */>}} so.", "Write {{< youtube x >}} so."),
        ("A link [there](a.md){target=_blank}.", "A link there."),
        ("Words. %%hidden%% ^block-id", "Words."),
        ("Words <!-- a\ncomment --> more.", "Words more."),
        ("The call `f({#x})` and `[!NOTE]` stay.", "The call f({#x}) and [!NOTE] stay."),
        ("Set {lpurl} and {0,3} as they are.", "Set {lpurl} and {0,3} as they are."),
        ("An aside^[said low] here.", "An aside (said low) here."),
        ("Lists [1] and [x] stay.", "Lists [1] and [x] stay."),
    ],
)
def test_marks_leave_their_words(source: str, shown: str, root: Path) -> None:
    assert _text(source + "\n", root) == shown


def test_heading_attributes_become_its_anchor(root: Path) -> None:
    document = _read("# Setup {#set-up}\n\nA\n\n## Next {.wide #next}\n\nB\n", root)
    assert [(section.path, section.anchor) for section in document.sections] == [
        (("Setup",), "set-up"),
        (("Setup", "Next"), "next"),
    ]


def test_chinese_emphasis_closes_beside_punctuation(root: Path) -> None:
    assert _text("请点击**“保存”**按钮。**注意：**请勿关闭。\n", root) == "请点击“保存”按钮。注意：请勿关闭。"


# --------------------------------------------------------------------------------------------------------- pictures
@pytest.mark.parametrize(
    ("source", "ref", "alt"),
    [
        ('![A b](a b.png "t")', "a b.png", "A b"),
        ("![x](img\\win\\a.png)", "img/win/a.png", "x"),
        ("![x](a.png =300x200)", "a.png", "x"),
        ("![x|300](a.png)", "a.png", "x"),
        ("![100x145](a.png)", "a.png", ""),
        ("![x](a.png){width=50%}", "a.png", "x"),
        ("![x]({{ site.baseurl }}/img/a.png)", "/img/a.png", "x"),
        ("![größe](bild-größe.png)", "bild-größe.png", "größe"),
        ("![x](a_(1).png)", "a_(1).png", "x"),
        ("<Image src={require('./a.png').default} alt=\"x\" />", "./a.png", "x"),
        ('{{< figure src="/a.png" alt="x" caption="C **d**" >}}', "/a.png", "x"),
        ('{% include figure.html src="a.png" alt="x" %}', "a.png", "x"),
        (':::image type="content" source="media/a.png" alt-text="x":::', "media/a.png", "x"),
        ("```{image} a.png\n:alt: x\n```", "a.png", "x"),
    ],
)
def test_every_spelling_of_a_picture(source: str, ref: str, alt: str, root: Path) -> None:
    markup = _convert(f"Before.\n\n{source}\n\nAfter.\n", root).markup
    assert f'src="{ref}"' in markup
    assert f'alt="{alt}"' in markup
    assert markup.count("<img") == 1


def test_obsidian_finds_a_picture_by_its_name(root: Path) -> None:
    (root / "attachments").mkdir()
    (root / "attachments" / "deep.png").write_bytes(b"x")
    assert 'src="../attachments/deep.png" alt=""' in _convert("![[deep.png|300]]\n", root).markup


# ----------------------------------------------------------------------------------------------------------- videos
@pytest.mark.parametrize(
    ("source", "address", "start"),
    [
        (">[!VIDEO](https://video.tv.adobe.com/v/34011/?quality=12)", "https://video.tv.adobe.com/v/34011", None),
        ("[!VIDEO](https://video.tv.adobe.com/v/34011)", "https://video.tv.adobe.com/v/34011", None),
        ("> [!VIDEO https://youtube.com/embed/abcdefghijk]", "https://www.youtube.com/watch?v=abcdefghijk", None),
        ('{{< youtube id="abcdefghijk" start="30" >}}', "https://www.youtube.com/watch?v=abcdefghijk", 30.0),
        ("{{< vimeo 146022717 >}}", "https://vimeo.com/146022717", None),
        ('{% embed url="https://youtu.be/abcdefghijk" %}', "https://www.youtube.com/watch?v=abcdefghijk", None),
        ("```{youtube} abcdefghijk\n```", "https://www.youtube.com/watch?v=abcdefghijk", None),
        ('<YouTube id="abcdefghijk" />', "https://www.youtube.com/watch?v=abcdefghijk", None),
    ],
)
def test_every_spelling_of_a_video(source: str, address: str, start: float | None, root: Path) -> None:
    document = _read(f"# Tour\n\nBefore.\n\n{source}\n\nAfter.\n", root)
    blocks = document.sections[0].blocks
    assert [type(block) for block in blocks] == [Text, Video, Text]
    assert isinstance(blocks[1], Video)
    assert (blocks[1].source, blocks[1].start) == (address, start)


# ------------------------------------------------------------------------------------------------------------ blocks
@pytest.mark.parametrize(
    "source",
    [
        "> [!NOTE]\n> Mind the gap.",
        ">[!IMPORTANT] Mind the gap.",
        ":::warning\nMind the gap.\n:::",
        "::: {.callout-tip}\nMind the gap.\n:::",
        ":::{note}\nMind the gap.\n:::",
        "```{note}\nMind the gap.\n```",
        "!!! note\n    Mind the gap.",
        "??? tip\n    Mind the gap.",
        "<Note>\nMind the gap.\n</Note>",
        '{{% alert color="x" %}}\nMind the gap.\n{{% /alert %}}',
        '{% hint style="info" %}\nMind the gap.\n{% endhint %}',
    ],
)
def test_every_spelling_of_a_note(source: str, root: Path) -> None:
    document = _read(f"# A\n\nBefore.\n\n{source}\n\nAfter.\n", root)
    kinds = [(block.text, block.kind) for block in document.sections[0].blocks if isinstance(block, Text)]
    assert kinds == [("Before.", "paragraph"), ("Mind the gap.", "note"), ("After.", "paragraph")]


def test_notes_keep_their_titles_and_stand_in_each_other(root: Path) -> None:
    source = "::::tip[Outer]\nOne.\n\n:::note Inner\nTwo.\n:::\n\n::::\n\n> [!faq]- Fold\n> Three.\n\nFour.\n"
    assert _text(source, root) == "Outer One. Inner Two. Fold Three. Four."


def test_tabs_keep_their_titles(root: Path) -> None:
    source = '=== "Linux"\n\n    Use apt.\n\n>[!BEGINTABS]\n\n>[!TAB Mac]\n\nUse brew.\n\n>[!ENDTABS]\n'
    assert _text(source, root) == "Linux Use apt. Mac Use brew."


def test_collapsible_parts_in_steps(root: Path) -> None:
    source = "1. One\n\n   +++Details\n\n      Deep **words**.\n\n   +++\n\n1. Two\n"
    document = _read(source, root)
    labels = [block.label for block in document.sections[0].blocks if isinstance(block, Text) and block.label]
    assert labels == ["1.", "2."]
    assert _words(document) == "One Details Deep words. Two"


def test_fences_inside_containers_hide_their_ends(root: Path) -> None:
    assert "after the code" in _text(":::note\n```\n:::\n```\nafter the code\n:::\n", root)
    assert "+++" in _text("+++Front matter\n\n```toml\n+++\na = 1\n+++\n```\n\nend\n+++\n", root)


def test_modules_and_components_of_mdx_leave_only_words(root: Path) -> None:
    source = (
        "import Tabs from '@theme/Tabs';\n\nexport const x = 1;\n\n# Page\n\n<Tabs>\n"
        '<TabItem value="w" label="Windows">\n\nRun *it*.\n\n</TabItem>\n</Tabs>\n\n{/* gone */}\n'
    )
    assert _text(source, root) == "Windows Run it."


def test_importing_in_prose_is_prose(root: Path) -> None:
    assert _text("import the file from the menu.\n", root) == "import the file from the menu."


def test_tool_tips_and_comments_are_no_text(root: Path) -> None:
    source = (
        '>[!CONTEXTUALHELP]\n>id="x"\n>abstract="Tip."\n\n[comment]: # (a (b) c)\n\n[TOC]\n\n(label)=\n# Words\n\nx\n'
    )
    assert _text(source, root) == "x"


def test_an_attribute_list_under_a_table_is_no_row(root: Path) -> None:
    document = _read('| A | B |\n|---|---|\n| 1 | 2 |\n{style="table-layout:auto"}\n', root)
    assert next(block for block in document.sections[0].blocks if isinstance(block, Table)).rows == (("1", "2"),)


def test_list_table_of_myst(root: Path) -> None:
    source = "```{list-table} Tempos\n:header-rows: 1\n\n* - Groove\n  - Slow\n* - Shuffle\n  - 70\n```\n"
    table = _read(source, root).sections[0].blocks[0]
    assert isinstance(table, Table)
    assert (table.caption, table.header, table.rows) == ("Tempos", ("Groove", "Slow"), (("Shuffle", "70"),))


def test_figure_of_myst_has_its_caption(root: Path) -> None:
    markup = _convert(":::{figure} a.png\n:alt: x\n\nThe *caption*.\n:::\n", root).markup
    assert '<figure><img src="a.png" alt="x"><figcaption>' in markup


def test_footnotes_stay_in_their_section(root: Path) -> None:
    document = _read("# A\n\nRed.[^1]\n\n[^1]: From the *root*.\n\n# B\n\nBlue.\n", root)
    assert [section.path for section in document.sections if "root" in str(section.blocks)] == [("A",)]
    assert "[^" not in _words(document)


def test_an_unknown_directive_keeps_its_content_and_is_told(root: Path) -> None:
    converted = _convert("```{frobnicate} Title\nKept words.\n```\n", root)
    assert "Kept words." in converted.markup
    assert "'frobnicate' is unknown" in converted.warnings[0]


# ---------------------------------------------------------------------------------------------------------- includes
@pytest.mark.parametrize(
    "line",
    [
        "{{$include _parts/limits.md}}",
        "{{$include /_parts/limits.md}}",
        '--8<-- "_parts/limits.md"',
        "[!INCLUDE [limits](../_parts/limits.md)]",
        "```{include} ../_parts/limits.md\n```",
        "<!--@include: ../_parts/limits.md-->",
        "{% include_relative _parts/limits.md %}",
    ],
)
def test_every_spelling_of_an_include(line: str, root: Path) -> None:
    (root / "_parts").mkdir()
    (root / "_parts" / "limits.md").write_text("---\ntitle: no\n---\nNever *more* than twelve.\n", encoding="utf-8")
    assert _text(f"Before.\n\n{line}\n\nAfter.\n", root) == "Before. Never more than twelve. After."


def test_an_include_that_leaves_the_folder_is_told_and_not_read(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.md"
    outside.write_text("secret", encoding="utf-8")
    (root / "link.md").symlink_to(outside)
    converted = _convert(f"{{{{$include {outside}}}}}\n\n{{{{$include ../link.md}}}}\n", root)
    assert "secret<" not in converted.markup
    assert len(converted.warnings) == 2


def test_files_that_include_each_other_end(root: Path) -> None:
    (root / "guide" / "loop.md").write_text("Once.\n\n{{$include loop.md}}\n", encoding="utf-8")
    converted = _convert("{{$include loop.md}}\n", root)
    assert converted.markup.count("Once.") == 1
    assert "circle" in converted.warnings[0]


def test_adobe_snippets(root: Path) -> None:
    (root / "_includes").mkdir()
    (root / "_includes" / "snippets.md").write_text(
        "## A {#one}\n\nFirst.\n\n## B {#two}\n\nSecond.\n", encoding="utf-8"
    )
    assert _text("{{two}}\n", root) == "Second."
    assert "'three'" in _convert("{{three}}\n", root).warnings[0]


# ---------------------------------------------------------------------------------------------------------- bad input
@pytest.mark.parametrize(
    "source",
    [
        "[" * 20_000,
        "!" + "[" * 5_000 + "]" * 5_000,
        "> " * 5_000 + "deep",
        "[!NOTE " * 3_000,
        "{{< " * 5_000,
        "`" * 3_001 + "a" + "`" * 2_999,
        "".join("`" * (n % 7 + 1) + "a " for n in range(5_000)),
        ":::note\n" * 2_000,
        "+++a\n" * 2_000,
        "<div " * 5_000,
        "<A b={" * 3_000,
        "![[" * 5_000,
        "](" * 5_000,
        "{#a " * 5_000,
        "*a **b " * 3_000,
        "| a " * 5_000,
        "- " * 500 + "x",
        "\0\ufeff\u2028 text",
    ],
    ids=lambda source: source[:8],
)
def test_hostile_input_ends_soon(source: str, root: Path) -> None:
    assert _convert(source, root).markup


def test_a_table_of_ten_thousand_rows(root: Path) -> None:
    rows = "".join(f"| {n} | x |\n" for n in range(10_000))
    assert _convert(f"| A | B |\n|---|---|\n{rows}", root).markup.count("<tr>") == 10_001


def test_pictures_in_code_are_text(root: Path) -> None:
    document = _read("```md\n![x](a.png)\n```\n\n`![y](b.png)`\n\n- item\n\n      ![z](c.png)\n", root)
    assert not [block for block in document.sections[0].blocks if isinstance(block, Image)]


def test_words_on_the_screen_are_bold(tmp_path: Path) -> None:
    (section,) = _read("Tap {guilabel}`Save` in {menuselection}`File --> More`.\n", tmp_path).sections
    assert [block.markdown for block in section.blocks if isinstance(block, Text)] == [
        "Tap **Save** in **File > More**."
    ]
