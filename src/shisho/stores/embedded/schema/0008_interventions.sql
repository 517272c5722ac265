-- What waits, or has waited, for a person. A row begins and ends in the transactions that take its job to and from
-- awaiting_auth: of every awaiting job there is just one row without an end, and of no other.
CREATE TABLE interventions (
    id            TEXT PRIMARY KEY,
    owner         TEXT NOT NULL,
    task_id       TEXT NOT NULL REFERENCES tasks(id),
    job_id        TEXT NOT NULL REFERENCES jobs(id),
    engine        TEXT NOT NULL,              -- '' of a page that is no result page
    domain        TEXT NOT NULL,
    url           TEXT NOT NULL,
    kind          TEXT NOT NULL,
    state         TEXT NOT NULL DEFAULT 'pending' CHECK (state IN
        ('pending', 'in_progress', 'completed', 'skipped', 'expired', 'cancelled')),
    created_at    TEXT NOT NULL,
    expires_at    TEXT,
    ended_at      TEXT CHECK ((ended_at IS NULL) = (state IN ('pending', 'in_progress'))),
    announced_at  TEXT                        -- when the desktop was told
) STRICT;
CREATE UNIQUE INDEX interventions_open ON interventions(job_id) WHERE ended_at IS NULL;
CREATE INDEX interventions_job ON interventions(job_id);
CREATE INDEX interventions_task ON interventions(task_id);

-- Before this table an awaiting job said in its progress what it had met.
INSERT INTO interventions(id, owner, task_id, job_id, engine, domain, url, kind, created_at, expires_at)
    SELECT j.id || '-' || j.attempt, t.owner, j.task_id, j.id,
        coalesce(j.progress_json ->> '$.challenge.engine', ''), coalesce(j.progress_json ->> '$.challenge.domain', ''),
        coalesce(j.progress_json ->> '$.challenge.url', ''), coalesce(j.progress_json ->> '$.challenge.kind', 'captcha'),
        coalesce(j.progress_json ->> '$.challenge.since', j.created_at), j.not_before
    FROM jobs j JOIN tasks t ON t.id = j.task_id WHERE j.state = 'awaiting_auth';
