"""What stands on the tab of each tab panel: panels are read one after the other, so each needs its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from showtell.ingest.inline import squeeze

_STYLES = (("[role=tab]", "[role=tabpanel]"), (".tabbed-labels > label", ".tabbed-block"))  # the second is MkDocs
AROUND = 3  # elements looked at above tab and panel for the one that holds both


def tab_names(page: LexborHTMLParser) -> dict[int, str]:
    """The words on a panel's tab, by the panel's id in the page.

    Tab and panel belong together by ``aria-labelledby`` or ``aria-controls``; failing these by their order, where the
    element around them holds as many tabs as panels.
    """
    names: dict[int, str] = {}
    for tab_style, panel_style in _STYLES:
        panels = {panel.mem_id: panel for panel in page.css(panel_style)}
        tabs = {tab.mem_id: tab for tab in page.css(tab_style)} if panels else {}
        names |= _by_order(list(tabs.values()), list(panels.values()))
        controls = {tab.attributes.get("aria-controls") or "": tab for tab in tabs.values()}
        for number, panel in panels.items():
            attributes = panel.attributes
            tab = _labelling(page, attributes.get("aria-labelledby")) or controls.get(attributes.get("id") or " ")
            words = squeeze(tab.text() if tab else attributes.get("aria-label") or "")
            names |= {number: words} if words else {}
    return names


def _labelling(page: LexborHTMLParser, ids: str | None) -> LexborNode | None:
    """The element with the first of these ids."""
    first = (ids or "").split()[:1]
    return page.css_first(f'[id="{first[0]}"]') if first and re.fullmatch(r"[\w:.-]+", first[0]) else None


def _by_order(tabs: list[LexborNode], panels: list[LexborNode]) -> dict[int, str]:
    tabs_in: dict[int, list[LexborNode]] = {}
    panels_in: dict[int, list[LexborNode]] = {}
    for tab in tabs:
        for above in _above(tab):
            tabs_in.setdefault(above.mem_id, []).append(tab)
    for panel in panels:
        holder = next((above.mem_id for above in _above(panel) if above.mem_id in tabs_in), None)
        if holder is not None:
            panels_in.setdefault(holder, []).append(panel)
    return {
        panel.mem_id: squeeze(tab.text())
        for holder, members in panels_in.items()
        if len(members) == len(tabs_in[holder])
        for tab, panel in zip(tabs_in[holder], members, strict=True)
    }


def _above(node: LexborNode) -> Iterator[LexborNode]:
    for _ in range(AROUND):
        if node.parent is None or node.parent.tag == "body":
            return
        node = node.parent
        yield node
