"""Words as the lexical index knows them: folded, stemmed, in every script.

Chinese, Japanese and Korean runs become character bigrams (a single character stays one term); compound identifiers
give their whole and their parts (``search_term``: search_term, search, term; ``a.CrashEvent``: a, crashevent, crash,
event); other words are stemmed by Snowball in the text's language, English where that has no stemmer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from threading import get_ident
from typing import Any

import Stemmer

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff"
_RUN = re.compile(rf"[{CJK}]+|[^\W{CJK}]+(?:['’][^\W\d_{CJK}]+)*")
_CJK = re.compile(rf"[{CJK}]")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SCRIPTS = {
    "ja": re.compile("[\u3040-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7af]"),
    "zh": re.compile("[\u3400-\u9fff]"),
    "ru": re.compile("[\u0400-\u04ff]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "he": re.compile("[\u0590-\u05ff]"),
    "ar": re.compile("[\u0600-\u06ff]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
}
_STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip


def words(text: str) -> list[str]:
    """The runs of letters and digits of a text, unfolded; a CJK run is one word."""
    return _RUN.findall(unicodedata.normalize("NFKC", text))


def terms(text: str, language: str = "en") -> list[str]:
    """Index terms of a text in reading order, repeats kept."""
    return [term for word in words(text) for term in word_terms(word, language)]


def query_terms(text: str, languages: Iterable[str] = ("en",)) -> list[tuple[str, ...]]:
    """Each content word of a question with its index terms in every language of the library, without repeats.

    A CJK bigram counts as a word. Stop words are left out, unless the question holds nothing else.
    """
    found = [part for word in words(text) for part in (word_terms(word, "") if _CJK.match(word) else (word,))]
    content = [word for word in found if word.casefold() not in stop_words()] or found
    spelled = {tuple(dict.fromkeys(t for code in languages for t in word_terms(word, code))): None for word in content}
    return [group for group in spelled if group]


def question_language(text: str) -> str:
    """The language that a question's script or function words show, as a two-letter code; "" where neither does."""
    for code, script in _SCRIPTS.items():
        if script.search(text):
            return code
    found = [word.casefold() for word in words(text)]
    counts = {code: sum(word in own for word in found) for code, own in _stop_words_by_language().items()}
    best = max(counts, key=lambda code: counts[code])
    return best if counts[best] else ""


@lru_cache(maxsize=1)
def stop_words() -> frozenset[str]:
    """Words that carry a sentence, not its subject: where one stands in a question it is no evidence."""
    return frozenset().union(*_stop_words_by_language().values())


@lru_cache(maxsize=1)
def _stop_words_by_language() -> dict[str, frozenset[str]]:
    lines = (Path(__file__).parent / "stop_words.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.partition(": ") for line in lines if not line.startswith("#"))
    return {code: frozenset(listed.split()) for code, _, listed in pairs}


def is_cjk(term: str) -> bool:
    """Whether a term is Chinese, Japanese or Korean, so a bigram."""
    return bool(_CJK.match(term))


@lru_cache(maxsize=65536)
def word_terms(word: str, language: str) -> tuple[str, ...]:
    """Index terms of one word of :func:`words`."""
    if _CJK.match(word):
        return tuple(word[i : i + 2] for i in range(len(word) - 1)) or (word,)
    parts = _PARTS.findall(word) if word.isascii() else word.split("_")
    whole = _stem(word, language)
    if len(parts) < 2:
        return (whole,) if whole else ()
    return tuple(dict.fromkeys([whole, *(_stem(part, language) for part in parts if len(part) > 1)]))


def _stem(word: str, language: str) -> str:
    folded = re.sub(r"['’]s?$|['’]", "", word.casefold())
    plain = "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))
    stemmer = _stemmer(_STEMMERS.get(language[:2].lower(), "english"), get_ident())
    return str(stemmer.stemWord(plain))


@lru_cache(maxsize=256)
def _stemmer(name: str, _thread: int) -> Any:
    """A stemmer keeps state, so each thread has its own."""
    return Stemmer.Stemmer(name)
