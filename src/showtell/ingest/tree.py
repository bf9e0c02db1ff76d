"""Walking a parsed page without recursion: markup may be nested ten thousand deep."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from xml.sax.saxutils import escape, quoteattr

from selectolax.lexbor import LexborNode

_XML_NAME = re.compile(r"[A-Za-z_][\w.-]*\Z")


def walk(root: LexborNode, enters: Callable[[LexborNode], bool]) -> Iterator[tuple[LexborNode, bool]]:
    """Every node below ``root`` in reading order, with True.

    ``enters`` is asked for each element, before it comes up, whether its children are visited; an element that is
    entered comes up again, with False, behind its last child.
    """
    node = root.first_child
    while node is not None:
        into = node.is_element_node and enters(node)
        yield node, True
        if into and node.first_child is not None:
            node = node.first_child
            continue
        if into:
            yield node, False
        while node.next is None:
            above = node.parent
            if above is None or above.mem_id == root.mem_id:
                return
            node = above
            yield node, False
        node = node.next


def as_xml(root: LexborNode) -> str:
    """An element of foreign markup (SVG) as well-formed XML; what XML cannot hold is left out."""
    pieces = [_opening(root)]
    for node, entering in walk(root, lambda node: node.tag != "foreignObject"):
        if node.is_text_node:
            pieces.append(escape(node.text_content or ""))
        elif node.is_element_node and node.tag != "foreignObject":
            pieces.append(_opening(node) if entering else f"</{_name(node)}>")
    return "".join([*pieces, f"</{_name(root)}>"])


def _opening(node: LexborNode) -> str:
    attributes = {name.removeprefix("xlink:"): value or "" for name, value in node.attributes.items()}
    kept = (f" {name}={quoteattr(value)}" for name, value in attributes.items() if _XML_NAME.match(name))
    return f"<{_name(node)}{''.join(name for name in kept if not name.startswith(' xmlns='))}>"


def _name(node: LexborNode) -> str:
    return node.tag if node.tag and _XML_NAME.match(node.tag) else "g"
