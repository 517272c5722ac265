-- What the owner thinks of a source. Of rejected evidence, the span and never the text: a purge has nothing to erase here.
CREATE TABLE opinions (
    owner        TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('domain', 'evidence')),
    target       TEXT NOT NULL,
    document_id  TEXT,
    start        INTEGER,
    "end"        INTEGER,
    at           TEXT NOT NULL,
    PRIMARY KEY (owner, kind, target)
) STRICT, WITHOUT ROWID;
