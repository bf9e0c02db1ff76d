"""Citation marks: ``[n]`` in a block of text cites passage number n; in a claim the passages stand beside the text.

The marks of a fenced code block stand on a line behind it. It cites the passages that hold its lines as they are, for a
command that no source has may do harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from showtell.index.terms import CJK, is_cjk
from showtell.ingest.split import sentences
from showtell.types import Claim, Figure, Passage

_MARK = re.compile(r"\\.|(?P<ticks>`+)(?!`)[\s\S]{1,2000}?(?<!`)(?P=ticks)(?!`)|(?P<space> ?)\[(?P<number>\d{1,4})\]")

_FENCE = "```"
_PROMPT = re.compile(r"(?:\$|#|%|>{1,3}|\w+@\S+[$#])\s+")
_REMARK = re.compile(r"\s+(?:#|//)\s.*$")
_OPENS, _CLOSES = (
    rf"(?:^|(?<=[\s([{{\"'“‘«:,;>$#`{CJK}，。：；]))",
    rf"(?=[)\]}}\"'”’».,;:!?`]*(?:\s|$)|[{CJK}，。：；！？])",
)
_LABEL = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?")
_STOP = re.compile(r"[.!?:;。！？：；…]+[\"”’»」』)*_]*$")


def cited(text: str) -> tuple[int, ...]:
    """The numbers of the marks in a text, in order, each once; code and escaped brackets hold none."""
    return tuple(dict.fromkeys(int(found["number"]) for found in _MARK.finditer(text) if found["number"]))


def renumbered(text: str, numbers: Mapping[int, int]) -> str:
    """The text with each mark's number replaced; a mark without a new number goes."""

    def replaced(found: re.Match[str]) -> str:
        if not found["number"]:
            return found[0]
        number = numbers.get(int(found["number"]))
        return f"{found['space']}[{number}]" if number else ""

    return _MARK.sub(replaced, text)


def unmarked(text: str) -> str:
    """The text without marks."""
    return renumbered(text, {})


def cite(sentence: str, numbers: Sequence[int]) -> str:
    """The sentence with these marks alone, before its full stop."""
    plain = unmarked(sentence).rstrip()
    if numbers and is_code(plain):
        return f"{plain}\n{' '.join(f'[{number}]' for number in numbers)}"
    stop = _STOP.search(plain)
    words, end = (plain[: stop.start()], stop[0]) if stop else (plain, "")
    return words + "".join(f" [{number}]" for number in numbers) + end


def claims_of(text: str, passages: Sequence[Passage]) -> list[Claim]:
    """A block, whose marks count a list of passages from 1, as claims: one a sentence, without marks."""
    label = _LABEL.match(text)[0]  # type: ignore[index]
    said = text[len(label) :]
    claims = []
    for number, piece in enumerate([said] if is_code(said) else _sentences(said)):
        own = tuple(passages[n - 1] for n in cited(piece) if n <= len(passages))
        if is_code(said):
            own = _holding(unmarked(said), (*own, *passages)) or own
        claims.append(Claim(("" if number else label) + unmarked(piece).strip(), own, follows=number > 0))
    return claims


def is_code(text: str) -> bool:
    """Whether a block is fenced code."""
    return text.startswith(_FENCE)


def code_lines(block: str) -> list[tuple[int, int]]:
    """Where the lines of a code block stand that say something, with its fences or without their ticks."""
    lines, at = [], block.find("\n") + 1  # behind the language
    for line in block[at:].split("\n"):
        if re.search(r"\w", line):
            lines.append((at + len(line) - len(line.lstrip()), at + len(line.rstrip())))
        at += len(line) + 1
    return lines


def stands_in(line: str, source: str) -> bool:
    """Whether a line of code stands in a text as it is, but for blanks, a prompt before it and a remark behind it."""
    said = " ".join(source.split())
    plain = _REMARK.sub("", line)
    forms = {" ".join(form.split()) for form in (line, plain, _PROMPT.sub("", plain, count=1))}
    return any(re.search(_OPENS + re.escape(form) + _CLOSES, said) for form in forms if form)


def blocks(claims: Sequence[Claim], figures: Sequence[Figure] = ()) -> Iterator[tuple[tuple[Claim, ...], list[Figure]]]:
    """The claims of each block of an answer, and the figures behind it; a figure ends the block that it stands in."""
    block: list[Claim] = []
    for number, claim in enumerate(claims):
        block.append(claim)
        own = [figure for figure in figures if figure.claim == number]
        if own or number + 1 == len(claims) or not claims[number + 1].follows:
            yield tuple(block), own
            block = []


def marked(block: Sequence[Claim], numbers: Mapping[int, int]) -> str:
    """The text of a block with the numbers given by passage id: one mark at its end where all has the same source."""
    sources = [[numbers[passage.id] for passage in claim.passages] for claim in block]
    if all(each == sources[0] for each in sources):
        sources = [*([] for _ in block[:-1]), sources[0]]
    text = ""
    for claim, own in zip(block, sources, strict=True):
        text += _gap(text) + (cite(claim.text, own) if claim.section_id is None else _behind(claim.text, own))
    return text


def _holding(block: str, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The first passage that has all lines of a code block, else those that have some."""
    lines = [block[start:end] for start, end in code_lines(block)]
    held = {passage: [stands_in(line, passage.text) for line in lines] for passage in passages}
    whole = [passage for passage, found in held.items() if found and all(found)]
    return (*whole[:1],) or tuple(passage for passage, found in held.items() if any(found))


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a text; one that ends inside a quotation goes on to the quotation's end."""
    held = ""
    for piece in sentences(text):
        held = f"{held} {piece}" if held else piece
        if held.count('"') % 2 == 0 and held.count("“") <= held.count("”"):
            yield held
            held = ""
    if held:
        yield held


def _behind(text: str, numbers: Sequence[int]) -> str:
    """An extract's text with marks at its very end, so that nothing stands inside what is quoted."""
    return text + "".join(f" [{number}]" for number in numbers)


def _gap(before: str) -> str:
    """What stands between two sentences: nothing in scripts that put no space there."""
    return "" if not before or is_cjk(before[-2:-1]) or before[-1] in "。！？" else " "
