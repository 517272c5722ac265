-- What jobs have found: hits of result pages, addresses and files that were handed in, and the documents they became.
CREATE TABLE finds (
    task_id        TEXT NOT NULL,
    job_id         TEXT NOT NULL,
    canonical_url  TEXT NOT NULL,             -- of a file: its path or name
    seq            INTEGER NOT NULL,          -- within the task; a row that changes takes the next one
    url            TEXT NOT NULL,
    title          TEXT NOT NULL,
    snippet        TEXT NOT NULL,
    published_at   TEXT,
    query          TEXT,
    engine         TEXT,
    page_number    INTEGER,
    rank_on_page   INTEGER,
    rank           INTEGER,                   -- over all pages of its job
    status         TEXT NOT NULL CHECK (status IN ('found', 'visited', 'failed', 'left_out')),
    document_id    TEXT,
    fetched_at     TEXT,
    code           TEXT,
    reason         TEXT,
    PRIMARY KEY (job_id, canonical_url)
) STRICT, WITHOUT ROWID;
CREATE INDEX finds_task ON finds(task_id, seq);
CREATE INDEX finds_seen ON finds(task_id, canonical_url);
CREATE INDEX finds_document ON finds(document_id) WHERE document_id IS NOT NULL;

CREATE VIEW provenance AS
    SELECT document_id, job_id, task_id, query, engine, rank, page_number, fetched_at
    FROM finds WHERE document_id IS NOT NULL;
