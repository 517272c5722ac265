-- Sessions of assistants that are their own librarians; what they were shown stands in session_rounds and session_passages.
CREATE TABLE assistants (
    id          TEXT PRIMARY KEY,
    owner       TEXT NOT NULL,
    strategy    TEXT NOT NULL,
    scope       TEXT NOT NULL,
    created_at  TEXT NOT NULL
) STRICT;
CREATE INDEX assistants_newest ON assistants(owner, created_at, id);

-- A quotation as a span of the stored text, never the text itself.
CREATE TABLE assistant_evidence (
    session_id   TEXT NOT NULL REFERENCES assistants(id),
    number       INTEGER NOT NULL,
    goal_id      TEXT NOT NULL,
    document_id  TEXT NOT NULL,
    passage_id   INTEGER NOT NULL,
    page         INTEGER,
    start        INTEGER NOT NULL,
    "end"        INTEGER NOT NULL,
    cluster      TEXT NOT NULL,
    score        REAL NOT NULL,
    round        INTEGER NOT NULL,
    PRIMARY KEY (session_id, number),
    UNIQUE (session_id, goal_id, document_id, start, "end")
) STRICT, WITHOUT ROWID;
CREATE INDEX assistant_evidence_document ON assistant_evidence(document_id);
