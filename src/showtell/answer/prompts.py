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
_FENCE = re.compile(r"<(?=\s*/?\s*(?:passage|figure|draft|question|system|user|assistant)\b)", re.IGNORECASE)


def fill(name: str, /, **values: str) -> tuple[Message, ...]:
    """The system and the user message of a prompt file, each ``{{place}}`` filled once; values are not filled again."""
    system, _, user = _read(name).partition("\n---\n")

    def filled(text: str) -> str:
        return _PLACE.sub(lambda place: values[place[1]], text).strip()

    return Message("system", filled(system)), Message("user", filled(user))


def fenced(tag: str, text: str, **attributes: object) -> str:
    """A text between ``<tag>`` and ``</tag>``, unable to end that fence or to begin another."""
    said = "".join(f' {name}="{_attribute(str(value))}"' for name, value in attributes.items() if value != "")
    return f"<{tag}{said}>\n{harmless(text)}\n</{tag}>"


def harmless(text: str) -> str:
    """The text without tags that look like a fence of ours."""
    return _FENCE.sub("‹", text)


def language_name(code: str) -> str:
    """How a prompt names a language; one that was not recognised is the question's."""
    return LANGUAGES.get(code, "the language of the question")


def _attribute(text: str) -> str:
    return " ".join(harmless(text).replace('"', "'").split())


@cache
def _read(name: str) -> str:
    return (Path(__file__).parent / "prompts" / f"{name}.md").read_text(encoding="utf-8")
