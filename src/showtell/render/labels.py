"""What every rendering says alike: cleaned words, times, places, addresses and notes. Documents are not trusted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from showtell.types import Answer, Check, Citation, FigurePart, Image, Media, Table, TextPart, Video

Assets = Callable[[str], Path | None]
"""From an asset's name to the file that holds its bytes, or None where it is missing."""

SEPARATOR = " › "
EXTRACTIVE = "extractive"  # the writer of an answer that no model wrote
LONGEST_WARNING = 320  # characters; the longest that is ours alone has about half of it
_CHECKED: Mapping[Literal["number", "quotation", "support"], str] = {
    "number": "number",
    "quotation": "quotation",
    "support": "sentence",
}
_KINDS = {Image: "Picture", Table: "Table", Video: "Video"}
_FILM = re.compile(r"\.(mp4|m4v|webm|ogv|mov)$", re.IGNORECASE)
_YOUTUBE = {"youtube.com", "m.youtube.com", "youtube-nocookie.com"}
_VIMEO = {"vimeo.com", "player.vimeo.com"}

# Terminal sequences (ECMA-48 CSI and OSC, whole), then what is left of the control characters, the bidirectional
# embeddings, overrides and isolates (Unicode UAX 9), and the two private characters that mark a span in limited.py.
_SEQUENCES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x9b[0-?]*[ -/]*[@-~]")
_CONTROLS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ue000\ue001]"
)
_BREAKS = re.compile(r"\r\n?|[\x0c\x85\u2028\u2029]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_UNSAFE = re.compile(r"[\s\"'()<>\\^`{|}\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def clean(text: str) -> str:
    """The text without escape sequences, control characters and bidirectional controls; line breaks as ``\\n``."""
    text = _BREAKS.sub("\n", _SEQUENCES.sub("", text))
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub("", text.replace("\t", " ")))


def line(text: str, limit: int = 300) -> str:
    """The cleaned text on one line of at most ``limit`` characters."""
    words = " ".join(clean(text[: 20 * limit]).split())
    return words if len(words) <= limit else words[: limit - 1].rstrip() + "…"


def clock(seconds: float) -> str:
    """Seconds from the start as ``1:05`` or ``1:01:05``."""
    minutes, second = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{second:02}" if hours else f"{minutes}:{second:02}"


def stretch(start: float | None, end: float | None) -> str:
    """The seconds shown, as ``1:05–1:32``, ``from 1:05``, ``to 1:32`` or "" for the whole video."""
    if start is None:
        return "" if end is None else f"to {clock(end)}"
    return f"from {clock(start)}" if end is None else f"{clock(start)}–{clock(end)}"


def web_address(address: str | None) -> str | None:
    """The address where it is http(s), with every character escaped that could end or disguise it; else None."""
    address = clean(address or "").strip()
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    return _UNSAFE.sub(lambda match: quote(match[0]), address)


def moment(address: str, start: float | None, end: float | None = None) -> str | None:
    """The web address of a video at its second, in the manner of its host; None where it is no web address.

    YouTube and Vimeo take whole seconds; a plain video file takes a media fragment (W3C Media Fragments URI 1.0).
    """
    safe = web_address(address)
    if safe is None:
        return None
    parts = urlsplit(safe)
    host = (parts.hostname or "").removeprefix("www.")
    if host == "youtu.be" or host in _YOUTUBE:
        return _on_youtube(safe, start)
    if host in _VIMEO and start:
        return parts._replace(fragment=f"t={int(start)}s").geturl()
    if _FILM.search(parts.path):
        return safe.partition("#")[0] + fragment(start, end)
    return safe


def _on_youtube(address: str, start: float | None) -> str:
    parts = urlsplit(address)
    film = re.fullmatch(r"/embed/([\w-]+)/?", parts.path)
    query = [(key, value) for key, value in parse_qsl(parts.query) if key not in ("t", "start", "end", "autoplay")]
    if film:
        parts, query = parts._replace(netloc="www.youtube.com", path="/watch"), [("v", film[1])]
    if start:
        query.append(("t", f"{int(start)}s"))
    return parts._replace(query=urlencode(query), fragment="").geturl()


def fragment(start: float | None, end: float | None) -> str:
    """The media fragment of a stretch: ``#t=65,92.5``, or ""."""
    if start is None and end is None:
        return ""
    return f"#t={start or 0:g}" + (f",{end:g}" if end is not None else "")


def file_path(source: str) -> str | None:
    """The absolute path that a media item was read from, or None (a web address, inlined data, anything else)."""
    path = clean(source)  # "//host/name" would be a web address to whoever follows it
    return path if "\n" not in path and Path(path).is_absolute() and path[:2] not in ("//", "\\\\") else None


def described(media: Media) -> str:
    """What a media item shows, in the author's words: its caption, alt text or title, else ""."""
    block = media.block
    alt = block.alt if isinstance(block, Image) else ""
    title = "" if isinstance(block, Table) else block.title
    return line(block.caption) or line(alt) or line(title)


def by_model(media: Media) -> str:
    """What a picture shows in a model's words, under its name; "" where the author says it, or nobody does."""
    if not media.generated or not isinstance(media.block, Image):
        return ""
    return f"Described by {line(media.generated_by, 100) or 'a model'}: {line(media.generated)}"


def place(media: Media) -> str:
    """Where a media item stands: ``admin/privacy.md › Privacy reporting``; of a web page its title stands first."""
    page = media.title if web_address(media.document) else ""
    names = [line(page) or line(media.document), *map(line, media.section[-1:])]
    return SEPARATOR.join(dict.fromkeys(filter(None, names)))


def heading(citation: Citation) -> str:
    """A source's title and section: ``Privacy › Reporting``, the title said once."""
    title = line(citation.title) or line(citation.document)
    path = [line(name) for name in citation.section if line(name)]
    return SEPARATOR.join(path if path and path[0] == title else [title, *path])


def document(citation: Citation) -> str:
    """The document of a source by its name; "" where that is the address which is shown as well."""
    address = web_address(citation.url) or ""
    return "" if citation.document in (address, address.partition("#")[0]) else line(citation.document)


def version(citation: Citation) -> str:
    """Under which licence a source is, and which version of it was read, as far as known."""
    revision = f"revision {line(citation.revision, 60)}" if citation.revision else ""
    return " · ".join(filter(None, (line(citation.licence or ""), revision)))


def rights(credit: str | None, licence: str | None) -> str:
    """Whom to credit and under which licence, as far as known."""
    return ", ".join(line(words) for words in (credit, licence) if words)


def numbered(answer: Answer) -> dict[int, str]:
    """From the index of a figure among the answer's parts to its label: ``Picture 1``, ``Picture 2``, ``Table 1``."""
    counts: Counter[str] = Counter()
    labels = {}
    for index, part in enumerate(answer.parts):
        if isinstance(part, FigurePart):
            kind = _KINDS[type(part.media.block)]
            counts[kind] += 1
            labels[index] = f"{kind} {counts[kind]}"
    return labels


def rows_shown(part: FigurePart) -> str:
    """``5 of 40 rows`` where a table was cut, else ""."""
    block = part.media.block
    if not isinstance(block, Table) or part.rows_total is None or part.rows_total <= len(block.rows):
        return ""
    return f"{len(block.rows)} of {part.rows_total} rows"


def doubt(answer: Answer) -> str:
    """One sentence where confidence is low, else ""."""
    level, _, why = answer.confidence.partition(":")
    if answer.status == "no_answer" or level.strip() != "low":
        return ""
    return f"Low confidence: {line(why) or 'the sources may not answer this'}."


def asked_with(answer: Answer) -> str:
    """``asked with a picture``, ``asked with 2 pictures``, or ""."""
    count = len(answer.question.images)
    return f"asked with {count} pictures" if count > 1 else "asked with a picture" if count else ""


def searched(answer: Answer) -> tuple[str, ...]:
    """What was searched for, where that is not only the question as it was asked."""
    return tuple(map(line, answer.searches)) if set(answer.searches) - {answer.question.text} else ()


def origin(answer: Answer) -> str:
    """Who wrote an answer that is not the sources' own words, how, and what was checked; else ""."""
    facts = []
    if answer.model != EXTRACTIVE:
        act = "asked" if answer.status == "no_answer" else "written by"
        facts.append(f"{act} {line(answer.model, 100)}")
    if answer.method != "showtell":
        facts.append(f"method {line(answer.method, 60)}")
    if answer.model != EXTRACTIVE and (checks := checked(answer)):
        facts.append(checks)
    return " · ".join(facts)


def checked(answer: Answer) -> str:
    """``7 numbers and 1 quotation checked, 1 number corrected, 2 sentences marked``; "" where there is nothing to tell.

    Sentences are counted only where they are marked: of the others no check is kept.
    """
    outcomes = {
        "checked": [check for check in answer.checks if check.kind != "support"],
        "corrected": [check for check in answer.checks if check.action == "repaired"],
        "marked": [check for check in answer.checks if check.action == "marked"],
    }
    return ", ".join(f"{_counted(checks)} {outcome}" for outcome, checks in outcomes.items() if checks)


def _counted(checks: Sequence[Check]) -> str:
    """``2 numbers and 1 sentence``"""
    kinds = Counter(check.kind for check in checks)
    return " and ".join(
        f"{kinds[kind]} {noun}{'s' * (kinds[kind] > 1)}" for kind, noun in _CHECKED.items() if kinds[kind]
    )


def warning(text: str) -> str:
    """A warning on one line; of a long one the middle is left out, for what to do stands at the end."""
    words = line(text, 20 * LONGEST_WARNING)
    if len(words) <= LONGEST_WARNING:
        return words
    head = words[: LONGEST_WARNING * 3 // 5].rpartition(" ")[0] or words[: LONGEST_WARNING * 3 // 5]
    tail = words[-(LONGEST_WARNING * 2 // 5) :]
    return f"{head} … {tail.partition(' ')[2] or tail}"


def failed_checks(answer: Answer, part: int) -> list[Check]:
    """What verification found wrong in one part."""
    return [check for check in answer.checks if check.part == part and check.verdict != "supported"]


def marks(answer: Answer, part: int) -> list[tuple[int, int]]:
    """The spans of a text part that the reader should check; what was repaired is only told."""
    shown = answer.parts[part]
    length = len(shown.text) if isinstance(shown, TextPart) else 0
    spans = [check.span for check in failed_checks(answer, part) if check.action != "repaired"]
    return [(start, end) for start, end in spans if 0 <= start < end <= length]


def note(check: Check) -> str:
    """What a failed check means for the reader, in one sentence."""
    words, expected = (f"“{line(said, 120)}”" if said else "" for said in (check.text, check.expected))
    source = f"source [{check.citation}]" if check.citation else "the source"
    if check.action == "repaired" and expected:
        return f"Corrected: {words} became {expected}, as in {source}."
    if check.kind == "support":
        sources = source if check.citation else "the sources"
        return f"Check this: “{line(check.text, 60)}” does not seem to come from {sources}."
    if check.verdict == "contradicted" and check.kind == "quotation" and expected:
        return f"Check this: {words} is not word for word what {source} says: {expected}."
    if check.verdict == "contradicted":
        return f"Check this: {words} disagrees with {source}" + (f", which has {expected}." if expected else ".")
    return f"Check this: {words} was not found in {source if check.citation else 'the sources'}."
