"""An answer, or several, as one self-contained HTML file: everything inlined, nothing remote loaded, strict CSP.

Every word of a document is escaped where it is written; answer text is sanitised once more as a whole.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import count, groupby
from string import Template

import nh3

from showtell.render import labels
from showtell.render.figures import OUTWARD, figure_html, inlined
from showtell.render.labels import Assets
from showtell.render.limited import Block, Run, parse
from showtell.types import Answer, Check, Citation, FigurePart

_TAGS = {"a", "blockquote", "br", "code", "em", "mark", "p", "pre", "strong"}
_ATTRIBUTES = {"a": {"href", "class", "id", "aria-label"}, "*": {"dir"}}


def render_html(answer: Answer, assets: Assets) -> str:
    """One answer as a page of its own."""
    return render_html_page([answer], assets)


def render_html_page(answers: Sequence[Answer], assets: Assets) -> str:
    """Several answers on one page. ``assets`` gives the file of an asset's name, or None where it is missing."""
    style, script = _page_file("page.css"), _page_file("page.js")
    policy = (
        "default-src 'none'; img-src data:; media-src data: blob:; "
        f"style-src '{_digest(style)}'; script-src '{_digest(script)}'; base-uri 'none'; form-action 'none'"
    )
    title = labels.line(answers[0].question.text, 120) if answers else "showtell"
    articles = [_Article(answer, assets, number).html() for number, answer in enumerate(answers, start=1)]
    if len(answers) > 1:
        articles.insert(0, _contents(answers))
    return Template(_page_file("page.html")).substitute(
        policy=policy, title=escape(title), style=style, script=script, articles="\n".join(articles)
    )


@cache
def _page_file(name: str) -> str:
    return (files("showtell.render") / "page" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _contents(answers: Sequence[Answer]) -> str:
    links = (
        f'<li><a href="#a{number}" dir="auto">{escape(labels.line(answer.question.text))}</a></li>'
        for number, answer in enumerate(answers, start=1)
    )
    return (
        f'<nav class="contents" aria-label="Questions"><h1>{len(answers)} answers</h1><ol>{"".join(links)}</ol></nav>'
    )


class _Article:
    """One answer's HTML. Ids begin with ``a<number>``; references to sources are counted in reading order."""

    def __init__(self, answer: Answer, assets: Assets, number: int) -> None:
        self.answer = answer
        self.assets = assets
        self.id = f"a{number}"
        self.sources_given = {citation.number for citation in answer.citations}
        self.references = count(1)
        self.first_reference: dict[int, str] = {}

    def html(self) -> str:
        return (
            f'<article id="{self.id}" aria-labelledby="{self.id}-question">{self.header()}'
            f'<div class="answer"><div class="words" lang="">{"".join(self.body())}</div>'
            f"{self.nearest()}{self.warnings()}</div>{self.sources()}{self.footer()}</article>"
        )

    # ------------------------------------------------------------------------------------------------ head and foot
    def header(self) -> str:
        answer, count_of = self.answer, len(self.answer.citations)
        none = "Not in the sources" if answer.searches else "Not answered"
        state = none if answer.status == "no_answer" else "Answered"
        facts = [f'<span class="state {answer.status}">{state}</span>']
        if count_of:
            facts.append(f"from {count_of} source{'s' if count_of > 1 else ''}")
        if answer.status == "answered" and not labels.doubt(answer):
            facts.append(f"confidence {escape(labels.line(answer.confidence, 60))}")
        asked = labels.line(answer.question.text, 1_000)
        long = ' class="long"' if len(asked) > 80 else ""
        pictures = "".join(map(self.asked_picture, range(len(answer.question.images))))
        doubt = labels.doubt(answer)
        return (
            f'<header><p class="status">{" · ".join(facts)}</p>'
            f'<h1 id="{self.id}-question" dir="auto"{long}>{escape(asked)}</h1>'
            + (f'<div class="asked">{pictures}</div>' if pictures else "")
            + "".join(f'<p class="origin" dir="auto">{escape(words)}</p>' for words in self.origin())
            + (f'<p class="doubt">{escape(doubt)}</p>' if doubt else "")
            + "</header>"
        )

    def origin(self) -> Iterator[str]:
        """What was searched for and who wrote, where that is not the plain case."""
        if searches := labels.searched(self.answer):
            yield f"searched: {' · '.join(searches)}"
        if origin := labels.origin(self.answer):
            yield origin

    def asked_picture(self, index: int) -> str:
        names = self.answer.question.images
        address = inlined(names[index], self.assets)
        alt = "The question's picture" + (f" {index + 1} of {len(names)}" if len(names) > 1 else "")
        if not address:
            return ""
        opens = f'type="button" class="zoom" aria-haspopup="dialog" aria-label="{alt}, open full size"'
        return f'<button {opens}><img src="{address}" alt="{alt}" decoding="async"></button>'

    def footer(self) -> str:
        made = f"showtell · method {labels.line(self.answer.method, 60)} · model {labels.line(self.answer.model, 60)}"
        return f"<footer>{escape(made)}</footer>"

    # --------------------------------------------------------------------------------------------------- text parts
    def body(self) -> Iterator[str]:
        """Text and figures in order; consecutive list items share a list, a figure stands inside its item."""
        names, in_list = labels.numbered(self.answer), False
        for index, part in enumerate(self.answer.parts):
            if isinstance(part, FigurePart):
                cited = "".join(self.cite(number) for number in part.citations)
                yield figure_html(part, names[index], self.assets, cited)
                continue
            for block in parse(part.text, part.citations, labels.marks(self.answer, index)):
                if block.label:
                    yield ("</div></li>" if in_list else '<ul class="steps" role="list">') + _item(block)
                    in_list = True
                elif not block.depth and in_list:
                    yield "</div></li></ul>"
                    in_list = False
                yield self.block(block)
            yield from map(_check, labels.failed_checks(self.answer, index))
        if in_list:
            yield "</div></li></ul>"

    def block(self, block: Block) -> str:
        words = _kept_together("".join(self.stretches(block.runs)))
        opened, closed = {
            "paragraph": ('<p dir="auto">', "</p>"),
            "quote": ('<blockquote dir="auto">', "</blockquote>"),
            "code": ('<pre dir="ltr"><code>', "</code></pre>"),
        }[block.kind]
        return nh3.clean(opened + words + closed, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes={"http", "https"})

    def stretches(self, runs: Sequence[Run]) -> Iterator[str]:
        """The runs in order; what is to be checked stands in one mark, whatever styles it has."""
        for marked, stretch in groupby(runs, lambda run: run.marked):
            words = "".join(map(self.run, stretch))
            yield f"<mark>{words}</mark>" if marked else words

    def run(self, run: Run) -> str:
        if run.citation is not None:
            return self.cite(run.citation)
        html = escape(run.text).replace("\n", "<br>" if not run.code else "\n")
        for tag, wanted in (("code", run.code), ("em", run.italic), ("strong", run.bold)):
            html = f"<{tag}>{html}</{tag}>" if wanted else html
        return f'<a href="{escape(run.link)}">{html}</a>' if run.link else html

    def cite(self, number: int) -> str:
        """A chip that leads to a source; a number without a source stays a number."""
        if number not in self.sources_given:
            return f"[{number}]"
        reference = f"{self.id}-r{next(self.references)}"
        self.first_reference.setdefault(number, reference)
        return f'<a class="cite" id="{reference}" href="#{self.id}-s{number}" aria-label="Source {number}">{number}</a>'

    # ------------------------------------------------------------------------------------------------- what follows
    def sources(self) -> str:
        if not self.answer.citations:
            return ""
        items = "".join(self.source(citation) for citation in self.answer.citations)
        return (
            f'<section class="sources" aria-labelledby="{self.id}-sources"><h2 id="{self.id}-sources">Sources</h2>'
            f'<ol role="list">{items}</ol></section>'
        )

    def source(self, citation: Citation) -> str:
        number, heading = citation.number, escape(labels.heading(citation))
        address, document = labels.web_address(citation.url), escape(labels.document(citation))
        title = f'<a href="{escape(address)}" {OUTWARD}>{heading}</a>' if address else heading
        facts = [document, escape(labels.version(citation))]
        known = " · ".join(f"<bdi>{fact}</bdi>" for fact in facts if fact)
        back = self.first_reference.get(number, f"{self.id}-question")
        return (
            f'<li id="{self.id}-s{number}" tabindex="-1"><span class="number" aria-hidden="true">{number}</span>'
            f'<p class="heading" dir="auto">{title}</p><p class="known">{known}</p>'
            f'<blockquote dir="auto" lang="">{escape(labels.clean(citation.text))}</blockquote>'
            f'<a class="back" href="#{back}" aria-label="Back to where source {number} is used">↑ back</a></li>'
        )

    def nearest(self) -> str:
        if not self.answer.nearest:
            return ""
        places = (
            labels.SEPARATOR.join(map(labels.line, (near.document, *near.section))) for near in self.answer.nearest
        )
        items = "".join(f"<li><bdi>{escape(place)}</bdi></li>" for place in places)
        return f'<section class="nearest"><h2>Worth a look</h2><ul>{items}</ul></section>'

    def warnings(self) -> str:
        items = "".join(f'<li dir="auto">{escape(labels.warning(warning))}</li>' for warning in self.answer.warnings)
        return f'<section class="warnings"><h2>Warnings</h2><ul>{items}</ul></section>' if items else ""


def _kept_together(html: str) -> str:
    """No line begins with a citation."""
    return html.replace(' <a class="cite"', '\u00a0<a class="cite"')


def _item(block: Block) -> str:
    return f'<li class="depth-{min(block.depth, 4)}"><span class="label">{escape(block.label)}</span><div class="item">'


def _check(check: Check) -> str:
    state = "repaired" if check.action == "repaired" else "marked"
    return f'<p class="check {state}" role="note" dir="auto">{escape(labels.note(check))}</p>'
