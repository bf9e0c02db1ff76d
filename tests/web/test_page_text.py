"""The page reads limited Markdown as the renderers do."""

from __future__ import annotations

from dataclasses import asdict

from showtell.render.limited import parse
from tests.web.browser import address, browser, copied, expected, go

__all__ = ["address", "browser", "copied", "expected", "go"]  # fixtures

TEXTS = (
    "1. Open **Admin** > *Privacy* [1].",
    "- a\n- b **c**",
    "   - nested `code` [2]",
    "> quoted\n\n```\ncode x\n```",
    "plain [1] [9] [x](http://a.b/c) [y](javascript:alert(1)) [z](/own)",
    "**a *b* c** _d_ __e__ a_b_c 2*3*4 ** ***bold it*** **b*i*** *a **b*c**",
    "a\\*b\\[1] `` a`b `` <http://x.org/> <a@b.co> <b>&amp;&#65;&lt;",
    "line  \nbreak\\\nnext\nsoft",
    "- \n- x",
    "![alt [z]](http://t/p.png) tail",
    "# not heading\n---\n[1]: http://x",
    "3. x\n\n   second paragraph\n   - inner\n     1. deep [1]",
    "para\n2. not a list\n1. list",
    "- 1. b\n     c",
    "中文**强调**文字 **“quoted”** é😀**x**",
    "10. ten\n    - in ten",
    "> - a\n>   b\n> c",
    "`a\nb` [a **b** c](https://x.org/a) **[1]** [1][2]",
    "~~~\nx\n~~~\ny",
    "-no list\n\n+ plus\n* star",
    "<script>alert(1)</script> \x1b[31mred\x1b[0m user\u202egnp.exe",
)
READ = """async ([texts, marks]) => {
  const {parse} = await import("/static/limited.js");
  return texts.map((text, index) => parse(text, [1, 3], marks[index]));
}"""


def joined(blocks):
    """The blocks as plain values; runs of one style, which renderers may cut differently, are one."""
    shown = []
    for block in blocks:
        runs = []
        for run in block["runs"]:
            style = {key: value for key, value in run.items() if key != "text"}
            if runs and runs[-1][1] == style and run["citation"] is None:
                runs[-1] = (runs[-1][0] + run["text"], style)
            else:
                runs.append((run["text"], style))
        shown.append((block["kind"], block["label"], block["depth"], runs))
    return shown


def test_limited_markdown_is_read_as_the_renderers_read_it(go):
    marks = [
        [[index % 3, len(text) // 2]] if index % 4 == 0 and len(text) > 6 else [] for index, text in enumerate(TEXTS)
    ]
    shown = go().evaluate(READ, [TEXTS, marks])
    for text, spans, blocks in zip(TEXTS, marks, shown, strict=True):
        wanted = parse(text, [1, 3], [(start, end) for start, end in spans])
        assert joined(blocks) == joined(map(asdict, wanted)), text


def test_endless_marks_cost_no_more_than_their_length(go):
    page = go()
    for piece in ("*a", "_a ", "[", "`", "> ", "- ", "[a](", "**a*"):
        taken = page.evaluate(
            """async (text) => {
              const {parse} = await import("/static/limited.js");
              const began = performance.now();
              parse(text);
              return performance.now() - began;
            }""",
            piece * (20_000 // len(piece)),
        )
        assert taken < 3000, piece
