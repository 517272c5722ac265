-- Indexes that stand outside this database: how far each has come. One that is made anew has another generation.
CREATE TABLE outer_indexes (
    name        TEXT PRIMARY KEY,
    generation  TEXT NOT NULL,
    change      INTEGER NOT NULL,             -- the newest change and the newest vector that it has taken in
    vector      INTEGER NOT NULL,
    holder      TEXT NOT NULL DEFAULT '',     -- who takes changes in just now, and until when on the time line at most
    held_until  REAL NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- In how many passages of a document each word stands that an index has taken in: 4 bytes of its hash and 4 of the number.
-- It is what is taken off again when the document has gone, for after a purge its words are nowhere else.
CREATE TABLE outer_documents (
    name         TEXT NOT NULL REFERENCES outer_indexes(name) ON DELETE CASCADE,
    document_id  TEXT NOT NULL,
    corpus_id    INTEGER NOT NULL,
    words        BLOB NOT NULL,
    PRIMARY KEY (name, document_id)
) STRICT;

-- In how many passages of a corpus each word stands: what a reader may not search has no part in how rare a word is.
CREATE TABLE outer_words (
    name       TEXT NOT NULL REFERENCES outer_indexes(name) ON DELETE CASCADE,
    corpus_id  INTEGER NOT NULL,
    code       INTEGER NOT NULL,
    passages   INTEGER NOT NULL,
    PRIMARY KEY (name, corpus_id, code)
) STRICT, WITHOUT ROWID;
