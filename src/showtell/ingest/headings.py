"""Headings: their rank, where a link to them leads, and the permalink signs that are none of their words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

_PERMALINK = re.compile(r"[#¶§🔗\s]*\Z")
_PERMALINK_CLASS = re.compile(
    r"\b(?:headerlink|anchor|hash-link|permalink|heading-link|header-anchor|anchorjs-link|anchor-link|direct-link)\b",
    re.I,
)
_NAMES = frozenset({"link", "permalink", "anchor", "direct link", "copy link", ""})


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as met; its place in the outline follows from the levels before it."""

    level: int
    text: str
    anchor: str = ""


def is_permalink(words: str, attributes: dict[str, str | None]) -> bool:
    """Whether a link with these words is only the sign that gives a heading its address."""
    marked = _PERMALINK_CLASS.search(attributes.get("class") or "") is not None
    return _PERMALINK.match(words) is not None or (
        marked and len(words.strip()) <= 12 and words.strip().lower() in _NAMES
    )


def level(node: LexborNode) -> int:
    """The rank, from 1, by tag or by role; 2 where nothing tells."""
    written = node.attributes.get("aria-level") or ""
    if node.attributes.get("role") == "heading" and written.isascii() and written.isdigit():
        return max(1, min(int(written[:2]), 6))
    return int(node.tag[1]) if node.tag and node.tag[0] == "h" and node.tag[1:].isdigit() else 2


def anchor(node: LexborNode) -> str:
    """The heading's id, that of something in it, or that of the section it opens."""
    own = node.attributes.get("id")
    if own:
        return own
    inner = node.css_first("[id], a[name]")
    if inner is not None:
        return inner.attributes.get("id") or inner.attributes.get("name") or ""
    above, before = node.parent, node.prev
    while before is not None and not before.is_element_node:
        before = before.prev
    opens = before is None and above is not None and above.tag in ("section", "article", "div")
    return (above.attributes.get("id") or "") if opens and above is not None else ""
