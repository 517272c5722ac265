-- Which question followed which. A turn is a run; what it was understood as stands in its answer.
CREATE TABLE conversations (
    id          TEXT PRIMARY KEY,
    owner       TEXT NOT NULL,
    created_at  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE turns (
    seq              INTEGER PRIMARY KEY,
    conversation_id  TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
    run_id           TEXT NOT NULL UNIQUE,
    question         TEXT NOT NULL
) STRICT;
CREATE INDEX turns_conversation ON turns(conversation_id, seq);
CREATE INDEX answers_run ON answers(run_id);
