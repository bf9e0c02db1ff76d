"""Documents that were split, as rows of the store: with index terms, and with vectors where there is an encoder.

The texts of several documents are encoded together, because a batch of few texts of unlike lengths is slow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from showtell.index.descriptions import Reply
from showtell.index.store import DocumentRow, MediaRow, MomentRow, PassageRow, Store
from showtell.index.terms import terms
from showtell.ingest.split import MediaPlace, PassageText, Pieces, describe, heading
from showtell.models.base import Encoder, Vectors
from showtell.types import HeadingPath, Media, Passage

# A media item's vector is its own words' and that of the passage around it, mixed. On the development set the right
# media of a document came first more often than with the surrounding text encoded anew (mean average precision 0.86
# against 0.80), at a sixth of the tokens.
OWN_WORDS = 0.3
MOST_OWN_WORDS = 160  # characters


def rows(read: Sequence[tuple[Pieces, str, str]], encoder: Encoder | None) -> Iterator[DocumentRow]:
    """Rows of split documents, each with what the user added (its root) and its hash. Raises ModelError."""
    vectors = _encoded((text for pieces, _, _ in read for text in _texts(pieces)), encoder)
    for pieces, root, digest in read:
        yield _row(pieces, root, digest, vectors)


def _encoded(texts: Iterable[str], encoder: Encoder | None) -> dict[str, Vectors]:
    distinct = list(dict.fromkeys(filter(None, texts)))
    return dict(zip(distinct, encoder.encode(distinct), strict=True)) if encoder and distinct else {}


def _texts(pieces: Pieces) -> Iterator[str]:
    yield from _passage_texts(pieces)
    yield from map(_own_words, pieces.media)
    for moment in pieces.moments:
        yield from (moment.text, moment.around)


def _passage_texts(pieces: Pieces) -> list[str]:
    document = pieces.document
    sections = document.sections
    return [passage_text(document.title, sections[each.section].path, each.text) for each in pieces.passages]


def passage_text(title: str, section: HeadingPath, text: str) -> str:
    """What is encoded of a passage: its headings, then its words."""
    return f"{heading(title, section)}\n{text}"


def _own_words(media: MediaPlace) -> str:
    words = media.description
    return words if len(words) <= MOST_OWN_WORDS else words[:MOST_OWN_WORDS].rpartition(" ")[0]


def _row(pieces: Pieces, root: str, digest: str, vectors: dict[str, Vectors]) -> DocumentRow:
    document = pieces.document
    language = document.language or "en"
    spelled = partial(_spelled, language=language)
    subject = spelled(document.title)
    headings = [spelled(" ".join(section.path)) for section in document.sections]
    contexts = [spelled(heading(document.title, section.path)) for section in document.sections]
    of_passages = [vectors.get(text) for text in _passage_texts(pieces)]
    inside: dict[int, list[int]] = {}
    for number, passage in enumerate(pieces.passages):
        inside.setdefault(passage.section, []).append(number)
    passages = tuple(
        PassageRow(
            p.section, p.first, p.last, p.text, p.start, p.end,
            (subject, headings[p.section], spelled(p.text)),
            _stored(vector),
        )
        for p, vector in zip(pieces.passages, of_passages, strict=True)
    )  # fmt: skip
    media = tuple(
        _media_row(m, contexts[m.section], language, vectors, of_passages[_around(m.position, own, pieces.passages)])
        for m, own in ((m, inside[m.section]) for m in pieces.media)
    )
    moments = tuple(
        MomentRow(
            m.section, m.position, m.start, m.end, m.text,
            _stored(_mean(vectors.get(m.text), vectors.get(m.around))),
        )
        for m in pieces.moments
    )  # fmt: skip
    return DocumentRow(
        document.source, document.name, root, digest, document.title, document.description, document.language,
        document.url, document.licence, document.revision, len(document.dropped), document.sections,
        passages, media, document.files, moments,
    )  # fmt: skip


def media_rows(store: Store, said: Mapping[int, Reply], encoder: Encoder | None) -> dict[int, MediaRow]:
    """Stored media as rows in which a reply is in force, both by row number; "" for none. Raises ModelError."""
    media = store.media(list(said))
    passages: dict[int, list[Passage]] = {}
    for passage in store.section_passages(list({each.section_id for each in media.values()})):
        passages.setdefault(passage.section_id, []).append(passage)
    ids, stacked = store.vectors("passage_vectors", [each.id for own in passages.values() for each in own])
    of_passages = dict(zip(ids, stacked, strict=True))
    places = {row: _place(media[row], said[row].text) for row in media if media[row].section_id in passages}
    vectors = _encoded(map(_own_words, places.values()), encoder)
    made = {}
    for row, place in places.items():
        own, reply = passages[media[row].section_id], said[row]
        around = own[_around(place.position, range(len(own)), own)]
        language = around.language or "en"
        context = _spelled(heading(around.title, around.section), language)
        plain = _media_row(place, context, language, vectors, of_passages.get(around.id))
        made[row] = replace(plain, content=reply.content, generated=reply.text, generated_by=reply.model)
    return made


def _place(media: Media, generated: str) -> MediaPlace:
    """A stored media item as it is before it is stored; its section's number does not matter any more."""
    description = describe(media.block, generated)
    return MediaPlace(media.id, 0, media.position, media.block, media.before, media.after, description)


def _media_row(
    media: MediaPlace, context: str, language: str, vectors: Mapping[str, Vectors], around: Vectors | None
) -> MediaRow:
    """``context`` are the terms of the headings above it, ``around`` is the vector of the passage around it."""
    surroundings = f"{context} {_spelled(f'{media.before} {media.after}', language)}"
    return MediaRow(
        media.id, media.section, media.position, media.before, media.after,
        (_spelled(media.description, language), surroundings),
        _stored(_mixed(vectors.get(_own_words(media)), around)),
    )  # fmt: skip


def _spelled(text: str, language: str) -> str:
    return " ".join(terms(text, language))


def _around(position: int, numbers: Sequence[int], passages: Sequence[PassageText | Passage]) -> int:
    """Of a section's passages the one that the block stands in, or nearest to; a transcript's only at need."""

    def distance(number: int) -> tuple[bool, int]:
        passage = passages[number]
        return passage.start is not None, max(passage.first - position, position + 1 - passage.last, 0)

    return min(numbers, key=distance)


def _mixed(own: Vectors | None, around: Vectors | None) -> Vectors | None:
    if own is None or around is None:
        return around
    mixed: Vectors = OWN_WORDS * own + (1 - OWN_WORDS) * around
    return mixed / np.float32(np.linalg.norm(mixed))


def _mean(own: Vectors | None, around: Vectors | None) -> Vectors | None:
    """Of a moment's vectors, alone and with its neighbours: its cosine is then the mean of both cosines."""
    return None if own is None or around is None else (own + around) / np.float32(2)


def _stored(vector: Vectors | None) -> bytes | None:
    return None if vector is None else vector.astype(np.float32).tobytes()
