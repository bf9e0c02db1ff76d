"""How many wrong numbers the check of numbers catches, and how often it cries at right ones.

``python -m benchmarks.numbers [--seed N] [--passages N] [--corpus FOLDER] [--show KIND]`` makes passages of facts in
five languages' formats, takes sentences dense with quantities and those of the sample handbook, and checks each
sentence against its own passage: as it is (a finding is a false alarm), with a changed number, with another number of
the passage put in its place, and said in other words, units, formats or languages (again a false alarm). Frames,
formats and conversions are this module's own: nothing is shared with the code that checks. ``--corpus`` (Markdown
files; beside the checkout by default) is told apart: its codes, "step 3" and addresses are left unchecked on purpose.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from showtell.answer.numbers import check_numbers
from showtell.demo import HANDBOOK
from showtell.errors import SourceError
from showtell.ingest.convert import read_file
from showtell.ingest.split import sentences, split

GOALS = {"changed": 0.97, "swapped": 0.92, "false alarms": 0.01}
LANGUAGES = ("en", "de", "fr", "es", "zh")
PASSAGES = 30  # per language; of each, every sentence is a case


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence to be checked against ``passage``; ``wrong`` is the span of the number that is not right."""

    kind: str
    language: str
    claim: str
    passage: str
    wrong: tuple[int, int] | None = None


# -------------------------------------------------------------------------------------------------- writing numbers
def write(value: float, decimals: int, language: str, style: int = 0) -> str:
    """A number as a language writes it; ``style`` picks among its habits."""
    whole, _, rest = f"{abs(value):.{decimals}f}".partition(".")
    groups = {
        "en": (",", ".") if style % 4 else ("", "."),
        "de": (".", ",") if style % 3 else ("\u202f", ","),
        "fr": ("\u202f" if style % 2 else "\u00a0", ","),
        "es": (".", ",") if style % 3 else ("\u00a0", ","),
        "zh": (",", ".") if style % 2 else ("", "."),
    }
    group, mark = groups[language]
    pieces = []
    while len(whole) > 3:
        pieces.insert(0, whole[-3:])
        whole = whole[:-3]
    grouped = group.join([whole, *pieces])
    return ("−" if value < 0 else "") + grouped + (mark + rest if decimals else "")


# Each pair: the two names of a unit by language, and the second in terms of the first, from common tables.
METRIC: dict[str, tuple[dict[str, str], dict[str, str], Callable[[float], float], tuple[float, float], int, int]] = {
    "mass": (
        {"en": "kg", "de": "kg", "fr": "kg", "es": "kg", "zh": "公斤"},
        {"en": "lb", "de": "Pfund", "fr": "livres", "es": "libras", "zh": "磅"},
        lambda x: x * 2.2046226218, (12, 900), 1, 0,
    ),
    "length": (
        {"en": "cm", "de": "cm", "fr": "cm", "es": "cm", "zh": "厘米"},
        {"en": "in", "de": "Zoll", "fr": "pouces", "es": "pulgadas", "zh": "英寸"},
        lambda x: x / 2.54, (20, 400), 0, 1,
    ),
    "distance": (
        {"en": "km", "de": "km", "fr": "km", "es": "km", "zh": "公里"},
        {"en": "miles", "de": "Meilen", "fr": "miles", "es": "millas", "zh": "英里"},
        lambda x: x * 0.62137119224, (1500, 90000), 0, 0,
    ),
    "pressure": (
        {"en": "bar", "de": "bar", "fr": "bar", "es": "bar", "zh": "bar"},
        {"en": "psi", "de": "psi", "fr": "psi", "es": "psi", "zh": "psi"},
        lambda x: x * 14.503773773, (1.1, 60), 1, 0,
    ),
    "volume": (
        {"en": "litres", "de": "Liter", "fr": "litres", "es": "litros", "zh": "升"},
        {"en": "US gallons", "de": "US-Gallonen", "fr": "gal", "es": "galones", "zh": "加仑"},
        lambda x: x / 3.785411784, (15, 950), 0, 1,
    ),
    "temperature": (
        {"en": "°C", "de": "°C", "fr": "°C", "es": "°C", "zh": "℃"},
        {"en": "°F", "de": "°F", "fr": "°F", "es": "°F", "zh": "℉"},
        lambda x: x * 1.8 + 32, (31, 240), 0, 0,
    ),
    "speed": (
        {"en": "km/h", "de": "km/h", "fr": "km/h", "es": "km/h", "zh": "km/h"},
        {"en": "mph", "de": "mph", "fr": "mph", "es": "mph", "zh": "mph"},
        lambda x: x / 1.609344, (35, 320), 0, 0,
    ),
    "torque": (
        {"en": "N·m", "de": "Nm", "fr": "N·m", "es": "N·m", "zh": "N·m"},
        {"en": "lbf·ft", "de": "lbf·ft", "fr": "lbf·ft", "es": "lbf·ft", "zh": "lbf·ft"},
        lambda x: x * 0.7375621493, (11, 600), 0, 1,
    ),
}  # fmt: skip
SINGLE: dict[str, tuple[dict[str, str], tuple[float, float], int]] = {
    "minutes": ({"en": "minutes", "de": "Minuten", "fr": "minutes", "es": "minutos", "zh": "分钟"}, (13, 55), 0),
    "power": ({"en": "kW", "de": "kW", "fr": "kW", "es": "kW", "zh": "kW"}, (1.2, 40), 1),
    "energy": ({"en": "kWh", "de": "kWh", "fr": "kWh", "es": "kWh", "zh": "kWh"}, (130, 9000), 0),
    "share": ({"en": "%", "de": " %", "fr": "\u00a0%", "es": " %", "zh": "%"}, (13, 97), 0),
    "hours": ({"en": "hours", "de": "Betriebsstunden", "fr": "heures", "es": "horas", "zh": "小时"}, (150, 8000), 0),
    "price": ({"en": "€", "de": " €", "fr": " €", "es": " €", "zh": "欧元"}, (120, 48000), 2),
    "data": ({"en": "MB", "de": "MB", "fr": "Mo", "es": "MB", "zh": "MB"}, (14, 4800), 0),
    "pieces": ({"en": "parts", "de": "Teile", "fr": "pièces", "es": "piezas", "zh": "件"}, (25, 70000), 0),
    "decibel": ({"en": "dB", "de": "dB", "fr": "dB", "es": "dB", "zh": "分贝"}, (31, 99), 0),
    "year": ({"en": "", "de": "", "fr": "", "es": "", "zh": "年"}, (1931, 2024), 0),
}
SUBJECTS = {
    "en": ["winch", "crane", "kiln", "ferry", "lathe", "greenhouse", "tractor", "harvester", "press", "loom"],
    "de": ["Winde", "Presse", "Fähre", "Drehbank", "Walze", "Säge", "Pumpe", "Fräse", "Mühle", "Anlage"],
    "fr": ["grue", "presse", "scie", "turbine", "pompe", "chaudière", "machine", "fraiseuse", "péniche", "serre"],
    "es": ["grúa", "prensa", "sierra", "turbina", "bomba", "caldera", "máquina", "fresadora", "barca", "cinta"],
    "zh": ["起重机", "压力机", "水泵", "锅炉", "车床", "渡船", "收割机", "涡轮机", "温室", "织布机"],
}
NAMES = ["Aldo", "Berta", "Corvin", "Delphi", "Egon", "Fabia", "Gunnar", "Helma", "Ivo", "Jorun"]

FRAMES: dict[str, list[tuple[str, str, str]]] = {language: [] for language in LANGUAGES}  # kind, sentence, other words
for _line in (Path(__file__).parent / "number_frames.txt").read_text(encoding="utf-8").splitlines():
    if not _line.startswith("#"):
        _language, *_frame = _line.split(" | ")
        FRAMES[_language].append((_frame[0], _frame[1], _frame[2]))


@dataclass(frozen=True, slots=True)
class Fact:
    """What a sentence says of a subject; ``written`` is its quantity as the sentence has it."""

    kind: str
    language: str
    subject: str
    name: str
    value: float
    paired: bool
    ranged: float | None
    style: int
    sentence: str
    written: str


def spaced(number: str, unit: str, language: str) -> str:
    """Number and unit, with a space where the language has one."""
    if not unit or unit[0] in " \u00a0%" or (language == "zh" and not unit.isascii()):
        return number + unit
    return f"{number} {unit}"


def quantity(kind: str, language: str, value: float, paired: bool, ranged: float | None, style: int) -> str:
    """The value with its unit, as a range where ``ranged`` is its other end, in two units where ``paired``."""
    if kind in METRIC:
        first, second, to_second, _, decimals, decimals_second = METRIC[kind]
        one = between(value, ranged, decimals, language, style)
        other = between(to_second(value), to_second(ranged) if ranged else None, decimals_second, language, style)
        brackets = ("（", "）") if language == "zh" and style % 2 else (" (", ")")
        return spaced(one, first[language], language) + (
            f"{brackets[0]}{spaced(other, second[language], language)}{brackets[1]}" if paired else "")  # fmt: skip
    unit, _, decimals = SINGLE[kind]
    if kind == "year":
        return f"{value:.0f}{unit[language]}"
    return spaced(between(value, ranged, decimals, language, style), unit[language], language)


def between(value: float, ranged: float | None, decimals: int, language: str, style: int) -> str:
    """A number or a range of two."""
    if ranged is None:
        return write(value, decimals, language, style)
    to = {"en": " to ", "de": " bis ", "fr": " à ", "es": " a ", "zh": "至"}[language] if style % 2 else "–"
    return write(value, decimals, language, style) + to + write(ranged, decimals, language, style)


def make_facts(chance: random.Random, language: str) -> list[Fact]:
    """The facts of one passage: some of one kind about two subjects, the rest of all kinds."""
    frames = chance.sample(FRAMES[language], 4)
    facts = []
    for place, (kind, frame, _) in enumerate([*frames, frames[0]]):
        subject, name = chance.choice(SUBJECTS[language]), NAMES[(place * 3 + len(frame)) % len(NAMES)]
        limits = METRIC[kind][3] if kind in METRIC else SINGLE[kind][1]
        decimals = METRIC[kind][4] if kind in METRIC else SINGLE[kind][2]
        value = round(chance.uniform(*limits), decimals)
        ranged = (
            round(value * chance.uniform(1.2, 1.6), decimals) if kind in METRIC and chance.random() < 0.25 else None
        )
        paired, style = kind in METRIC and chance.random() < 0.6, chance.randrange(12)
        written = quantity(kind, language, value, paired, ranged, style)
        sentence = frame.format(s=subject, n=name, v=written)
        facts.append(Fact(kind, language, subject, name, value, paired, ranged, style, sentence, written))
    chance.shuffle(facts)
    return facts


# ------------------------------------------------------------------------------------------- what is done to a sentence
NUMBER = re.compile(
    r"(?<![\w.,–/:-])\d{1,3}(?:[., \u00a0\u202f]\d{3})+(?:[.,]\d+)?(?!\d)"
    r"|(?<![A-Za-z_])\d+(?:[.,]\d+)?(?![\w-]*[A-Za-z]{4})|\d+"
)
ASIDE = re.compile(r"(?:step|steps|Figure|Schritt|figure)\s*$")


def numbers_in(text: str) -> list[re.Match[str]]:
    """Numbers of a sentence but list labels and references."""
    labels = [m.span() for m in re.finditer(r"(?m)^\s*(?:\d+[.)]|[•*-])(?:\s|$)", text)]
    return [
        m
        for m in NUMBER.finditer(text)
        if not any(start <= m.start() < end for start, end in labels) and not ASIDE.search(text[: m.start()])
    ]


def changed(chance: random.Random, written: str, mark: str) -> str:
    """A number with one digit, its decimal place or its size changed; never the same number in another writing."""
    for _ in range(50):
        kind = chance.choice(("digit", "digit", "digit", "place", "size"))
        places = [at for at, letter in enumerate(written) if letter.isdigit()]
        if kind == "digit":
            at = chance.choice(places)
            wrong = written[:at] + chance.choice("123456789") + written[at + 1 :]
        elif kind == "size":
            wrong = written + "0" if mark not in written else written.replace(mark, "")
        else:
            at = chance.choice(places)
            plain = written.replace(mark, "")
            wrong = plain[:at] + mark + plain[at:] if 0 < at < len(plain) else written
        if worth(wrong, mark) != worth(written, mark) and not is_rounded(wrong, written, mark):
            return wrong
    return written + "7"


def worth(written: str, mark: str) -> float:
    """What the number is where ``mark`` parts the decimals."""
    digits = re.sub(r"[^\d" + re.escape(mark) + "]", "", written).replace(mark, ".", 1).replace(",", "")
    return float(re.sub(r"(?<=\.)(\d*)\..*", r"\1", digits) or 0)


def is_rounded(wrong: str, written: str, mark: str) -> bool:
    """Whether the number is only written with fewer digits."""
    places = len(wrong.partition(mark)[2])
    return (
        places < len(written.partition(mark)[2])
        and abs(worth(wrong, mark) - worth(written, mark)) <= 0.5001 * 10**-places
    )


def altered(claim: str, found: re.Match[str], number: str) -> tuple[str, tuple[int, int]]:
    """The claim with another number in one place."""
    return claim[: found.start()] + number + claim[found.end() :], (found.start(), found.start() + len(number))


def spoiled(chance: random.Random, claim: str, passage: str, language: str) -> Iterator[Case]:
    """The claim as it is, with one number changed, and with another number of the passage put in."""
    yield Case("unchanged", language, claim, passage)
    found = numbers_in(claim)
    if not found:
        return
    mark = "." if language in ("en", "zh") else ","
    one = chance.choice(found)
    wrong, span = altered(claim, one, changed(chance, one.group(), mark))
    yield Case("changed", language, wrong, passage, span)
    own = worth(one.group(), mark)
    others = sorted({m.group() for m in numbers_in(passage) if worth(m.group(), mark) != own})
    if others:
        wrong, span = altered(claim, one, chance.choice(others))
        yield Case("swapped", language, wrong, passage, span)


def paraphrased(chance: random.Random, fact: Fact, passage: str) -> Iterator[Case]:
    """The fact in other words; in another language; in the other unit."""
    words = {kind: other for kind, _, other in FRAMES[fact.language]}
    style = fact.style + chance.randrange(12)
    written = quantity(fact.kind, fact.language, fact.value, fact.paired, fact.ranged, style)
    yield Case("other words", fact.language, words[fact.kind].format(s=fact.subject, n=fact.name, v=written), passage)
    language = chance.choice(
        [lang for lang in LANGUAGES if lang != fact.language and fact.kind in {f[0] for f in FRAMES[lang]}]
    )
    frame = next(frame for kind, frame, _ in FRAMES[language] if kind == fact.kind)
    written = quantity(fact.kind, language, fact.value, fact.paired, fact.ranged, style)
    yield Case(
        "other language", language, frame.format(s=chance.choice(SUBJECTS[language]), n=fact.name, v=written), passage
    )
    if fact.kind in METRIC and not (fact.ranged or fact.paired):
        _, second, to_second, _, _, decimals = METRIC[fact.kind]
        if fact.language == "de" and fact.kind == "mass":
            return
        written = spaced(
            write(to_second(fact.value), decimals, fact.language, style), second[fact.language], fact.language
        )
        yield Case(
            "other unit", fact.language, words[fact.kind].format(s=fact.subject, n=fact.name, v=written), passage
        )


def made_cases(chance: random.Random, passages: int) -> Iterator[Case]:
    """Cases of made passages in all languages."""
    for language in LANGUAGES:
        for _ in range(passages):
            facts = make_facts(chance, language)
            passage = ("" if language == "zh" else " ").join(fact.sentence for fact in facts)
            for fact in facts:
                yield from spoiled(chance, fact.sentence, passage, language)
                yield from paraphrased(chance, fact, passage)


def passages_of(files: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Passages and their language, of files that can be read."""
    for file in files:
        try:
            document = read_file(file, file.parent)
        except SourceError as error:
            print(f"left out: {error}", file=sys.stderr)
            continue
        for passage in split(document).passages:
            yield passage.text, document.language[:2]


def found_cases(chance: random.Random, files: Sequence[Path], kinds: Sequence[str], name: str) -> Iterator[Case]:
    """Cases of every sentence with a number in files."""
    for passage, language in passages_of(files):
        for sentence in sentences(passage):
            words = re.findall(r"[^\W\d_]+", sentence)
            if not numbers_in(sentence) or sum(map(len, words)) < 8:
                continue
            for case in spoiled(chance, sentence, passage, language):
                if case.kind in kinds:
                    yield Case(f"{case.kind}, {name}", language, case.claim, passage, case.wrong)


def dense_cases(chance: random.Random, each: int) -> Iterator[Case]:
    """Sentences with many quantities, spoiled ``each`` times; and with two of their numbers exchanged."""
    for line in (Path(__file__).parent / "number_sentences.txt").read_text(encoding="utf-8").splitlines():
        language, _, sentence = line.partition(" | ")
        if line.startswith("#"):
            continue
        yield Case("unchanged, dense", language, sentence, sentence)
        for _ in range(each):
            for case in spoiled(chance, sentence, sentence, language):
                if is_wrong(case.kind):
                    yield Case(f"{case.kind}, dense", language, case.claim, sentence, case.wrong)
            one, other = sorted(chance.sample(numbers_in(sentence), 2), key=lambda found: found.start())
            if one.group() != other.group():
                between = sentence[one.end() : other.start()]
                claim = sentence[: one.start()] + other.group() + between + one.group() + sentence[other.end() :]
                yield Case("swapped, two dense", language, claim, sentence)


# ------------------------------------------------------------------------------------------------------------ measuring
def alarms(case: Case) -> list[str]:
    """What the check finds fault with: anything, or what touches the wrong number."""
    findings = check_numbers(case.claim, [case.passage], case.language)
    return [f"{f.text} ({f.verdict}, {f.expected})" for f in findings if f.verdict != "supported"]


def measure(cases: Sequence[Case]) -> dict[tuple[str, str], tuple[int, int]]:
    """Cases with an alarm, and all cases, by kind and language."""
    raised, all_ = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for case in cases:
        all_[case.kind, case.language] += 1
        raised[case.kind, case.language] += bool(alarms(case))
    return {key: (raised[key], all_[key]) for key in all_}


def is_wrong(kind: str) -> bool:
    """Whether cases of this kind hold a wrong number."""
    return kind.startswith(("changed", "swapped"))


def all_cases(seed: int, passages: int, corpus: Path | None) -> list[Case]:
    """Every case of a run."""
    chance = random.Random(seed)
    cases = list(made_cases(chance, passages))
    cases += dense_cases(chance, 4)
    handbook = [file for file in sorted(HANDBOOK.rglob("*")) if file.suffix in (".md", ".html")]
    cases += found_cases(chance, handbook, ("unchanged", "changed", "swapped"), "handbook")
    if corpus:
        cases += found_cases(chance, sorted(corpus.rglob("*.md")), ("unchanged", "changed", "swapped"), "corpus")
    return cases


def total(counts: dict[tuple[str, str], tuple[int, int]], kinds: Callable[[str], bool]) -> tuple[int, int]:
    """Alarms and cases of some kinds."""
    chosen = [pair for (kind, _), pair in counts.items() if kinds(kind)]
    return sum(raised for raised, _ in chosen), sum(of for _, of in chosen)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Shares of wrong numbers caught and of right ones accused.")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--passages", type=int, default=PASSAGES, help="per language")
    parser.add_argument("--corpus", type=Path, default=Path(__file__).parents[2] / "shared" / "corpus")
    parser.add_argument("--show", default="", help="print the failures of a kind")
    options = parser.parse_args()
    cases = all_cases(options.seed, options.passages, options.corpus if options.corpus.is_dir() else None)
    if options.show:
        for case in cases:
            if case.kind.startswith(options.show) and bool(alarms(case)) != is_wrong(case.kind):
                print(f"[{case.kind} {case.language}] {case.claim}\n    in: {case.passage[:700]!r}")
                print(f"    {alarms(case)} {case.wrong and case.claim[slice(*case.wrong)]}")
        return
    counts = measure(cases)
    for kind in dict.fromkeys(kind for kind, _ in counts):
        raised, of = total(counts, kind.__eq__)
        each = "  ".join(f"{lang} {r}/{n}" for (k, lang), (r, n) in counts.items() if k == kind)
        print(f"{kind:22} {raised:5}/{of:<5} {raised / of:7.1%}   {each}")


if __name__ == "__main__":
    main()
