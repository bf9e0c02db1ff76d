"""The written draft: a chat model answers from the passages that fit best (MuRAR §2.1) and cites each by its number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from showtell.answer.citing import claims_of
from showtell.answer.instructions import without_instructions
from showtell.answer.prompts import fenced, fill, harmless, language_name
from showtell.answer.reply import Reply
from showtell.models.base import ChatRequest
from showtell.models.tokens import count_tokens, cut_to_tokens
from showtell.types import Claim, Passage

WHOLE = 0.8  # of the tokens that a reply may have; the estimate is high, not low
LEAST = 40  # tokens of a passage below which it says nothing


@dataclass(frozen=True, slots=True)
class Offer:
    """A passage and its text as the model sees it: without sentences that address the model, cut to its context."""

    passage: Passage
    text: str


@dataclass(frozen=True, slots=True)
class Room:
    """What a model can take and is asked for: tokens of prompt and reply, tokens of the reply, words of the answer."""

    context_tokens: int
    reply_tokens: int
    words: int

    @property
    def prompt_tokens(self) -> int:
        """Tokens that the prompt may have."""
        return self.context_tokens - self.reply_tokens


def offer(question: str, passages: Sequence[Passage], room: Room) -> tuple[tuple[Offer, ...], tuple[str, ...]]:
    """The passages as far as they fit, best first, and what the reader should know of what was kept from the model."""
    left = room.prompt_tokens - tokens(draft_request(question, (), "", room))
    kept: list[Offer] = []
    for passage in passages:
        said, _ = without_instructions(passage.text)
        left -= count_tokens(_fenced(len(kept) + 1, passage, ""))
        text = cut_to_tokens(said, left) if left > LEAST else ""
        if text.strip():
            kept.append(Offer(passage, text))
            left -= count_tokens(text)
    return tuple(kept), kept_back(passages)


def kept_back(passages: Iterable[Passage]) -> tuple[str, ...]:
    """What the reader should know of sentences that address the model and that it is not given."""
    documents = dict.fromkeys(each.document for each in passages if without_instructions(each.text)[1])
    return tuple(
        f"text in {name} that gives a model instructions was kept from it; look whether it belongs there"
        for name in documents
    )


def draft_request(question: str, offers: Sequence[Offer], language: str, room: Room) -> ChatRequest:
    """What the model is asked: the passages, numbered from 1, and the question."""
    passages = "\n\n".join(_fenced(number, each.passage, each.text) for number, each in enumerate(offers, start=1))
    messages = fill(
        "draft", passages=passages, question=harmless(question), words=str(room.words), language=language_name(language)
    )
    return ChatRequest(messages, max_tokens=room.reply_tokens)


def closed_book_request(question: str, language: str, room: Room) -> ChatRequest:
    """The comparison without sources: the question alone."""
    messages = fill("closed_book", question=question, words=str(room.words), language=language_name(language))
    return ChatRequest(messages, max_tokens=room.reply_tokens)


def claims(reply: Reply, offers: Sequence[Offer]) -> list[Claim]:
    """The sentences of the reply, with the passages that they cite."""
    passages = [each.passage for each in offers]
    return [claim for piece in reply.pieces if isinstance(piece, str) for claim in claims_of(piece, passages)]


def _fenced(number: int, passage: Passage, text: str) -> str:
    return fenced("passage", text, number=number, section=" > ".join([passage.title, *passage.section]))


def is_whole(reply: str, request: ChatRequest) -> bool:
    """Whether a reply is too short to have been cut by the bound of its request."""
    return count_tokens(reply) < WHOLE * request.max_tokens


def tokens(request: ChatRequest) -> int:
    """About how many tokens a request has."""
    return sum(count_tokens(message.text) + 8 for message in request.messages)
