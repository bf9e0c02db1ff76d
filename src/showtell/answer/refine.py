"""Refine: a chat model revises a draft around its figures (MuRAR §2.3). What it breaks, it does not get.

Strong models repeat a figure in 3 to 21 of a hundred answers and name one that was not offered in up to 10 (logs of
MMDocRAG), so the deterministic placement stands wherever the reply does not hold to the rules.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from showtell.answer.citing import blocks, claims_of, marked
from showtell.answer.prompts import fill, harmless, inert, language_name
from showtell.answer.quantities import read_quantities
from showtell.answer.reply import Marker, Reply
from showtell.index.terms import stop_words, terms, words
from showtell.ingest.split import describe
from showtell.models.base import ChatRequest
from showtell.models.tokens import cut_to_tokens
from showtell.types import Claim, Figure, Image, Passage

KEPT = 0.7  # share of the draft's words that a revision keeps
DENIALS = frozenset(
    terms("not no never none without nicht kein keine nie ohne ne pas jamais sans nunca sin 不 没 勿 别")
)
# What a sentence may say of a figure beside what the draft and the figure say.
POINTING = (
    "as in the see shown shows picture image screenshot photo figure diagram table video clip below above here this"
    " Bild zeigt zeigen siehe Abbildung Tabelle Video unten oben hier image montre montrent voir figure tableau vidéo"
    " ci-dessous ci-dessus imagen muestra muestran ver figura tabla vídeo abajo arriba 图 图片 如图 所示 表格 视频"
)
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
PICTURE_PIXELS, PICTURE_TOKENS = 768, 800  # the longer side of a picture sent, and about what models count it as
CONTEXT_TOKENS = 60  # of a figure's description


@dataclass(frozen=True, slots=True)
class Refined:
    """Claims and figures after the revision; ``breach`` says why the draft stands as it was, or is ""."""

    claims: tuple[Claim, ...]
    figures: tuple[Figure, ...]
    breach: str = ""


def refine_request(
    question: str, claims: Sequence[Claim], figures: Sequence[Figure], language: str, reply_tokens: int
) -> ChatRequest:
    """What the model is asked: question, draft with marks, and what each figure shows."""
    ids = marks(figures)
    messages = fill(
        "refine",
        question=harmless(question),
        figures="\n".join(f"[[{ids[n]}]] {_described(figure)}" for n, figure in enumerate(figures)),
        draft=harmless("\n".join(_lines(claims, figures, ids))),
        marks=", ".join(f"[[{id_}]]" for id_ in ids),
        language=language_name(language),
    )
    return ChatRequest(messages, max_tokens=reply_tokens)


def with_figures(
    request: ChatRequest, figures: Sequence[Figure], read: Callable[[str], bytes | None], tokens: int
) -> ChatRequest:
    """The request with the figures' pictures, as many of the first ones as fit into ``tokens``, for a model that sees.

    ``read`` gives the bytes of an asset, no larger than :data:`PICTURE_PIXELS`, or None where they cannot be shown.
    """
    shown: dict[str, bytes] = {}
    for mark, figure in zip(marks(figures), figures, strict=True):
        asset = figure.media.block.asset if isinstance(figure.media.block, Image) else None
        if asset and tokens >= PICTURE_TOKENS and (content := read(asset)):
            shown[mark] = content
            tokens -= PICTURE_TOKENS
    if not shown:
        return request
    *before, asked = request.messages
    named = ", ".join(f"[[{mark}]]" for mark in shown)
    seen = replace(
        asked, text=f"The pictures above are, in order: {named}.\n\n{asked.text}", pictures=(*shown.values(),)
    )
    return replace(request, messages=(*before, seen))


def marks(figures: Sequence[Figure]) -> tuple[str, ...]:
    """The ids by which the model knows the figures."""
    return tuple(f"M{number}" for number in range(1, len(figures) + 1))


def numbered(claims: Sequence[Claim]) -> dict[int, int]:
    """The number of each cited passage, by passage id, in reading order from 1."""
    passages = [passage.id for claim in claims for passage in claim.passages]
    return {id_: number for number, id_ in enumerate(dict.fromkeys(passages), start=1)}


def cited_passages(claims: Sequence[Claim]) -> tuple[Passage, ...]:
    """The passages of the draft by their number."""
    return tuple({passage.id: passage for claim in claims for passage in claim.passages}.values())


def read_refined(reply: Reply, claims: Sequence[Claim], figures: Sequence[Figure]) -> Refined:
    """The revision, if it holds to the rules; else the draft and the reason.

    Where it misnames a figure, those that it does not name stand behind the words that they stood behind in the draft.
    """
    ids = dict(zip(marks(figures), figures, strict=True))
    passages = cited_passages(claims)
    revised: list[Claim] = []
    placed: list[Figure] = []
    for piece in reply.pieces:
        if isinstance(piece, Marker):
            placed.append(replace(ids.pop(piece.id), claim=max(0, len(revised) - 1)))
        else:
            revised += claims_of(piece, passages)
    breach = _breach(revised, placed, claims, figures)
    if breach:
        return Refined(tuple(claims), tuple(figures), breach)
    lost = ids.values() if reply.misnames else ()
    placed += [replace(figure, claim=_likest(claims[figure.claim].text, revised)) for figure in lost]
    return Refined(tuple(revised), tuple(sorted(placed, key=lambda figure: figure.claim)))


def _likest(text: str, claims: Sequence[Claim]) -> int:
    """The number of the claim that has most words in common with a text."""
    had = Counter(terms(text))
    shared = [(had & (has := Counter(terms(claim.text)))).total() / (had + has).total() for claim in claims]
    return shared.index(max(shared))


def _breach(
    revised: Sequence[Claim], placed: Sequence[Figure], claims: Sequence[Claim], figures: Sequence[Figure]
) -> str:
    if not revised:
        return "it was empty"
    if figures and not placed:
        return "it left out every figure"
    if _sources(revised) != _sources(claims):
        return "it lost a citation"
    before, after = ("\n".join(claim.text for claim in each) for each in (claims, revised))
    shown = " ".join(f"{describe(f.media.block, f.media.generated)} {f.media.before}" for f in placed)
    if _quantities(before) - _quantities(after) or _quantities(after) - _quantities(before) - _quantities(shown):
        return "it changed a number"
    had, has = Counter(terms(before)), Counter(terms(after))
    if (had & has).total() < KEPT * had.total():
        return "it left out much of the text"
    if sum(had[word] for word in DENIALS) != sum(has[word] for word in DENIALS):
        return 'it added or dropped a "not"'
    if _content(after) - _content(before) - _content(shown) - set(terms(POINTING)):
        return "it added words of its own"
    return ""


def _content(text: str) -> set[str]:
    return set(terms(" ".join(word for word in words(text) if word.casefold() not in stop_words())))


def _sources(claims: Sequence[Claim]) -> set[int]:
    return {passage.id for claim in claims for passage in claim.passages}


def _quantities(text: str) -> Counter[str]:
    """The numbers of a text with their units, as written, without list labels."""
    plain = re.sub(r"(?m)^\s*\d+[.)] ", "", text)
    return Counter("".join(plain[each.start : each.end].split()) for each in read_quantities(plain))


def _described(figure: Figure) -> str:
    media = figure.media
    about = describe(media.block, media.generated) or media.before[-300:]
    return f"({media.block.type}) {inert(cut_to_tokens(' '.join(about.split()), CONTEXT_TOKENS))}"


def _lines(claims: Sequence[Claim], figures: Sequence[Figure], ids: Sequence[str]) -> list[str]:
    numbers = numbered(claims)
    names = {id(figure): f"[[{id_}]]" for figure, id_ in zip(figures, ids, strict=True)}
    lines: list[str] = []
    for block, own in blocks(claims, figures):
        text = marked(block, numbers)
        if lines and not _ITEM.match(text):
            lines.append("")
        lines.append(text)
        lines += [names[id(figure)] for figure in own]
    return lines
