"""Whether the numbers of a sentence stand in its sources: each by itself, beside its other unit, and at its place.

*Presence*: value and unit stand in a source in any writing, or follow by exact conversion, rounded to the digits shown.
*Pair*: of ``187.5 kg (386 lb)`` both may stand in the source, yet 187.5 kg is 413 lb there.
*Place*: the value stands in the source, but for something else: where the same words stand, there is another number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, groupby, pairwise, product
from typing import Literal

from showtell.answer.numbers.evidence import Evidence, Seen, same_run
from showtell.answer.numbers.places import Place, PlacedText, alike, read_places, stem
from showtell.answer.numbers.writing import write_like
from showtell.answer.quantities import Quantity
from showtell.answer.quantities.agreement import agrees, is_as_exact
from showtell.answer.quantities.numerals import words
from showtell.answer.quantities.units import convert

__all__ = ["NumberFinding", "Verdict", "check_numbers"]

Verdict = Literal["supported", "unsupported", "contradicted"]

# Tuned on ``benchmarks/numbers.py`` and the sentences of its tests.
SMALL = 12  # counts up to this are the writer's own ("there are three ways") unless the source counts the same thing
VERBATIM = 5  # same neighbours, from which such a count is checked too
AT_HOME = 1.2  # score from which a number of the source is taken for the one that is meant
IN_SENTENCE = 0.8  # … where a number in the same sentence is, that says what the answer says
BETTER = 0.62  # share of the best place's score below which a number's own place is a wrong one
UNIQUE = 0.9  # … and below which another number of the source is out of question
COVERED = 0.75  # share of the words around a number that another place must have to be the one that is meant
LONE_COVERED = 0.5  # … where nothing else of its kind stands in the sources
TELLING = 0.75  # worth of words that stand only there
AGAINST = 0.35  # share of it that may stand only at the number's own place
AGAINST_IN_SENTENCE = 0.5
ALIKE = 0.8  # share of the best place's score below which another place of the same sentence is a wrong one …
FAR = 0.3  # … in any case
CLEARLY = 3  # … where so many more neighbours are the same there
LATEST_YEAR = 2200
LONG = 4  # digits of a number that supports itself wherever it stands: a port, a postcode
MOST = 30  # numbers of an answer among which others are looked for
_CODE = Quantity("code", 0, 0, (0, 0))
_PERIOD = re.compile(r"[qh][1-4]")
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre)\s+\Z", re.IGNORECASE)
LOOKED_AT = 3  # places that a number may belong to instead


@dataclass(frozen=True, slots=True)
class NumberFinding:
    """A quantity of a text at ``span``, as written; ``expected`` is the source's, written in the same manner.

    ``source`` is the index of the source that supports or contradicts it. The numbers of a range or list share a
    ``group`` (-1: none), and are right only together.
    """

    span: tuple[int, int]
    text: str
    verdict: Verdict
    expected: str | None = None
    source: int | None = None
    group: int = -1


def check_numbers(text: str, sources: Sequence[str], language: str = "") -> list[NumberFinding]:
    """What the sources say to each quantity of a sentence or block of limited Markdown, in reading order.

    ``language`` is the text's ("de"); it decides what ``1.234`` is. Own counts up to twelve are no findings.
    """
    answer = read_places(text, language)
    evidence = Evidence([read_places(source, "") for source in sources], len(answer.places))
    judged = [_judge(place, answer, evidence) for place in answer.places]
    for first, second in answer.pairs:
        _judge_pair(first, second, judged, answer, evidence)
    for one, other in combinations(answer.places[:MOST], 2):
        if one.sentence == other.sentence and _are_exchanged(one, other, judged, evidence):
            judged[one.index], judged[other.index] = (
                _contradicted(_stated(each, evidence)[0]) for each in (other, one)
            )
    for members in _groups(answer.places):
        _judge_group(members, judged, answer, evidence)
    rulings = zip(answer.places, judged, strict=True)
    return [_finding(place.quantity, ruling, answer, evidence) for place, ruling in rulings if ruling]


# ---------------------------------------------------------------------------------------------------- one number alone
@dataclass(frozen=True, slots=True)
class _Ruling:
    """``source`` is its index; ``right`` the place whose number is expected, or ``value`` a number in its unit."""

    verdict: Verdict
    source: int | None = None
    right: Seen | None = None
    value: Fraction | None = None


def _judge(place: Place, answer: PlacedText, evidence: Evidence) -> _Ruling | None:
    """Presence and place of one quantity; None if it needs no support."""
    quantity = place.quantity
    if quantity.weak or _is_start(quantity):
        return None
    supports: list[tuple[int, Seen]] = []
    rivals: list[Seen] = []
    for seen in evidence.candidates(quantity):
        strength = _supports(place, seen, evidence)
        if strength:
            supports.append((strength, seen))
        elif _comparable(quantity, seen.quantity) and not _in_other_unit(quantity, seen, evidence):
            rivals.append(seen)
    ranked = _ranked(place, rivals, evidence)
    home = ranked[0] if ranked else None
    if quantity.kind == "code":
        return _judge_code(place, home, [own for _, own in supports], evidence)
    if supports and (meant := _meant_by_neighbours(place, supports, evidence)):
        return _contradicted(meant)
    if supports and quantity.roman:
        return _Ruling("supported", supports[0][1].source)
    if supports:
        return _placed(place, supports, ranked[:LOOKED_AT], answer, evidence)
    if _is_own_count(quantity):
        counted = home if home and evidence.run(place, home) >= VERBATIM else _same_noun(quantity, rivals)
        return _contradicted(counted) if counted else None
    source = _as_it_stands(place, answer, evidence)
    if source is not None:
        return _Ruling("supported", source)
    if home and _is_meant(place, home, ranked, evidence):
        return _contradicted(home)
    return _Ruling("unsupported")


def _meant_by_neighbours(place: Place, supports: Sequence[tuple[int, Seen]], evidence: Evidence) -> Seen | None:
    """The number of another unit that stands between just the words of one without a unit: "wait 50", but 50 is °C."""
    if place.quantity.kind != "number" or any(strength > 1 or not own.quantity.units for strength, own in supports):
        return None
    others = [seen for seen in evidence.candidates(place.quantity) if seen.quantity.units and not seen.quantity.weak]
    if not others:
        return None
    known = max(evidence.run(place, own) for _, own in supports)
    likest = max(others, key=lambda seen: evidence.run(place, seen))
    run = evidence.run(place, likest)
    return likest if run >= VERBATIM and run - known >= CLEARLY else None


def _is_start(quantity: Quantity) -> bool:
    """Whether it is the 0 of "from 0 to 100"."""
    values = [reading.value for reading in quantity.readings]
    return quantity.group >= 0 and quantity.kind in ("number", "measure") and not any(values)


def _contradicted(right: Seen) -> _Ruling:
    return _Ruling("contradicted", right.source, right)


def _supports(place: Place, seen: Seen, evidence: Evidence) -> int:
    """As ``agrees``; the source's own conversion goes before arithmetic, a header's unit belongs to bare numbers."""
    answer, source = place.quantity, seen.quantity
    strength = agrees(answer, source, differs=not _differences().isdisjoint(place.words))
    if strength == 1 and answer.kind == "measure" and not source.units:
        return 2 * evidence.has_bare_unit(answer.units, seen.source)
    if not strength and source.parts:
        return int(any(agrees(answer, part) == 3 for part in source.parts))
    partner = evidence.partner(seen) if strength == 2 else None
    return 2 * is_as_exact(answer, partner.quantity) if partner and alike(answer, partner.quantity) else strength


@lru_cache(maxsize=1)
def _differences() -> frozenset[str]:
    return frozenset(stem(word) for word in words().sets["differences"])


def _comparable(answer: Quantity, source: Quantity) -> bool:
    """Whether one could stand for the other: numbers of one dimension, two dates, two times, two plain numbers."""
    if source.weak or (source.roman and not answer.roman):
        return False
    if answer.kind == "number" and source.kind == "date":
        return 1000 <= answer.readings[0].value <= LATEST_YEAR and not answer.units
    times = {answer.kind, source.kind} == {"measure", "clock"} and bool(source.units and answer.units)
    return times or answer.kind == source.kind  # of one dimension, as the candidates are


def _in_other_unit(quantity: Quantity, seen: Seen, evidence: Evidence) -> bool:
    """Whether the number beside it, in the answer's unit or agreeing with the answer, is looked at in its stead."""
    partner = evidence.partner(seen)
    if not partner:
        return False
    nearer = alike(quantity, partner.quantity) and not alike(quantity, seen.quantity)
    return nearer or agrees(quantity, partner.quantity) > 0


def _ranked(place: Place, rivals: Sequence[Seen], evidence: Evidence) -> list[Seen]:
    """The likest places first, those in the number's own unit before others."""

    def likeness(seen: Seen) -> float:
        return evidence.score(place, seen) + 0.01 * alike(place.quantity, seen.quantity)

    return sorted(rivals, key=likeness, reverse=True)


def _placed(
    place: Place, supports: Sequence[tuple[int, Seen]], rivals: Sequence[Seen], answer: PlacedText, evidence: Evidence
) -> _Ruling:
    """Supported, unless where the same words stand there is another number."""
    ranked = sorted(supports, key=lambda each: (evidence.score(place, each[1]), each[0]), reverse=True)
    if ranked[0][1].quantity.weak:  # "1/4" for "a quarter"
        return _Ruling("supported", ranked[0][1].source)
    for rival in rivals:
        told = _told(rival, place, answer, evidence)
        if all(_is_elsewhere(place, own, rival, strength, told, evidence) for strength, own in ranked[:LOOKED_AT]):
            return _contradicted(rival)
    return _Ruling("supported", ranked[0][1].source)


def _told(rival: Seen, place: Place, answer: PlacedText, evidence: Evidence) -> int:
    """1 if another number of the answer is the rival, its other unit or its range's end; 2 if it fits no worse."""
    group, partner = rival.quantity.group, evidence.partner(rival)
    same = [rival.quantity, *([partner.quantity] if partner else [])]
    same += [seen.place.quantity for seen in evidence.group(rival)] if group >= 0 else []
    own = place.quantity.group
    apart = (p for p in answer.places[:MOST] if p.index != place.index and not p.quantity.group == own >= 0)
    told = (p for p in apart if any(agrees(p.quantity, quantity) >= 2 for quantity in same))
    fits = evidence.score(place, rival)
    return max((1 + (evidence.score(other, rival) >= fits) for other in told), default=0)


def _is_elsewhere(place: Place, own: Seen, rival: Seen, strength: int, told: int, evidence: Evidence) -> bool:
    """Whether a number that a source has at ``own`` should be that at ``rival``: its words fit there, not here.

    ``told``: whether the rival stands in the answer too; then more must speak against their being told apart rightly.
    """
    if _names_another(place, own, rival):
        return True
    here, there = evidence.score(place, own), evidence.score(place, rival)
    if own.source == rival.source and own.place.sentence == rival.place.sentence:
        return _is_elsewhere_in_sentence(place, own, rival, told, evidence)
    coverage = evidence.coverage(place, rival)
    if there < AT_HOME or here >= there or coverage < (COVERED if evidence.in_one_language(own, rival) else 1.0):
        return False
    alone, against = evidence.only(place, rival, own), evidence.only(place, own, rival)
    if not against and (strength == 1 or here < BETTER * there):
        return True
    return alone >= TELLING and against <= AGAINST * alone


def _is_elsewhere_in_sentence(place: Place, own: Seen, rival: Seen, told: int, evidence: Evidence) -> bool:
    """The same within one sentence, where only what stands between its numbers can tell."""
    in_one_list = own.quantity.group == rival.quantity.group >= 0
    if in_one_list and same_run(place.before, rival.place.before) < len(rival.place.before):
        return False
    here, there = evidence.score(place, own), evidence.score(place, rival)
    mine, others = evidence.own(place, own, rival), evidence.own(place, rival, own)
    if others >= TELLING * (1 + (told > 0)) and mine <= AGAINST_IN_SENTENCE * others:
        return there >= IN_SENTENCE or not mine
    if there >= AT_HOME and not mine and here < FAR * there and told < 2:
        return True
    more_alike = evidence.run(place, rival) - evidence.run(place, own) >= CLEARLY
    return told < 2 and there >= IN_SENTENCE and here < ALIKE * there and mine <= others and more_alike


def _names_another(place: Place, own: Seen, rival: Seen) -> bool:
    """Whether the nearest code, "H-20", stands beside the rival, and another like it beside the number's own place."""
    code, here = place.code, own.place.all_words
    shape = re.sub(r"\d+", "0", code)
    return (
        bool(code)
        and code in rival.place.all_words
        and code not in here
        and any(re.sub(r"\d+", "0", word) == shape for word in here)
    )


def _is_meant(place: Place, home: Seen, ranked: Sequence[Seen], evidence: Evidence) -> bool:
    """Whether a wrong number's words are those of ``home``, and no other number's nearly as well."""
    score = evidence.score(place, home)
    others = [seen for seen in ranked if _value(seen) != _value(home)]
    if score < AT_HOME or evidence.coverage(place, home) < (COVERED if others else LONE_COVERED):
        return False
    return all(evidence.score(place, seen) < UNIQUE * score for seen in others)


def _value(seen: Seen) -> object:
    return seen.quantity.readings[:1] or seen.quantity.keys


def _are_exchanged(one: Place, other: Place, judged: Sequence[_Ruling | None], evidence: Evidence) -> bool:
    """Whether two numbers of one unit stand in each other's place, by the words that belong to each, wherever met."""
    pair = one.quantity, other.quantity
    if any(_verdict(judged[place.index]) != "supported" or place.quantity.group >= 0 for place in (one, other)):
        return False
    if pair[0].kind != "measure" or pair[1].kind != "measure" or not alike(*pair) or agrees(*pair):
        return False
    stated = [_stated(place, evidence)[: LOOKED_AT + 1] for place in (one, other)]
    places = list(product(*stated)) if all(len(found) <= LOOKED_AT for found in stated) else []
    return bool(places) and all(evidence.crosses(one, other, first, second) for first, second in places)


# ------------------------------------------------------------------------------------------------- counts and codes
def _is_own_count(quantity: Quantity) -> bool:
    whole = (reading.step == reading.scale and 0 <= reading.value <= SMALL for reading in quantity.readings)
    return quantity.kind == "number" and (quantity.roman or all(whole))


def _same_noun(quantity: Quantity, rivals: Sequence[Seen]) -> Seen | None:
    """The only other count of the same thing."""
    noun = [stem(word) for word in quantity.noun[:1]]
    same = [seen for seen in rivals if noun and noun == [stem(word) for word in seen.quantity.noun[:1]]]
    return same[0] if len({_value(seen) for seen in same}) == 1 else None


def _as_it_stands(place: Place, answer: PlacedText, evidence: Evidence) -> int | None:
    """The source that holds it as it is written: a version, a port, a postcode, the 100 g of "per 100 g"."""
    quantity = place.quantity
    if quantity.units:
        whole = re.escape(answer.text[quantity.start : quantity.end])
        below = re.compile(rf"(?:\b(?:per|pro|je|par) |每){whole}(?!\w)")
        return _first_source(lambda text: bool(below.search(text)), evidence)
    written = answer.text[slice(*quantity.digits)]
    version = replace(_CODE, keys=((written,),))
    codes = (seen for seen in evidence.candidates(version) if agrees(version, seen.quantity))
    source = next((seen.source for seen in codes if place.before[:1] == seen.place.before[:1]), None)
    if source is not None or len(written) < LONG:
        return source
    alone = re.compile(rf"(?<![\w.,-]){re.escape(written)}(?![\w]|[.,-]\d)")
    return _first_source(lambda text: bool(alone.search(text)), evidence)


def _first_source(holds: Callable[[str], bool], evidence: Evidence) -> int | None:
    return next((number for number, text in enumerate(evidence.texts) if holds(text.text)), None)


def _judge_code(place: Place, home: Seen | None, owns: Sequence[Seen], evidence: Evidence) -> _Ruling | None:
    """A code must stand in a source as it is; another like it is meant if only one is there, or the words are its."""
    key = str(place.quantity.keys[0][0])
    shape = re.sub(r"\d+", "0", key)
    like = home if home and _shape(home) == shape else None
    verbatim = like and evidence.run(place, like) >= VERBATIM
    if owns:
        closest = max(evidence.run(place, own) for own in owns)
        swapped = like and verbatim and evidence.run(place, like) - closest >= CLEARLY
        return _contradicted(like) if like and swapped else _Ruling("supported", owns[0].source)
    source = _code_source(key, place.quantity, evidence)
    if source is not None:
        return _Ruling("supported", source)
    if _PERIOD.fullmatch(key) and not like:
        return None  # the source may name it in words: "the third quarter"
    others = {seen.quantity.keys for seen in evidence.candidates(place.quantity) if _shape(seen) == shape}
    return _contradicted(like) if like and (verbatim or len(others) == 1) else _Ruling("unsupported")


def _code_source(key: str, quantity: Quantity, evidence: Evidence) -> int | None:
    """The source in which a code stands with other spaces or hyphens, or a version as a plain number."""
    parts = (re.escape(part) for part in re.findall(r"\d+|\D+", key)[:12])
    spaced = re.compile(r"(?<!\w)v?" + r"[-_ \u00a0]?".join(parts) + r"(?!\w|\.\d)", re.IGNORECASE)
    source = _first_source(lambda text: bool(spaced.search(text)), evidence)
    if source is not None or not quantity.readings:
        return source
    number = replace(quantity, kind="number")
    same = (seen for seen in evidence.candidates(number) if agrees(number, seen.quantity) == 3)
    return next((seen.source for seen in same), None)


def _shape(seen: Seen) -> str:
    return re.sub(r"\d+", "0", str(seen.quantity.keys[0][0]))


# --------------------------------------------------------------------------------------------------------------- pairs
def _judge_pair(first: int, second: int, judged: list[_Ruling | None], answer: PlacedText, evidence: Evidence) -> None:
    """``187.5 kg (386 lb)``: whichever half is not what the source, or arithmetic, gives for the other is wrong."""
    one, other = answer.places[first], answer.places[second]
    left, right = _stated(one, evidence), _stated(other, evidence)
    for seen in left:
        partner = evidence.partner(seen)
        if partner and _is_half(other.quantity, partner.quantity, one.quantity):
            if any(_verdict(judged[half]) != "contradicted" for half in (first, second)):  # else both are out of place
                judged[first] = judged[second] = _Ruling("supported", seen.source)
            return
    if not left and not right:
        return
    second_is_right = not left or (bool(right) and _is_elsewhere(one, left[0], right[0], 3, 0, evidence))
    kept, wrong, stated = (second, first, right) if second_is_right else (first, second, left)
    judged[kept] = _Ruling("supported", stated[0].source)
    judged[wrong] = _half(answer.places[wrong].quantity, answer.places[kept].quantity, stated, evidence)


def _verdict(ruling: _Ruling | None) -> str:
    return ruling.verdict if ruling else ""


def _stated(place: Place, evidence: Evidence) -> list[Seen]:
    """Where a source says just this, those in the likest words first."""
    same = [seen for seen in evidence.candidates(place.quantity) if agrees(place.quantity, seen.quantity) == 3]
    return sorted(same, key=lambda seen: -evidence.score(place, seen))


def _is_half(quantity: Quantity, stated: Quantity, other: Quantity) -> bool:
    """Whether a half is what the source states, or follows from the other half more exactly than stated."""
    return agrees(quantity, stated) > 0 or (agrees(quantity, other) > 0 and is_as_exact(quantity, stated))


def _half(quantity: Quantity, base: Quantity, stated: Sequence[Seen], evidence: Evidence) -> _Ruling:
    """The other half of a pair whose half ``base`` is stated in a source."""
    for seen in stated:
        partner = evidence.partner(seen)
        if partner and alike(quantity, partner.quantity):
            return _contradicted(partner)
    if agrees(quantity, base, differs=True):
        return _Ruling("supported", stated[0].source)
    pairs = [(u, o) for u in quantity.units for o in base.units if u.dimension == o.dimension]
    value = convert(base.readings[0].value, pairs[0][1], pairs[0][0]) if len(pairs) == 1 else None
    return _Ruling("contradicted", stated[0].source, value=value)


# ---------------------------------------------------------------------------------------------------- ranges and lists
def _groups(places: Iterable[Place]) -> Iterator[list[Place]]:
    """The places of each range, "20–40 minutes", of each list, "2, 3 or 4 g", and of each number alone."""
    for group, found in groupby(places, lambda place: place.quantity.group):
        members = list(found)
        yield from [members] if group >= 0 else ([place] for place in members)


def _judge_group(
    members: Sequence[Place], judged: list[_Ruling | None], answer: PlacedText, evidence: Evidence
) -> None:
    """A wrong range is expected to be the source's as a whole; half of one, or a number twice, is never expected."""
    wrong = [place for place in members if _verdict(judged[place.index]) == "contradicted"]
    rights = [right for place in wrong if (ruling := judged[place.index]) and (right := ruling.right)]
    if not wrong or len(rights) < len(wrong):
        return
    right = rights[0]
    whole = sorted([right, *(evidence.group(right) if right.quantity.group >= 0 else ())], key=lambda s: s.place.index)
    is_list = _is_list([seen.place for seen in whole], evidence.texts[right.source])
    same = [agrees(place.quantity, seen.quantity) > 1 for place, seen in zip(members, whole, strict=False)]
    if len(whole) == len(members) > 1 and not all(same) and (len(whole) == 2 or not is_list):
        for place, seen, is_same in zip(members, whole, same, strict=True):
            judged[place.index] = _Ruling("supported", seen.source) if is_same else _contradicted(seen)
    elif not (is_list and _is_list(members, answer) and _are_distinct(members, rights, judged)):
        for place in wrong:
            judged[place.index] = _Ruling("contradicted", right.source)


def _is_list(members: Sequence[Place], text: PlacedText) -> bool:
    """Whether numbers, or one alone, stand for themselves rather than for all between them."""
    if _BETWEEN.search(text.text[: members[0].quantity.start][-20:]):
        return False
    gaps = (text.text[one.quantity.end : other.quantity.start].strip().casefold() for one, other in pairwise(members))
    return all(gap in words().sets["lists"] or gap in (",", "、") for gap in gaps)


def _are_distinct(members: Sequence[Place], rights: Sequence[Seen], judged: Sequence[_Ruling | None]) -> bool:
    """Whether no number would stand twice if the expected ones took the place of the wrong ones."""
    kept = [place.quantity for place in members if _verdict(judged[place.index]) != "contradicted"]
    shown = [*kept, *(right.quantity for right in rights)]
    return not any(agrees(one, other) > 1 for one, other in combinations(shown, 2))


# ------------------------------------------------------------------------------------------------------ what is shown
def _finding(quantity: Quantity, ruling: _Ruling, answer: PlacedText, evidence: Evidence) -> NumberFinding:
    start, end = quantity.start, quantity.end
    number = None
    if ruling.verdict == "contradicted":
        origin = evidence.texts[ruling.right.source] if ruling.right else None
        right = ruling.right.quantity if ruling.right else None
        number = write_like(quantity, answer, right, origin, ruling.value)
    expected = (
        answer.text[start : quantity.digits[0]] + number + answer.text[quantity.digits[1] : end] if number else None
    )
    return NumberFinding((start, end), answer.text[start:end], ruling.verdict, expected, ruling.source, quantity.group)
