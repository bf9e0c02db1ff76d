"""reStructuredText, Sphinx's additions included, to HTML for the reader.

docutils parses with states of our own, so that unknown directives and roles keep their words, nothing is looked up in
docutils' global registries for them, and files are read from inside the added folder only.
"""

from __future__ import annotations

import re
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.core import publish_doctree, publish_from_doctree
from docutils.parsers.rst import Directive, DirectiveError, Parser, directives, roles, states
from docutils.statemachine import StringList, string2lines
from docutils.utils import Reporter
from docutils.writers.html5_polyglot import HTMLTranslator, Writer

from showtell.ingest.components import (
    CODE,
    NOTES,
    SILENT,
    VERSIONS,
    Component,
    frame,
    known,
    names,
    paragraph,
    role_text,
)
from showtell.ingest.page import Converted, Inclusions, page, plain_text_page
from showtell.ingest.resources import Place

LONGEST_LINE = 10_000  # characters; docutils takes time that grows with the square of a line
AS_TEXT = "it was read as plain text"
SETTINGS: dict[str, Any] = {
    "_disable_config": True,
    "file_insertion_enabled": False,
    "raw_enabled": True,
    "report_level": 5,
    "halt_level": 5,
    "warning_stream": False,
    "doctitle_xform": False,
    "docinfo_xform": False,
    "initial_header_level": 1,
    "syntax_highlight": "none",
    "math_output": "LaTeX",
    "smart_quotes": False,
    "embed_stylesheet": False,
    "stylesheet_path": "",
    "toc_backlinks": False,
    "line_length_limit": LONGEST_LINE,
    "output_encoding": "unicode",
}
FILE_WIDE_FIELDS = re.compile(r"\A\s*(?::[A-Za-z][\w -]*:(?:[ \t][^\n]*)?\n(?:[ \t]+[^\n]*\n)*)+(?=\s*\n|\Z)")
IMAGE_ENDINGS = (".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp")


def rst_to_html(text: str, place: Place) -> Converted:
    """A whole page. Files that the text includes are read if they lie inside the place's root."""
    inclusions = Inclusions(place)
    if max(map(len, text.splitlines()), default=0) > LONGEST_LINE:
        return Converted(plain_text_page(text), (f"a line is longer than {LONGEST_LINE} characters; {AS_TEXT}",))
    try:
        body = rst_fragment(FILE_WIDE_FIELDS.sub("", text.replace("\r\n", "\n").lstrip("\ufeff")), inclusions)
    except RecursionError:
        return Converted(plain_text_page(text), (*inclusions.warnings, f"its parts are nested too deeply; {AS_TEXT}"))
    return Converted(page(body), tuple(inclusions.warnings))


def rst_fragment(text: str, inclusions: Inclusions) -> str:
    """The HTML of a piece of reStructuredText; what was lost on the way is told to ``inclusions``."""
    settings = SETTINGS | {"inclusions": inclusions}
    document = publish_doctree(
        text, source_path=inclusions.place.source, parser=_TolerantParser(), settings_overrides=settings
    )
    _tidy(document, inclusions)
    writer = Writer()
    writer.translator_class = _Translator
    publish_from_doctree(document, writer=writer, settings_overrides=settings)
    return str(writer.parts["body"])


# ------------------------------------------------------------------------------------------------- after the parsing
def _tidy(document: nodes.document, inclusions: Inclusions) -> None:
    """Takes out what is only scaffolding: error marks, footnote marks, options that make docutils open files."""
    for node in list(document.findall(nodes.problematic)):
        node.parent.replace(node, nodes.Text(_unmarked(node.astext())))
    for kind in (nodes.system_message, nodes.footnote_reference, nodes.label, nodes.comment):
        for element in list(document.findall(kind)):
            if not isinstance(element.parent, nodes.citation):
                element.parent.remove(element)
    for image in document.findall(nodes.image):
        for option in ("loading", "scale"):
            image.attributes.pop(option, None)
        image.setdefault("alt", "")
        if image["uri"].endswith(".*"):
            image["uri"] = _first_of_kinds(image["uri"][:-2], inclusions)
    for section in document.findall(nodes.section):
        if section["ids"] and isinstance(section[0], nodes.title):
            section[0]["ids"], section["ids"] = section["ids"][:1], section["ids"][1:]


def _unmarked(source: str) -> str:
    """The words of inline markup that docutils could not resolve."""
    return re.sub(r"^[`|*]+|[`|*]+_{0,2}$|(?<=\w)_{1,2}$", "", source)


def _first_of_kinds(stem: str, inclusions: Inclusions) -> str:
    return next((stem + ending for ending in IMAGE_ENDINGS if inclusions.find(stem + ending)), stem + ".png")


class _Translator(HTMLTranslator):
    def visit_footnote(self, _: nodes.footnote) -> None:
        """A paragraph of the text, as the mark in the text is gone."""
        self.body.append('<div class="footnote">')

    def depart_footnote(self, _: nodes.footnote) -> None:
        self.body.append("</div>\n")

    def visit_citation(self, _: nodes.citation) -> None:
        """Like a footnote, but with its name."""
        self.body.append('<div class="footnote">')

    def depart_citation(self, _: nodes.citation) -> None:
        self.body.append("</div>\n")

    def visit_label(self, node: nodes.label) -> None:
        """What a citation is called in the text."""
        self.body.append(f"<p>[{escape(node.astext())}]</p>")
        raise nodes.SkipNode

    def visit_literal(self, node: nodes.literal) -> None:
        """Code is code, not a styled span."""
        self.body.append(f"<code>{escape(node.astext())}</code>")
        raise nodes.SkipNode


# ------------------------------------------------------------------------------------------------------- the parser
class _Tolerant:
    """Mixed into every state of docutils' parser: directives come from here, and nested parsing stays in here."""

    nested_sm_cache: ClassVar[list[Any]] = []

    def __init__(self, state_machine: Any, debug: bool = False) -> None:
        super().__init__(state_machine, debug)  # type: ignore[call-arg]
        self.nested_sm_kwargs = {"state_classes": STATES, "initial_state": "Body"}

    def directive(self, match: re.Match[str], **presets: Any) -> tuple[list[nodes.Node], bool]:
        state: Any = self
        name = match.group(1).lower()
        found, blank_finish = state.run_directive(_directive(name, state.memo.language), match, name, presets)
        lost = [
            node for node in found if isinstance(node, nodes.system_message) and node["level"] > Reporter.INFO_LEVEL
        ]
        for message in lost:
            reason = " ".join(message.children[0].astext().split())[:160] if message.children else "broken"
            state.document.settings.inclusions.warn(f"directive {name!r} was left out: {reason}")
        return [node for node in found if node not in lost], blank_finish


# docutils finds the methods for explicit markup in this table, not by their names.
_Tolerant.explicit = states.Struct(  # type: ignore[attr-defined]
    patterns=states.Body.explicit.patterns,
    constructs=[
        (_Tolerant.directive if method is states.Body.directive else method, pattern)
        for method, pattern in states.Body.explicit.constructs
    ],
)
STATES: tuple[type, ...] = tuple(type(state.__name__, (_Tolerant, state), {}) for state in states.state_classes)


def _interpreted(
    inliner: Any, rawsource: str, text: str, role: str, lineno: int
) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """Takes the place of docutils' method: a role that it does not know shows its words."""
    name = role.lower().rsplit(":", 1)[-1] if role else ""
    if name not in SPHINX_ROLES and roles.role(role, inliner.language, lineno, inliner.reporter)[0]:
        found, messages = states.Inliner.interpreted(inliner, rawsource, text, role, lineno)
        return found, list(messages)
    shown = role_text(name, nodes.unescape(text))
    if not shown:
        return [], []
    if name in SCREEN_ROLES:
        return [nodes.strong(text, shown)], []
    return [nodes.literal(text, shown) if name in LITERAL_ROLES else nodes.Text(shown)], []


SCREEN_ROLES = names("guilabel menuselection")  # what is written on a screen; Sphinx shows it in bold
SPHINX_ROLES = names("ref doc term abbr file samp kbd guilabel menuselection command")
LITERAL_ROLES = names(
    """
    file samp kbd command class meth func mod attr obj data exc const envvar option program py code c cpp js
    confval setting func macro type member
    """
)


class _TolerantParser(Parser):
    def __init__(self) -> None:
        inliner = states.Inliner()  # reads the variables of its own class, so it cannot be subclassed
        setattr(inliner, "interpreted", partial(_interpreted, inliner))  # noqa: B010 (docutils has no hook for it)
        super().__init__(inliner=inliner)
        self.state_classes = STATES


@cache
def _directive(name: str, language: Any) -> type[Directive]:
    """The class for a directive's name: ours, else docutils' own made lenient, else one that keeps the content."""
    plain = name.rsplit(":", 1)[-1]
    if plain in OWN:
        return OWN[plain]
    if plain in NOTES or plain in SILENT or plain in CODE or ":" in name or plain in SPHINX_DIRECTIVES:
        return _Kept
    document = nodes.document(None, Reporter("", 5, 5, stream=False))  # type: ignore[arg-type]
    standard, _ = directives.directive(name, language, document)
    if standard is None or not isinstance(standard, type):
        return _Kept
    return type(standard.__name__, (_Lenient, standard), {"option_spec": _Options(standard.option_spec or {})})


class _Options(dict[str, Any]):
    """Options that a directive knows, converted; any other is taken and forgotten, as is a value it cannot read."""

    def __missing__(self, name: str) -> Any:
        return directives.unchanged

    def __getitem__(self, name: str) -> Any:
        convert = super().__getitem__(name)

        def leniently(value: str | None) -> Any:
            try:
                return convert(value)
            except (ValueError, TypeError):
                return _UNREADABLE

        return leniently

    def __bool__(self) -> bool:
        return True


_UNREADABLE = object()


class _Lenient:
    """Mixed into docutils' directives: files from inside the folder only; content that does not fit is kept as text."""

    def run(self) -> list[nodes.Node]:
        me: Any = self
        me.options = {name: value for name, value in me.options.items() if value is not _UNREADABLE}
        inclusions: Inclusions = me.state.document.settings.inclusions
        if "url" in me.options:
            inclusions.warn(f"directive {me.name!r} was left out: {me.options['url']!r} is not fetched")
            return []
        if "file" in me.options:
            text = inclusions.read(str(me.options.pop("file")))
            if text is None:
                return []
            me.content = StringList(text.splitlines(), source="included")
        try:
            found: list[nodes.Node] = super().run()  # type: ignore[misc]
        except DirectiveError as problem:
            found = [me.state.reporter.system_message(problem.level, problem.msg)]
        if found and all(isinstance(node, nodes.system_message) for node in found) and me.content:
            reason = " ".join(found[0].children[0].astext().split())[:120] if found[0].children else ""
            inclusions.warn(f"directive {me.name!r} is broken ({reason}); its content was kept as text")
            return _nested(me, me.content)
        return found


# --------------------------------------------------------------------------------------------------- our directives
def _nested(directive: Any, content: StringList) -> list[nodes.Node]:
    inside = nodes.container()
    inside.document = directive.state.document
    directive.state.nested_parse(content, directive.content_offset, inside)
    return list(inside.children)


def _raw(markup: str) -> list[nodes.Node]:
    return [nodes.raw("", markup, format="html")] if markup else []


class _Kept(Directive):
    """Any directive by its name: a note, a fold, a video, code, nothing; an unknown one keeps its content."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = _Options()

    def run(self) -> list[nodes.Node]:
        name = self.name.rsplit(":", 1)[-1]
        argument = self.arguments[0] if self.arguments else ""
        if name in SILENT or (name == "only" and re.fullmatch(r"\s*(?:latex|pdf|man|text|epub|texinfo)\s*", argument)):
            return []
        options = {key: value or "" for key, value in self.options.items() if isinstance(value, str | None)}
        if name in CODE or name in ("code-tab", "literal"):
            return self._code(name, argument, options)
        if name in TITLELESS:
            return self._note(name, argument)
        if ":" in self.name or name in OBJECTS:
            signatures = "".join(f"<p><code>{escape(line.strip())}</code></p>" for line in argument.split("\n") if line)
            return _raw(signatures) + _nested(self, self.content)
        if name in VERSIONS:  # a number, then words
            argument, _, rest = " ".join(argument.split()).partition(" ")
            self.content = StringList([rest, "", *self.content], source="argument") if rest else self.content
        component = Component(name, self._words(argument), options)
        if not known(component) and name not in SPHINX_DIRECTIVES:
            self.state.document.settings.inclusions.warn(f"directive {self.name!r} is unknown; its content was kept")
        if name in TRANSPARENT:
            component = Component(name)
        before, after = frame(component)
        return _raw(before) + _nested(self, self.content) + _raw(after)

    def _words(self, argument: str) -> str:
        found, _ = self.state.inline_text(argument, self.lineno)
        return "".join(node.astext() for node in found)

    def _code(self, name: str, argument: str, options: dict[str, str]) -> list[nodes.Node]:
        title = options.get("caption", "") or (argument.partition(" ")[2] if name == "code-tab" else "")
        source = "\n".join(self.content) or (argument if name in ("math", "prompt") else "")
        return _raw(paragraph(title) + f"<pre><code>{escape(source)}</code></pre>" if source else "")

    def _note(self, name: str, argument: str) -> list[nodes.Node]:
        """Notes without a title: words behind the name begin the text."""
        before, after = frame(Component(name))
        first = _nested(self, StringList(argument.split("\n"), source="argument")) if argument else []
        return _raw(before) + first + _nested(self, self.content) + _raw(after)


class _Include(Directive):
    required_arguments = 1
    final_argument_whitespace = True
    has_content = False
    option_spec = _Options()

    def run(self) -> list[nodes.Node]:
        document = self.state.document
        inclusions: Inclusions = document.settings.inclusions
        inclusions.open_files[:] = [Path(path) for path, _ in document.include_log]
        ref = self.arguments[0].strip()
        path, text = inclusions.find(ref), inclusions.read(ref)
        if path is None or text is None:
            return []
        text = _clipped(text, self.options)
        if self.name == "literalinclude" or "literal" in self.options or "code" in self.options:
            return _raw(f"<pre><code>{escape(text)}</code></pre>")
        lines = string2lines(text, tab_width=document.settings.tab_width, convert_whitespace=True)
        document.include_log.append((path, ()))
        # docutils takes this comment as the sign to close the file again.
        self.state_machine.insert_input([*lines, "", '.. end of inclusion from "file"'], str(path))
        return []


def _clipped(text: str, options: dict[str, Any]) -> str:
    """The part between ``:start-after:`` and ``:end-before:``, of lines ``:start-line:`` to ``:end-line:``."""
    numbers = [str(options.get(name) or "") for name in ("start-line", "end-line")]
    first, last = (int(number) if re.fullmatch(r"-?\d+", number) else None for number in numbers)
    text = "\n".join(text.splitlines()[first:last])
    after, before = options.get("start-after"), options.get("end-before")
    if isinstance(after, str) and after in text:
        text = text.partition(after)[2]
    if isinstance(before, str) and before in text:
        text = text.partition(before)[0]
    return text


OWN: dict[str, type[Directive]] = {"include": _Include, "literalinclude": _Include}
TITLELESS = NOTES - names(
    """
    admonition topic sidebar versionadded versionchanged versionremoved deprecated definition theorem exercise
    example abstract question success failure bug callout alert
    """
)
TRANSPARENT = names(
    """
    tabs tab-set tab-set-code only ifconfig grid container hlist glossary compound cssclass rst-class panels
    grid-item margin row column div epigraph highlights pull-quote centered-block center
    """
)
OBJECTS = names(
    """
    function method classmethod staticmethod attribute data exception module automodule autoclass autofunction
    automethod envvar option program confval describe object cmdoption property setting macro struct
    """
)
SPHINX_DIRECTIVES = TRANSPARENT | OBJECTS | {"youtube", "vimeo", "video", "dropdown", "tab", "card", "seealso"}
