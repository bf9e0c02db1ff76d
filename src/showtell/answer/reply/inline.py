"""What stands in a line of a reply: words, code, citations and media; all else is left out."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from markdown_it.token import Token

from showtell.answer.reply.phrases import phrase
from showtell.answer.reply.told import Told
from showtell.answer.reply.wording import Run

# A citation or a marker in brackets. What a bracket holds decides which it is, or that it is neither.
_MARK = re.compile(
    r"""
    !?\[\[ (?P<double> [^\[\]\n]{0,80} ) \]\]
    | !?\{\{ (?P<braces> [^{}\n]{0,80} ) \}\}
    | \^? [\[【［] (?P<single> [^\[\]【】［］{}\n]{1,80} ) [\]】］] \^?
    | \( (?P<round> [^()\[\]{}\n]{1,80} ) \)
    | (?P<named> \b (?P<lead> (?: according\ to | as\ \w{4,12}\ (?:in|by) | laut | gemäß | selon\ le | según\ el )\s+ )?
        (?: passage | pasaje )\s+ (?P<number> \d{1,2} )\b ,? )
    | (?P<tag> </?[a-z][\w:-]* (?: \s+[\w:-]+\s*=\s* (?: "[^"<>]*"? | '[^'<>]*'? | [^\s"'<>\[\]]* ) )+ \s*/?>? )
    """,
    re.VERBOSE | re.IGNORECASE,
)
# Marks that models make up for footnotes and sources: "[^note]", "[ii]", "[a]", "[S1]", "[M1]".
_FOOTNOTE = re.compile(r"\^\s*\w[\w -]{0,20}|[ivx]{2,4}|(?P<letter>[a-z])|citation needed")
_LETTERED = re.compile(
    r"(?P<letter>[SPDM])[ -]?(?P<number>\d{1,2})", re.IGNORECASE
)  # source, passage, document, medium
_BESIDE = re.compile(r"\s*\[\^?\d")
_CLAUSE_END = re.compile(r"\s*(?:[.,;:!?…。，；：！？]|[\[【［(（)]|$)")
_RAISED = re.compile(r"(?<=[\s.,;:!?)\]。，；：！？])[¹²³⁴⁵⁶⁷⁸⁹](?=[\s.,;:!?。，；：！？\[]|$)")
_MARKER = re.compile(r"(?P<kind>(?:media|medium|image|img|picture|figure|video|table)\s*[:#=]\s*)?(?P<id>.*)", re.I)
_ID = re.compile(  # what a model takes for an id: a letter and a number, one word with a digit, or the name of a kind
    r"[a-z]{1,2}[\s_-]*\d{1,4}|[^\s\d]*\d\S*|(?:media|medium|image|img|picture|fig(?:ure)?\.?|video|table)(?:[\s_-]*\d{1,4})?",
    re.IGNORECASE,
)
_NUMBERS = r"#?\d{1,4}(?:(?:\s*(?:[-–—,;/&、，]|and|und|et|y|和|to|bis|à|a|至)\s*)+#?\^?\d{1,4})*"
_RANGE = re.compile(r"(\d{1,4})(?:\s*(?:[-–—]|to|bis|à|a|至)\s*(\d{1,4}))?")
_ADDRESS = re.compile(
    r"(?:\b[a-z][a-z0-9+.-]{1,20}://|\b(?:javascript|vbscript|mailto):|\bdata:\w+/|\bwww\.)[^\s<>\"`|\\^{}]+"
    r"|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|\b(?:[\w-]{1,63}\.){1,8}(?:[a-z]{2,24}(?=/)|(?:com|org|net|io|dev|app|info|biz|test|example|invalid|onion|xyz|top|site"
    r"|online|shop|click|link|ru|cn|de|fr|es|uk|eu)(?!\w|[.-]\w))(?:[/?#][^\s<>\"`|\\^{}]*)?",
    re.IGNORECASE,
)
_BEHIND_ADDRESS = ".,;:!?)]}'*_，。；：！？、）」』”’"


@dataclass(slots=True)
class Inline:
    """Reads the tokens of a line. It knows the passages and media that were offered, and what was shown already."""

    passages: Sequence[str]
    media: Collection[str]
    told: Told
    closers: Counter[str] = field(default_factory=Counter)  # closing tags that are still to come
    known: frozenset[str] = field(init=False)  # addresses that a passage holds
    _offered: dict[str, str] = field(init=False)
    _shown: set[str] = field(default_factory=set)
    skipping: str = ""  # the element whose content is being left out

    def __post_init__(self) -> None:
        self._offered = {_key(each): each for each in self.media}
        self.known = frozenset(address for passage in self.passages for address, _ in _addresses(passage))

    def runs(self, tokens: Sequence[Token]) -> Iterator[Run]:
        """Words, citations of passages that were given, and media that were offered, each once."""
        open_styles: Counter[str] = Counter()
        for at, token in enumerate(tokens):
            style = Run(bold=open_styles["strong"] > 0, italic=open_styles["em"] > 0)
            if token.type == "html_inline":
                yield from self._element(token.content, style)
            elif self.skipping:
                continue
            elif token.type in ("strong_open", "strong_close", "em_open", "em_close"):
                open_styles[token.tag] += token.nesting
            elif token.type == "link_open":
                yield from self._link(token, tokens[at + 1 : at + 3])
            elif token.type == "image":
                yield from self._picture(token)
            elif token.type in ("softbreak", "hardbreak"):
                yield replace(style, text=" ")
            elif token.type == "code_inline":
                yield from self._code_span(token.content, style)
            elif token.type == "text":
                yield from self._words(token.content, style)
            else:
                yield replace(style, text=token.content)
        if not self.closers[self.skipping]:
            self.skipping = ""

    def _words(self, text: str, style: Run) -> Iterator[Run]:
        done = 0
        text = _RAISED.sub(lambda raised: self._unraised(raised[0]), text)
        for found in _MARK.finditer(text):
            runs = self._mark(found, style)
            if runs is None:
                continue
            if found["lead"] and found[0].endswith(","):
                text = text[: found.end()] + re.sub(r"\w", lambda first: first[0].upper(), text[found.end() :], count=1)
            yield replace(style, text=_without_pointer(text[done : found.start()], runs))
            yield from runs
            done = found.end()
        yield replace(style, text=text[done:])

    def _unraised(self, digit: str) -> str:
        """A footnote's number as a citation, where there is such a passage."""
        number = int(unicodedata.normalize("NFKC", digit))
        return f"[{number}]" if number <= len(self.passages) else digit

    def _mark(self, found: re.Match[str], style: Run) -> list[Run] | None:
        """The runs of what stands in brackets, none where it is left out; None where it is plain text."""
        if found["tag"]:
            return list(self._element(found["tag"], style)) if _element_name(found["tag"]) else None
        if found["named"]:
            number = int(found["number"])
            return [Run(citation=number)] if 1 <= number <= len(self.passages) else None
        if found["round"]:
            return self._citations(found["round"], must_name=True)
        inside = next(each for each in (found["double"], found["braces"], found["single"]) if each is not None)
        citations = None if found["braces"] else self._citations(inside, must_name=False)
        if citations is not None:
            return citations
        markers = self._markers(inside, is_strong=found["single"] is None)
        return markers if markers is not None or found["single"] is None else self._footnote(found, inside, style)

    def _footnote(self, found: re.Match[str], inside: str, style: Run) -> list[Run] | None:
        """The runs of a mark of the model's own at the end of a clause; None where it may be the source's own words."""
        name, behind = inside.strip(), found.string[found.end() :]
        lettered, footnote = _LETTERED.fullmatch(name), _FOOTNOTE.fullmatch(name)
        if not _CLAUSE_END.match(behind) or self._is_said(name, alone=lettered is not None):
            return None
        if lettered and lettered["letter"] in "mM":
            self.told.note("marker", name)
            return []
        if lettered:
            return self._citations(lettered["number"], must_name=False)
        is_beside = bool(_BESIDE.match(behind) or found.string[: found.start()].rstrip().endswith("]"))
        is_bare = name == name.casefold() and phrase("passage").fullmatch(name)  # "[Documents]" may be a button
        if is_bare or (footnote and (is_beside or not footnote["letter"])):
            self.told.note("citation", f"[{name}]")
            return []
        return [replace(style, text=name)] if _BESIDE.match(behind) and not behind[:1].isspace() else None

    def _is_said(self, name: str, *, alone: bool) -> bool:
        """Whether a passage has it in brackets, or ``alone``."""
        form = rf"(?<!\w){re.escape(name)}(?!\w)" if alone else re.escape(f"[{name}]")
        return any(re.search(form, passage, re.IGNORECASE) for passage in self.passages)

    def _citations(self, inside: str, *, must_name: bool) -> list[Run] | None:
        met = _citation_form().fullmatch(inside.strip())
        if met is None or (must_name and not met["word"]):
            return None
        numbers: dict[int, None] = {}
        for first, last in _RANGE.findall(met["numbers"]):
            start, end = int(first), int(last or first)
            numbers |= dict.fromkeys(range(start, min(end, start + 20, len(self.passages) + 1) + 1) or [start, end])
        for number in numbers:
            if not 1 <= number <= len(self.passages):
                self.told.note("citation", f"[{number}]")
        return [Run(citation=number) for number in numbers if 1 <= number <= len(self.passages)]

    def _markers(self, inside: str, *, is_strong: bool) -> list[Run] | None:
        form = _MARKER.fullmatch(inside.strip())
        if form is None or not form["id"]:
            return [] if is_strong and not inside.strip() else None
        ids = [each.strip() for each in re.split(r"[,;]|\band\b", form["id"].partition("|")[0])]
        keys = [_key(each) for each in ids]
        if any(key in self._offered for key in keys) or (
            (is_strong and (form["kind"] or all(_ID.fullmatch(each) for each in ids))) or all(map(self._is_like, keys))
        ):
            return [run for each, key in zip(ids, keys, strict=True) for run in self._marker(each, key)]
        return None

    def _is_like(self, key: str) -> bool:
        """Whether a name has the form of those that were offered."""
        forms = {re.sub(r"\d+", "0", offered) for offered in self._offered}
        return re.sub(r"\d+", "0", key) in forms

    def _marker(self, name: str, key: str) -> Iterator[Run]:
        if key not in self._offered:
            self.told.note("marker", name)
        elif key in self._shown:
            self.told.note("again", name)
        else:
            self._shown.add(key)
            yield Run(marker=self._offered[key])

    def _picture(self, token: Token) -> Iterator[Run]:
        address = str(token.attrGet("src") or "")
        for name in (token.content, address):
            key = _key(name.strip(" []"))
            if key in self._offered:
                if any(_addresses(address)):
                    self.told.note("address", address)
                yield from self._marker(name, key)
                return
        self.told.note("picture", token.content or address)

    def _link(self, token: Token, inside: Sequence[Token]) -> Iterator[Run]:
        """A link leaves its words; where these are a number or a medium, they are its citation or its marker."""
        address = str(token.attrGet("href") or "")
        if token.info != "auto" and address not in self.known:
            self.told.note("address", address)
        if len(inside) == 2 and inside[0].type == "text" and inside[1].type == "link_close":
            words, key = inside[0].content, _key(inside[0].content)
            if words.isdecimal():
                inside[0].content = ""
                yield from self._citations(words[:4], must_name=False) or []
            elif key in self._offered:
                inside[0].content = ""
                yield from self._marker(words, key)

    def _code_span(self, content: str, style: Run) -> Iterator[Run]:
        whole = _MARK.fullmatch(content.strip())
        if whole and (whole["double"] or whole["braces"]) and not content.strip("[]{} \n").isdecimal():
            runs = self._mark(whole, style)
            if runs is not None:
                yield from runs
                return
        yield replace(style, text=content, code=True)

    def _element(self, tag: str, style: Run) -> Iterator[Run]:
        name = _element_name(tag)
        closing = tag.startswith("</")
        if not name and not tag.startswith(("<!", "<?")):
            yield from [] if self.skipping else [replace(style, text=tag)]
            return
        if closing:
            self.closers[name] -= 1
            self.skipping = "" if self.skipping == name else self.skipping
            return
        if not self.skipping:
            self.told.note(*(("table", "") if name == "table" else ("markup", f"<{name or '!--'}>")))
            if phrase("gone").fullmatch(name) and not tag.endswith("/>"):
                self.skipping = name
            yield replace(style, text=" " if name in ("br", "p", "li", "div") else "")

    def without_addresses(self, text: str) -> tuple[str, bool]:
        """The text with an ellipsis for each address that no passage holds, and whether there was one."""
        kept, done = "", 0
        for address, start in _addresses(text):
            if address not in self.known:
                self.told.note("address", address)
                kept += text[done:start] + "…"
                done = start + len(address)
        return kept + text[done:], done > 0


def _addresses(text: str) -> Iterator[tuple[str, int]]:
    """Web and mail addresses in a text, each with its offset."""
    for found in _ADDRESS.finditer(text):
        address = found[0].rstrip(_BEHIND_ADDRESS)
        if address:
            yield address, found.start()


@cache
def _citation_form() -> re.Pattern[str]:
    word = rf"(?P<word>(?:{phrase('passage').pattern})\.?\s*[:#]?\s*)?"
    return re.compile(rf"\^?\s*{word}(?P<numbers>{_NUMBERS})\s*(?:†.*)?\^?", re.IGNORECASE)


def _element_name(tag: str) -> str:
    """The name of an HTML element that a tag opens or closes, or "": words such as ``<name>`` are none."""
    met = re.match(r"</?\s*([a-zA-Z][\w:-]*)", tag)
    name = met[1].casefold() if met else ""
    return name if phrase("element").fullmatch(name) else ""


def closed_element(token: Token) -> str:
    """The name of the HTML element that a token closes, or ""."""
    return _element_name(token.content) if token.type == "html_inline" and token.content.startswith("</") else ""


def _without_pointer(text: str, runs: Sequence[Run]) -> str:
    """The text without "as shown in" at its end, where no citation follows that it could lead to."""
    if any(run.citation for run in runs):
        return text
    hanging = re.compile(rf"[(（]?(?:{phrase('pointer').pattern})[\s:：]*[(（]?$", re.IGNORECASE)
    return text[:-60] + hanging.sub(" ", text[-60:])


def _key(name: str) -> str:
    return "".join(name.split()).casefold()
