"""A raw reply unwrapped to the Markdown that is meant: without thoughts, template tokens, JSON and preamble."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from showtell.answer.reply.phrases import phrase
from showtell.models.partial import parse_json
from showtell.render.labels import clean

LONGEST = 8_000  # characters of a reply that are read

_THOUGHTS = re.compile(r"(?<!`)<(/?)(?:think|thinking|thought|reasoning|reflection|scratchpad|analysis)>")
_FINAL = "<|channel|>final<|message|>"
# What ends a turn in the chat templates of common models; what comes behind it at the end of a line runs on by itself.
_END = re.compile(
    r"(?<!`)(?:<\|(?:im_end|end|eot_id|endoftext|return|eom_id|end_of_text)\|>|</s>|<end_of_turn>)\s*(?=<|$|\n)"
)
_TOKENS = re.compile(
    r"(?<!`)(?:<\|(?:im_start|start_header_id|start)\|>\s*(?:assistant|system|user)?(?:<\|end_header_id\|>)?"
    r"|<[|｜][^|｜<>\n]{1,40}[|｜]>|</?s>|\[/?INST\]|<</?SYS>>"
    r"|<start_of_turn>(?:model|user)?|<end_of_turn>|<(?:bos|eos|pad|unk)>)"
)
_RUN_ON = re.compile(
    r"\n(?:Human:|### ?(?:Instruction|Question|Input|User)\b|(?:User|Question):.*\n+(?:Assistant|Answer):)"
)
_FENCED_PROMPT = re.compile(r"<(passages?|documents?|context|media|question)\b[^<>\n]{0,200}>[\s\S]*?</\1>")
_LONE_FENCE = re.compile(r"</?(?:passages?|answer|response|reply)(?: [^<>\n]{0,200})?>")
_JSON = re.compile(r"(?:[^\n{}\[]{0,80}\n+)?\s*(?:```\w*\s*)?(?=\{\s*[\"}]|\[\s*[{\"])")
# Zero-width and other format characters, tags, private use; joiners stay where Arabic and Indic scripts need them.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2060-\u206f\u3164\ufeff\ue000-\uf8ff"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]|(?<![\u0600-\u0dff])[\u200c\u200d]"
)
_SAYS = {
    "answer", "answers", "content", "contents", "paragraph", "paragraphs", "text", "texts", "step", "steps", "response",
    "reply", "sentence", "sentences", "claim", "claims", "statement", "body", "message", "summary", "item", "items",
    "output", "result", "antwort", "réponse", "respuesta", "答案", "回答",
}  # fmt: skip
_SHOWS = {"media", "medium", "media_id", "media_ids", "image", "images", "figure", "figures", "video", "table"}
_CITES = {"citation", "citations", "cite", "cites", "passage", "passages", "source", "sources", "references"}


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """The Markdown that a reply means; ``is_cut`` where it broke off, ``is_long`` where the rest was not read."""

    text: str
    is_cut: bool = False
    is_long: bool = False
    is_json: bool = False


def unwrap(reply: str) -> Unwrapped:
    """What a raw reply says, as Markdown of at most ``LONGEST`` characters."""
    is_long = len(_without_thoughts(reply)) > LONGEST
    text = own_words(reply)
    if _JSON.match(text):
        said, is_whole = _from_json(text)
        if said or not text.rstrip().endswith("```"):
            return Unwrapped(said, is_long or not is_whole, is_long, True)
    text = _FENCED_PROMPT.sub("", _RUN_ON.split(text.strip(), maxsplit=1)[0])
    return Unwrapped(_without_preamble(_LONE_FENCE.sub("", text)), is_long, is_long)


def own_words(reply: str) -> str:
    """The model's own turn as it stands, JSON or not: without thoughts, template tokens and invisible characters."""
    spoken = _spoken(_without_thoughts(reply)[:LONGEST])
    return _INVISIBLE.sub("", "\t".join(map(clean, spoken.split("\t"))))


def _without_thoughts(text: str) -> str:
    """What follows the last closed block of thoughts; an open one hides all that follows."""
    text = text.rpartition(_FINAL)[2]
    marks = list(_THOUGHTS.finditer(text))
    closing = [mark.end() for mark in marks if mark[1]]
    start = closing[-1] if closing else 0
    end = next((mark.start() for mark in marks if not mark[1] and mark.start() >= start), len(text))
    return text[start:end].lstrip()


def _spoken(text: str) -> str:
    """The model's own turn, without the tokens of chat templates."""
    turns = (_TOKENS.sub("", turn) for turn in _END.split(text))
    return next((turn for turn in turns if turn.strip()), "")


def _without_preamble(text: str) -> str:
    for _ in range(4):
        text = text.lstrip(" \n*_#>") if _opens(text) else text.strip("\n")
        met = phrase("preamble").match(text)
        if not met:
            break
        text = text[met.end() :].lstrip(" \n*_")
        if met[0].endswith((",", ",")):
            text = text[:1].upper() + text[1:]
    return text


def _opens(text: str) -> bool:
    """Whether a preamble stands behind the reply's first marks."""
    return bool(phrase("preamble").match(text.lstrip(" \n*_#>")))


# --------------------------------------------------------------------------------------------------------------- JSON
def _from_json(text: str) -> tuple[str, bool]:
    """The words of a JSON reply as Markdown, and whether the JSON was whole."""
    opening = _JSON.match(text)
    body = text[opening.end() if opening else 0 :].strip()
    body = body.rpartition("```")[0].strip() if body.endswith("```") else body
    value, is_whole = parse_json(body), body.endswith(("}", "]"))
    return "\n\n".join(_told(value, "text" if isinstance(value, list) else "")), is_whole


def _told(value: Any, key: str) -> Iterator[str]:
    """Paragraphs: the texts of known keys, each object's citations and media behind its text."""
    if isinstance(value, str):
        if key in _SAYS:
            yield value
        elif key in _SHOWS:
            yield f"[[{value}]]"
    elif isinstance(value, Mapping):
        yield from _told_object(value)
    elif isinstance(value, list):
        for number, each in enumerate(value, 1):
            numbered = key == "steps" and isinstance(each, str) and not re.match(r"\s*\d+[.)]", each)
            yield from [f"{number}. {each}"] if numbered else _told(each, key)


def _told_object(value: Mapping[str, Any]) -> Iterator[str]:
    keyed = {str(key).casefold(): each for key, each in value.items()}
    said = [text for key, each in keyed.items() if key not in _SHOWS | _CITES for text in _told(each, key)]
    cited = " ".join(re.findall(r"\d{1,4}", json.dumps([keyed[key] for key in sorted(_CITES & set(keyed))])))
    if said and cited and not re.search(r"\[\d", said[-1]):
        said[-1] += f" [{cited.replace(' ', ', ')}]"
    yield from said
    yield from (text for key, each in keyed.items() if key in _SHOWS for text in _told(each, key))
