"""From a search to evidence: the sections that an answer draws on, how sure it may be, what lies nearest if it may not.

Sections compete, not passages. A section stands where its best passage stands; it is raised when its media fit the
question (MuRAR's authors name media outside the attributed section as the cause of low recall) and when it holds the
kind of media that the question's words ask for. Both raised the share of right sections at rank 1 (``docs/LOG.md``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from showtell.answer.query import Intent
from showtell.answer.segment import Segment, best_segment
from showtell.index.search import Query, Searcher
from showtell.types import Hit, Media, Nearest, Passage, Section, Table, Video

Role = Literal["lead", "other", "child", "elsewhere", "offered"]
Confidence = Literal["high", "low", "none"]

POOL = 60  # passages that compete
SEEN = 1.0  # for a passage at a picture that the question's picture shows: about the most that words give
RERANKED = 20  # of them that a cross-encoder reads with the question
MEDIA_BONUS = 0.25  # for each unit of cosine between the question and the section's best medium
INTENT_BONUS = {"image": 0.1, "table": 0.1, "video": 0.4}  # for a section that holds what the question asks for
STEPS_BONUS = 0.05  # for pictures in a section, where the question asks how to do something
JUDGED = 20  # passages among which the best is looked for
REFUSED, SURE = 1.40, 1.70  # assurance below which there is no answer, and from which there surely is one
REFUSED_BY_WORDS, SURE_BY_WORDS = 0.95, 1.2  # the same without vectors
MOSTLY = 4  # of five passages
TELLING = 50  # passages from which it tells that a word stands in none
SPOKEN_ALLOWANCE = 0.3  # by which speech may fall short of the first
LONE_LEAD = 0.3  # the lead of a section that nothing competes with
MEDIA_POOL, ELSEWHERE = 20, 0.35  # media of the library that are looked at, and the cosine that one of them needs
NEAR = 0.3  # cosine, or share of the question's words, from which a section is worth a look
CLOSE = 0.80  # share of the leading section's score that a further section needs
PART = 0.6  # by which the scores of a search for a part of the question weigh
OFFERED = 5  # passages that a chat model is given (MuRAR §2.1)


@dataclass(frozen=True, slots=True)
class Ground:
    """A section that the answer may draw on: its passages, its hits by passage, its media by row number, its score.

    ``segments`` are the seconds of its videos, by block number, that fit the question. ``role`` says what it gives:
    "lead" and "other" text and media; "child" (a sub-section of the leading one) and "elsewhere" (found by its media)
    media alone; "offered" (to a chat model) nothing, until a claim cites it. ``query`` is the search that found it.
    """

    role: Role
    section_id: int
    section: Section
    passages: tuple[Passage, ...]
    hits: Mapping[int, Hit]
    media: Mapping[int, Media]
    cosines: Mapping[int, float]
    score: float
    segments: Mapping[int, Segment]
    query: Query

    @property
    def document(self) -> str:
        """The document that the section is of."""
        return self.passages[0].document if self.passages else ""

    @property
    def best(self) -> Hit | None:
        """The hit that made it a ground."""
        return max(self.hits.values(), key=lambda hit: hit.score, default=None)

    @property
    def heard(self) -> int | None:
        """The block number of the video whose transcript made it a ground, or None."""
        best = self.best
        return best.passage.first if best and best.passage.start is not None else None

    def passage_at(self, position: int) -> Passage | None:
        """The passage in which a block stands, the best hit of several, or the last before it; None without any."""
        around = [passage for passage in self.passages if passage.first <= position < passage.last]
        before = [passage for passage in self.passages if passage.last <= position][-1:]
        near = around or before or self.passages[:1]
        return max(near, key=lambda p: (self.hits[p.id].score if p.id in self.hits else 0.0, -p.id), default=None)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The grounds of an answer, best first; ``confidence`` "none" means that the sources do not hold it.

    ``passages`` are those that a chat model may answer from, best first.
    """

    grounds: tuple[Ground, ...]
    confidence: Confidence
    nearest: tuple[Nearest, ...]
    passages: tuple[Hit, ...] = ()

    @property
    def speaking(self) -> tuple[Ground, ...]:
        """The grounds whose text the answer may use."""
        return tuple(ground for ground in self.grounds if ground.role in ("lead", "other"))


def ranked(query: Query, intent: Intent, searcher: Searcher, limit: int = POOL) -> list[Hit]:
    """Hits, best first: by words and vectors, by the media of their sections, and by a reranker where there is one."""
    hits = searcher.passages(query, max(limit, POOL))
    bonus = _bonuses(query, intent, searcher, {hit.passage.section_id for hit in hits})
    raised = [replace(hit, score=hit.score + bonus.get(hit.passage.section_id, 0.0)) for hit in hits]
    best = sorted(raised, key=lambda hit: (-hit.score, hit.passage.id))
    if searcher.reranker:
        texts = [_whole(hit.passage) for hit in best[:RERANKED]]
        best = reranked(best, searcher.reranker.scores(query.text, texts).tolist())
    return best[:limit]


def reranked(hits: Sequence[Hit], scores: Sequence[float]) -> list[Hit]:
    """The hits, the first ``len(scores)`` of them in the order of both scores' mean, each stretched to 0 to 1.

    The scores stay with the ranks, for all that is judged by a score was measured on scores as the search gives them.
    """
    own = _stretched([hit.score for hit in hits[: len(scores)]])
    joined = [one + other for one, other in zip(own, _stretched(scores), strict=True)]
    order = sorted(range(len(joined)), key=lambda index: -joined[index])
    moved = [replace(hits[index], score=rank.score) for index, rank in zip(order, hits, strict=False)]
    return [*moved, *hits[len(moved) :]]


def _stretched(scores: Sequence[float]) -> list[float]:
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / ((high - low) or 1.0) for score in scores]


def _bonuses(query: Query, intent: Intent, searcher: Searcher, sections: set[int]) -> dict[int, float]:
    media = searcher.store.section_media(sorted(sections))
    cosines = searcher.media_cosines(query, list(media))
    wanted = {kind: value for kind, value in INTENT_BONUS.items() if getattr(intent, kind)}
    if intent.steps:
        wanted["image"] = wanted.get("image", 0.0) + STEPS_BONUS
    best: dict[int, float] = {}
    kinds: dict[int, set[str]] = {}
    for row, item in media.items():
        best[item.section_id] = max(best.get(item.section_id, 0.0), cosines.get(row, 0.0))
        kinds.setdefault(item.section_id, set()).add(item.block.type)
    return {
        section: MEDIA_BONUS * best[section] + sum(wanted.get(kind, 0.0) for kind in kinds[section]) for section in best
    }


@dataclass(frozen=True, slots=True)
class _Search:
    """What one search found, and how far it is to be trusted."""

    query: Query
    hits: tuple[Hit, ...]
    confidence: Confidence
    assurance: float


def gather(
    asked: Query | Sequence[Query],
    intent: Intent,
    searcher: Searcher,
    limit: int,
    seen: Mapping[int, float] | None = None,
) -> Evidence:
    """Search, choose at most ``limit`` sections, and judge whether they hold an answer.

    ``seen`` are passages, by id, at pictures of the library that a picture of the question shows, with how surely it
    does, 0 to 1; they lead what words find, and the answer is then sure to be about the right thing.

    Several queries are searches for one question: translations of it, or the question and then its parts. A passage
    counts with its best score, and the best section of each sure search is chosen beside the others. Of translations
    the surest judges, and their scores weigh by their assurance. A question in the library's language judges for
    itself and leads its parts, which are easily sure of too little (``docs/LOG.md``).
    """
    queries = (asked,) if isinstance(asked, Query) else asked
    searches = [_search(query, intent, searcher, seen or {}) for query in queries]
    translated = any(query.is_foreign for query in queries)
    surest = max(searches, key=_certainty) if translated else searches[0]
    hits, found_by = _merged(searches, surest)
    if not hits:
        return Evidence((), "none", ())
    leads: dict[int, Hit] = {}
    for hit in hits:
        leads.setdefault(hit.passage.section_id, hit)
    lead = hits[0].passage.section_id
    roles: dict[int, Role] = dict.fromkeys(_chosen(leads, searches, limit), "other")
    roles[lead] = "lead"
    for child in searcher.store.child_sections(lead):
        roles.setdefault(child, "child")
    passages = _offered(hits, searches)
    for hit in passages:
        roles.setdefault(hit.passage.section_id, "offered")
    grounds = grounds_of(roles, hits, found_by, searcher)
    elsewhere = _elsewhere(surest.query, intent, searcher, grounds)
    grounds = tuple(each for each in grounds if each.role != "offered" or each.section_id not in elsewhere)
    grounds += grounds_of(elsewhere, hits, found_by, searcher)
    return Evidence(grounds, surest.confidence, _nearest(surest.query, leads), passages)


def passages_at(media: Iterable[Media], searcher: Searcher) -> Iterator[Passage]:
    """The passages that media stand in, or next to."""
    media = list(media)
    passages = searcher.store.section_passages(list({each.section_id for each in media}))
    for each in media:
        own = [passage for passage in passages if passage.section_id == each.section_id and passage.start is None]
        before = [passage for passage in own if passage.first <= each.position]
        yield from before[-1:] or own[:1]


def _search(query: Query, intent: Intent, searcher: Searcher, seen: Mapping[int, float]) -> _Search:
    hits = _without_twins(_raised(ranked(query, intent, searcher), seen, searcher))
    places: dict[tuple[int, float | None], Hit] = {}  # each passage of a transcript is a place of its own
    for hit in hits:
        places.setdefault((hit.passage.section_id, hit.passage.start), hit)
    confidence, assurance = judge(query, intent, hits, list(places.values()), searcher.store.counts()[1])
    return _Search(query, tuple(hits), "high" if hits and hits[0].passage.id in seen else confidence, assurance)


def _raised(hits: Sequence[Hit], seen: Mapping[int, float], searcher: Searcher) -> list[Hit]:
    """The hits with those passages raised, or added, at which a picture of the question was seen."""
    if not seen:
        return list(hits)
    met = {hit.passage.id for hit in hits}
    added = [Hit(passage, 0.0, 0.0, 0.0) for passage in searcher.store.passages([*(seen.keys() - met)]).values()]
    return [replace(hit, score=hit.score + SEEN * seen.get(hit.passage.id, 0.0)) for hit in (*hits, *added)]


def _certainty(search: _Search) -> tuple[int, float]:
    return ("none", "low", "high").index(search.confidence), search.assurance


def _merged(searches: Sequence[_Search], surest: _Search) -> tuple[list[Hit], dict[int, Query]]:
    """The hits of all searches, best first, each once; and the query that found each section, the surest first."""
    best: dict[int, Hit] = {}
    asked: dict[int, tuple[float, Query]] = {}
    translated = any(search.query.is_foreign for search in searches)
    for search in searches:
        trust = 1.0 if search is surest else PART
        if translated and len(searches) > 1:
            trust = max(0.0, search.assurance) / max(surest.assurance, search.assurance, 1e-9)
        for hit in search.hits:
            weighed = replace(hit, score=hit.score * trust)
            if hit.passage.id not in best or weighed.score > best[hit.passage.id].score:
                best[hit.passage.id] = weighed
            if weighed.score > asked.get(hit.passage.section_id, (-1.0, search.query))[0]:
                asked[hit.passage.section_id] = (weighed.score, search.query)
    surely = sorted(asked.items(), key=lambda each: -each[1][0])
    return _without_twins(list(best.values())), {section: query for section, (_, query) in surely}


def _chosen(leads: Mapping[int, Hit], searches: Sequence[_Search], limit: int) -> list[int]:
    """The sections that compete with the best one, which comes first, and the best section of each sure search."""
    floor = CLOSE * next(iter(leads.values())).score
    close = [section for section, hit in leads.items() if hit.score >= floor][:limit]
    best = [hit.passage.section_id for hit in _bests(searches)]
    return list(dict.fromkeys([*close, *(section for section in best if section in leads)]))


def _offered(hits: Sequence[Hit], searches: Sequence[_Search]) -> tuple[Hit, ...]:
    """The passages for a chat model, best first; the best one of each sure search is among them."""
    best = {hit.passage.id for hit in _bests(searches)}
    taken = {hit.passage.id for hit in sorted(hits, key=lambda hit: hit.passage.id not in best)[:OFFERED]}
    return tuple(hit for hit in hits if hit.passage.id in taken)


def _bests(searches: Sequence[_Search]) -> list[Hit]:
    """The best hit of each search that found something and was not in a language that the library does not hold."""
    return [each.hits[0] for each in searches if each.confidence != "none" and not each.query.is_foreign]


def identity(media: Media) -> str:
    """What makes two media the same: their bytes, a table's place, or their address."""
    block = media.block
    return block.ref if isinstance(block, Table) else block.asset or block.source


def _without_twins(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without passages that say the same as another: pages repeat sections, and a video file its page."""
    kept: dict[tuple[str, float | None], Hit] = {}
    for hit in hits:
        key = (" ".join(hit.passage.text.split()), hit.passage.start)
        if key not in kept or (hit.passage.section and not kept[key].passage.section):
            kept[key] = hit
    return sorted(kept.values(), key=lambda hit: (-hit.score, hit.passage.id))


def _elsewhere(query: Query, intent: Intent, searcher: Searcher, grounds: Sequence[Ground]) -> dict[int, Role]:
    """Sections of the whole library whose media are of a kind that is asked for and that the grounds lack."""
    there = {item.block.type for ground in grounds if ground.role != "offered" for item in ground.media.values()}
    lacking = {kind for kind in INTENT_BONUS if getattr(intent, kind) and kind not in there}
    found: dict[int, Role] = {}
    for hit in searcher.media(query, MEDIA_POOL) if lacking else ():
        if hit.media.block.type in lacking and hit.dense >= ELSEWHERE:
            lacking.discard(hit.media.block.type)
            found[hit.media.section_id] = "elsewhere"
    return found


def judge(
    query: Query, intent: Intent, hits: Sequence[Hit], leads: Sequence[Hit], passages: int = 1_000_000
) -> tuple[Confidence, float]:
    """Whether the hits hold an answer, and the assurance behind it, about 0 to 3; ``passages`` is how many there are.

    A question in a language that the library does not hold is answered with low confidence: both rankings are nearly
    blind to it. Otherwise four signals are summed, each about equally telling on the development set: the best passage
    by cosine and share of the question's words; whether both rankings agree on the leader; how far it leads the fifth
    section; the share of the question's words that stand nowhere in the library.
    """
    if not hits:
        return "none", 0.0
    best = max(hit.dense + 0.5 * query.share(_whole(hit.passage)) for hit in hits[:JUDGED])
    lead = leads[0].score - leads[min(4, len(leads) - 1)].score if len(leads) > 1 else LONE_LEAD
    # Speech shares few words with any question; it is trusted all the same where a video or little else is found.
    spoken = [hit.passage.start is not None for hit in leads[:5]]
    written = not (spoken[0] and (intent.video or sum(spoken) >= MOSTLY))
    unknown = query.unknown_share * min(1.0, passages / TELLING)  # few passages hold few words, whatever they are about
    assurance = best + min(1.0, leads[0].score) + lead - unknown * written
    floor, sure = (REFUSED, SURE) if query.vector is not None else (REFUSED_BY_WORDS, SURE_BY_WORDS)
    floor -= 0.0 if written else SPOKEN_ALLOWANCE
    if query.is_foreign:
        return "low", assurance
    return "none" if assurance < floor else "low" if assurance < sure else "high", assurance


def _whole(passage: Passage) -> str:
    return " ".join([passage.title, *passage.section, passage.text])


def grounds_of(
    roles: Mapping[int, Role], hits: Sequence[Hit], found_by: Mapping[int, Query], searcher: Searcher
) -> tuple[Ground, ...]:
    """The grounds of these sections; ``found_by`` holds the query that found each, the best one's first."""
    ids = list(roles)
    sections = searcher.store.sections(ids)
    passages = searcher.store.section_passages(ids)
    media = searcher.store.section_media(ids)
    grounds = []
    for id_, role in roles.items():
        query = found_by.get(id_) or next(iter(found_by.values()))
        own_hits = {hit.passage.id: hit for hit in hits if hit.passage.section_id == id_}
        own = {row: item for row, item in media.items() if item.section_id == id_}
        grounds.append(
            Ground(
                role,
                id_,
                sections[id_],
                tuple(passage for passage in passages if passage.section_id == id_),
                own_hits,
                own,
                searcher.media_cosines(query, list(own)),
                max((hit.score for hit in own_hits.values()), default=0.0),
                _segments(query, searcher, id_, own.values()),
                query,
            )
        )
    return tuple(grounds)


def _segments(query: Query, searcher: Searcher, section: int, media: Iterable[Media]) -> dict[int, Segment]:
    places = [item.position for item in media if isinstance(item.block, Video) and item.block.cues]
    found = {place: best_segment(searcher.moments(query, section, place)) for place in places}
    return {place: segment for place, segment in found.items() if segment}


def _nearest(query: Query, leads: Mapping[int, Hit]) -> tuple[Nearest, ...]:
    return tuple(
        Nearest(hit.passage.document, hit.passage.title, hit.passage.section, hit.score)
        for hit in list(leads.values())[:3]
        if hit.dense >= NEAR or query.share(_whole(hit.passage)) >= NEAR
    )
