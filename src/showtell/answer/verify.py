"""Verify: every number, quotation and sentence of an answer against the passages that it cites.

A sentence's sources are the citations that stand in it (a mark may follow the full stop), else those of its block, else
all of the answer's. What only another passage says does not count: a reader who looks it up would not find it. A number
or a quotation that the question brought along and nothing in the sources speaks against is let pass.

Of a code block every line must stand in its sources word for word.

What fails is repaired where the source leaves one choice, else marked: a number that the source has, though in another
place, is marked, for a free wording may have misled the check. A repair must itself pass. Numbers and quotations are
told whatever their verdict, sentences only where nothing supports them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from showtell.answer.citing import code_lines, is_code, stands_in
from showtell.answer.numbers import NumberFinding, check_numbers
from showtell.answer.quotations import QuotationFinding, check_quotations, quoted
from showtell.index.terms import CJK, question_language, stop_words, word_terms, words
from showtell.ingest.split import heading, sentences
from showtell.types import Check, Citation, Part, TextPart

Support = Callable[[str, Sequence[str]], float | None]
"""The best cosine of a sentence with the texts of passages; None where no encoder can tell."""
CheckNumbers = Callable[[str, Sequence[str], str], Sequence[NumberFinding]]

# A sentence is supported where the share of its words that its passages hold, and the best cosine with one of them, sum
# to SUPPORTED; without a cosine, where the share is SUPPORTED_BY_WORDS. Calibrated on 55 loose paraphrases of passages
# of the sample handbook and of a help site (half of them share under 57 % of their words), all-MiniLM-L6-v2: AUC of the
# sum 0.98 against sentences of other documents (share alone 0.96, cosine alone 0.97), 0.89 against those of other
# sections of the same document, 0.82 against those of the nearest passages. At 0.6 one of the 55 and none of 300
# verbatim sentences is called unsupported, and 88 %, 55 % and 40 % of the foreign ones are; by words alone at 0.15 one
# of 55, and 69 %, 35 % and 24 %.
SUPPORTED, SUPPORTED_BY_WORDS = 0.6, 0.15
FEWEST_WORDS = 3  # content words from which a sentence says something of its own; two, where its sources have neither
BESIDE = 5  # characters from a number to the same in another unit: "187.5 kg (413 lb)", "5 cm, or 2 in"
LEADING = (":", "：", "?", "？")  # ends of a sentence that only leads to the next
FOREIGN = (
    "of sentences in another language than their source only the numbers were checked; read the source beside them"
)

_MARKUP = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?<!`)(?P<ticks>`++)(?P<code>[\s\S]{1,2000}?)(?<!`)(?P=ticks)(?!`)"
    r"|\s?\[(?P<number>\d{1,4})\]"
    r"|!?\[(?=[^\[\]\n]{0,300}\]\()|\]\([^()\s]*\)"
    r"|^[ \t]*(?:[-*+•]|\d{1,9}[.)]|#{1,6}|>)[ \t]+"
    r"|(?<!\s)(?:\*+|~~)|(?:\*+|~~)(?!\s)|(?<!\w)_+|_+(?!\w)",
    re.MULTILINE,
)
_HEADING = re.compile(r"\s*(?:#{1,6} .+|\*\*[^*\n]{1,100}\*\*:?)\s*")
_OTHER_SCRIPTS = re.compile(r"[^\W\d\x00-\u024f]")
_UNIT = re.compile(rf"\s?([{CJK}]|[^\W\d_]+|[%°€$£¥])")


@dataclass(frozen=True, slots=True)
class Verified:
    """Parts after repairs, what was found, and what the reader should know of the checking itself."""

    parts: tuple[Part, ...]
    checks: tuple[Check, ...]
    warnings: tuple[str, ...]


def verify(
    parts: Sequence[Part],
    citations: Sequence[Citation],
    *,
    support: Support,
    language: str = "",
    question: str = "",
    numbers: CheckNumbers = check_numbers,
) -> Verified:
    """Check the text parts of an answer against its citations; figures are left alone.

    ``support`` is asked only where words leave a doubt. ``language`` is that of the answer where its own words do not
    show it. Spans of the checks are offsets in the returned parts; ``text`` is what stood there, without markup.
    """
    texts = {index: _read(part) for index, part in enumerate(parts) if isinstance(part, TextPart)}
    told = question_language(" ".join(text.words for text in texts.values())) or language
    known = {citation.number: _Source(citation, told) for citation in citations}
    judge = _Judge(known, support, numbers, question, told)
    verified, checks = list(parts), []
    for index, text in texts.items():
        repaired, found = _settled(index, text, judge.findings(text))
        verified[index] = TextPart(repaired, text.part.citations)
        checks += found
    return Verified(tuple(verified), tuple(checks), (FOREIGN,) if judge.met_foreign else ())


# ------------------------------------------------------------------------------------------------- a text as it is read
@dataclass(frozen=True, slots=True)
class _Text:
    """A text part as the reader sees it: its ``words`` without markup and citation marks.

    ``spans`` are where each character of the words stands in the part, with the backslash that escapes it; ``marks``
    are the citations with the character that they follow; ``code`` are spans of the part that are never changed.
    """

    part: TextPart
    words: str
    spans: tuple[tuple[int, int], ...]
    marks: tuple[tuple[int, int], ...]
    code: tuple[tuple[int, int], ...]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where words stand in the part."""
        return self.spans[start][0], self.spans[end - 1][1]


def _read(part: TextPart) -> _Text:
    spans: list[tuple[int, int]] = []
    marks: list[tuple[int, int]] = []
    code: list[tuple[int, int]] = []
    at = 0
    for found in _MARKUP.finditer(part.text):
        if found["number"] and int(found["number"]) not in part.citations:
            continue
        spans += _single(at, found.start())
        if found["number"]:
            marks.append((len(spans), int(found["number"])))
        elif found["escaped"]:
            spans.append(found.span())
        elif found["code"]:
            code.append(found.span("code"))
            spans += _single(*found.span("code"))
        at = found.end()
    spans += _single(at, len(part.text))
    return _Text(part, "".join(part.text[end - 1] for _, end in spans), tuple(spans), tuple(marks), tuple(code))


def _single(start: int, end: int) -> Iterator[tuple[int, int]]:
    return ((offset, offset + 1) for offset in range(start, end))


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence at ``start`` to ``end`` of a text's words, and the numbers of its sources."""

    start: int
    end: int
    cited: tuple[int, ...]


def _sentences(text: _Text, all_cited: Iterable[int]) -> list[_Sentence]:
    """The sentences of a text; one that ends inside a quotation goes on to the quotation's end."""
    spans: list[tuple[int, int]] = []
    inside = quoted(text.words)
    at = 0
    for piece in sentences(text.words):
        start = text.words.index(piece, at)
        at = start + len(piece)
        if spans and any(first < start <= last for first, last in inside):
            start = spans.pop()[0]
        spans.append((start, at))
    block = tuple(dict.fromkeys(number for _, number in text.marks)) or text.part.citations or tuple(all_cited)
    own: list[list[int]] = [[] for _ in spans]
    for offset, number in text.marks if spans else ():
        own[max((n for n, (start, _) in enumerate(spans) if start < offset), default=0)].append(number)
    return [
        _Sentence(start, end, tuple(dict.fromkeys(cited)) or block)
        for (start, end), cited in zip(spans, own, strict=True)
    ]


# -------------------------------------------------------------------------------------------------------- what is found
@dataclass(frozen=True, slots=True)
class _Finding:
    """What was found at ``start`` to ``end`` of a text's words; ``repair`` tells to put ``expected`` there.

    Findings of one ``group`` (its number, and where its sentence begins) are repaired all or none.
    """

    kind: Literal["number", "quotation", "support"]
    verdict: Literal["supported", "unsupported", "contradicted"]
    start: int
    end: int
    expected: str | None = None
    citation: int | None = None
    repair: bool = False
    group: tuple[int, int] | None = None


class _Source:
    """A cited passage with the headings that it stands under, read at most once."""

    def __init__(self, citation: Citation, language: str) -> None:
        self.passage = citation.text
        self.heading = heading(citation.title, citation.section)
        self.text = f"{self.heading}\n{citation.text}"
        self.language = _language(citation.text)
        self.spoken = self.language or language

    @cached_property
    def terms(self) -> set[str]:
        return _terms(words(self.text), self.spoken)


class _Judge:
    """Judges the texts of one answer."""

    def __init__(
        self, known: Mapping[int, _Source], support: Support, numbers: CheckNumbers, question: str, language: str
    ) -> None:
        self.known = known
        self.support = support
        self.numbers = numbers
        self.question = question
        self.language = language
        self.headings = [source.heading for source in known.values()]
        self.met_foreign = False

    def findings(self, text: _Text) -> list[_Finding]:
        """What was found in a text, in reading order."""
        if is_code(text.part.text):
            return list(self._code(text))
        found = []
        is_heading = bool(_HEADING.fullmatch(text.part.text))
        for sentence in _sentences(text, self.known):
            said = text.words[sentence.start : sentence.end]
            for each in self._judged(said, [number for number in sentence.cited if number in self.known]):
                if not (is_heading and each.kind == "support"):
                    group = (each.group[0], sentence.start) if each.group else None
                    found.append(
                        replace(each, start=each.start + sentence.start, end=each.end + sentence.start, group=group)
                    )
        return sorted(found, key=lambda each: (each.start, -each.end))

    def _code(self, text: _Text) -> Iterator[_Finding]:
        """The lines of a code block that stand in none of its sources; neighbours are told together."""
        cited = [number for number in text.part.citations or self.known if number in self.known]
        found: list[_Finding] = []
        lines = code_lines(text.words)
        for number, (start, end) in enumerate(lines):
            line = text.words[start:end]
            if any(stands_in(line, self.known[each].text) for each in cited):
                continue
            if found and number and found[-1].end == lines[number - 1][1]:
                start = found.pop().start
            found.append(_Finding("support", "unsupported", start, end, None, cited[0] if len(cited) == 1 else None))
        yield from found

    def _judged(self, said: str, cited: Sequence[int]) -> Iterator[_Finding]:
        """What was found in a sentence; numbers inside a failed quotation are told with it."""
        spoken = next((self.known[number].spoken for number in cited), self.language)
        content = _content(said, spoken)
        share = self._share(content, cited)
        if share < SUPPORTED and self._is_foreign(said, cited):
            yield from self._numbers(said, cited)
            return
        quotations = list(self._quotations(said, cited))
        yield from quotations
        failed = [(each.start, each.end) for each in quotations if each.verdict != "supported"]
        for number in self._numbers(said, cited):
            if not any(start <= number.start and number.end <= end for start, end in failed):
                yield number
        claims = (len(content) >= FEWEST_WORDS or (len(content) > 1 and not share)) and not said.endswith(LEADING)
        if claims and not self._is_supported(said, share, cited):
            yield _Finding("support", "unsupported", 0, len(said), None, cited[0] if len(cited) == 1 else None)

    def _share(self, content: Set[str], cited: Sequence[int]) -> float:
        """The share of a sentence's content words that its sources hold."""
        held = set[str]().union(*(self.known[number].terms for number in cited))
        return len(content & held) / len(content) if content else 1.0

    def _is_foreign(self, said: str, cited: Sequence[int]) -> bool:
        """Whether a sentence is in another language than its sources, so that their words cannot be compared."""
        held = {self.known[number].language for number in cited} - {""}
        own = question_language(said)
        is_foreign = bool(held and (own or self.language)) and not held & {own, self.language}
        self.met_foreign |= is_foreign and bool(own)
        return is_foreign

    def _numbers(self, said: str, cited: Sequence[int]) -> Iterator[_Finding]:
        if not cited:
            return
        sources = [self.known[number].text for number in cited]
        found = self.numbers(said, sources, self.language)
        for each in found:
            start, end = each.span
            verdict, expected, repair = each.verdict, each.expected, False
            if verdict == "unsupported" and self._is_asked(said, each, sources):
                continue
            if verdict == "contradicted" and expected is not None:
                if self._holds(said[:start] + expected + said[end:], start, sources):
                    repair = not self._stands_alone(said, each, found, sources)
                else:
                    verdict, expected = "unsupported", None
            group = (each.group, 0) if each.group >= 0 else None
            yield _Finding("number", verdict, start, end, expected, _number(each, cited), repair, group)

    def _holds(self, said: str, at: int, sources: Sequence[str]) -> bool:
        """Whether the sources support the number at this place of a sentence."""
        found = self.numbers(said, sources, self.language)
        return any(each.verdict == "supported" and each.span[0] <= at < each.span[1] for each in found)

    def _stands_alone(
        self, said: str, finding: NumberFinding, found: Iterable[NumberFinding], sources: Sequence[str]
    ) -> bool:
        """Whether the sources have a number all the same, taken by itself or with the other unit beside it.

        Then only the words around say that another is meant, and these may be worded freely.
        """
        start, end = finding.span
        near = [each.span for each in found if each.span[0] - end <= BESIDE and start - each.span[1] <= BESIDE]
        first, last = min(span[0] for span in near), max(span[1] for span in near)
        return all(each.verdict == "supported" for each in self.numbers(said[first : last + 1], sources, self.language))

    def _is_asked(self, said: str, finding: NumberFinding, sources: Sequence[str]) -> bool:
        """Whether the question brought a number along, and the sources give no other of its unit."""
        found = self.numbers(said, [self.question], self.language) if self.question else ()
        brought = any(each.span == finding.span and each.verdict == "supported" for each in found)
        return brought and not _has_rival(said, finding, sources)

    def _quotations(self, said: str, cited: Sequence[int]) -> Iterator[_Finding]:
        sources = [self.known[number].text for number in cited]
        for each in check_quotations(said, [*sources, *self.headings]):
            if each.verdict == "unsupported" and _supported(each.text, self.question):
                continue
            repair = each.verdict == "contradicted" and each.is_close
            start, end = each.span
            yield _Finding("quotation", each.verdict, start, end, each.expected, _number(each, cited), repair)

    def _is_supported(self, said: str, share: float, cited: Sequence[int]) -> bool:
        """Whether a sentence's words, or its cosine with a passage where these leave a doubt, support it."""
        if share >= SUPPORTED:
            return True
        cosine = self.support(said, [self.known[number].passage for number in cited]) if cited else None
        return share >= (SUPPORTED_BY_WORDS if cosine is None else SUPPORTED - cosine)


def _language(passage: str) -> str:
    """The language of a passage; single letters of another script, as in a formula, do not decide it."""
    others = _OTHER_SCRIPTS.findall(passage)
    return question_language(passage if 10 * len(others) > len(passage) else _OTHER_SCRIPTS.sub("", passage))


def _number(finding: NumberFinding | QuotationFinding, cited: Sequence[int]) -> int | None:
    """The number of the source that a finding names, or of the only one there is."""
    if finding.source is not None:
        return cited[finding.source] if finding.source < len(cited) else None
    return cited[0] if len(cited) == 1 else None


def _supported(quotation: str, question: str) -> bool:
    return all(each.verdict == "supported" for each in check_quotations(f"“{quotation}”", [question]))


def _has_rival(said: str, finding: NumberFinding, sources: Sequence[str]) -> bool:
    """Whether the sources give some number of the same unit, or of the same thing that is counted."""
    start = finding.span[0]
    number = re.match(r"\D*[\d.,]*\d", said[start:])
    unit = _UNIT.match(said, start + (number.end() if number else 0))
    return unit is not None and any(re.search(rf"\d\s?{re.escape(unit[1])}(?![^\W{CJK}])", each) for each in sources)


def _content(text: str, language: str) -> set[str]:
    """The index terms of a text's content words, numbers left out."""
    return _terms((word for word in words(text) if word.casefold() not in stop_words()), language)


def _terms(found: Iterable[str], language: str) -> set[str]:
    return {term for word in found for term in word_terms(word, language) if not term.isdigit()}


# -------------------------------------------------------------------------------------------------- what becomes of it
@dataclass(frozen=True, slots=True)
class _Edit:
    """``new`` in the place of a stretch of a part's text."""

    start: int
    end: int
    new: str


def _settled(index: int, text: _Text, findings: Sequence[_Finding]) -> tuple[str, list[Check]]:
    """The text after its repairs, and the checks; what cannot be repaired without touching markup is marked."""
    edits = {each: edit for each in findings if each.repair and (edit := _edit(text, each))}
    torn = {each.group for each in findings if each.group and each.verdict != "supported" and each not in edits}
    edits = {each: edit for each, edit in edits.items() if each.group not in torn}
    kept: list[_Edit] = []
    for edit in sorted(edits.values(), key=lambda edit: edit.start):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    checks = []
    for each in findings:
        edit = edits.get(each)
        action: Literal["repaired", "marked", "none"] = "none"
        if each.verdict != "supported":
            action = "repaired" if edit in kept else "marked"
        start, end = (_moved(kept, offset) for offset in text.place(each.start, each.end))
        words = text.words[each.start : each.end]
        checks.append(Check(each.kind, each.verdict, index, (start, end), words, each.expected, each.citation, action))
    repaired = text.part.text
    for edit in reversed(kept):
        repaired = repaired[: edit.start] + edit.new + repaired[edit.end :]
    return repaired, checks


def _edit(text: _Text, finding: _Finding) -> _Edit | None:
    """The change that a repair asks for, as small as markup inside it demands; None where it would break markup."""
    old, new = text.words[finding.start : finding.end], finding.expected or ""
    start, end = text.place(finding.start, finding.end)
    if text.part.text[start:end] != old:
        before = _alike(old, new)
        after = min(_alike(old[::-1], new[::-1]), len(old) - before, len(new) - before)
        if before + after >= len(old):
            return None
        start, end = text.place(finding.start + before, finding.end - after)
        old, new = old[before : len(old) - after], new[before : len(new) - after]
    is_code = any(first < end and start < last for first, last in text.code)
    return None if is_code or text.part.text[start:end] != old else _Edit(start, end, new)


def _alike(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _moved(edits: Iterable[_Edit], offset: int) -> int:
    """Where an offset of the old text is in the new one."""
    return offset + sum(len(edit.new) - (edit.end - edit.start) for edit in edits if edit.end <= offset)
