"""Captions of pictures, summaries of tables and transcripts: what a model is asked, and what of its reply is fit.

A model is asked about a picture only where its author says nothing of it. It is asked once for each content, whatever
documents that stands in. Its reply is not trusted: not that it is short, nor plain, nor about the picture.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path, PurePosixPath

from showtell.index.descriptions import Reply
from showtell.index.terms import is_cjk, stop_words, words
from showtell.ingest.split import heading, row_text, sentences
from showtell.models.base import ChatRequest, Message
from showtell.models.tokens import count_tokens, cut_to_tokens
from showtell.types import Image, Media, MediaBlock, Table

REPLY_TOKENS = 200
CONTENT_TOKENS = 2000  # of a table or transcript that are sent, at most
LONGEST = 300  # characters of a description; what is longer is cut at a sentence
FEW_ALIKE = 4  # contents with the same words, up to which it is looked whether they are one picture in several sizes
FROM_PROMPT = 0.7  # share of a reply's word pairs that stand in the prompt, from which it is the prompt's
ROUNDS = 3  # times that a model says the same three words in a row, from which it repeats itself
_LANGUAGES = {
    "de": "German", "en": "English", "es": "Spanish", "fr": "French", "it": "Italian",
    "ja": "Japanese", "ko": "Korean", "pt": "Portuguese", "ru": "Russian", "zh": "Chinese",
}  # fmt: skip
_FILE = re.compile(r"\S+\.(?:png|jpe?g|gif|webp|svg|avif|bmp|tiff?)", re.IGNORECASE)
_SERIAL = re.compile(r"\b(?=\w*\d)[0-9a-f]{8,}\b|[\d_]+", re.IGNORECASE)
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_FENCE = re.compile(r"<(?=\s*/?\s*(?:place|table|transcript|system|user|assistant)\b)", re.IGNORECASE)
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
# What is no word of a description: tags, addresses, citations and marks of media, signs of Markdown, controls.
_MARKUP = re.compile(
    r"\x1b\[[0-?]*[@-~]|<[^<>]{0,300}>|(?:https?://|www\.)[^\s)\]]*|!?\[\[?M?\d+\]?\]|```\w*|[*`~#|]+|(?<!\w)_+|_+(?!\w)"
    r"|^\s*(?:[-•>]|\d+\.)\s|[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]",
    re.MULTILINE,
)
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]*(?:\s[^()]*)?\)")
_LABEL = re.compile(
    r"^\W*(?:(?:image |picture |alt )?(?:caption|description|summary|alt text)|(?:bild)?beschreibung"
    r"|zusammenfassung|légende|description|résumé|descripción|resumen|leyenda|描述|说明|摘要)\s*[:：]\s*",
    re.IGNORECASE,
)


def content(block: MediaBlock) -> tuple[str, str]:
    """What a model would be asked about, told by its bytes or words, "" for nothing; and why it cannot be asked."""
    if isinstance(block, Table):
        return (f"table:{_hash(_cells(block))}" if block.rows else ""), ""
    if not isinstance(block, Image):
        return (f"transcript:{_hash(' '.join(cue.text for cue in block.cues))}" if block.cues else ""), ""
    if any(says_something(said, block.ref) for said in (block.caption, block.alt, block.title)):
        return "", ""
    if not block.asset:
        return "", "only linked to; store them with: showtell refresh --rebuild --fetch-media"
    if block.asset.endswith(".svg"):
        return "", "drawn in SVG, which models cannot see; give them an alternative text"
    return f"image:{block.asset}", ""


def says_something(text: str, ref: str = "") -> bool:
    """Whether a text tells what a picture shows: not "image", "Screenshot 2", "IMG_1234" nor the file's own name."""
    name = PurePosixPath(re.split(r"[?#]", ref)[0])
    if _FILE.fullmatch(text.strip()) or text.strip().casefold() in (name.name.casefold(), name.stem.casefold()):
        return False
    told = (word.casefold() for word in words(_SERIAL.sub(" ", text)))
    return any((len(word) > 1 or is_cjk(word)) and word not in _empty_words() for word in told)


def request(media: Media, language: str, picture: bytes | None, context_tokens: int) -> ChatRequest | None:
    """What a model is asked about a media item; None where nothing of it fits into the model's context."""
    name, block = _prompt_name(media.block), media.block
    place = heading(media.title, media.section)
    spoken = _LANGUAGES.get(language[:2].lower(), "the language of its document")
    whole = ""
    if not isinstance(block, Image):
        whole = _cells(block) if isinstance(block, Table) else "\n".join(cue.text for cue in block.cues)
        room = context_tokens - REPLY_TOKENS - count_tokens(_prompt(name)) - count_tokens(place)
        whole = cut_to_tokens(_harmless(whole), min(room, CONTENT_TOKENS))
        if not whole:
            return None
    values = {"place": _harmless(place), "language": spoken, "content": whole}
    system, user = (_PLACE.sub(lambda at: values[at[1]], part).strip() for part in _prompt(name).split("\n---\n"))
    pictures = () if picture is None else (picture,)
    return ChatRequest((Message("system", system), Message("user", user, pictures)), REPLY_TOKENS)


def fit(reply: str, asked: ChatRequest) -> tuple[str, str]:
    """Of a model's reply what is fit to be stored, or "" and why nothing is."""
    text = _LINK.sub(r"\1", _THOUGHT.sub(" ", reply))
    text = _LABEL.sub("", " ".join(_MARKUP.sub(" ", text).split())).strip(" \"'“”„«»")
    if not words(text):
        return "", "no words"
    if _refusal().search(text):
        return "", "the model refused or saw nothing"
    if any(_is_from(said, asked.messages[0].text) for said in (text, *sentences(text))):
        return "", "the words of the prompt"
    if not says_something(text):
        return "", "words that say nothing"
    short = _shortened(text)
    if not short:
        return "", "too long"
    return ("", "the model repeats itself") if _goes_round(short) else (short, "")


def repeated(replies: Iterable[Reply], show_the_same: Callable[[str, str], bool]) -> list[list[str]]:
    """Groups of contents that share their description, which so says nothing of any of them.

    Word order, small words and punctuation make no difference. One picture in several sizes is no group.
    """
    alike: defaultdict[frozenset[str], list[str]] = defaultdict(list)
    for reply in replies:
        if reply.text:
            said = [word.casefold() for word in words(reply.text)]
            alike[frozenset(said) - stop_words() or frozenset(said)].append(reply.content)
    return [
        [first, *others]
        for first, *others in alike.values()
        if len(others) >= FEW_ALIKE or not all(show_the_same(first, other) for other in others)
    ]


def _shortened(text: str) -> str:
    """The first sentences of a text that are short enough together; "" where not even one is."""
    kept = ""
    for sentence in sentences(text):
        if len(kept) + 1 + len(sentence) > LONGEST:
            break
        kept = f"{kept} {sentence}" if kept and not is_cjk(sentence) else kept + sentence
    return kept


def _is_from(text: str, prompt: str) -> bool:
    """Whether a text is made of the prompt's own words, a few changed at most."""
    said, asked = ([word.casefold() for word in words(each)] for each in (text, prompt))
    pairs, known = list(pairwise(said)), set(pairwise(asked))
    return len(pairs) > 1 and sum(pair in known for pair in pairs) >= FROM_PROMPT * len(pairs)


def _goes_round(text: str) -> bool:
    """Whether a text says the same again and again, perhaps numbered, as small models do that find no end."""
    folded = [word.casefold() for word in words(text)]
    told = [word for word in folded if not word.isdigit() and word not in stop_words()]
    triples = Counter(zip(told, told[1:], told[2:], strict=False))
    said = sentences(text)
    return len(set(said)) < len(said) or max(triples.values(), default=0) >= ROUNDS


def _cells(table: Table) -> str:
    return "\n".join(filter(None, [table.caption, row_text(table.header), *map(row_text, table.rows)]))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _harmless(text: str) -> str:
    """The text unable to end the fence that it stands in, or to begin another."""
    return _FENCE.sub("‹", text)


def _prompt_name(block: MediaBlock) -> str:
    return "picture" if isinstance(block, Image) else "table" if isinstance(block, Table) else "transcript"


@cache
def _prompt(name: str) -> str:
    return (Path(__file__).parent / "prompts" / f"{name}.md").read_text(encoding="utf-8")


@cache
def _empty_words() -> frozenset[str]:
    return stop_words().union(*(line.partition(": ")[2].split() for line in _lines("generic_words.txt")))


@cache
def _refusal() -> re.Pattern[str]:
    sad = r"(?:(?:unfortunately|leider|malheureusement|lamentablemente),? )?"
    return re.compile(rf"(?:^|[.!?。！？]\s*){sad}(?:{'|'.join(_lines('refusals.txt'))})", re.IGNORECASE)


def _lines(name: str) -> list[str]:
    lines = (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]
