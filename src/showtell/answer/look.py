"""Pictures that come with a question: what to search for, which of the pages found show the same, what is missing.

A chat model that sees puts picture and question into at most three searches (the published method of the second seed),
chooses among the pages found with the picture before it, which is easier for it than naming (IBA raised the accuracy of
entities from 25.5 to 40.2 and from 45.8 to 73.2 that way), and says what is missing where passages do not answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from showtell.answer.keywords import read_keywords
from showtell.answer.prompts import fenced, fill, harmless, language_name
from showtell.answer.reply.phrases import phrase
from showtell.ingest.split import sentences
from showtell.models.base import ChatRequest
from showtell.models.partial import parse_json
from showtell.models.tokens import cut_to_tokens
from showtell.sources.base import FoundPage

MOST = 3  # searches from a question and its pictures, and pages chosen
CANDIDATES = 8  # pages that the model chooses from
LONGEST_SEARCH = 200  # characters
PICTURE_PIXELS, PICTURE_TOKENS = 1024, 1100  # the longer side of a picture sent, and about what models count it as
LEAD_TOKENS = 60  # of a page to choose
PASSAGE_TOKENS = 150  # of a passage that did not answer
SAID_SENTENCES = 2  # of what the model says of a picture that does not show what is asked
REPLY_TOKENS = 300

_OBJECT = re.compile(r"^\W{0,20}\{|[\"']needs[\"']\s*:")
_SINGLE = re.compile(r"(?<![A-Za-z0-9])'|'(?![A-Za-z0-9])")  # not an apostrophe
_HALF = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|[\ud800-\udfff]")

Needs = Literal["search", "picture", "nothing"]


@dataclass(frozen=True, slots=True)
class Look:
    """What a question with pictures needs: searches; nothing but the pictures; or it cannot be answered from them.

    ``says`` is the answer that the picture alone gives, or what it shows instead of what was asked.
    """

    needs: Needs
    searches: tuple[str, ...] = ()
    says: str = ""


def with_pictures(request: ChatRequest, pictures: Sequence[bytes]) -> ChatRequest:
    """The request with the question's pictures before its last message."""
    if not pictures:
        return request
    *before, asked = request.messages
    told = "The picture above comes" if len(pictures) == 1 else f"The {len(pictures)} pictures above come"
    seen = replace(asked, text=f"{told} with the question.\n\n{asked.text}", pictures=(*pictures, *asked.pictures))
    return replace(request, messages=(*before, seen))


def look_request(
    question: str, pictures: Sequence[bytes], place: str, search_language: str, language: str
) -> ChatRequest:
    """What the model is asked first: what to search for in ``place``; both languages are codes."""
    messages = fill(
        "look",
        question=harmless(question),
        place=place,
        most=str(MOST),
        search_language=language_name(search_language),
        language=language_name(language),
    )
    return with_pictures(ChatRequest(messages, max_tokens=REPLY_TOKENS, schema=_LOOK), pictures)


def read_look(reply: str) -> Look | None:
    """What the model said, in JSON or in plain words: keywords are searches, a statement is that nothing fits.

    None where it says nothing that can be used, or declined.
    """
    read = _object(reply)
    if read is not None:
        return _look(read)
    if _OBJECT.search(reply):
        return None  # JSON that is broken says nothing
    found = read_keywords(reply)
    if texts := _worded(found.texts):
        return Look("search", texts)
    if not found.statement or phrase("refusal").search(found.statement.replace("’", "'")):
        return None
    return Look("nothing", says=" ".join(sentences(found.statement)[:SAID_SENTENCES]))


def _object(reply: str) -> Mapping[str, Any] | None:
    """The JSON object in a reply, also with single quotes or with half a character in it."""
    whole = _HALF.sub("", reply)
    for text in (whole, _SINGLE.sub('"', whole)):
        read = parse_json(text)
        if isinstance(read, Mapping):
            return read
    return None


def _look(read: Mapping[str, Any]) -> Look | None:
    needs, searches, says = (
        read.get("needs"),
        _texts(read.get("searches", read.get("keywords"))),
        _text(read.get("says")),
    )
    if needs == "nothing":
        return Look("nothing", says=says)
    if needs == "picture" and says:
        return Look("picture", says=says)
    return Look("search", searches) if searches else None


def choice_request(question: str, pictures: Sequence[bytes], pages: Sequence[FoundPage]) -> ChatRequest:
    """What the model is asked of the pages found, the first :data:`CANDIDATES` of them."""
    listed = [
        fenced("page", cut_to_tokens(" ".join(page.lead.split()), LEAD_TOKENS), number=number, title=page.title)
        for number, page in enumerate(pages[:CANDIDATES], start=1)
    ]
    messages = fill("choose", question=harmless(question), pages="\n".join(listed), most=str(MOST))
    return with_pictures(ChatRequest(messages, max_tokens=REPLY_TOKENS, schema=_CHOICE), pictures)


def read_choice(reply: str, pages: Sequence[FoundPage]) -> list[FoundPage] | None:
    """The pages that the model chose, best first, perhaps none; None where its reply chooses nothing it was offered."""
    offered = pages[:CANDIDATES]
    read = parse_json(reply)
    chosen = read.get("pages") if isinstance(read, Mapping) else read
    if not isinstance(chosen, list):
        return None
    titles = {page.title.casefold(): page for page in offered}
    found: dict[str, FoundPage] = {}
    for each in chosen:
        number = int(each) if isinstance(each, int) or (isinstance(each, str) and each.isdecimal()) else 0
        page = offered[number - 1] if 0 < number <= len(offered) else titles.get(str(each).strip().casefold())
        if page is not None:
            found.setdefault(page.url, page)
    return list(found.values())[:MOST] if found or not chosen else None


def further_request(
    question: str,
    pictures: Sequence[bytes],
    passages: Iterable[tuple[str, str]],
    searched: Sequence[str],
    language: str,
) -> ChatRequest:
    """What the model is asked where the passages, each with its page's title, hold no answer."""
    shown = [
        fenced("passage", cut_to_tokens(text, PASSAGE_TOKENS), number=number, section=title)
        for number, (title, text) in enumerate(passages, start=1)
    ]
    messages = fill(
        "further",
        question=harmless(question),
        passages="\n".join(shown) or "(none)",
        searched="\n".join(f"- {harmless(text)}" for text in searched) or "(none)",
        search_language=language_name(language),
    )
    return with_pictures(ChatRequest(messages, max_tokens=REPLY_TOKENS, schema=_FURTHER), pictures)


def read_further(reply: str, searched: Sequence[str]) -> tuple[str, ...]:
    """The searches that the model names and that were not made yet, at most two."""
    read = parse_json(reply)
    named = _texts(read.get("searches")) if isinstance(read, Mapping) else _worded(read_keywords(reply).texts)
    made = {_key(text) for text in searched}
    return tuple(text for text in named if _key(text) not in made)[: MOST - 1]


def _key(text: str) -> frozenset[str]:
    """Two searches of the same words, in any order, are one."""
    return frozenset(text.casefold().replace(",", " ").split())


def _texts(value: Any) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return _worded(map(_text, texts))


def _worded(texts: Iterable[str]) -> tuple[str, ...]:
    """Those that hold a word, as far as they are searched for, each once."""
    return tuple(dict.fromkeys(text[:LONGEST_SEARCH] for text in texts if any(map(str.isalpha, text))))[:MOST]


def _text(value: Any) -> str:
    return " ".join(value.split())[: LONGEST_SEARCH * 4] if isinstance(value, str) else ""


def _reply(required: Sequence[str], **properties: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}


def _list_of(kind: str, most: int) -> Mapping[str, Any]:
    return {"type": "array", "items": {"type": kind}, "maxItems": most}


_LOOK = _reply(
    ["needs", "searches", "says"],
    needs={"type": "string", "enum": ["search", "picture", "nothing"]},
    searches=_list_of("string", MOST),
    says={"type": "string"},
)
_CHOICE = _reply(["pages"], pages=_list_of("integer", MOST))
_FURTHER = _reply(["searches"], searches=_list_of("string", MOST - 1))
