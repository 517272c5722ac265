CREATE TABLE corpora (
    id          INTEGER PRIMARY KEY,
    owner       TEXT NOT NULL,
    name        TEXT NOT NULL,
    created_at  TEXT NOT NULL,
    documents   INTEGER NOT NULL DEFAULT 0,   -- live ones; these five are kept by the triggers below
    passages    INTEGER NOT NULL DEFAULT 0,
    terms       INTEGER NOT NULL DEFAULT 0,
    bigrams     INTEGER NOT NULL DEFAULT 0,
    heading     INTEGER NOT NULL DEFAULT 0,
    UNIQUE (owner, name)
) STRICT;

CREATE TABLE documents (
    id             TEXT PRIMARY KEY,
    corpus_id      INTEGER NOT NULL REFERENCES corpora(id),
    owner          TEXT NOT NULL,
    source         TEXT NOT NULL,
    title          TEXT NOT NULL,
    media_type     TEXT NOT NULL,
    sha256         TEXT NOT NULL,
    size           INTEGER NOT NULL,
    page_count     INTEGER,
    state          TEXT NOT NULL CHECK (state IN ('live', 'superseded', 'removed', 'purged')),
    added_at       TEXT NOT NULL,
    warnings       TEXT NOT NULL,
    text           TEXT,                      -- the original; NULL after a purge
    layout         BLOB,                      -- lines with page and box, compressed; NULL where the format has none
    passage_count  INTEGER NOT NULL,
    term_count     INTEGER NOT NULL,
    bigram_count   INTEGER NOT NULL,
    heading_count  INTEGER NOT NULL
) STRICT;
CREATE INDEX documents_bytes ON documents(corpus_id, sha256) WHERE state = 'live';
CREATE INDEX documents_order ON documents(corpus_id, added_at, id) WHERE state = 'live';

-- Every place a document was met at: two files may hold the same bytes.
CREATE TABLE places (
    corpus_id    INTEGER NOT NULL REFERENCES corpora(id),
    source       TEXT NOT NULL,
    document_id  TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    PRIMARY KEY (corpus_id, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX places_document ON places(document_id);

CREATE TABLE document_meta (
    document_id  TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    key          TEXT NOT NULL,
    value        TEXT NOT NULL,
    folded       TEXT NOT NULL,               -- the form that filters compare: folded text, dates as ISO
    number       REAL,                        -- the value as a number, where it is one
    PRIMARY KEY (document_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_meta_value ON document_meta(key, folded);

CREATE TABLE passages (
    id             INTEGER PRIMARY KEY,       -- 60 bits of the content hash
    document_id    TEXT NOT NULL REFERENCES documents(id),
    ordinal        INTEGER NOT NULL,
    start          INTEGER NOT NULL,
    "end"          INTEGER NOT NULL,
    page           INTEGER,
    heading        TEXT NOT NULL,
    kind           TEXT NOT NULL,
    text           TEXT NOT NULL,
    terms          TEXT NOT NULL,
    heading_terms  TEXT NOT NULL,
    bigrams        TEXT NOT NULL,
    cluster        TEXT NOT NULL
) STRICT;
CREATE INDEX passages_document ON passages(document_id, ordinal);

CREATE TABLE passage_bands (
    band        INTEGER NOT NULL,
    passage_id  INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE,
    PRIMARY KEY (band, passage_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX passage_bands_passage ON passage_bands(passage_id);

-- What an index has not taken in yet: it remembers the last `seq` it has seen.
CREATE TABLE changes (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id  TEXT NOT NULL
) STRICT;

CREATE TRIGGER documents_added AFTER INSERT ON documents WHEN new.state = 'live' BEGIN
    UPDATE corpora SET documents = documents + 1, passages = passages + new.passage_count,
        terms = terms + new.term_count, bigrams = bigrams + new.bigram_count, heading = heading + new.heading_count
    WHERE id = new.corpus_id;
    INSERT INTO changes(document_id) VALUES (new.id);
END;

CREATE TRIGGER documents_left AFTER UPDATE OF state ON documents WHEN old.state = 'live' AND new.state <> 'live' BEGIN
    UPDATE corpora SET documents = documents - 1, passages = passages - new.passage_count,
        terms = terms - new.term_count, bigrams = bigrams - new.bigram_count, heading = heading - new.heading_count
    WHERE id = new.corpus_id;
    INSERT INTO changes(document_id) VALUES (new.id);
END;

CREATE TRIGGER documents_back AFTER UPDATE OF state ON documents WHEN old.state <> 'live' AND new.state = 'live' BEGIN
    UPDATE corpora SET documents = documents + 1, passages = passages + new.passage_count,
        terms = terms + new.term_count, bigrams = bigrams + new.bigram_count, heading = heading + new.heading_count
    WHERE id = new.corpus_id;
    INSERT INTO changes(document_id) VALUES (new.id);
END;
