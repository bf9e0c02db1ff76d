"""A published method, for comparison: a vision model's keywords find Wikipedia pages, whose chunks it answers from.

"A Simple Framework for RAG Enhanced Visual Question Answering"; its two prompts are ``prompts/vision_keywords.md`` and
``prompts/vision_answer.md``, word for word, without its line breaks. Numbers are those of its code. Otherwise:

- keywords are read out of the reply and searched for one by one; a statement is not searched for (``keywords.py``);
- pages come as HTML without "See also", references and the like, so with their infoboxes and tables as lines of cells;
- chunks end with a line, a sentence or a word, not within a number and its unit, and never cross a heading;
- a chunk that says nothing, that repeats another, or that only links elsewhere is none;
- question and keywords are encoded as a query, with the encoder's prefix, and with a space between them;
- of many chunks only those are encoded that words choose; without an encoder words rank, and what shares none is none;
- fewer than seven chunks are answered from as well, where the code fails;
- sentences in a page that address the model, and what it could take for turns of the conversation, are kept from it;
- the answer's sentences are given to the chunks closest to them, so that its numbers can be checked.
"""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from showtell.answer.attribute import Encode, attribute
from showtell.answer.citing import claims_of
from showtell.answer.instructions import without_instructions
from showtell.answer.prompts import fill, harmless, inert
from showtell.answer.reply import Reply
from showtell.index.terms import CJK, query_terms, terms, words
from showtell.ingest.split import block_text, row_text, sentences, word_count
from showtell.models.base import ChatRequest, Encoder
from showtell.types import Block, Claim, Document, Passage, Section, Table, Text

PAGES = 20  # that are searched for
LENGTH, OVERLAP = 300, 150  # characters of a chunk, and of it that may stand in the one before
PASSAGES = 7  # chunks that the model is given
KEYWORD_TOKENS, ANSWER_TOKENS = 64, 256

ENCODED = 200  # chunks that are encoded; about 10 ms each on a common processor
FEWEST_WORDS = 3  # of a chunk
SOURCES = 3  # chunks of one sentence
TERM_SATURATION, LENGTH_WEIGHT = 1.2, 0.75  # k1 and b of BM25 (Robertson and Zaragoza 2009)

_LINK = re.compile(r"\W*\[[^\[\]]*\]\([^()]*\)\W*")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LINE = re.compile(r"\n+")
_SPACE = re.compile(r"\s+")
_COMMA = re.compile(r"(?<=[，、；：])(?=\S)")
_BETWEEN = re.compile(rf"\s+(?=\S)|(?<=[{CJK}])(?=[{CJK}])")
# A space within a quantity: "300 kg", "8 ft 1 in", "300 kg (660 lb)", "5 – 7".
_WITHIN = re.compile(
    r"(?=\s)(?:(?<=\d)\s+(?=[a-zµ])|(?:(?<=\d)|(?<=\d\w)|(?<=\d\w\w)|(?<=\d\s\w)|(?<=\d\s\w\w)|(?<=\d\s\w\w\w)"
    r"|(?<=[–±×-]))\s+(?=[\d(%°±×–-]))"
)


# ------------------------------------------------------------------------------------------------------- the requests
def keywords_request(question: str, pictures: Sequence[bytes]) -> ChatRequest:
    """What the model is asked first; ``keywords.read_keywords`` reads its reply."""
    (asked,) = fill("vision_keywords", question=harmless(question))
    return ChatRequest((replace(asked, pictures=tuple(pictures)),), max_tokens=KEYWORD_TOKENS)


def answer_request(question: str, pictures: Sequence[bytes], chunks: Sequence[Passage]) -> ChatRequest:
    """What the model is asked with the chunks, the closest first; ``generate.kept_back`` tells what it is not given."""
    said = [(chunk.title, without_instructions(chunk.text)[0].strip()) for chunk in chunks]
    passages = "\n\n".join(
        f'From Wikipedia page {" ".join(inert(title).split())} : "{inert(text)}"' for title, text in said if text
    )
    (asked,) = fill("vision_answer", question=harmless(question), passages=passages)
    return ChatRequest((replace(asked, pictures=tuple(pictures)),), max_tokens=ANSWER_TOKENS)


def claims(reply: Reply, chunks: Sequence[Passage], encode: Encode | None) -> list[Claim]:
    """The sentences of the answer, each with the chunk that it comes from; the model cites none.

    That is the closest one (``attribute.py``). Where it lacks numbers of the sentence, the next of the same page that
    have them join it; numbers are looked for on no other page, so that a wrong one does not find a source anywhere.
    """
    written = [claim for piece in reply.pieces if isinstance(piece, str) for claim in claims_of(piece, ())]
    vectors = encode([chunk.text for chunk in chunks]) if encode and chunks else None
    known = {} if vectors is None else dict(zip([chunk.id for chunk in chunks], vectors, strict=True))
    return [_with_numbers(claim, chunks) for claim in attribute(written, chunks, encode, known)]


def _with_numbers(claim: Claim, chunks: Sequence[Passage]) -> Claim:
    sources = list(claim.passages)
    missing = _numbers(claim.text).difference(*(_numbers(source.text) for source in sources))
    near = [chunk for chunk in chunks if sources and chunk.document == sources[0].document]
    while missing and len(sources) < SOURCES:
        best = max(near, key=lambda chunk: len(missing & _numbers(chunk.text)), default=None)
        if best is None or not missing & _numbers(best.text):
            break
        sources.append(best)
        missing -= _numbers(best.text)
    return replace(claim, passages=tuple(sources))


def _numbers(text: str) -> set[str]:
    return {found.replace(",", "") for found in _NUMBER.findall(text)}


# --------------------------------------------------------------------------------------------------------- the ranking
def rank(question: str, keywords: Sequence[str], chunks: Sequence[Passage], encoder: Encoder | None) -> list[Passage]:
    """The seven chunks closest to question and keywords, the closest first; fewer where there are fewer."""
    query = f"{question} Keywords: {', '.join(keywords)}"
    scores = _by_words(f"{question} {' '.join(keywords)}", chunks)
    depths = _depths(chunks)  # what no word tells apart is taken from the beginnings of all pages
    order = sorted(range(len(chunks)), key=lambda n: (-scores[n], depths[n]))
    if encoder is None:
        return [chunks[n] for n in order if scores[n] > 0][:PASSAGES]
    near = [chunks[n] for n in order[:ENCODED]]
    if not near:
        return []
    cosines = encoder.encode([chunk.text for chunk in near]) @ encoder.encode_query(query)
    return [near[n] for n in sorted(range(len(near)), key=lambda n: -cosines[n])[:PASSAGES]]


def _by_words(query: str, chunks: Sequence[Passage]) -> list[float]:
    """BM25 of each chunk with its title and headings; the spellings of one word count as one."""
    groups = query_terms(query, sorted({chunk.language or "en" for chunk in chunks}) or ["en"])
    number = {term: at for at, group in enumerate(groups) for term in group}
    counts = [Counter(number[term] for term in _terms(chunk) if term in number) for chunk in chunks]
    held = Counter(at for count in counts for at in count)
    rarity = {at: math.log(1 + (len(chunks) - many + 0.5) / (many + 0.5)) for at, many in held.items()}
    mean = sum(len(chunk.text) for chunk in chunks) / max(1, len(chunks))
    scores = []
    for chunk, count in zip(chunks, counts, strict=True):
        norm = TERM_SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * len(chunk.text) / mean)
        scores.append(sum(rarity[at] * many * (TERM_SATURATION + 1) / (many + norm) for at, many in count.items()))
    return scores


def _terms(chunk: Passage) -> list[str]:
    return terms(" ".join([chunk.title, *chunk.section, chunk.text]), chunk.language or "en")


def _depths(chunks: Sequence[Passage]) -> list[int]:
    """How many chunks of its page stand before each."""
    before: Counter[str] = Counter()
    depths = []
    for chunk in chunks:
        depths.append(before[chunk.document])
        before[chunk.document] += 1
    return depths


# ---------------------------------------------------------------------------------------------------------- the chunks
def chunks(documents: Iterable[Document]) -> list[Passage]:
    """The pages cut into chunks of at most :data:`LENGTH` characters, in order; their ids are negative, from -1."""
    found: dict[str, Passage] = {}
    number = 0
    for document in documents:
        for section in document.sections:
            number -= 1
            text, places = _plain(section)
            offsets = [offset for offset, _ in places]
            for start, end in _windows(text):
                piece = text[start:end].strip()
                if word_count(piece) < FEWEST_WORDS:
                    continue
                first = places[bisect_right(offsets, start) - 1][1]
                last = places[bisect_left(offsets, end) - 1][1] + 1
                found.setdefault(
                    " ".join(words(piece)).casefold(),
                    Passage(
                        -len(found) - 1, number, document.name, document.title, section.path, piece, first, last,
                        document.language, url=document.url, licence=document.licence, revision=document.revision,
                    ),
                )  # fmt: skip
    return list(found.values())


def _plain(section: Section) -> tuple[str, list[tuple[int, int]]]:
    """The text of a section, a block or a row a line; and where each block begins, with its number."""
    if all(isinstance(block, Text) and _LINK.fullmatch(block.markdown) for block in section.blocks):
        return "", []
    text, places = "", []
    for position, block in enumerate(section.blocks):
        if said := _said(block):
            places.append((len(text), position))
            text += f"{said}\n"
    return text.rstrip(), places


def _said(block: Block) -> str:
    if isinstance(block, Text):
        return block_text(block)
    if isinstance(block, Table):
        rows = [row[:1] if len(set(row)) == 1 else row for row in (block.header, *block.rows)]  # what spans all, once
        return "\n".join(filter(None, [block.caption, *(row_text(row) for row in rows if any(row))]))
    return ""


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of at most :data:`LENGTH` characters that cover the text, each beginning within the one before.

    One ends where the strongest cut of its latter half is: a line, a sentence, a word; the next begins with what is as
    strong, at most :data:`OVERLAP` characters before.
    """
    levels = _cuts(text)
    start = 0
    while len(text) - start > LENGTH:
        end, cuts = _end(text, start, levels)
        yield start, end
        following = bisect_left(cuts, max(start + 1, end - OVERLAP))
        start = min(cuts[following], end) if following < len(cuts) else end
    if start < len(text):
        yield start, len(text)


def _end(text: str, start: int, levels: Sequence[Sequence[int]]) -> tuple[int, Sequence[int]]:
    for cuts in levels:
        at = bisect_right(cuts, start + LENGTH) - 1
        if at >= 0 and cuts[at] > start + LENGTH - OVERLAP:
            return cuts[at], cuts
    before = bisect_right(levels[-1], start + LENGTH) - 1
    if before >= 0 and levels[-1][before] > start:
        return levels[-1][before], levels[-1]
    end = start + LENGTH  # within a run of characters that nothing parts
    while unicodedata.combining(text[end]) and end > start + 1:
        end -= 1
    return end, levels[0]


def _cuts(text: str) -> tuple[list[int], ...]:
    """Where lines, sentences, words, and what stands between any spaces begin: each with the stronger ones."""
    lines = {found.end() for found in _LINE.finditer(text)}
    starts, at = set(), 0
    for sentence in sentences(text):
        at = text.index(sentence, at)
        starts.add(at)
        at += len(sentence)
    spaces = {found.end() for pattern in (_SPACE, _COMMA) for found in pattern.finditer(text)}
    spaces -= {found.end() for found in _WITHIN.finditer(text)}
    anywhere = {found.end() for found in _BETWEEN.finditer(text)}
    levels = lines, lines | starts, lines | starts | spaces, lines | starts | spaces | anywhere
    return tuple(sorted(level - {0, len(text)}) for level in levels)
