"""Prompts: files in which named places are filled. What comes from a user or a document stands in them as data."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from showtell.models.base import Message

LANGUAGES = {
    "de": "German", "en": "English", "es": "Spanish", "fr": "French", "it": "Italian",
    "ja": "Japanese", "ko": "Korean", "pt": "Portuguese", "ru": "Russian", "zh": "Chinese",
}  # fmt: skip
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_FENCE = re.compile(r"<(?=\s*/?\s*(?:passage|page|figure|draft|question|system|user|assistant)\b)", re.IGNORECASE)
# By which the chat templates of common models tell turns apart; a server may take them for what they say.
_TURN = re.compile(
    r"<(?=[|｜][^|｜<>\n]{1,40}[|｜]>|/?s>|<?/?SYS>|(?:start|end)_of_turn>|/?(?:bos|eos|pad|unk)>)|\[(?=/?INST\])",
    re.IGNORECASE,
)
_MEDIA_MARK = re.compile(r"(?:\[\[|\{\{)\s*((?:\w+\s*[:#=]\s*)?[A-Za-z]{1,2}[ _-]?\d{1,4})\s*(?:\]\]|\}\})")
_CITATION = re.compile(r"(?<!\w)\[(\d{1,4}(?:[-–, ]+\d{1,4})*)\]")


def fill(name: str, /, **values: str) -> tuple[Message, ...]:
    """The messages of a prompt file, each ``{{place}}`` filled once; values are not filled again.

    What stands above its ``---`` is the system's message, what stands below the user's; without one all is the user's.
    """
    system, _, user = _read(name).rpartition("\n---\n")

    def filled(text: str) -> str:
        return _PLACE.sub(lambda place: values[place[1]], text).strip()

    asked = Message("user", filled(user))
    return (Message("system", filled(system)), asked) if system else (asked,)


def fenced(tag: str, text: str, **attributes: object) -> str:
    """A text between ``<tag>`` and ``</tag>``, unable to end that fence or to begin another."""
    said = "".join(f' {name}="{_attribute(str(value))}"' for name, value in attributes.items() if value != "")
    return f"<{tag}{said}>\n{inert(text)}\n</{tag}>"


def harmless(text: str) -> str:
    """The text without tags that look like a fence of ours, or like a turn of the conversation."""
    return _TURN.sub(lambda found: "(" if found[0] == "[" else "‹", _FENCE.sub("‹", text))


def inert(text: str) -> str:
    """A document's text, harmless and without what a model would copy as a citation or a figure's mark of ours."""
    return _CITATION.sub(r"(\1)", _MEDIA_MARK.sub(r"(\1)", harmless(text)))


def language_name(code: str) -> str:
    """How a prompt names a language; one that was not recognised is the question's."""
    return LANGUAGES.get(code, "the language of the question")


def _attribute(text: str) -> str:
    return " ".join(inert(text).replace('"', "'").split())


@cache
def _read(name: str) -> str:
    return (Path(__file__).parent / "prompts" / f"{name}.md").read_text(encoding="utf-8")
