"""Search keywords in a model's reply, in whatever form it writes them; or the statement that stands in their place.

The published code of the vision method searches for the reply as it stands, so that "There are no fish visible in the
image provided. …" is searched for like keywords. Which of the two a reply is, is told by its form: full stops, length,
and the share of function words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from showtell.answer.reply.phrases import phrase
from showtell.answer.reply.unwrap import own_words
from showtell.index.terms import stop_words, words
from showtell.ingest.split import sentences, word_count
from showtell.models.partial import parse_json

MOST = 3  # keywords; the published prompt asks for no more
LONGEST = 15  # words of a keyword, CJK characters count half; more is no keyword
LONG = 7  # words from which a keyword begins to look like a sentence
WRAPPED = 60  # characters of a line from which the next may belong to it
EXPLAINS = 5  # words behind a dash or in brackets from which they explain a keyword, not name it
MANY, MANY_OF_LIST = 0.4, 0.5  # of the words of a text, and of one with commas, that are function words
SAYS, LIST_SAYS = 3, 4  # points from which a text is a sentence, and one with commas, which are rather those of a list

_END = re.compile(r"[.!?…。！？][\"'”’»」』)\]*_]*$")
_QUOTED = r"\"[^\"\n]*\"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|「[^」\n]*」|『[^』\n]*』|`[^`\n]*`"
_PART = re.compile(rf"(?:{_QUOTED}|\([^()\n]*\)|（[^（）\n]*）|(?<=\d),(?=\d)|/(?!\s)|(?<!\s)/|[^,;|/、，；؛،•\n])+")
_QUOTES = re.compile(rf"(?:{_QUOTED})|(?<!\w)'[^'\n]+'(?!\w)")
_LABEL = re.compile(
    r"[^:：\n]{0,80}?(?:key ?-?words?|key ?phrases?|search|quer(?:y|ies)|suchbegriff|stichw|schl(?:ü|ue)sselw|schlagw"
    r"|mots?[- ]cl|recherche|palabras?|búsqueda|parol[ae]|ricerca|palavras?|busca|pesquisa|ключев|поиск|запрос"
    r"|关键|關鍵|搜索|搜尋|检索|查询|キーワード|検索|키워드|검색)[^:：\n]{0,40}[:：]\s*",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\s*(?:[-*+•‣▪◦·–—](?!\d)|#(?=\s|\d)|\(?\d{1,2}(?:[.):．](?!\d)|、)|[①-⑳]|[a-cA-C]\)|>)\s*")
_ORDINAL = re.compile(r"(?!1\D)\d")  # alone it begins no list: "7. Sinfonie"
_SHORTENED = re.compile(r"\w{1,3}\.$")  # "Mt. Everest"
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,40}>")
_HASH = re.compile(r"\s+#(?=\w)")
_JOINS = re.compile(r"^(?:and|or|und|oder|et|ou|y|e|o|и|или|和|以及|及び|および|또는|및)\s+", re.IGNORECASE)
_EXPLAINED = re.compile(r"\s+[-–—]+\s+|(?<!\s):\s+|：|\s*(?=[(（])")
_EDGES = " \t\"'“”„«»‘’「」『』`*_[]{}<>~=|/\\"
_ABBREVIATED = re.compile(r"(?<!\w)\w\.\w\.$")
_ENCLOSED = re.compile(r"\[(\s*['\"][^\[\]]+)\]")
_RULE = re.compile(r"\s*(?:```\w*|[-=_*~]{3,})\s*")
# Predicates end a sentence in these languages, whose function words stand in no list or are not told by spaces.
_PREDICATE = re.compile(
    r"(?:ません|ます|です|でした|ました|である|ではない|がない|はない|ている|니다|어요|아요|해요|없다|있다|이다)$|\w{5}ない$"
    r"|没有|沒有|無法|无法|不能|不是|看不|未见|是一|的是|抱歉"
)
_NOTHING = frozenset(
    {
        "none",
        "null",
        "nil",
        "nothing",
        "n/a",
        "na",
        "keine",
        "keins",
        "aucun",
        "ninguno",
        "ninguna",
        "nessuno",
        "nenhum",
    }
    | {"нет", "无", "無", "なし", "없음"}
)


@dataclass(frozen=True, slots=True)
class Keywords:
    """What a reply gives to search for, at most three ``texts``; or, where it gives none, the ``statement`` it makes.

    Both are empty where it says nothing.
    """

    texts: tuple[str, ...]
    statement: str = ""


def read_keywords(reply: str) -> Keywords:
    """The keywords or the statement of a reply: words, a list in any form, or JSON. Nothing is raised.

    Keywords win where a reply has both in a recognisable form, such as "The image shows a tomato. Keywords: tomato
    plant". In JSON they are the first list of texts, or what stands under a key such as "keywords".
    """
    text = own_words(reply)
    value = parse_json(text)
    if isinstance(value, (str, Mapping)) or (isinstance(value, list) and any(isinstance(each, str) for each in value)):
        found = _of_value(value)
        if found.texts or found.statement:
            return found
    return _of_text(text)


def is_sentence(text: str) -> bool:
    """Whether a text has the form of a sentence rather than that of a keyword, or of several."""
    found = words(text)
    if not found:
        return False
    parts = [word_count(part) for part in _PART.findall(text) if _bare(part)]
    longest = max(parts, default=0)
    if longest > LONGEST or _PREDICATE.search(_END.sub("", text.strip())) or phrase("refusal").match(text):
        return True
    functions = [word.casefold() in stop_words() for word in found]
    share, needed = (MANY_OF_LIST, LIST_SAYS) if len(parts) > 1 else (MANY, SAYS)
    many = sum(functions) >= share * len(found)
    return 2 * bool(_END.search(text)) + functions[0] + many + (longest >= LONG) >= needed


# --------------------------------------------------------------------------------------------------------------- JSON
def _of_value(value: Any) -> Keywords:
    if isinstance(value, str):
        return _of_text(value)
    said = ""
    if isinstance(value, Mapping):
        keyed = {str(key).casefold(): each for key, each in value.items()}
        said = next((each for key, each in keyed.items() if isinstance(each, str) and not _LABEL.match(f"{key}:")), "")
        said = keyed["statement"] if isinstance(keyed.get("statement"), str) else said
        value = next(_lists(keyed), [])
    listed = [each for each in map(_listed, value) if each]
    statements = [each for each in listed if is_sentence(each)]
    return _read([each for each in listed if each not in statements], [said] if said else statements)


def _lists(keyed: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    """What may be the keywords: a list, or the parts of a text under a key that says so."""
    for key, each in keyed.items():
        if isinstance(each, list) and each:
            yield each
        elif isinstance(each, str) and _LABEL.match(f"{key}:"):
            yield _of_text(each).texts


def _listed(value: Any) -> str:
    if isinstance(value, Mapping):
        value = next((each for each in value.values() if isinstance(each, str)), "")
    return value if isinstance(value, str) else ""


# --------------------------------------------------------------------------------------------------------------- words
def _of_text(text: str) -> Keywords:
    lines = _lines(text)
    announced = next((at for at, line in enumerate(lines) if _announces(line)), None)
    if announced is not None:
        content = _unlabelled(lines[announced])
        enclosed = _ENCLOSED.match(content)
        after = [enclosed[1]] if enclosed else [content, *lines[announced + 1 :]]
        found = _of_lines([line for line in after if _bare(line)])
        if found.texts:
            return found
    return _of_lines([line for line in lines if not line.endswith((":", "："))])


def _of_lines(lines: Sequence[str]) -> Keywords:
    """Items of a list where there are any, else the lines themselves, of which sentences are none."""
    items = [item for line in lines for item in _items(line)]
    if items and not (len(lines) == 1 and _ORDINAL.match(lines[0])):
        kept = [_unexplained(item) for item in items]
        keywords = [item for item in kept if not is_sentence(item)]
        parted = _parts(keywords[0]) if len(keywords) == 1 else keywords
        return _read(parted, [item for item in items if is_sentence(item)])
    said = [sentence for line in lines for sentence in _sentences(line)]
    if len(said) == 1 and said[0].endswith(("?", "？")):  # which can be searched for
        return _read(_parts(said[0]), [])
    sure = any(map(is_sentence, said))
    keywords, statements = [], []
    for each in said:
        parts = _parts(each)
        ends_alone = sure and len(parts) < 2 and bool(_END.search(each))
        if parts and (quoted := _quoted_list(each)):
            keywords += quoted
        elif is_sentence(each) or ends_alone:
            statements.append(each)
        else:
            keywords += parts
    return _read(keywords, statements)


def _sentences(line: str) -> list[str]:
    found: list[str] = []
    for each in sentences(line):
        if found and _SHORTENED.fullmatch(found[-1]):
            found[-1] += f" {each}"
        else:
            found.append(each)
    return found


def _read(keywords: Sequence[str], statements: Sequence[str]) -> Keywords:
    """The keywords without their marks, each once; the statement where there are none."""
    bare = (_bare(_unlabelled(each)) for each in keywords)
    texts = {each.casefold(): each for each in reversed([each for each in bare if each])}
    chosen = tuple(texts.values())[::-1][:MOST]
    said = "" if chosen else " ".join(" ".join(filter(_bare, statements)).split())
    return Keywords(chosen, re.sub(r"(?<=[。！？]) ", "", said))


def _lines(text: str) -> list[str]:
    """The lines of a text that say something, without emphasis; one that a long line goes on in is joined to it."""
    joined: list[str] = []
    length = 0
    for raw in _HASH.sub(", #", _TAG.sub(" ", text.replace("**", "").replace("__", ""))).splitlines():
        line = " ".join(raw.split())
        if not line or _RULE.fullmatch(line):
            length = 0
            continue
        goes_on = length >= WRAPPED and not _END.search(joined[-1]) and not _ITEM.match(line)
        if goes_on or (length >= WRAPPED and line[:1].islower() and not joined[-1].endswith(".")):
            joined[-1] += f" {line}"
        else:
            joined.append(line)
        length = len(line)
    return joined


def _announces(line: str) -> bool:
    """Whether keywords stand behind a line's colon, or in the lines that follow it."""
    return bool(_LABEL.match(line)) or line.endswith((":", "："))


def _unlabelled(text: str) -> str:
    label = _LABEL.match(text)
    return text[label.end() :] if label else text


def _items(line: str) -> list[str]:
    """The item that a line of a list holds, or the several that are numbered within it; none where it is no list."""
    mark = _ITEM.match(line)
    if not mark:
        return []
    rest, found = line[mark.end() :], []
    number = 2 if re.search(r"(?<!\d)1(?!\d)", mark[0]) else 0
    while number and (following := re.search(rf"[\s,;，；]\(?{number}(?:[.):．](?!\d)|、)\s*", rest)):
        found.append(rest[: following.start()])
        rest, number = rest[following.end() :], number + 1
    return [item for item in (*found, rest) if _bare(item)]


def _unexplained(item: str) -> str:
    """An item of a list without what is said about it behind a dash, behind a colon or in brackets."""
    for gap in _EXPLAINED.finditer(item):
        head, tail = item[: gap.start()], item[gap.end() :]
        if _bare(head) and not _LABEL.match(item[: gap.end()]) and len(words(tail)) >= EXPLAINS:
            return head
    return item


def _parts(text: str) -> list[str]:
    """What stands between commas and the like; one inside of quotation marks, brackets or a number parts nothing."""
    found = [part.strip() for part in _PART.findall(text)]
    return [part for part in (*found[:1], *(_JOINS.sub("", other) for other in found[1:])) if _bare(part)]


def _quoted_list(text: str) -> list[str]:
    """Several quoted texts at the end of a line, with no more than a word between two."""
    found = list(_QUOTES.finditer(text))
    gaps = [words(text[one.end() : two.start()]) for one, two in pairwise(found)]
    if len(found) < 2 or any(len(gap) > 1 for gap in gaps) or words(text[found[-1].end() :]):
        return []
    return [each[0] for each in found]


def _bare(text: str) -> str:
    """A keyword without the marks around it; "" where it says nothing."""
    text = text.strip(_EDGES + ",;:").lstrip("#")
    if not _ABBREVIATED.search(text):
        text = text.rstrip(".!?…。！？،؟" + _EDGES + ",;:")
    return "" if text.casefold() in _NOTHING or not any(map(str.isalnum, text)) else " ".join(text.split())
