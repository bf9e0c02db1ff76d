"""The blocks of a reply: paragraphs, list items, headings and code, sentence by sentence, each said once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from showtell.answer.reply.inline import Inline, closed_element
from showtell.answer.reply.lines import is_drawn, markdown_lines
from showtell.answer.reply.phrases import phrase
from showtell.answer.reply.told import Told
from showtell.answer.reply.wording import Sentence, by_sentence

DEEPEST = 6  # lists around an item whose indentation is kept
LONGEST_CODE = 1_900  # characters of a code block
# The two words that the prompt asks for; some models translate them.
NO_ANSWER = re.compile(
    r"[\W_]*(?i:no[\s_-]*answer|keine antwort|(?:pas de|sans|aucune) réponse|(?:sin|no hay|ninguna) respuesta"
    r"|(?:没有|无)答案|нет ответа|nessuna risposta|sem resposta|回答なし)[\W_]*?(?:\n|$)|[\W_]*NO[ _-]ANSWER\b"
)


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list item, heading or code block; ``label`` is what a list shows before it, with its indentation.

    The sentences of a code block are the citations behind it.
    """

    sentences: list[Sentence]
    label: str = ""
    level: int = 0
    code: str = ""

    @property
    def plain(self) -> str:
        """Its words on one line."""
        return " ".join(each.plain for each in self.sentences)


class Reader:
    """Reads blocks from Markdown; keeps what was said already."""

    def __init__(self, passages: Sequence[str], media: Collection[str], told: Told) -> None:
        self.inline = Inline(passages, media, told)
        self.told = told
        self._said: Counter[str] = Counter()
        self._last = ""
        self._last_said: list[Sentence] = []

    def blocks(self, text: str) -> Iterator[Block]:
        """The blocks in reading order, without those of which nothing is left."""
        tokens = _parser().parse(markdown_lines(text, self.told, self.inline.known))
        inner = [child for token in tokens for child in token.children or ()]
        self.inline.closers = Counter(name for token in inner if (name := closed_element(token)))
        lists: list[int] = []  # of each open list the number of its next item, or 0
        is_first = is_behind_code = False
        level = 0
        for token in tokens:
            if token.type in ("ordered_list_open", "bullet_list_open"):
                lists.append(int(token.attrGet("start") or 1) if token.type.startswith("o") else 0)
            elif token.type in ("ordered_list_close", "bullet_list_close"):
                lists.pop()
                is_first = False
            elif token.type == "list_item_open":
                is_first = True
            elif token.type == "heading_open":
                level = int(token.tag[1])
            elif token.type == "heading_close":
                level = 0
            elif token.type == "fence" and not self.inline.skipping:
                code = self._code(token)
                self._last_said = code.sentences
                is_behind_code = bool(code.code)
                yield code
            elif token.type == "inline":
                read = self._sentences(token.children or [], is_step=bool(lists and lists[-1]), is_heading=level > 0)
                has_words = any(each.plain or each.citations for each in read)
                label = _label(lists) if is_first and has_words else ""
                if label:
                    is_first = False
                    lists[-1] += lists[-1] > 0
                has_only_marks = has_words and not any(each.plain for each in read)
                if has_only_marks and is_behind_code:
                    self._last_said += read
                elif has_only_marks and self._last_said:
                    self._last_said[-1] = Sentence(
                        (*self._last_said[-1].runs, *(r for each in read for r in each.runs))
                    )
                elif read:
                    self._last_said, is_behind_code = read, False
                    yield Block(read, label, level)

    def _code(self, token: Token) -> Block:
        code = token.content.rstrip("\n")
        if is_drawn(code):
            self.told.note("table")
            return Block([])
        if len(code) > LONGEST_CODE:
            code = code[:LONGEST_CODE].rpartition("\n")[0] or code[:LONGEST_CODE]
        code = self.inline.without_addresses(code)[0]
        ticks = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
        language = re.match(r"\w{0,20}", token.info.strip())
        return Block([], code=f"{ticks}{language[0] if language else ''}\n{code}\n{ticks}" if code.strip() else "")

    def _sentences(self, tokens: Sequence[Token], *, is_step: bool, is_heading: bool) -> list[Sentence]:
        found = []
        for sentence in by_sentence(list(self.inline.runs(tokens))):
            sentence = self._addressed(sentence)
            key = " ".join(re.findall(r"\w+", sentence.plain.casefold()))
            told = self._said[key] >= (2 if is_step else 1) or key == self._last
            idle = not key or (not is_heading and told) or _is_idle(sentence)
            if key and not is_heading:
                self._said[key] += 1
                self._last = key
            if idle:  # what it cites and shows stays, unless the words it cited for are said already
                kept = (run for run in sentence.runs if run.marker or (run.citation and not key))
                sentence = Sentence(tuple(kept))
            if sentence.runs:
                found.append(sentence)
        return found

    def _addressed(self, sentence: Sentence) -> Sentence:
        """The sentence without addresses of the model's own; where it cites nothing, without its words."""
        runs = [(run, *self.inline.without_addresses(run.text)) for run in sentence.runs]
        if not any(changed for _, _, changed in runs):
            return sentence
        if not sentence.citations:
            return Sentence(tuple(run for run in sentence.runs if run.marker))
        return Sentence(tuple(replace(run, text=text) for run, text, _ in runs))


class _Lenient(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 (the library's names)
        """Take every address for a link, so that a link is known as one whatever it leads to."""
        return True


@cache
def _parser() -> MarkdownIt:
    # Models indent freely and underline with dashes; "[1]: ..." is no definition. Without text_join an escaped bracket
    # stays apart from one that may be a citation. HTML is told from text here only to be taken out.
    parser = _Lenient("commonmark", {"html": True, "maxNesting": 40})
    return parser.disable(["code", "lheading", "reference", "html_block", "text_join"])


def _label(lists: Sequence[int]) -> str:
    return "  " * (min(len(lists), DEEPEST) - 1) + (f"{lists[-1]}. " if lists[-1] else "- ")


def _is_idle(sentence: Sentence) -> bool:
    """Whether a sentence is a courtesy, or says again that there is no answer where there is one."""
    plain = sentence.plain
    return not sentence.citations and bool(phrase("farewell").match(plain) or NO_ANSWER.fullmatch(plain))
