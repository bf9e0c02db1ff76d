"""Choose media for a draft's claims and place them, without a model: the same input always gives the same figures.

Media come from the leading ground, where nine in ten of the right ones stood on the development set; from the others
only where the leading one has none that fits as well, or lacks a kind that the question asks for. Within the ground
each is scored against the question, by its own words, the text around it and its vector (``docs/LOG.md`` has the fit
behind the weights). A medium is shown once.

An extractive claim knows its place, so a medium goes behind the claim that it stands under. A written one does not:
there the media of each section are assigned to the claims so that the sum of their weights is largest and the source's
order is kept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from showtell.answer.evidence import Ground, Role, identity
from showtell.answer.query import Intent
from showtell.index.search import Query
from showtell.index.terms import stop_words, terms, words
from showtell.ingest.split import describe, row_text, word_count
from showtell.models.base import Vectors
from showtell.types import Claim, Figure, Image, Media, Passage, Section, Table, Text, Video

Encode = Callable[[Sequence[str]], Sequence[Vectors] | Vectors | None]
Cosines = Mapping[int, Sequence[float]]  # of a medium, by row number, with every claim

COSINE, OWN_WORDS, WORDS_AROUND = 0.40, 0.36, 0.28  # weights of the three agreements with the question
ASKED_FOR, PICTURED_STEPS = 0.32, 0.28  # for a kind that the question names; for a picture where it asks for steps
HEARD = 0.32  # for a video whose transcript is the evidence
FLOOR, PICTURE_FLOOR = 0.15, 0.18  # a score below this shows nothing of the question
FITTING = 0.45  # score that a medium outside the leading ground needs
RELATIVE, FEW = 0.7, 4  # where a ground has more than a few media, the share of the best score that others need
NEARLY = 0.95  # share of the best score from which another is nearly as good
ROWS = 0.5  # share of the best row's words that a row of a long table needs
NAMED = 0.5  # share of the question's weight of words that name rows of a table, from which these rows alone are shown
AT_MOST = 9  # media in one answer
SPREAD = 5  # an asset that stands in so many documents is decoration
# What speaks for a medium behind a written claim. Drafts without places told where theirs had been (``docs/LOG.md``).
CITES_PASSAGE, CITES_SECTION = 1.0, 0.5
STANDS_UNDER, SAYS_THE_SAME = 1.0, 0.3  # shares of words, 0 to 1: of the block that it stands under, of its own
MEANS_THE_SAME = 0.25  # cosine; words tell neighbouring steps apart better than vectors do
IN_STEP = 0.6  # the medium as far down its section as the claim among those that cite it, 0 to 1
MUCH = 0.5  # share of the words that the leading section supports from which another leads beside it
LOOSE = 0.6  # weight that a medium needs where no claim cites its section
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much may be shown: rows of a table, media after one claim."""

    table_rows: int
    per_claim: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """A medium of a ground, its row number, the leading ground and its score."""

    row: int
    media: Media
    ground: Ground
    lead: Ground
    score: float


def choose(query: Query, intent: Intent, grounds: Sequence[Ground], spread: Mapping[str, int]) -> list[Chosen]:
    """The media to show, best first; ``spread`` says in how many documents each asset stands."""
    candidates = [
        Chosen(row, media, ground, grounds[0], _score(query, intent, ground, row, media))
        for ground in grounds
        if ground.role != "offered"
        for row, media in ground.media.items()
        if spread.get(getattr(media.block, "asset", None) or "", 0) < SPREAD
    ]
    return _once(_choose(candidates, intent))[:AT_MOST]


def place(
    query: Query,
    intent: Intent,
    claims: Sequence[Claim],
    chosen: Sequence[Chosen],
    bounds: Bounds,
    cosines: Cosines | None = None,
) -> list[Figure]:
    """Figures after the claims that they belong to, in the order in which they are shown.

    ``cosines``, for written claims, are those of each medium's row number with every claim (:func:`likeness`).
    """
    if any(claim.section_id is not None for claim in claims):
        placed = [(each, _claim_of(claims, each.media)) for each in chosen]
    else:
        placed = _assigned(claims, intent, chosen, cosines or {}, bounds.per_claim)
    figures = [_figure(each, claims, number) for each, number in placed]
    return bounded(query, intent, sorted(figures, key=_place_in_answer), bounds)


def bounded(query: Query, intent: Intent, figures: Sequence[Figure], bounds: Bounds) -> list[Figure]:
    """The first figures after each claim, as many as may be shown, with their tables cut."""
    counts: dict[int, int] = {}
    kept = []
    for figure in figures:
        counts[figure.claim] = counts.get(figure.claim, 0) + 1
        if counts[figure.claim] <= bounds.per_claim:
            kept.append(_cut(query, intent, figure, bounds.table_rows))
    return kept


def likeness(
    claims: Sequence[Claim], chosen: Sequence[Chosen], encode: Encode, vectors: Mapping[int, Vectors]
) -> Cosines:
    """The cosine of each chosen medium with every claim, by row number; ``vectors`` are the media's, by row number.

    ``encode`` gives unit vectors of texts, or None where there is no encoder; the result is then empty.
    """
    encoded = encode([claim.text for claim in claims]) if claims and chosen else None
    if encoded is None:
        return {}
    rows = [each.row for each in chosen if each.row in vectors]
    return {row: [float(vectors[row] @ vector) for vector in encoded] for row in rows}


def led_by(grounds: Sequence[Ground], claims: Sequence[Claim], intent: Intent) -> tuple[Ground, ...]:
    """The grounds as written claims use them, so that a draft corrects the search.

    The search's leading section leads on, alone, where a claim cites it, or where it holds the kind of media that the
    question asks for: a model cites what was said, not what is to be seen. Else that one leads whose passages support
    most of the claims' words, by score where two support as many, and beside it any other that supports half as many.
    The further cited ones stand as the search's further ones do. Sub-sections of the leading one and those found by
    their media give media; the rest gives nothing. Where no claim cites anything, the search stands.
    """
    support = _support(claims)
    asked_for = any(getattr(intent, media.block.type) for media in grounds[0].media.values()) if grounds else False
    if asked_for and support:
        support.setdefault(grounds[0].section_id, 0.0)
    cited = [ground for ground in grounds if ground.section_id in support]
    if not cited:
        return tuple(grounds)
    cited.sort(key=lambda each: (each is not grounds[0], -support[each.section_id], -each.score, each.section_id))
    much = math.inf if cited[0] is grounds[0] else MUCH * support[cited[0].section_id]
    rest = [ground for ground in grounds if ground.section_id not in support]
    return (
        *(
            replace(each, role="lead" if number == 0 or support[each.section_id] >= much else "other")
            for number, each in enumerate(cited)
        ),
        *(replace(ground, role=_role_beside(cited[0], ground)) for ground in rest),
    )


def _support(claims: Sequence[Claim]) -> dict[int, float]:
    """The words of the claims that each section supports; those of a claim are shared by the sections it cites."""
    support: dict[int, float] = {}
    for claim in claims:
        sections = {passage.section_id for passage in claim.passages}
        for section in sections:
            support[section] = support.get(section, 0.0) + word_count(claim.text) / len(sections)
    return support


def _role_beside(lead: Ground, ground: Ground) -> Role:
    """What a ground that no claim cites gives; sub-sections count from a page's second heading on, as in the store."""
    path = lead.section.path
    if len(path) > 1 and ground.document == lead.document and ground.section.path[: len(path)] == path:
        return "child"
    return "elsewhere" if ground.role == "elsewhere" else "offered"


def cut(query: Query, table: Table, limit: int, compared: bool = False) -> Table:
    """The table with at most ``limit`` rows, those that hold most of the question's words, in their order.

    Where things are ``compared`` and the question names two rows or more, these rows alone.
    """
    named = _named_rows(query, table) if compared else []
    if len(named) < 2 and len(table.rows) <= limit:
        return table
    scored = {number: query.share(row_text(row)) for number, row in enumerate(table.rows)}
    fitting = [number for number, score in scored.items() if score >= ROWS * max(scored.values()) > 0]
    kept = named if len(named) >= 2 else fitting or list(scored)
    best = sorted(kept, key=lambda number: (-scored[number], number))[:limit]
    return replace(table, rows=tuple(table.rows[number] for number in sorted(best)))


def _named_rows(query: Query, table: Table) -> list[int]:
    """Rows that hold a question word which stands in few rows, where such words are most of the question."""
    held = [set(terms(row_text(row))) for row in table.rows]
    few = max(1, len(held) // 4)
    telling = [word for word in query.words if 0 < sum(bool(row.intersection(word)) for row in held) <= few]
    if sum(map(query.weight, telling)) < NAMED * query.total:
        return []
    return [number for number, row in enumerate(held) if any(row.intersection(word) for word in telling)]


# ------------------------------------------------------------------------------------------------------------ choosing
def _score(query: Query, intent: Intent, ground: Ground, row: int, media: Media) -> float:
    agreement: float = (
        COSINE * max(0.0, ground.cosines.get(row, 0.0))
        + OWN_WORDS * _share(query, ground, describe(media.block, media.generated))
        + WORDS_AROUND * _share(query, ground, f"{media.before} {media.after}")
    )
    if getattr(intent, media.block.type):
        agreement += ASKED_FOR
    if intent.steps and isinstance(media.block, Image):
        agreement += PICTURED_STEPS
    if ground.heard == media.position:
        agreement += HEARD
    return agreement


def _share(query: Query, ground: Ground, text: str) -> float:
    """The share of the question's words that a text holds, or of those of the search that found the ground."""
    share = query.share(text)
    return share if ground.query is query else max(share, ground.query.share(text))


def _choose(candidates: Sequence[Chosen], intent: Intent) -> list[Chosen]:
    leading = [each for each in candidates if each.ground.role in ("lead", "child")]
    kept = [each for each in leading if each.score >= _floor(each)]
    best = max((each.score for each in kept), default=0.0)
    if len(leading) > FEW:
        kept = [each for each in kept if each.score >= RELATIVE * best]
    if kept:
        kept += _better_elsewhere(candidates, best)
    elif candidates and not _is_question(candidates[0].lead.section):
        kept = _of_the_next(candidates)
    if intent.video:  # who asks for a video wants the one that shows it
        videos = [each for each in kept if isinstance(each.media.block, Video)]
        kept = [each for each in kept if each not in videos] + _best_two(videos)
    for kind in ("image", "table", "video"):
        if getattr(intent, kind) and not any(each.media.block.type == kind for each in kept):
            kept += _best_two([each for each in candidates if each.media.block.type == kind])
    return kept


def _is_question(section: Section) -> bool:
    """Whether the section is an entry of a list of questions, which needs nothing from its neighbours."""
    return bool(section.path) and section.path[-1].rstrip().endswith(("?", "？"))


def _floor(candidate: Chosen) -> float:
    return PICTURE_FLOOR if isinstance(candidate.media.block, Image) else FLOOR


def _better_elsewhere(candidates: Sequence[Chosen], best: float) -> list[Chosen]:
    """Media of other grounds that fit the question at least as well as any of the leading one."""
    others = [each for each in candidates if each.ground.role == "other"]
    return [each for each in others if each.score >= max(best, FITTING)]


def _of_the_next(candidates: Sequence[Chosen]) -> list[Chosen]:
    """Media of a further ground, where it is of the leading one's document and nearly as good."""
    return [
        each
        for each in candidates
        if each.ground.role == "other"
        and each.score >= _floor(each)
        and each.ground.score >= NEARLY * each.lead.score
        and each.media.document == each.lead.passages[0].document
    ]


def _best_two(candidates: Sequence[Chosen]) -> list[Chosen]:
    """The best candidate, and a second one that is nearly as good."""
    ordered = sorted(candidates, key=lambda each: (-each.score, each.row))[:2]
    return [each for each in ordered if each.score >= NEARLY * ordered[0].score]


def _once(candidates: Iterable[Chosen]) -> list[Chosen]:
    seen: set[str] = set()
    kept = []
    for candidate in sorted(candidates, key=lambda each: (-each.score, each.row)):
        key = identity(candidate.media)
        if key not in seen:
            seen.add(key)
            kept.append(candidate)
    return kept


# ------------------------------------------------------------------------------------------------------------- placing
def _figure(candidate: Chosen, claims: Sequence[Claim], number: int) -> Figure:
    media, claim = candidate.media, claims[number]
    start, end = _segment(media, candidate.ground)
    total = len(media.block.rows) if isinstance(media.block, Table) else None
    score, reason = round(candidate.score, 4), _reason(claim, candidate)
    return Figure(media, number, reason, score, _source(candidate, claim), start, end, total)


def _source(candidate: Chosen, claim: Claim) -> Passage:
    """The passage that a figure cites: one that its claim cites, where that is of the medium's section."""
    standing = candidate.ground.passage_at(candidate.media.position)
    own = [passage for passage in claim.passages if passage.section_id == candidate.media.section_id]
    if standing is None or (own and (claim.section_id is not None or standing not in own)):
        return (own or claim.passages)[0]
    return standing


def _cut(query: Query, intent: Intent, figure: Figure, rows: int) -> Figure:
    block = figure.media.block
    if not isinstance(block, Table):
        return figure
    return replace(figure, media=replace(figure.media, block=cut(query, block, rows, intent.table)))


def _claim_of(claims: Sequence[Claim], media: Media) -> int:
    """The claim that stands closest before the medium in its section, or else the first of that section."""
    own = [number for number, claim in enumerate(claims) if claim.section_id == media.section_id]
    before = [number for number in own if (claims[number].position or 0) <= media.position]
    return before[-1] if before else own[0] if own else len(claims) - 1


def _reason(claim: Claim, candidate: Chosen) -> str:
    media, blocks = candidate.media, candidate.ground.section.blocks
    if claim.section_id is None:
        cited = any(passage.section_id == media.section_id for passage in claim.passages)
        return "stands in this section" if cited else "found elsewhere in the sources"
    if claim.section_id != media.section_id:
        return "found elsewhere in the sources"
    if claim.position is None or claim.position > media.position:
        return "stands in this section"
    between = blocks[claim.position + 1 : media.position]
    if any(isinstance(block, Text) and (block.label or not block.depth) for block in between):
        return "stands in this section"
    block = blocks[claim.position]
    step = isinstance(block, Text) and block.kind == "step"
    return "stands under this step" if step else "stands under this text"


def _segment(media: Media, ground: Ground) -> tuple[float | None, float | None]:
    """The seconds to play: those whose words fit the question, or those that the source itself names."""
    if not isinstance(media.block, Video):
        return None, None
    segment = ground.segments.get(media.position)
    return (segment.start, segment.end) if segment else (media.block.start, media.block.end)


def _place_in_answer(figure: Figure) -> tuple[int, int, int]:
    return figure.claim, figure.media.section_id, figure.media.position


# ---------------------------------------------------------------------------------------- placing behind written claims
@dataclass(frozen=True, slots=True)
class _Said:
    """What a written claim says and cites; one that ``introduces`` only leads to the list that follows."""

    terms: frozenset[str]
    passages: frozenset[int]
    sections: frozenset[int]
    introduces: bool


def assign(weights: Sequence[Sequence[float]], room: Sequence[int]) -> list[int | None]:
    """The assignment of media to claims with the largest sum of weights, in order: no medium before an earlier one.

    ``weights`` hold a row for each medium with its weight at every claim; a medium without a positive weight there is
    left out (None). A claim takes as many as it has ``room`` for. Exact, by dynamic programming over the claims: each
    takes a slice of the media, the best of it. Of equal sums the one with media at earlier claims is taken.
    """
    count = len(weights)
    best = [0.0] + [-math.inf] * count  # of the first media, by how many the claims so far have passed
    slices: list[list[int]] = []  # by claim: where the slice that ends here begins
    for number, places in enumerate(room):
        begins = [
            max(range(end + 1), key=lambda start: (best[start] + _worth(weights, number, start, end, places), start))
            for end in range(count + 1)
        ]
        best = [best[start] + _worth(weights, number, start, end, places) for end, start in enumerate(begins)]
        slices.append(begins)
    assigned: list[int | None] = [None] * count
    end = count
    for number in range(len(room) - 1, -1, -1):
        start = slices[number][end]
        for medium in _largest(weights, number, start, end, room[number]):
            assigned[medium] = number
        end = start
    return assigned


def _largest(weights: Sequence[Sequence[float]], claim: int, start: int, end: int, places: int) -> list[int]:
    fitting = [medium for medium in range(start, end) if weights[medium][claim] > 0]
    return sorted(fitting, key=lambda medium: (-weights[medium][claim], medium))[:places]


def _worth(weights: Sequence[Sequence[float]], claim: int, start: int, end: int, places: int) -> float:
    return sum(weights[medium][claim] for medium in _largest(weights, claim, start, end, places))


def _assigned(
    claims: Sequence[Claim], intent: Intent, chosen: Sequence[Chosen], cosines: Cosines, per_claim: int
) -> list[tuple[Chosen, int]]:
    """Each medium with the number of its claim, section by section in the order in which the claims cite them."""
    said = _all_said(claims)
    cited = list(dict.fromkeys(passage.section_id for claim in claims for passage in claim.passages))
    order = {section: number for number, section in enumerate(cited)}
    room = [per_claim] * len(claims)
    placed: list[tuple[Chosen, int]] = []
    in_order = sorted(
        chosen, key=lambda e: (order.get(e.media.section_id, len(order)), e.media.section_id, e.media.position)
    )
    for section, group in groupby(in_order, key=lambda each: each.media.section_id):
        media = list(group)
        weights = [_weights(said, each, cosines.get(each.row, ())) for each in media]
        if section not in order:
            weights = [
                _if_close(row, asked=getattr(intent, e.media.block.type)) for row, e in zip(weights, media, strict=True)
            ]
        for each, number in zip(media, assign(weights, room), strict=True):
            if number is not None:
                room[number] -= 1
                placed.append((each, number))
    return placed


def _all_said(claims: Sequence[Claim]) -> list[_Said]:
    following = [*(_is_item(claim) for claim in claims[1:]), False]
    return [
        _Said(
            frozenset(_content(claim.text)),
            frozenset(passage.id for passage in claim.passages),
            frozenset(passage.section_id for passage in claim.passages),
            leads and not _is_item(claim) and claim.text.rstrip("*_ ").endswith((":", "：")),
        )
        for claim, leads in zip(claims, following, strict=True)
    ]


def _is_item(claim: Claim) -> bool:
    return bool(_ITEM.match(claim.text))


def _content(text: str) -> set[str]:
    return set(terms(" ".join(word for word in words(text) if word.casefold() not in stop_words())))


def _weights(said: Sequence[_Said], candidate: Chosen, cosines: Sequence[float]) -> list[float]:
    """How well a medium fits behind each claim."""
    media, blocks = candidate.media, candidate.ground.section.blocks
    standing = candidate.ground.passage_at(media.position)
    above = next((block.text for block in blocks[: media.position][::-1] if isinstance(block, Text)), "")
    shares = [
        (STANDS_UNDER, _shares(said, above)),
        (SAYS_THE_SAME, _shares(said, describe(media.block, media.generated))),
        (MEANS_THE_SAME, [max(0.0, cosine) for cosine in cosines] or [0.0] * len(said)),
    ]
    told = [number for number, each in enumerate(said) if media.section_id in each.sections and not each.introduces]
    weights = []
    for number, each in enumerate(said):
        weight = sum(factor * share[number] for factor, share in shares)
        if media.section_id in each.sections:
            weight += CITES_SECTION + CITES_PASSAGE * (standing is not None and standing.id in each.passages)
        if number in told:
            weight += IN_STEP * (1 - abs((told.index(number) + 1) / len(told) - _way(candidate)))
        weights.append(0.0 if each.introduces and told else weight)
    return weights


def _way(candidate: Chosen) -> float:
    """How far down its section a medium stands, from 0 to 1: the share of the text blocks that stand before it."""
    texts = [number for number, block in enumerate(candidate.ground.section.blocks) if isinstance(block, Text)]
    return sum(number < candidate.media.position for number in texts) / len(texts) if texts else 1.0


def _shares(said: Sequence[_Said], text: str) -> list[float]:
    """The share of a text's words that each claim holds; a word weighs the more the fewer claims hold it."""
    wanted = _content(text)
    weight = {
        term: math.log(1 + len(said) / held) if (held := sum(term in each.terms for each in said)) else 0.0
        for term in wanted
    }
    unheld = math.log(1 + len(said))
    total = sum(weight[term] or unheld for term in wanted)
    return [sum(weight[term] for term in wanted & each.terms) / total if total else 0.0 for each in said]


def _if_close(weights: Sequence[float], asked: bool) -> list[float]:
    """The weights of a medium whose section no claim cites: none where no claim is close, unless it is asked for."""
    return list(weights) if asked or max(weights, default=0.0) >= LOOSE else [0.0] * len(weights)
