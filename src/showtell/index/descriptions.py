"""What a model said of the library's media: one reply for each content, however many documents show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from showtell.index.store import Store


@dataclass(frozen=True, slots=True)
class Reply:
    """What ``model`` said of a content, made fit to be stored; "" where it said nothing of use."""

    content: str
    model: str
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """The row of a media item, its content, and the document that it stands in, with its language."""

    row: int
    content: str
    source: str
    name: str
    language: str


@dataclass(frozen=True, slots=True)
class InForce:
    """What the row of a media item holds of a model's words."""

    row: int
    content: str
    generated: str
    generated_by: str


class Descriptions:
    """The replies of a store, and the media that they are of."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def replies(self) -> list[Reply]:
        """All of them, by content."""
        return [Reply(*row) for row in self.store.select("SELECT content, model, text FROM replies ORDER BY content")]

    def keep(self, reply: Reply) -> None:
        """Store a reply, in place of an earlier one on the same content."""
        with self.store.writing() as db:
            values = (reply.content, reply.model, reply.text)
            db.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", values)

    def unknown(self, limit: int) -> list[int]:
        """Rows of media of which it is not known yet what a model would be asked about."""
        return [row for (row,) in self.store.select("SELECT id FROM media WHERE content IS NULL LIMIT ?", limit)]

    def know(self, contents: Mapping[int, str]) -> None:
        """Say by row what a model would be asked about; "" is nothing."""
        with self.store.writing() as db:
            changed = [(content, row) for row, content in contents.items()]
            db.executemany("UPDATE media SET content = ? WHERE id = ?", changed)

    def lacking(self, model: str, again: bool = False) -> list[Place]:
        """Media with a content that no model has described and that this one has not been asked about.

        With ``again`` also those that another model described.
        """
        return [
            Place(*row)
            for row in self.store.select(
                """SELECT m.id, m.content, d.source, d.name, d.language FROM media m
                JOIN sections s ON s.id = m.section_id JOIN documents d ON d.id = s.document_id
                LEFT JOIN replies r ON r.content = m.content
                WHERE m.content != '' AND (r.content IS NULL OR (r.model != ? AND (r.text = '' OR ?)))
                ORDER BY d.name, s.ordinal, m.position""",
                model, again,
            )
        ]  # fmt: skip

    def in_force(self) -> list[InForce]:
        """The media that could be described, each with the words that search knows it by."""
        sql = "SELECT id, content, generated, generated_by FROM media WHERE content != '' ORDER BY id"
        return [InForce(*row) for row in self.store.select(sql)]
