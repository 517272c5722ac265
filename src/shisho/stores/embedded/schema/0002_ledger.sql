CREATE TABLE runs (
    id          TEXT PRIMARY KEY,
    owner       TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('open', 'done', 'purged')),
    facts       TEXT NOT NULL,
    created_at  TEXT NOT NULL
) STRICT;
CREATE INDEX runs_newest ON runs(owner, created_at, id);

CREATE TABLE steps (
    run_id      TEXT NOT NULL REFERENCES runs(id),
    step        INTEGER NOT NULL,
    node        TEXT NOT NULL,
    input_hash  TEXT NOT NULL,
    input       TEXT NOT NULL,
    output      TEXT NOT NULL,
    at          TEXT NOT NULL,
    PRIMARY KEY (run_id, step)
) STRICT;

-- A search session shares its run's id; its rows are what the librarian must never see.
CREATE TABLE session_rounds (
    session_id  TEXT NOT NULL,
    round       INTEGER NOT NULL,
    ranked      INTEGER NOT NULL,
    in_scope    INTEGER NOT NULL,
    exhausted   INTEGER NOT NULL,
    PRIMARY KEY (session_id, round)
) STRICT;

CREATE TABLE session_passages (
    session_id   TEXT NOT NULL,
    number       INTEGER NOT NULL,
    round        INTEGER NOT NULL,
    passage_id   INTEGER NOT NULL,
    document_id  TEXT NOT NULL,
    match        REAL NOT NULL,
    PRIMARY KEY (session_id, number)
) STRICT;
CREATE INDEX session_passages_document ON session_passages(document_id);

CREATE TABLE answers (
    id          TEXT PRIMARY KEY,
    run_id      TEXT NOT NULL,
    owner       TEXT NOT NULL,
    created_at  TEXT NOT NULL,
    body        TEXT NOT NULL                 -- the Answer without its evidence
) STRICT;
CREATE INDEX answers_newest ON answers(owner, created_at, id);

CREATE TABLE evidence (
    id           TEXT PRIMARY KEY,
    answer_id    TEXT NOT NULL REFERENCES answers(id) ON DELETE CASCADE,
    number       INTEGER NOT NULL,
    document_id  TEXT NOT NULL,
    snippet      TEXT,                        -- NULL after a purge of its document
    body         TEXT NOT NULL                -- the Evidence without its snippet
) STRICT;
CREATE INDEX evidence_answer ON evidence(answer_id, number);
CREATE INDEX evidence_document ON evidence(document_id);
