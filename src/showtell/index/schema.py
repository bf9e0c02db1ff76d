"""The store's tables, as migrations: statement lists that take a database from version N to N + 1."""

from __future__ import annotations

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        "INSERT INTO meta VALUES ('generation', '0')",
        """CREATE TABLE documents (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            source TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL UNIQUE,
            root TEXT NOT NULL,
            hash TEXT NOT NULL,
            title TEXT NOT NULL,
            description TEXT NOT NULL,
            language TEXT NOT NULL,
            url TEXT, licence TEXT, revision TEXT,
            dropped INTEGER NOT NULL,
            added TEXT NOT NULL DEFAULT (datetime('now')))""",
        """CREATE TABLE sections (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            document_id INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
            ordinal INTEGER NOT NULL,
            path TEXT NOT NULL,
            anchor TEXT NOT NULL,
            blocks TEXT NOT NULL)""",
        "CREATE INDEX sections_of_document ON sections (document_id, ordinal)",
        """CREATE TABLE passages (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            section_id INTEGER NOT NULL REFERENCES sections ON DELETE CASCADE,
            first INTEGER NOT NULL, last INTEGER NOT NULL,
            start REAL, "end" REAL,
            text TEXT NOT NULL)""",
        "CREATE INDEX passages_of_section ON passages (section_id)",
        """CREATE TABLE media (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL,
            section_id INTEGER NOT NULL REFERENCES sections ON DELETE CASCADE,
            position INTEGER NOT NULL,
            before TEXT NOT NULL, after TEXT NOT NULL)""",
        "CREATE INDEX media_of_section ON media (section_id, position)",
        "CREATE INDEX media_by_key ON media (key)",
        """CREATE TABLE assets (
            document_id INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
            name TEXT NOT NULL, PRIMARY KEY (document_id, name)) WITHOUT ROWID""",
        "CREATE INDEX assets_by_name ON assets (name)",
        """CREATE TABLE passage_vectors (
            id INTEGER PRIMARY KEY REFERENCES passages ON DELETE CASCADE, vector BLOB NOT NULL)""",
        """CREATE TABLE media_vectors (
            id INTEGER PRIMARY KEY REFERENCES media ON DELETE CASCADE, vector BLOB NOT NULL)""",
        """CREATE TABLE moments (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            section_id INTEGER NOT NULL REFERENCES sections ON DELETE CASCADE,
            position INTEGER NOT NULL,
            start REAL NOT NULL, "end" REAL NOT NULL,
            text TEXT NOT NULL,
            vector BLOB)""",
        "CREATE INDEX moments_of_section ON moments (section_id, position)",
        "CREATE VIRTUAL TABLE passage_terms USING fts5(title, heading, text, tokenize=\"unicode61 tokenchars '_'\")",
        "CREATE VIRTUAL TABLE passage_vocabulary USING fts5vocab(passage_terms, row)",
        "CREATE VIRTUAL TABLE media_terms USING fts5(description, context, tokenize=\"unicode61 tokenchars '_'\")",
        """CREATE TRIGGER passage_gone AFTER DELETE ON passages BEGIN
            DELETE FROM passage_terms WHERE rowid = old.id; END""",
        "CREATE TRIGGER media_gone AFTER DELETE ON media BEGIN DELETE FROM media_terms WHERE rowid = old.id; END",
    ),
    (  # 2: what a model says of media whose author says nothing
        """CREATE TABLE replies (
            content TEXT PRIMARY KEY,
            model TEXT NOT NULL,
            text TEXT NOT NULL) WITHOUT ROWID""",
        "ALTER TABLE media ADD COLUMN content TEXT",  # NULL until somebody asks what can be described
        "ALTER TABLE media ADD COLUMN generated TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE media ADD COLUMN generated_by TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX media_by_content ON media (content)",
    ),
    (  # 3: what stored pictures look like; the rest is NULL of an icon, and of one that shows nothing or is broken
        """CREATE TABLE likenesses (
            asset TEXT PRIMARY KEY,
            width INTEGER, height INTEGER,
            windows BLOB, copy BLOB)""",
    ),
    (  # 4: what an image encoder makes of stored pictures; NULL of one that is broken
        "CREATE TABLE looks (asset TEXT PRIMARY KEY, vector BLOB)",
    ),
)
