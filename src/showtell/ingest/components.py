"""The building blocks that documentation dialects share, by name, as HTML: notes, folds, tabs, figures, videos.

A directive (MyST, Sphinx), a shortcode (Hugo, Jekyll, GitBook), a container (Docusaurus, VitePress) and a JSX component
are four spellings of one thing: a name, an argument, options and perhaps content.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import PurePosixPath

from showtell.ingest.embeds import player


def names(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


NOTES = names(
    """
    note tip hint important warning caution danger attention error info seealso see-also admonition todo
    abstract summary success question failure bug example quote callout alert aside check remember topic sidebar
    versionadded versionchanged versionremoved deprecated deprecation notice highlights theorem definition
    exercise solution morelikethis prerequisites availability administration admin
    """
)
FOLDS = names(
    """
    details dropdown expand expandable accordion collapse collapsible spoiler toggle fold
    """
)
FIGURES = names("figure image img thumbnail screenshot lightbox picture imgproc figure-md frame")
VIDEOS = names(
    """
    video youtube youtubelite youtubeembed vimeo embed iframe reactplayer player peertube wistia loom youtube-
    lite mp4 videoplayer
    """
)
TITLED = names(
    """
    tab tab-item tabitem tab-panel tabpanel group-tab code-tab card grid-item-card step cards-item item pane
    accordion-item panel content-tab rubric centered
    """
)
CODE = names(
    """
    code code-block sourcecode code-cell highlight parsed-literal doctest testcode testoutput prompt console
    mermaid graphviz digraph graph uml plantuml productionlist math ipython jupyter-execute terminal
    """
)
SILENT = names(
    """
    toctree contents tableofcontents toc sectnum index meta currentmodule module highlightlang default-role
    tabularcolumns comment bibliography autosummary sectionauthor codeauthor testsetup testcleanup plot only-
    latex audio pagebreak clear notoc localtoc table-of-contents adsense ad
    """
)
VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}
SPOKEN_OPTIONS = ("title", "label", "header", "name", "text", "caption", "summary", "question", "description")
VIDEO_FILE = re.compile(r"\.(?:mp4|webm|mov|m4v|mkv|ogv)(?:[?#]|$)", re.I)
IMAGE_FILE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|avif|bmp|tiff?)(?:[?#]|$)", re.I)
EMPHASIS = re.compile(r"(\*\*|__|\*|`)(?=\S)(.+?)(?<=\S)\1")
BARE_ID = re.compile(r"[\w-]{6,24}$")


@dataclass(frozen=True, slots=True)
class Component:
    """A named building block: ``argument`` is its title, address or identifier."""

    name: str
    argument: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    def option(self, *names: str) -> str:
        """The first of these options that is set, or ""."""
        return next((self.options[name] for name in names if self.options.get(name)), "")


def known(component: Component) -> bool:
    """Whether a reader's page of its dialect would show this component in a way that is known here."""
    return any(component.name in names for names in (NOTES, FOLDS, FIGURES, VIDEOS, TITLED, CODE, SILENT))


def frame(component: Component) -> tuple[str, str]:
    """The HTML before and after a component's content."""
    name = component.name
    if name in NOTES:
        return _note(component)
    if name in FOLDS:
        title = component.argument or component.option("title", "summary", "label", "header")
        return f"<details open><summary>{escape(title)}</summary>", "</details>"
    if name in VIDEOS:
        return video(*_address_and_title(component)), ""
    if name in FIGURES:
        return _figure(component)
    if name in CODE:
        return f"<pre><code>{escape(component.argument)}\n" if component.argument else "<pre><code>", "</code></pre>"
    if name in SILENT:
        return "", ""
    return _titled(component), ""


def paragraph(text: str) -> str:
    """A short title of its own, as HTML; nothing for an empty one."""
    return f"<p><strong>{escape(text)}</strong></p>" if text.strip() else ""


def video(address: str, title: str = "") -> str:
    """A video by its address: a player's page in an iframe, a file in a video element."""
    if not address:
        return ""
    label = f' title="{escape(title)}"' if title else ""
    if VIDEO_FILE.search(address) or player(address) is None:
        return f'<video src="{escape(address)}"{label}></video>'
    return f'<iframe src="{escape(address)}"{label}></iframe>'


def image(address: str, alt: str = "", title: str = "", caption: str = "") -> str:
    """An image, in a figure if it has a caption (plain text)."""
    label = f' title="{escape(title)}"' if title else ""
    element = f'<img src="{escape(address)}" alt="{escape(alt)}"{label}>'
    return f"<figure>{element}<figcaption>{escape(caption)}</figcaption></figure>" if caption else element


def embedded(address: str, title: str = "") -> str:
    """Whatever an address shows when embedded: an image, a video, or a link."""
    if IMAGE_FILE.search(address):
        return image(address, title)
    if VIDEO_FILE.search(address) or player(address) is not None:
        return video(address, title)
    return f'<a href="{escape(address)}">{escape(title or PurePosixPath(address).stem)}</a>'


def _note(component: Component) -> tuple[str, str]:
    name = component.name
    title = component.argument or component.option("title", "header", "heading")
    if name in VERSIONS:
        title = f"{VERSIONS[name]} {title}".strip()
    heading = f'<p class="admonition-title">{escape(title)}</p>' if title else ""
    return f'<div class="admonition {escape(name)}">{heading}', "</div>"


def _figure(component: Component) -> tuple[str, str]:
    address = component.option("src", "source", "link", "url", "file", "image") or component.argument
    caption = component.option("caption") or ("" if component.name == "image" else component.option("title"))
    caption = EMPHASIS.sub(r"\2", caption)
    if not address:  # <Frame caption="..."> around an image
        return "<figure>", f"<figcaption>{escape(caption)}</figcaption></figure>" if caption else "</figure>"
    alt = component.option("alt", "alt-text")
    label = component.option("title") if component.name == "image" else ""
    title = f' title="{escape(label)}"' if label else ""
    said = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<figure><img src="{escape(address)}" alt="{escape(alt)}"{title}>', f"{said}</figure>"


def _address_and_title(component: Component) -> tuple[str, str]:
    named = component.option("url", "src", "source", "href", "path", "link", "file", "mp4", "webm")
    key = component.option("id", "videoid", "video_id", "youtubeid", "v", "embedid") or component.argument
    title = component.option("title", "alt", "caption", "label")
    if named:
        return named, title
    if not BARE_ID.match(key.split("?")[0]):
        return key.split()[0] if key.split() else "", title
    start = component.option("start", "t") or _query_value(component.option("url_parameters"), "start")
    if component.name == "vimeo" or component.option("provider", "type") == "vimeo":
        return f"https://player.vimeo.com/video/{key}" + (f"#t={start}s" if start else ""), title
    return f"https://www.youtube.com/embed/{key}" + (f"?start={start}" if start else ""), title


def _query_value(query: str, key: str) -> str:
    found = re.search(rf"(?:^|[?&]){key}=([\w.]+)", query)
    return found[1] if found else ""


def _titled(component: Component) -> str:
    spoken = component.argument or component.option(*SPOKEN_OPTIONS)
    return paragraph(spoken)


ARGUMENT = re.compile(
    r"""(?P<key>[\w-]+)\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|\{?(?P<bare>[^\s"'{}]+)\}?)"""
    r"""|"(?P<words>[^"]*)"|'(?P<other>[^']*)'|(?P<word>[^\s"']+)"""
)


def read_arguments(name: str, text: str) -> Component:
    """``name`` and what stands behind it in a shortcode or a tag, e.g. ``youtube id="x" start=30``."""
    options: dict[str, str] = {}
    words: list[str] = []
    for found in ARGUMENT.finditer(text):
        if found["key"]:
            options[found["key"].lower()] = found["double"] or found["single"] or found["bare"] or ""
        else:
            words.append(found["words"] or found["other"] or found["word"] or "")
    return Component(name.lower(), " ".join(words).strip(), options)


def role_text(name: str, content: str) -> str:
    """The words that a role of Sphinx or MyST shows, e.g. "the guide" for ``:doc:`the guide <guide>```."""
    if name in ICON_ROLES or name.startswith("material-"):
        return ""
    titled = re.match(r"(.*\S)\s*<[^<>]*>$", content, re.S)
    if titled:
        return titled[1]
    content = content.removeprefix("!")
    if name == "menuselection":
        return re.sub(r"\s*-->\s*", " > ", content).replace("&", "")
    if name == "guilabel":
        return re.sub(r"&(?=\S)", "", content)
    if name in ("file", "samp"):
        return content.replace("{", "").replace("}", "")
    if content.startswith("~"):
        return content[1:].rsplit(".", 1)[-1]
    if name in ("ref", "doc", "numref", "std:ref", "std:doc"):
        return re.sub(r"[-_]+", " ", content.rsplit("/", 1)[-1]).strip()
    return content


ICON_ROLES = names("fa fas far fab icon octicon octicons iconify bdg-ref simple-icons")
