-- One pace for each resource (`engine:mojeek`, `host:example.org`), kept by all processes together. `at` is the resource's own
-- time in seconds, which never runs back; `wall` and `monotonic` are what the clocks said then.
CREATE TABLE paces (
    resource   TEXT PRIMARY KEY,
    at         REAL NOT NULL,
    free_at    REAL NOT NULL,                 -- in the resource's own time, like `due` and `began` below
    wall       REAL NOT NULL,
    monotonic  REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- Who waits in its line and whose request is under way, in order of asking.
CREATE TABLE pace_places (
    seq       INTEGER PRIMARY KEY,
    resource  TEXT NOT NULL,
    ticket    TEXT NOT NULL,
    due       REAL NOT NULL,                  -- when it was told to ask again
    began     REAL,                           -- its request is under way since then
    paid      TEXT,                           -- the day it was counted on
    UNIQUE (resource, ticket)
) STRICT;

CREATE TABLE pace_days (
    day       TEXT NOT NULL,                  -- UTC
    resource  TEXT NOT NULL,
    used      INTEGER NOT NULL,
    PRIMARY KEY (day, resource)
) STRICT, WITHOUT ROWID;

CREATE TABLE engine_health (
    engine         TEXT PRIMARY KEY,
    breaker        TEXT NOT NULL CHECK (breaker IN ('closed', 'open')),   -- half open is an open one whose time is over
    failures       INTEGER NOT NULL,          -- in a row
    openings       INTEGER NOT NULL,          -- in a row
    open_until     TEXT,
    last_error     TEXT NOT NULL,
    last_error_at  TEXT,
    prober         TEXT,                      -- who may try while it is half open, and until when
    probe_until    TEXT
) STRICT, WITHOUT ROWID;

-- The latest answers of each engine, for its rates.
CREATE TABLE engine_answers (
    seq        INTEGER PRIMARY KEY,
    engine     TEXT NOT NULL,
    outcome    TEXT NOT NULL CHECK (outcome IN ('success', 'failure', 'challenge')),
    latency_s  REAL NOT NULL
) STRICT;
CREATE INDEX engine_answers_engine ON engine_answers(engine, seq);

CREATE TABLE cache (
    key         TEXT PRIMARY KEY,
    value_json  TEXT NOT NULL,
    partial     INTEGER NOT NULL,
    stored_at   TEXT NOT NULL,
    expires_at  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX cache_expires ON cache(expires_at);

-- What a fetched page became in a corpus, and what its server wants to be asked with again.
CREATE TABLE page_memory (
    corpus         TEXT NOT NULL,
    owner          TEXT NOT NULL,
    canonical_url  TEXT NOT NULL,
    document_id    TEXT NOT NULL,
    fetched_at     TEXT NOT NULL,
    etag           TEXT NOT NULL,
    last_modified  TEXT NOT NULL,
    PRIMARY KEY (corpus, owner, canonical_url)
) STRICT, WITHOUT ROWID;
CREATE INDEX page_memory_document ON page_memory(document_id);

-- How each search went over its result pages, written page by page.
CREATE TABLE searches (
    job_id        TEXT PRIMARY KEY,
    task_id       TEXT NOT NULL,
    query         TEXT NOT NULL,
    engine        TEXT NOT NULL,
    pages         INTEGER NOT NULL DEFAULT 0,
    novelty_json  TEXT NOT NULL DEFAULT '[]',
    harvest_json  TEXT NOT NULL DEFAULT '[]',
    paging_stop   TEXT                        -- NULL while it goes on
) STRICT, WITHOUT ROWID;
CREATE INDEX searches_task ON searches(task_id);

ALTER TABLE finds ADD COLUMN useful INTEGER;  -- whether its page gave a useful passage; NULL while nobody knows

-- A job that is stopped writes nothing any more.
CREATE TRIGGER searches_stopped AFTER UPDATE OF state ON jobs WHEN new.state = 'cancelled' BEGIN
    UPDATE searches SET paging_stop = 'STOPPED' WHERE job_id = new.id AND paging_stop IS NULL;
END;
