"""Have a model describe the media of a library, after their documents were stored.

Adding a document never waits for a model nor fails with it. Each reply is stored as it comes, so that a kill loses none
and nothing is asked twice; then the rows of the media are brought in line with all replies at once, because what a
reply is worth shows only beside the others: the same words for different pictures say nothing of any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from showtell.errors import ModelError, PictureError
from showtell.index.descriptions import Descriptions, Place, Reply
from showtell.index.store import Store
from showtell.ingest.captions import content, fit, repeated, request
from showtell.ingest.rows import media_rows
from showtell.models.base import ChatModel, ChatRequest, Encoder

LARGEST_SIDE = 1024  # pixels of a picture that is sent
LONGEST_REPLY = 4000  # characters; a model that does not stop is not heard out
STRIKES = 3  # failures in a row, with a picture or without, after which no more such requests are made
SAME_PICTURE = 5  # bits in which the fingerprints of one picture in two sizes differ, at most
ROWS_AT_ONCE = 200
_NOUNS = {"image": "picture", "table": "table", "transcript": "transcript"}


@dataclass(frozen=True, slots=True)
class Described:
    """How many media of a document a model described now; the last one tells what could not be done."""

    source: str
    name: str
    count: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asking:
    """Which media a model is asked about: of ``documents`` by source (None: of all), ``again`` after another model."""

    model: ChatModel
    documents: Collection[str] | None = None
    again: bool = False


def describe_media(store: Store, asking: Asking | None, encoder: Callable[[], Encoder | None]) -> Iterator[Described]:
    """Ask about what lacks a description, one result a document; then put all replies to use, and tell what failed.

    Without ``asking``, replies of earlier runs are put to use. Raises LibraryError and its kinds, and ModelError where
    the encoder fails; a chat model that fails is told in the last result.
    """
    descriptions = Descriptions(store)
    if asking is None and not descriptions.replies():
        return
    tally = _Tally()
    _find_contents(descriptions, tally)
    repeats: list[list[str]] = []
    try:
        if asking:
            yield from _ask(descriptions, asking, tally)
    finally:
        repeats = _put_to_use(descriptions, encoder)
    tally.unfit["same words for different pictures"] = sum(len(each) for each in repeats if tally.asked & set(each))
    if asking and (warnings := tuple(tally.told())):
        yield Described(str(store.folder), "captions", 0, warnings)


@dataclass(slots=True)
class _Tally:
    """What is told at the end: why media were not asked about, why requests failed, why replies were left out."""

    asked: set[str] = field(default_factory=set)
    unasked: dict[str, Counter[str]] = field(default_factory=dict)
    failed: Counter[str] = field(default_factory=Counter)
    error: str = ""
    strikes: Counter[bool] = field(default_factory=Counter)
    unfit: Counter[str] = field(default_factory=Counter)

    def leave(self, kind: str, reason: str) -> None:
        self.unasked.setdefault(reason, Counter())[kind] += 1

    def fail(self, kind: str, error: str) -> None:
        self.failed[kind] += 1
        self.error = error

    def told(self) -> Iterator[str]:
        if self.failed:
            yield f"{_many(self.failed)} not described: {self.error}; try again with: showtell refresh"
        for reason, counts in self.unasked.items():
            yield f"{_many(counts)} not described: {reason}"
        for reason, count in (+self.unfit).items():
            yield f"{count} generated caption{'s' * (count > 1)} left out: {reason}"


def _find_contents(descriptions: Descriptions, tally: _Tally) -> None:
    while rows := descriptions.unknown(ROWS_AT_ONCE):
        media = descriptions.store.media(rows)
        contents = dict.fromkeys(rows, "")
        for row, each in media.items():
            contents[row], reason = content(each.block)
            if reason:
                tally.leave(each.block.type, reason)
        descriptions.know(contents)


# -------------------------------------------------------------------------------------------------------------- asking
def _ask(descriptions: Descriptions, asking: Asking, tally: _Tally) -> Iterator[Described]:
    documents: dict[tuple[str, str], list[Place]] = {}
    met: set[str] = set()
    for place in descriptions.lacking(asking.model.name, asking.again):
        if place.content not in met and (asking.documents is None or place.source in asking.documents):
            met.add(place.content)
            documents.setdefault((place.source, place.name), []).append(place)
    for (source, name), places in documents.items():
        count = sum(_is_described(place, descriptions, asking.model, tally) for place in places)
        if count:
            yield Described(source, name, count)


def _is_described(place: Place, descriptions: Descriptions, model: ChatModel, tally: _Tally) -> bool:
    kind, media = place.content.partition(":")[0], descriptions.store.media([place.row]).get(place.row)
    if media is None:  # another process removed it
        return False
    if tally.strikes[kind == "image"] >= STRIKES:
        tally.fail(kind, tally.error)
        return False
    try:
        picture = _sent(descriptions.store, place.content) if kind == "image" else None
        asked = request(media, place.language, picture, model.context_tokens)
        said = _reply(model, asked) if asked else ""
    except (ModelError, PictureError) as error:
        tally.fail(kind, str(error))
        tally.strikes[kind == "image"] += isinstance(error, ModelError)
        return False
    if asked is None:
        tally.leave(kind, f"not a row or sentence fits into the {model.context_tokens} tokens of {model.name}")
        return False
    text, unfit = fit(said, asked)
    descriptions.keep(Reply(place.content, model.name, text))
    tally.strikes[kind == "image"] = 0
    tally.asked.add(place.content)
    tally.unfit.update([unfit] if unfit else [])
    return not unfit


def _reply(model: ChatModel, asked: ChatRequest) -> str:
    said = ""
    for piece in model.stream(asked):
        said += piece
        if len(said) > LONGEST_REPLY:
            break
    return said


def _sent(store: Store, key: str) -> bytes:
    """The picture upright, and no larger than a model needs."""
    from showtell.pictures import fitted

    return fitted(_file(store, key).read_bytes(), LARGEST_SIDE)


def _file(store: Store, key: str) -> Path:
    """Where the picture of a content lies. Raises PictureError."""
    file = store.assets / key.partition(":")[2]
    if not file.is_file():
        raise PictureError(f"the library has lost {file.name}; add its document again")
    return file


# ------------------------------------------------------------------------------------------------------ putting to use
def _put_to_use(descriptions: Descriptions, encoder: Callable[[], Encoder | None]) -> list[list[str]]:
    """Bring the rows of media in line with the replies; returns groups of contents that share their description."""
    store, replies = descriptions.store, {reply.content: reply for reply in descriptions.replies()}
    repeats = repeated(replies.values(), lambda one, other: _show_the_same(store, one, other))
    shared = {each for group in repeats for each in group}
    wanted: dict[int, Reply] = {}
    for held in descriptions.in_force():
        reply = replies.get(held.content)
        if reply is None or held.content in shared or not reply.text:
            reply = Reply(held.content, "", "")
        if (reply.text, reply.model) != (held.generated, held.generated_by):
            wanted[held.row] = reply
    rows = list(wanted)
    for at in range(0, len(rows), ROWS_AT_ONCE):
        some = {row: wanted[row] for row in rows[at : at + ROWS_AT_ONCE]}
        store.replace_media(media_rows(store, some, encoder()))
    return repeats


def _show_the_same(store: Store, one: str, other: str) -> bool:
    """Whether two contents are one picture, perhaps in two sizes."""
    if not (one.startswith("image:") and other.startswith("image:")):
        return False
    from showtell.pictures import distance, fingerprint

    try:
        marks = [fingerprint(_file(store, each)) for each in (one, other)]
    except PictureError:
        return False
    return distance(*marks) <= SAME_PICTURE


def _many(counts: Counter[str]) -> str:
    """``3 pictures and 1 table were``"""
    told = " and ".join(f"{count} {_NOUNS[kind]}{'s' * (count > 1)}" for kind, count in counts.items())
    return f"{told} {'was' if counts.total() == 1 else 'were'}"
