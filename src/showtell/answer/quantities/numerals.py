"""Numbers as five languages write them: digits with separators, fractions, powers, words, Chinese numerals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from showtell.answer.quantities.units import read_unit

SPELLED_HALVES = 12  # up to which a number has a word for itself and a half
LANGUAGES = ("en", "de", "fr", "es", "zh")


@dataclass(frozen=True, slots=True)
class Reading:
    """A number and the worth of one in its last written digit; ``scale`` is the worth of "million" and the like."""

    value: Fraction
    step: Fraction
    scale: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class Words:
    """``number_words.txt``: numbers and magnitudes by language ("" for all), months, and words that qualify."""

    numbers: Mapping[str, Mapping[str, Fraction]]
    magnitudes: Mapping[str, Mapping[str, int]]
    months: Mapping[str, int]
    month_names: Mapping[str, tuple[tuple[str, ...], ...]]
    voices: Mapping[str, frozenset[str]]
    sets: Mapping[str, frozenset[str]]


@lru_cache(maxsize=1)
def words() -> Words:
    """The words of ``number_words.txt``."""
    lines: dict[tuple[str, ...], list[list[str]]] = {}
    for line in (Path(__file__).parent / "number_words.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            title, _, listed = line.partition(": ")
            lines.setdefault(tuple(title.split(" ")), []).append([part.strip() for part in listed.split(",")])
    only = {name: lists[0] for name, lists in lines.items()}
    magnitudes: dict[str, dict[str, int]] = {language: {} for language in ("", *LANGUAGES)}
    for name, lists in lines.items():
        if name[0] == "magnitude":
            magnitudes[name[1] if len(name) == 3 else ""] |= {
                word: int(name[-1]) for listed in lists for word in listed
            }
    months = {lang: tuple(tuple(entry.split("|")) for entry in only["months", lang]) for lang in LANGUAGES[:4]}
    return Words(
        numbers=_number_words(only),
        magnitudes={lang: magnitudes[""] | own for lang, own in magnitudes.items()},
        months={month: n for own in months.values() for n, names in enumerate(own, 1) for month in names},
        month_names=months,
        voices={lang: frozenset(only["voice", lang]) for lang in LANGUAGES if ("voice", lang) in only},
        sets={" ".join(name): frozenset(listed) for name, listed in only.items()},
    )


def _number_words(only: Mapping[tuple[str, ...], list[str]]) -> dict[str, dict[str, Fraction]]:
    numbers: dict[str, dict[str, Fraction]] = {"": {}, "zh": {}}
    compound = {"en": "{tens}-{one}", "de": "{one}und{tens}", "fr": "{tens}-{one}", "es": "{tens} y {one}"}
    for language, pattern in compound.items():
        own = {w: Fraction(n) for n, entry in enumerate(only["numbers", language]) for w in entry.split("|")}
        for ten, entry in enumerate(only["tens", language], 2):
            for tens in entry.split("|"):
                own |= {pattern.format(tens=tens, one=w): ten * 10 + n for w, n in own.copy().items() if 1 <= n <= 9}
                own[tens] = Fraction(ten * 10)
        if language == "de":  # "zweieinhalb"
            halves = {f"{word}einhalb": n + Fraction(1, 2) for word, n in own.items() if 1 <= n <= SPELLED_HALVES}
            own |= {"dreiviertel": Fraction(3, 4), "anderthalb": Fraction(3, 2)} | halves
        numbers[language] = own
        numbers[""] |= {word: n for word, n in own.items() if word not in ("once", "six")} | {"six": Fraction(6)}
    return numbers


_HAN_LETTERS = re.compile(r"[\u4e00-\u9fff]")
_SAMPLE = 2000  # characters that tell a language


@lru_cache(maxsize=1)
def _speakers() -> Mapping[str, tuple[str, ...]]:
    """The languages of each of their commonest words."""
    speakers: dict[str, tuple[str, ...]] = {}
    for language, common in words().voices.items():
        for word in common:
            speakers[word] = (*speakers.get(word, ()), language)
    return speakers


def voice(text: str) -> str:
    """The language of a text by its script and commonest words; "" if they do not tell."""
    sample = text[:_SAMPLE].casefold()
    if len(_HAN_LETTERS.findall(sample)) * 4 > len(sample):
        return "zh"
    counts = dict.fromkeys(words().voices, 0)
    for word in WORD.findall(sample):
        for language in _speakers().get(word, ()):
            counts[language] += 1
    best, second = sorted(counts.values(), reverse=True)[:2]
    return max(counts, key=lambda language: counts[language]) if best > second else ""


# -------------------------------------------------------------------------------------------------------------- digits
LONGEST = 24  # digits; a longer run of digits is a code, not a number
CURRENCIES = ("$", "€", "£", "¥")
THIN = "'’\u00a0\u202f\u2009 "
NUMBER = rf"\d{{1,3}}(?P<thin>[{THIN}])\d{{3}}(?:(?P=thin)\d{{3}})*(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*"
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
GLYPHS = {"½": Fraction(1, 2), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3), "¼": Fraction(1, 4), "¾": Fraction(3, 4),
          "⅕": Fraction(1, 5), "⅖": Fraction(2, 5), "⅗": Fraction(3, 5), "⅘": Fraction(4, 5), "⅙": Fraction(1, 6),
          "⅛": Fraction(1, 8), "⅜": Fraction(3, 8), "⅝": Fraction(5, 8), "⅞": Fraction(7, 8)}  # fmt: skip
_POWER_OF_TEN = re.compile(
    r"\s?[×x·*]\s?10(?:(?:\^|\*\*)\s?(?P<plain>[-−+]?\d{1,2})(?![\d.,])|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}))"
    r"|[eE](?P<short>[-+−]?\d{1,2})(?!\w)"
)
_TO_THE_POWER = re.compile(r"(?:\^\s?(?P<plain>[-−+]?\d{1,2})(?![\d.,])|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}))")
_AND_A_HALF = re.compile(r"[ \u00a0](?:and a half|et demie?|y medi[oa])\b|个半(?!\w*成品)")
_OPENING = re.compile(
    r"打[开印字包电扫孔磨破击算造断卡折结招听通入个车球架雷气针工猎水滑勾钩动发倒败赢捞量扰搅压理样中下上出到成得了过着住进]"
)
_ROMAN = re.compile(r"(?=[IVX]{2})(X{0,3})(IX|IV|V?I{0,3})(?:e|ème|th)?")
_ROMAN_UNITS = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−", "0123456789-+-")
_OVER = re.compile(r"[/⁄](\d{1,2})(?![\d/]|[.,]\d)")
_OF_AN_INCH = (2, 4, 8, 16, 32, 64)
_INCH = re.compile(r"[ \u00a0-]?(?:in\b|inch|[\"″])")
_MIXED = re.compile(r"[ \u00a0-]?([" + "".join(GLYPHS) + r"])|[ \u00a0-](\d{1,2})[/⁄](\d{1,2})(?![\d/])")
_MAGNITUDE = re.compile(r"[ \u00a0\u202f-]{0,3}([^\W\d_]{1,12}\.?)")
_OF = re.compile(r"\s?d['’](?=\w)|\s(?:de|of)(?=\s)")


def decimal_mark(text: str, language: str) -> str:
    """What parts the decimals in a text: its numbers with both marks tell, else its language; "" if neither does."""
    both: list[str] = re.findall(r"(?<![\d.,])\d{1,3}(?:[.'’,]\d{3})+([.,])\d+(?![\d.,])", text[:20000])
    if both:
        return max(both, key=both.count)
    return {"en": ".", "zh": ".", "de": ",", "fr": ",", "es": ","}.get(language, "")


def read_number(written: str, mark: str) -> tuple[Reading, ...]:
    """What digits with separators may mean, likeliest first; () if they are no number ("2.1.0")."""
    digits = re.sub(f"[{THIN}]", "", written)
    dots, commas = digits.count("."), digits.count(",")
    if not dots + commas:
        return (Reading(Fraction(int(digits)), Fraction(1)),)
    if dots and commas:
        last = max(digits.rfind("."), digits.rfind(","))
        other = "," if digits[last] == "." else "."
        in_threes = re.fullmatch(rf"\d{{1,3}}(?:\{other}\d{{3}})+", digits[:last])
        return (_decimal(digits, last),) if in_threes and digits.count(digits[last]) == 1 else ()
    separator = "." if dots else ","
    at = digits.find(separator)
    grouped = bool(re.fullmatch(rf"[1-9]\d{{0,2}}(?:\{separator}\d{{3}})+", digits)) and len(digits) == len(written)
    whole = Reading(Fraction(int(digits.replace(separator, ""))), Fraction(1))
    if dots + commas > 1:
        return (whole,) if grouped else ()
    decimal = _decimal(digits, at)
    if not grouped:
        return (decimal,)
    return (decimal,) if mark == separator else (whole,) if mark else (whole, decimal)


def _decimal(digits: str, at: int) -> Reading:
    decimals = digits[at + 1 :]
    whole = re.sub(r"[.,]", "", digits[:at])
    return Reading(Fraction(int(whole + decimals), 10 ** len(decimals)), Fraction(1, 10 ** len(decimals)))


_HAN_DIGITS = {digit: n for n, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_PLACES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
_HAN = re.compile(r"(百分之)?(?:([〇零一二三四五六七八九十百千万亿两]+)|(半))")


def read_han(written: str) -> int | None:
    """The value of plain Chinese numerals: 三, 十二, 两千五百, 三万, 二〇二四; None if they are none."""
    if all(digit in _HAN_DIGITS for digit in written):
        return int("".join(str(_HAN_DIGITS[digit]) for digit in written)) if len(written) in (1, 4) else None
    total = section = digit = 0
    for letter in written:
        if letter in _HAN_DIGITS:
            digit = _HAN_DIGITS[letter]
            continue
        place = _HAN_PLACES[letter]
        if place < 10**4:
            section += (digit or 1) * place
        else:
            total, section = total + (section + digit or 1) * place, 0
        digit = 0
    return total + section + digit


# ------------------------------------------------------------------------------------------------------- whole numbers
@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text: what it may mean and where it ends, "million" and the like included."""

    readings: tuple[Reading, ...]
    end: int


def number_at(text: str, digits: re.Match[str], mark: str, language: str) -> Number | None:
    """The number that begins with ``digits`` (a match of NUMBER), with its fraction, power of ten and magnitude."""
    written, end = digits.group("number"), digits.end()
    if len(written) > LONGEST:
        return None
    before = text[max(0, digits.start() - 2) : digits.start()]
    if before[-1:] == "." and not before[:-1].strip("([ \n"):
        written = "0." + written  # ".5"
    readings = read_number(written, mark)
    if not readings:
        return None
    if tens := _POWER_OF_TEN.match(text, end):
        power = int((tens["plain"] or tens["raised"] or tens["short"]).translate(_RAISED))
        return Number(tuple(_times(reading, Fraction(10) ** power) for reading in readings), tens.end())
    if written == "10" and (tens := _TO_THE_POWER.match(text, end)):
        tenfold = Fraction(10) ** int((tens["plain"] or tens["raised"]).translate(_RAISED))
        return Number((Reading(tenfold, tenfold),), tens.end())
    if written.isdecimal():
        readings, end = _with_fraction(text, int(written), end) or (readings, end)
    return with_magnitude(text, Number(readings, end), language)


def with_magnitude(text: str, number: Number, language: str) -> Number:
    """The number times the "million" that may follow it."""
    word = _MAGNITUDE.match(text, number.end)
    if not word:
        return number
    table = words().magnitudes.get(language, words().magnitudes[""])
    for name in (word[1], word[1].rstrip("."), word[1][:2], word[1][:1]):
        scale = table.get(name) or (table.get(name.casefold()) if len(name) > 1 else None)
        end = word.start(1) + len(name)
        cut = text[end : end + 1].isalpha() and name[-1] < "\u2e80"
        apart = word.start(1) > number.end
        if scale and name > "\u2e80" and read_unit(text, word.start(1)):
            return number  # 千 of 千克
        alone = apart and len(name) == 1 and name.isascii() and text[end : end + 1] not in CURRENCIES
        if not scale or cut or alone or text.startswith("分之", end) or _OPENING.match(text, end - 1):
            continue
        scaled = tuple(_times(reading, Fraction(scale)) for reading in number.readings)
        of = _OF.match(text, end)
        return with_magnitude(text, Number(scaled, of.end() if of else end), language)
    return number


def half_behind(text: str, end: int) -> int:
    """Where "and a half" ends that stands behind a number or its unit; 0 if none does."""
    found = _AND_A_HALF.match(text, end)
    return found.end() if found else 0


def and_a_half(number: Number, end: int) -> Number:
    """A number and a half, which ends at ``end``."""
    return Number(tuple(replace(each, value=each.value + Fraction(each.scale, 2)) for each in number.readings), end)


def read_roman(written: str) -> int | None:
    """The value of a Roman numeral of two to seven letters up to 39, in capitals: XIX, XIXe; None if it is none."""
    found = _ROMAN.fullmatch(written)
    return 10 * len(found[1]) + _ROMAN_UNITS.index(found[2]) if found else None


def _times(reading: Reading, scale: Fraction) -> Reading:
    return Reading(reading.value * scale, reading.step * scale, reading.scale * scale)


def _with_fraction(text: str, whole: int, end: int) -> tuple[tuple[Reading, ...], int] | None:
    """``1/2``, ``1 1/2`` and ``1½``; exact, as far as a fraction can be."""
    over = _OVER.match(text, end)
    if over and whole and (whole < int(over[1]) or (int(over[1]) in _OF_AN_INCH and _INCH.match(text, over.end()))):
        return fraction(Fraction(whole, int(over[1]))), over.end()
    mixed = _MIXED.match(text, end)
    if not mixed:
        return None
    if mixed[1]:
        return fraction(whole + GLYPHS[mixed[1]]), mixed.end()
    part, under = int(mixed[2]), int(mixed[3])
    return (fraction(whole + Fraction(part, under)), mixed.end()) if 0 < part < under else None


def fraction(value: Fraction) -> tuple[Reading, ...]:
    """The reading of a fraction: as exact as a hundredth, so that 2/3 meets 0.67."""
    return (Reading(value, Fraction(1, 100)),)
