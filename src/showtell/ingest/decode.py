"""From bytes to text as browsers do it: byte-order mark, declared encoding, valid UTF-8, then an educated guess."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

from showtell.errors import SourceError

# Labels that browsers read as a superset (https://encoding.spec.whatwg.org/#names-and-labels).
SUPERSETS = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "big5": "big5hkscs",
}
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
DECLARED = re.compile(rb"<(?:meta\b[^>]*?charset|\?xml\b[^>]*?encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.I)
EAST_ASIAN = frozenset({"gb18030", "cp932", "euc_jp", "cp949", "big5hkscs"})
HIGH_BYTES = bytes(range(128, 256))
STRAY = re.compile("[\udc80-\udcff]")
# What browsers decode, the likelier first; measured on short sentences of each.
CANDIDATES: tuple[str, ...] = (
    *("cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1252", "cp1251", "cp1250", "cp1253", "cp1255", "cp1256"),
    *("cp1254", "koi8_r", "cp874", "cp1257", "cp1258"),
)
SCRIPTS = {
    "gb18030": (0.8, re.compile("[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef\u2010-\u2026]")),
    "big5": (0.8, re.compile("[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef\u2010-\u2026]")),
    "cp932": (0.3, re.compile("[\u3040-\u30ff]")),
    "euc_jp": (0.3, re.compile("[\u3040-\u30ff]")),
    "cp949": (0.6, re.compile("[\uac00-\ud7a3]")),
    "cp1255": (0.9, re.compile("[\u0590-\u05ff]")),
    "cp1256": (0.9, re.compile("[\u0600-\u06ff]")),
    "cp874": (0.9, re.compile("[\u0e00-\u0e7f]")),
    "koi8_r": (0.9, re.compile("[\u0400-\u04ff]")),
    "cp1251": (0.9, re.compile("[\u0400-\u04ff\u2010-\u2026]")),
    "cp1253": (0.9, re.compile("[\u0370-\u03ff]")),
}
WESTERN = frozenset(map(chr, range(128))) | frozenset(
    "àáâãäåæçèéêëìíîïñòóôõöøùúûüßœÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜŒ€‚„…‘’“”•–—™¡¿§©«»®°±²·\u00a0"
)
HEAD = 4096  # bytes in which a declaration is looked for
GUESS_FROM = 20_000  # bytes from which an encoding is guessed
MAX_BAD_SHARE = 0.3  # of the bytes beyond ASCII: with fewer bad ones, damaged UTF-8 is still UTF-8


def decode(data: bytes, charset: str = "", *, markup: bool = False) -> tuple[str, tuple[str, ...]]:
    """Text and warnings.

    Args:
        data: the bytes of a text file or page.
        charset: what the transport declared (HTTP), or "".
        markup: whether a declaration inside (``<meta charset>``, ``<?xml encoding?>``) counts.

    Raises:
        SourceError: the bytes are no text.
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _lenient(data[len(mark) :], encoding)
    wide = _wide(data)
    if wide:
        return _lenient(data, wide)
    encoding = _known(charset) or (_declared(data) if markup else "")
    if encoding not in ("", "utf-8") and _declaration_wins(data, encoding):
        return _lenient(data, encoding)
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError:
        pass
    if encoding and encoding != "utf-8":
        return _lenient(data, encoding)
    if encoding == "utf-8" or _bad_share(data) <= MAX_BAD_SHARE:
        return _utf8_with_strays(data)
    return _lenient(data, _guess(data))


def _declaration_wins(data: bytes, encoding: str) -> bool:
    """Valid UTF-8 is UTF-8 whatever the label says, but for encodings of seven bits and for very little East Asian."""
    if encoding.startswith(("iso2022", "hz")):
        return True
    return encoding in EAST_ASIAN and len(data) - len(data.translate(None, HIGH_BYTES)) < 12


def _known(label: str) -> str:
    """The Python name of a declared encoding, or "" for one that is unknown, unsafe (UTF-7) or no encoding of text."""
    try:
        codec = codecs.lookup(label.strip())
        "a".encode(codec.name)
    except (LookupError, ValueError, TypeError):
        return ""
    return "" if codec.name == "utf-7" else SUPERSETS.get(codec.name, codec.name)


def _declared(data: bytes) -> str:
    found = DECLARED.search(data[:HEAD])
    encoding = _known(found[1].decode("ascii", "ignore")) if found else ""
    # A page whose declaration could be read as single bytes is not UTF-16, whatever it says.
    return "utf-8" if encoding.startswith(("utf-16", "utf-32")) else encoding


def _wide(data: bytes) -> str:
    """UTF-16 without a mark: every other byte of western text is zero."""
    sample = data[:HEAD]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if max(even, odd) * 4 > len(sample) and min(even, odd) * 20 < len(sample):
        return "utf-16-le" if odd > even else "utf-16-be"
    return ""


def _lenient(data: bytes, encoding: str) -> tuple[str, tuple[str, ...]]:
    try:
        return data.decode(encoding), ()
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
    return text, (f"some bytes are not valid {encoding}; they were replaced, the rest of the text is whole",)


def _utf8_with_strays(data: bytes) -> tuple[str, tuple[str, ...]]:
    """A stray byte in UTF-8 is most often a Windows-1252 one that was pasted in; else it becomes U+FFFD."""
    text = data.decode("utf-8", "surrogateescape")
    text = STRAY.sub(lambda stray: bytes([ord(stray[0]) - 0xDC00]).decode("cp1252", "replace"), text)
    return text, ("some bytes are not valid UTF-8; they were read as Windows-1252, the rest of the text is whole",)


def _bad_share(data: bytes) -> float:
    beyond_ascii = len(data) - len(data.translate(None, HIGH_BYTES))
    good = data.decode("utf-8", "ignore").encode("utf-8")
    return (len(data) - len(good)) / max(1, beyond_ascii)


def _guess(data: bytes) -> str:
    """The likeliest of the encodings that browsers know, for bytes that nobody declared and that are not UTF-8."""
    sample = data[:GUESS_FROM]
    sample = sample[: sample.rfind(b"\n") + 1] or sample
    if not set(sample.decode("cp1252", "replace")) - WESTERN:
        return "cp1252"
    found = [
        match for match in from_bytes(sample, cp_isolation=list(CANDIDATES)) if _plausible(str(match), match.encoding)
    ]
    if not found:
        return "cp1252"
    least = min(match.chaos for match in found)
    clean = [match for match in found if match.chaos <= least + 0.03]
    best = min(clean, key=lambda match: (-round(match.coherence, 1), CANDIDATES.index(match.encoding)))
    return _known(best.encoding)


def _plausible(text: str, encoding: str) -> bool:
    """Whether East Asian text holds the letters of its language: any bytes can be read as rare ideographs."""
    wanted = SCRIPTS.get(encoding)
    if wanted is None:
        return True
    letters = [letter for letter in text if letter > "\u0250"]
    share, script = wanted
    return bool(letters) and sum(1 for letter in letters if script.match(letter)) >= share * len(letters)


def require_text(text: str) -> None:
    """Refuses what is decoded but no text.

    Raises:
        SourceError: more than a few control characters in the beginning.
    """
    sample = text[:HEAD]
    controls = sum(1 for letter in sample if letter < " " and letter not in "\t\n\r\f\x1b")
    if controls > len(sample) * 0.02:
        raise SourceError("the content is binary, not text")
