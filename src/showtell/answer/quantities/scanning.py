"""One pass over the words and digits of a text, from left to right, for its quantities."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from showtell.answer.quantities.numerals import (
    GLYPHS,
    NUMBER,
    WORD,
    Number,
    Reading,
    and_a_half,
    fraction,
    half_behind,
    number_at,
    read_han,
    read_roman,
    with_magnitude,
    words,
)  # fmt: skip
from showtell.answer.quantities.units import Unit, UnitName, read_unit

Kind = Literal["number", "measure", "date", "clock", "ratio", "code", "reference"]
Key = tuple[int | Fraction | str | None, ...]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity at ``start`` to ``end``; ``digits`` is the span of its number alone.

    ``units`` are the meanings of a measure's unit. ``keys`` hold what is compared of a date (year, month, day), a time
    (hours, minutes, seconds, half of the day), a ratio or a code. ``noun`` are the words after a number without unit.
    The parts of a range or list share a ``group``; ``parts`` are those of "8 ft 1 in". ``loose``: the unit is that of
    a list's last number; ``spelled``: written in words; ``roman``: in Roman numerals; ``hedged``: "about"; ``weak``:
    perhaps an article.
    """

    kind: Kind
    start: int
    end: int
    digits: tuple[int, int]
    readings: tuple[Reading, ...] = ()
    units: tuple[Unit, ...] = ()
    keys: tuple[Key, ...] = ()
    noun: tuple[str, ...] = ()
    group: int = -1
    parts: tuple[Quantity, ...] = ()
    loose: bool = False
    spelled: bool = False
    hedged: bool = False
    weak: bool = False
    roman: bool = False


# ------------------------------------------------------------------------------------------------------ what is blanked
_WIDE = str.maketrans("０１２３４５６７８９．，％：（）－＋／₀₁₂₃₄₅₆₇₈₉", "0123456789.,%:()-+/0123456789")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_RAISED_OVER = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]+(?=⁄)")  # "¹⁄₂"
_BLANKED = re.compile(
    r"\]\([^()\s]{0,2000}\)|</?[A-Za-z!][^<>\n]{0,400}>|(?:https?://|www\.)[^\s<>]+"
    r"|\\?\[\d{1,4}(?:\s?[,;–-]\s?\d{1,4}){0,20}\\?\]|\[\[M\d+\]\]|[*`\\]+|(?<![^\W_])_+|_+(?![^\W_])"
)
_LABEL = re.compile(
    r"^[ \t>]{0,20}(?:[-*+•][ \t]+)?(?:\d{1,3}[.)、](?=\s|$|[\u3000-\uffee])|[-*+•](?=[ \t]))", re.MULTILINE
)
_WORD_AFTER = re.compile(r"\s+([^\W\d_]{3,10})")


def blank(text: str) -> str:
    """The text, as long as before, with addresses, citation marks, list labels and markup as spaces."""

    def label(found: re.Match[str]) -> str:  # "5. März" is a date
        after = _WORD_AFTER.match(found.string, found.end())
        is_date = after and found.group()[-1] == "." and after.group(1).casefold() in words().months
        return found.group() if is_date else " " * len(found.group())

    plain = _RAISED_OVER.sub(lambda found: found[0].translate(_RAISED), text)
    labelled = _LABEL.sub(label, plain.translate(_WIDE))
    return _BLANKED.sub(lambda found: " " * len(found.group()), labelled)


# ------------------------------------------------------------------------------------------------------------- scanning
_TOKEN = re.compile(rf"(?P<number>{NUMBER})|(?P<glyph>[{''.join(GLYPHS)}])|(?P<word>{WORD.pattern})")
_GAP = re.compile(r"[ \u00a0\u202f\u2009]{0,4}(?:-(?=\w))?")
_NOUNS = re.compile(r"(?:[ \u00a0-]{1,4}|(?<=['’]))([^\W\d_]+)(?: ([^\W\d_]+))?|([\u4e00-\u9fff]{1,3})")
_CODE_HEAD = re.compile(r"(?:[A-Za-z_]\w{0,30}[-_]?|#)$", re.ASCII)
_CODE_TAIL = re.compile(r"\w{0,60}(?:[-.:/]\w{0,30}\d\w{0,30}){0,8}", re.ASCII)
_HEXADECIMAL = re.compile(r"0x[0-9A-Fa-f]{1,32}\b")
_PHONE = re.compile(r"\+\d[\d ()./-]{6,18}\d|0\d{2,5}[ /-]\d{2,}(?:[ -]\d{2,}){0,4}")
_VERSION_BEFORE = re.compile(r"(?:version|release|v|ver\.|[A-Z]\w{1,20})[ \u00a0]$")
_MONEY_BEFORE = re.compile(r"(?:US|A|C|HK|NT)?[$€£¥￥₹][ \u00a0]?$|\b(?:USD|EUR|GBP|CHF|JPY|CNY|RMB|INR)[ \u00a0]?$")
_FEET = re.compile(r"[ \u00a0]?['′’][ \u00a0]?(?:(\d{1,2}(?:[.,]\d+)?)[ \u00a0]?(?:[\"″”]|''|′′))")
_ORDINAL_END = re.compile(r"(?:st|nd|rd|th|ère|er|ème|e|º|ª)\b")
_HEDGED_WITHIN = 5  # words

_ISO_DATE = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)(?:T[\d:.]{1,20}Z?)?")
_SHORT_DATE = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?![\d]|[-/.]\d)")
_HAN_DATE = re.compile(r"(?:(\d{4})\s?年\s?)?(\d{1,2})\s?月(?:\s?(\d{1,2})\s?[日号])?|(\d{4})\s?年(?![级龄])")
_DAY_FIRST = re.compile(
    r"(\d{1,4})(?:\.|st|nd|rd|th|er|º)?[ \u00a0]+(?:of |de )?([^\W\d_]{3,10})\.?(?:,?[ \u00a0](?:del? )?(\d{4})\b)?"
)
_MONTH_BEFORE = re.compile(r"([^\W\d_]{3,10})\.?[ \u00a0](?:del? )?$")
_AFTER_MONTH = re.compile(r"(\d{4})\b|(\d{1,2})(?:st|nd|rd|th)?\b(?:,?[ \u00a0](\d{4})\b)?")
_COLON = re.compile(
    r"(\d{1,2}):([0-5]\d)(?::([0-5]\d))?(?![\d:])(?:[ \u00a0]?([ap])\.?m\b\.?)?(?: Uhr\b| ?h\b)?", re.IGNORECASE
)
_HOUR = re.compile(
    r"(\d{1,2})(?: ?Uhr\b(?: ([0-5]\d)\b)?| ?h ?([0-5]\d)\b(?! ?min)|(?:[.:]([0-5]\d))? ?([ap])\.?m\b\.?"
    r"|\.([0-5]\d)(?!\d) ?(?:Uhr\b|h\b|(?<=\blas \d\.\d\d)|(?<=\blas \d\d\.\d\d))"
    r"|(?:点|點|时|時)(?:([0-5]?\d)分?)?(?!\d))", re.IGNORECASE,
)  # fmt: skip
_HAN_LENGTH = re.compile(
    r"(?:(\d{1,3}) ?个?小时 ?)?(\d{1,3}) ?分(?!钟)(?: ?(\d{1,2}) ?秒(?:(\d{1,2})(?!\d))?)?|(\d{1,2})秒(\d{1,2})(?!\d)"
)
_RATIO = re.compile(r"(\d+(?:[.,]\d+)?) ?[:∶比] ?(\d+(?:[.,]\d+)?)(?![\d:])")
_HAN = re.compile(
    r"(百分之)?(?:([二三四五六七八九十]{1,3})分之)?([〇零一二三四五六七八九十百千万亿两]+|半)"
    r"(?:点([〇零一二三四五六七八九]{1,6}))?"
)
_CLASSIFIERS = (
    "个只种条件台颗步次杯张份位名座部枚项格枪支瓶块道场遍滴勺片根节辆艘架棵匹双套层间户家所排列组批"
    "届轮局篇章卷幅粒碗人岁级页"
)
_DOZEN = 12
_SECONDS = Unit(Fraction(1), (("s", 1),))
_YEARS = Unit(Fraction(12), (("month", 1),))
_AGED = re.compile(r"\b(?:aged|ages?)(?: of)? (?:\d{1,3} ?(?:[-–]|to|and) ?)?$", re.IGNORECASE)
_OF_AN = re.compile(r"[ \u00a0](?:of (?:an? )?|d['’]|de )")  # "a quarter of an hour"
_HOUR_PARTS = (900, 1800, 2700)  # seconds
_INCH_OF_FRACTION = re.compile(r"[ -]?in\b")


class Scanner:
    """Reads one text from left to right."""

    def __init__(self, text: str, language: str, mark: str) -> None:
        self.text, self.language, self.mark = text, language, mark
        numbers = words().numbers
        self.numbers = numbers.get(language) or numbers[""]
        self.last = 0  # where the last quantity ended

    def scan(self) -> Iterator[Quantity]:
        """Every quantity as it stands by itself."""
        at = 0
        while token := _TOKEN.search(self.text, at):
            at = token.end()
            found = self._read(token)
            if found:
                self.last = at = max(at, found.end)
                yield found

    def _read(self, token: re.Match[str]) -> Quantity | None:
        if token["glyph"]:
            return self._quantity(token.start(), Number(fraction(GLYPHS[token["glyph"]]), token.end()))
        if token["word"]:
            return self._han(token) if token["word"][0] >= "\u2e80" else self._word(token)
        return (
            self._code(token) or self._date(token.start()) or self._time(token.start())
            or self._feet(token) or self._digits(token)
        )  # fmt: skip

    # ------------------------------------------------------------------------------------------------------- codes
    def _code(self, token: re.Match[str]) -> Quantity | None:
        """``H-20``, ``IPv6``, ``v2.1.0``, ``+49 30 1234567``: compared as written."""
        start = token.start()
        before = self.text[start - 1 : start]
        if before == "+" or self.text[start] == "0":
            phone = _PHONE.match(self.text, start - (before == "+"))
            if phone:
                return self._as_code(phone.start(), phone.end(), re.sub(r"\D", "", phone.group()))
        if hexadecimal := _HEXADECIMAL.match(self.text, start):
            return self._as_code(start, hexadecimal.end(), hexadecimal.group().casefold())
        if not (before in "-_#" or (before.isalpha() and before < "\u2e80")) or not before:
            return None
        head = _CODE_HEAD.search(self.text[max(0, start - 40) : start])
        if not head or _MONEY_BEFORE.search(self.text[max(0, start - 5) : start]):
            return None
        if head.group() == "x" and self.text[start - 2 : start - 1].isdecimal():
            return None  # "30x40"
        if re.fullmatch(r"[a-zäöü]{3,}-", head.group()) and re.fullmatch(r"1\d{3}|20\d\d", token["number"]):
            return None  # "mid-2024"
        return self._coded(start - len(head.group()), start)

    def _coded(self, start: int, digits: int) -> Quantity:
        tail = _CODE_TAIL.match(self.text, digits)
        end = tail.end() if tail else digits + 1
        return self._as_code(start, end, code_key(self.text[start:end]))

    @staticmethod
    def _as_code(start: int, end: int, key: str) -> Quantity:
        return Quantity("code", start, end, (start, end), keys=((key,),))

    # ---------------------------------------------------------------------------------------------- dates and times
    def _date(self, start: int) -> Quantity | None:
        text = self.text
        for pattern, read in (
            (_ISO_DATE, _iso),
            (_HAN_DATE, _han_date),
            (_SHORT_DATE, self._short),
            (_DAY_FIRST, _day_first),
        ):
            if (found := pattern.match(text, start)) and (keys := read(found)):
                return Quantity("date", start, found.end(), (start, found.end()), keys=keys)
        before = _MONTH_BEFORE.search(text[max(0, start - 16) : start])
        month = words().months.get(before[1].casefold()) if before else None
        if not before or not month or not (before[1][0].isupper() or self.language in ("fr", "es", "")):
            return None
        after = _AFTER_MONTH.match(text, start)
        if not after or (after[2] and not 1 <= int(after[2]) <= 31):
            return None
        begin = start - len(before.group())
        key = (_whole(after[1] or after[3]), month, _whole(after[2]))
        return Quantity("date", begin, after.end(), (begin, after.end()), keys=(key,))

    def _short(self, found: re.Match[str]) -> tuple[Key, ...]:
        """``5.3.2024`` day first; ``3/5/2024`` either first."""
        first, second, written = int(found[1]), int(found[3]), found[4]
        if len(written) == 2 and (found[2] == "-" or (found[2] == "." and self.language != "de")):
            return ()
        year = int(written) if len(written) == 4 else int(written) + (2000 if int(written) < 70 else 1900)
        keys: list[Key] = [(year, second, first)] if found[2] == "." else [(year, second, first), (year, first, second)]
        return tuple(key for key in dict.fromkeys(keys) if _is_day(key))

    def _time(self, start: int) -> Quantity | None:
        text = self.text
        if length := self._han_length(start):
            return length
        colon = _COLON.match(text, start)
        hour = None if colon else _HOUR.match(text, start)
        if not colon and not hour:
            ratio = _RATIO.match(text, start)
            return self._ratio(ratio) if ratio else None
        if colon:
            found, (hours, minutes, seconds, half) = colon, colon.groups()
        elif hour:
            found, hours, seconds, half = hour, hour[1], None, hour[5]
            minutes = hour[2] or hour[3] or hour[4] or hour[6] or hour[7]
        half = (half or "").lower() or self._half_before(start)
        hour_of_day = int(hours) % 12 + 12 * (half == "p") if half and int(hours) <= 12 else int(hours)
        count = (hour_of_day, int(minutes or 0), int(seconds or 0))
        lengths = (
            tuple(Fraction(h) for h in (count[0] * 3600 + count[1] * 60 + count[2], count[0] * 60 + count[1]))
            if (colon or (hour and hour[3])) and not half
            else ()
        )
        return Quantity(
            "clock", start, found.end(), (start, found.end()), tuple(Reading(n, Fraction(1)) for n in lengths),
            (_SECONDS,) if lengths else (), ((*count, half),),
        )  # fmt: skip

    def _han_length(self, start: int) -> Quantity | None:
        """``2小时01分09秒``, ``9秒83``."""
        found = _HAN_LENGTH.match(self.text, start)
        if not found or not (found[1] or found[3] or found[5]):
            return None
        hours, minutes = int(found[1] or 0), int(found[2] or 0)
        seconds = Fraction(f"{found[3] or found[5] or 0}.{found[4] or found[6] or 0}")
        reading = Reading(hours * 3600 + minutes * 60 + seconds, Fraction(1, 100 if seconds.denominator > 1 else 1))
        keys: tuple[Key, ...] = (hours, minutes, seconds, ""), (minutes, seconds, 0, "")
        return Quantity("clock", start, found.end(), found.span(), (reading,), (_SECONDS,), keys[: 1 if hours else 2])

    def _half_before(self, start: int) -> str:
        before = self.text[max(0, start - 2) : start]
        return "p" if before in ("下午", "晚上", "傍晚") else "a" if before in ("上午", "早上", "凌晨") else ""

    @staticmethod
    def _ratio(found: re.Match[str]) -> Quantity | None:
        if len(found.group()) > 20:
            return None
        key = tuple(Fraction(side.replace(",", ".")) for side in found.groups())
        return Quantity("ratio", found.start(), found.end(), found.span(), keys=(key,))

    # ------------------------------------------------------------------------------------------------------ measures
    def _feet(self, token: re.Match[str]) -> Quantity | None:
        """``5'11"``."""
        found = _FEET.match(self.text, token.end()) if len(token["number"]) < 4 else None
        units = read_unit("ft", 0), read_unit("inch", 0)
        if not found or not token["number"].isdecimal() or not units[0] or not units[1]:
            return None
        inches = Fraction(found[1].replace(",", "."))
        high = Reading(Fraction(int(token["number"])), Fraction(1))
        low = Reading(inches, Fraction(1, 10 ** max(0, len(re.split("[.,]", found[1])[-1]) * (inches.denominator > 1))))
        feet = Quantity("measure", token.start(), token.end(), token.span(), (high,), units[0].units)
        return compound((feet, Quantity("measure", found.start(1), found.end(), found.span(1), (low,), units[1].units)))

    def _digits(self, token: re.Match[str]) -> Quantity:
        text, start = self.text, token.start()
        number = number_at(text, token, self.mark, self.language)
        if not number and self._is_reference(start):  # "section 4.2.1"
            return Quantity("reference", start, token.end(), token.span())
        if not number:
            return self._as_code(start, token.end(), code_key(token.group()))
        if _is_decade(text, token):
            return self._coded(start, start)
        attached = text[number.end : number.end + 1] if text[number.end - 1] not in "'’" else ""  # "1,2 million d'…"
        if text[max(0, start - 3) : start] == "百分之" and (percent := read_unit("%", 0)):
            return self._quantity(start, number, replace(percent, end=number.end), start - 3)
        money = _MONEY_BEFORE.search(text[max(0, start - 6) : start])
        if money:
            unit = read_unit(money.group().strip(), 0)
            return self._quantity(
                start, number, replace(unit, end=number.end) if unit else None, start - len(money.group())
            )
        decimal = number.end == token.end() and number.readings[0].step < 1 and "." in token["number"]
        if decimal and self._is_version(start, number):
            return replace(self._as_code(start, token.end(), token["number"]), readings=number.readings)
        inch = _INCH_OF_FRACTION.match(text, number.end) if "/" in text[start : number.end] else None
        if inch and (unit := read_unit("inch", 0)):
            return self._quantity(start, number, replace(unit, end=inch.end()))
        if attached.isalpha() and attached < "\u2e80" and not self._attached(number.end):
            return self._coded(start, start)
        return self._quantity(self._signed(start), number, self._unit(number.end))

    def _unit(self, at: int) -> UnitName | None:
        if self.text[at : at + 1] == '"' and self.text[max(0, at - 200) : at].count('"') % 2 == 0:
            return replace(unit, end=at + 1) if (unit := read_unit("inch", 0)) else None
        gap = _GAP.match(self.text, at)
        return read_unit(self.text, gap.end() if gap else at)

    def _attached(self, at: int) -> bool:
        """Whether the letters right after a number are a unit, an ordinal's end or "x"."""
        return bool(
            read_unit(self.text, at) or _ORDINAL_END.match(self.text, at) or re.compile(r"x\b|x\d").match(self.text, at)
        )

    def _is_version(self, start: int, number: Number) -> bool:
        """Whether the word before a decimal is a name: "Python 3.11"; not where it opens the sentence."""
        before = _VERSION_BEFORE.search(self.text[max(0, start - 24) : start])
        if not before or self._unit(number.end) or before.group().strip().casefold() in words().sets["references"]:
            return False
        begin = start - len(before.group())
        return bool(self.text[max(0, begin - 3) : begin].rstrip(" ")[-1:].strip(".!?:\n|"))

    def _signed(self, start: int) -> int:
        """Where the number begins with its sign, if it has one that is no dash of a range."""
        if start and self.text[start - 1] in "-−–":
            before = self.text[start - 2 : start - 1]
            follows = self.text[self.last : start - 1].strip() == "" and self.last > 0
            if (not before or before in " \u00a0(\n|~≈约") and not follows:
                return start - 1
        return start

    def _quantity(self, start: int, number: Number, unit: UnitName | None = None, begin: int = -1) -> Quantity:
        """The quantity whose number stands at ``start``, with its sign, and which begins at ``begin``, if before."""
        text, unit, readings = self.text, unit or self._unit(number.end), number.readings
        begin = begin if begin >= 0 else start
        if not unit and _AGED.search(text[max(0, start - 20) : start]):
            unit = UnitName((_YEARS,), number.end)
        if text[start] in "-−–" or _says_minus(text[max(0, start - 10) : start]):
            readings = tuple(replace(reading, value=-reading.value) for reading in readings)
        digits, hedged = (start, number.end), self._is_hedged(begin)
        if unit and (half := half_behind(text, unit.end)):  # "an hour and a half"
            readings, unit = and_a_half(Number(readings, 0), 0).readings, replace(unit, end=half)
        if unit:
            return Quantity("measure", begin, max(unit.end, number.end), digits, readings, unit.units, hedged=hedged)
        if self._is_reference(start):
            return Quantity("reference", start, number.end, digits)
        ordinal = _ORDINAL_END.match(text, number.end)
        end = ordinal.end() if ordinal else number.end
        return Quantity("number", start, end, digits, readings, noun=self._noun(end), hedged=hedged)

    def _noun(self, end: int) -> tuple[str, ...]:
        found = _NOUNS.match(self.text, end)
        return tuple(word.casefold() for word in found.groups() if word) if found else ()

    def _is_reference(self, start: int) -> bool:
        """Whether it follows "step", "Abbildung", 第 …"""
        word = re.search(r"[^\W\d_]+$", self.text[max(0, start - 14) : start].rstrip(" \u00a0."))
        name = word.group().casefold() if word else " "
        return name in words().sets["references"] or name[-1] in "第图表" or name[-2:] == "步骤"

    def _is_hedged(self, start: int) -> bool:
        before = re.split(r"[.;!?。；]\s", self.text[max(0, start - 40) : start])[-1]
        hedges = words().sets["hedges"]
        near = WORD.findall(before)[-_HEDGED_WITHIN:]
        pair = " ".join(near[-2:]).casefold()
        return (
            (before[-1:] in "~≈～" and bool(before))
            or pair in hedges
            or any(not hedges.isdisjoint((word.casefold(), word[-1], word[-2:])) for word in near)
        )

    # --------------------------------------------------------------------------------------------- numbers in words
    def _word(self, token: re.Match[str]) -> Quantity | None:
        word = token["word"].casefold()
        if found := self._hour_part(token) or self._fraction(token, word) or self._roman(token):
            return found
        value, half = self.numbers.get(word), word in words().sets["halves"]
        article = word in words().sets["articles"]
        if value is None and not half and not article:
            return None
        value = Fraction(1, 2) if half else value or Fraction(1)
        number = Number(_spelled(value), token.end())
        after = re.compile(r" an? ").match(self.text, token.end()) if half else None
        if after:  # "half a dozen", "half an hour"
            one = Number((Reading(value, Fraction(1)),), after.end() - 1)
            dozen = with_magnitude(self.text, one, self.language)
            number = dozen if dozen.readings[0].scale > 1 else number
        else:
            number = self._with_half(with_magnitude(self.text, number, self.language))
        unit = self._unit(after.end() - 1 if after and number.end == token.end() else number.end)
        if unit and unit.end - number.end < 4 and (article or half):
            unit = None  # "a m" is no metre
        if (article or half) and not unit and number.end == token.end():
            return None
        found = self._quantity(token.start(), number, unit)
        if found.kind == "reference":
            return None
        return replace(found, spelled=True, weak=(article or value < 1) and not _is_telling(found))

    def _with_half(self, number: Number) -> Number:
        """The number, and a half where it is followed by that and a unit: "two and a half hours", 一个半小时."""
        end = half_behind(self.text, number.end)
        return and_a_half(number, end) if end and self._unit(end) else number

    def _hour_part(self, token: re.Match[str]) -> Quantity | None:
        """``Viertelstunde``, ``demi-heure``, with what counts them."""
        value = self.numbers.get(token["word"].casefold())
        article = token["word"].casefold() in words().sets["articles"]
        end = token.end() if article or value else token.start()
        unit = self._unit(end) if end > token.start() else read_unit(self.text, end)
        if not unit or unit.units[0].dimension != _SECONDS.dimension or unit.units[0].factor not in _HOUR_PARTS:
            return None
        count = Fraction(1) if article else value or Fraction(1)
        return replace(self._quantity(token.start(), Number(_spelled(count), end), unit), spelled=True)

    def _roman(self, token: re.Match[str]) -> Quantity | None:
        """``XIX``, ``XIXe``: it says the same as 19."""
        value = read_roman(token["word"])
        if value is None:
            return None
        if self._is_reference(token.start()):
            return None
        span, readings = token.span("word"), (Reading(Fraction(value), Fraction(1)),)
        return Quantity("number", *span, span, readings, noun=self._noun(span[1]), spelled=True, roman=True)

    def _fraction(self, token: re.Match[str], word: str) -> Quantity | None:
        """``a quarter``, ``two thirds``, ``trois quarts``: they support, but are never asked for support."""
        first, _, joined = word.partition("-")
        part, end = self.numbers.get(first), token.end()
        after = _WORD_AFTER.match(self.text, end) if part and not joined else None
        name = joined or (after[1].casefold() if after else word)
        under = next((n for n in (3, 4) if name in words().sets[f"fractions {n}"]), 0)
        if not under or (under == 3 and not part):
            return None
        end = after.end() if after else end
        of = _OF_AN.match(self.text, end)
        unit = read_unit(self.text, of.end()) if of else None
        is_part = unit is not None and unit.units[0].dimension == _SECONDS.dimension
        number = Number(fraction((part or Fraction(1)) / under), end)
        found = self._quantity(token.start(), number, unit if is_part else None)
        return replace(found, spelled=True, weak=not _is_hours(found))

    def _han(self, token: re.Match[str]) -> Quantity | None:
        for found in _HAN.finditer(self.text, token.start(), token.end()):
            reading = _han_reading(found)
            if reading is None or self.text[found.start() - 1 : found.start()] == "第":
                continue
            value = reading.value
            number = self._with_half(with_magnitude(self.text, Number((reading,), found.end()), "zh"))
            unit = read_unit("%", 0) if found[1] else self._unit(number.end)
            counted = self.text[number.end : number.end + 1] in _CLASSIFIERS and number.end < len(self.text)
            dozens = number.readings[0].scale == _DOZEN
            if unit or found[2] or dozens or (value >= 2 and counted):
                unit = replace(unit, end=number.end) if found[1] and unit else unit
                spelled = self._quantity(found.start(), number, unit)
                is_telling = _is_hours(spelled) and spelled.readings[0].value != 1
                return replace(spelled, spelled=True, weak=value <= 1 and not is_telling)
        return None


def _spelled(value: Fraction) -> tuple[Reading, ...]:
    return (Reading(value, Fraction(1)),) if value.denominator == 1 else fraction(value)


def _is_telling(found: Quantity) -> bool:
    """Whether words that are often vague name an amount: "half an hour", "an hour and a half", "half a dozen"."""
    value, scale = found.readings[0].value, found.readings[0].scale
    return scale == _DOZEN or (scale == 1 != value and (value > 1 or _is_hours(found)))


def _is_hours(found: Quantity) -> bool:
    """Whether it is a time in hours or named parts of one, of which nobody says "half" or "a quarter" loosely."""
    units = (3600, *_HOUR_PARTS)
    return any(unit.dimension == _SECONDS.dimension and unit.factor in units for unit in found.units)


def code_key(written: str) -> str:
    """A code as it is compared: H-20, h20 and H_20 are one, and so are v2.1 and 2.1."""
    return re.sub(r"^v(?=\d)|[-_ \u00a0]", "", written.casefold())


def _han_reading(found: re.Match[str]) -> Reading | None:
    """三, 三点一, 四分之三, 半."""
    value = Fraction(1, 2) if found[3] == "半" else read_han(found[3])
    under = read_han(found[2]) if found[2] else 1
    if value is None or not under:
        return None
    decimals = "".join(str(read_han(digit)) for digit in found[4] or "")
    step = Fraction(1, 100) if found[2] else Fraction(1, 10 ** len(decimals))
    return Reading(Fraction(value, under) + Fraction(f"0.{decimals or 0}"), step)


def _says_minus(before: str) -> bool:
    """Whether the word before a number makes it negative."""
    word = re.search(r"[^\W\d_]+$", before.rstrip(" \u00a0"))
    return bool(word) and word.group().casefold() in words().sets["minus"] if word else False


def _is_decade(text: str, token: re.Match[str]) -> bool:
    return bool(re.fullmatch(r"(?:1[5-9]|20)\d0", token["number"])) and text[token.end() : token.end() + 1] == "s"


def _whole(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _is_day(key: Key) -> bool:
    _, month, day = key
    return isinstance(month, int) and isinstance(day, int) and 1 <= month <= 12 and 1 <= day <= 31


def _iso(found: re.Match[str]) -> tuple[Key, ...]:
    key = (int(found[1]), int(found[3]), int(found[4]))
    return (key,) if _is_day(key) else ()


def _han_date(found: re.Match[str]) -> tuple[Key, ...]:
    return ((_whole(found[1] or found[4]), _whole(found[2]), _whole(found[3])),)


def _day_first(found: re.Match[str]) -> tuple[Key, ...]:
    """A day that no month has is kept, so that it finds no support; without a year it is no day."""
    month = words().months.get(found[2].casefold())
    fits = month and (1 <= int(found[1]) <= 31 or found[3]) and (found[2][0].isupper() or found[2].casefold() != "may")
    return ((_whole(found[3]), month, int(found[1])),) if fits else ()


def compound(parts: tuple[Quantity, ...]) -> Quantity:
    """Their sum, in the smallest part's unit."""
    last = parts[-1]
    unit = last.units[0]
    total = sum((part.readings[0].value * part.units[0].factor for part in parts), Fraction(0)) / unit.factor
    sign = -1 if parts[0].readings[0].value < 0 else 1
    reading = Reading(total * sign if sign < 0 else total, last.readings[0].step)
    return Quantity(
        "measure", parts[0].start, last.end, (parts[0].start, last.end), (reading,), (unit,), parts=parts,
        hedged=parts[0].hedged, group=parts[0].group if parts[0].group >= 0 else last.group,
        spelled=all(part.spelled for part in parts),
    )  # fmt: skip
