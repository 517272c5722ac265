CREATE TABLE tasks (
    id               TEXT PRIMARY KEY,
    owner            TEXT NOT NULL,
    question         TEXT NOT NULL,
    state            TEXT NOT NULL CHECK (state IN ('created', 'running', 'waiting', 'completed', 'failed', 'stopped')),
    revision         INTEGER NOT NULL DEFAULT 0,
    budget_json      TEXT NOT NULL,
    spent_json       TEXT NOT NULL DEFAULT '{}',
    idempotency_key  TEXT,
    created_at       TEXT NOT NULL,
    queued           INTEGER NOT NULL DEFAULT 0,   -- its jobs by state, kept with every move
    running          INTEGER NOT NULL DEFAULT 0,
    parked           INTEGER NOT NULL DEFAULT 0,
    awaiting_auth    INTEGER NOT NULL DEFAULT 0,
    completed        INTEGER NOT NULL DEFAULT 0,
    failed           INTEGER NOT NULL DEFAULT 0,
    cancelled        INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX tasks_key ON tasks(owner, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX tasks_newest ON tasks(owner, created_at, id);

CREATE TABLE jobs (
    id                TEXT PRIMARY KEY,
    task_id           TEXT NOT NULL REFERENCES tasks(id),
    kind              TEXT NOT NULL,
    state             TEXT NOT NULL CHECK (state IN
        ('queued', 'running', 'parked', 'awaiting_auth', 'completed', 'failed', 'cancelled')),
    priority          INTEGER NOT NULL,
    input_json        TEXT NOT NULL,
    output_json       TEXT,                     -- of an awaiting job: what it ends with if nobody comes
    error_json        TEXT NOT NULL DEFAULT '[]',
    progress_json     TEXT NOT NULL DEFAULT '{}',
    attempt           INTEGER NOT NULL DEFAULT 0,
    failures          INTEGER NOT NULL DEFAULT 0,
    worker_id         TEXT,
    beat              INTEGER NOT NULL DEFAULT 0,
    not_before        TEXT,                     -- of a parked or awaiting job: when it leaves that state by itself
    cancel_requested  INTEGER NOT NULL DEFAULT 0,
    dedupe_key        TEXT,
    cause_id          TEXT REFERENCES jobs(id),
    created_at        TEXT NOT NULL,
    started_at        TEXT,
    finished_at       TEXT
) STRICT;
-- The claim reads this index alone: `not_before` and `kind` stand in it so that jobs whose time has not come cost no row.
CREATE INDEX jobs_claim ON jobs(priority, created_at, id, not_before, kind) WHERE state = 'queued';
CREATE INDEX jobs_running ON jobs(worker_id) WHERE state = 'running';
CREATE INDEX jobs_waiting ON jobs(not_before) WHERE state IN ('parked', 'awaiting_auth');
CREATE INDEX jobs_task ON jobs(task_id, created_at, id);
CREATE INDEX jobs_cause ON jobs(cause_id, state) WHERE cause_id IS NOT NULL;
CREATE INDEX jobs_lately ON jobs(kind, finished_at) WHERE state = 'completed';
CREATE UNIQUE INDEX jobs_dedupe ON jobs(task_id, dedupe_key) WHERE dedupe_key IS NOT NULL;

CREATE TABLE job_steps (
    job_id       TEXT NOT NULL REFERENCES jobs(id),
    step_key     TEXT NOT NULL,
    attempt      INTEGER NOT NULL,
    output_json  TEXT NOT NULL,
    PRIMARY KEY (job_id, step_key)
) STRICT, WITHOUT ROWID;

-- `seq` orders all events: other processes ask for what came after the last one they saw.
CREATE TABLE events (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id    TEXT NOT NULL REFERENCES tasks(id),
    revision   INTEGER NOT NULL,
    job_id     TEXT NOT NULL,
    at         TEXT NOT NULL,
    kind       TEXT NOT NULL,
    data_json  TEXT NOT NULL,
    UNIQUE (task_id, revision)
) STRICT;
