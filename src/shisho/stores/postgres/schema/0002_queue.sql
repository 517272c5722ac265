-- Text is compared byte by byte wherever order matters, as in every other store: a locale of the database changes nothing.
CREATE TABLE tasks (
    id             text COLLATE "C" PRIMARY KEY,
    owner          text COLLATE "C" NOT NULL,
    question       text NOT NULL,
    state          text NOT NULL CHECK (state IN ('created', 'running', 'waiting', 'completed', 'failed', 'stopped')),
    revision       bigint NOT NULL DEFAULT 0,
    budget_json    text NOT NULL,
    spent_json     text NOT NULL DEFAULT '{}',
    created_at     text COLLATE "C" NOT NULL,
    queued         integer NOT NULL DEFAULT 0,   -- its jobs by state, kept with every move
    running        integer NOT NULL DEFAULT 0,
    parked         integer NOT NULL DEFAULT 0,
    awaiting_auth  integer NOT NULL DEFAULT 0,
    completed      integer NOT NULL DEFAULT 0,
    failed         integer NOT NULL DEFAULT 0,
    cancelled      integer NOT NULL DEFAULT 0
) WITH (fillfactor = 50);                        -- every move writes its task anew: on the same page, and no index is touched
CREATE INDEX tasks_newest ON tasks(owner, created_at, id);

CREATE TABLE jobs (
    id                text COLLATE "C" PRIMARY KEY,
    task_id           text COLLATE "C" NOT NULL REFERENCES tasks(id),
    kind              text NOT NULL,
    state             text NOT NULL CHECK (state IN
        ('queued', 'running', 'parked', 'awaiting_auth', 'completed', 'failed', 'cancelled')),
    priority          integer NOT NULL,
    input_json        text NOT NULL,
    output_json       text,                     -- of an awaiting job: what it ends with if nobody comes
    error_json        text NOT NULL DEFAULT '[]',
    progress_json     text NOT NULL DEFAULT '{}',
    attempt           integer NOT NULL DEFAULT 0,
    failures          integer NOT NULL DEFAULT 0,
    worker_id         text COLLATE "C",
    beat              bigint NOT NULL DEFAULT 0,
    not_before        text COLLATE "C",         -- of a parked or awaiting job: when it leaves that state by itself
    cancel_requested  boolean NOT NULL DEFAULT false,
    dedupe_key        text COLLATE "C",
    cause_id          text COLLATE "C" REFERENCES jobs(id),
    created_at        text COLLATE "C" NOT NULL,
    started_at        text COLLATE "C",
    finished_at       text COLLATE "C"
) WITH (fillfactor = 80);
-- The claim reads this index alone: `not_before` and `kind` stand in it so that jobs whose time has not come cost no row.
CREATE INDEX jobs_claim ON jobs(priority, created_at, id, not_before, kind) WHERE state = 'queued';
CREATE INDEX jobs_running ON jobs(worker_id) WHERE state = 'running';
CREATE INDEX jobs_waiting ON jobs(not_before) WHERE state IN ('parked', 'awaiting_auth');
CREATE INDEX jobs_task ON jobs(task_id, created_at, id);
CREATE INDEX jobs_cause ON jobs(cause_id, state) WHERE cause_id IS NOT NULL;
CREATE INDEX jobs_lately ON jobs(kind, finished_at) WHERE state = 'completed';
CREATE UNIQUE INDEX jobs_dedupe ON jobs(task_id, dedupe_key) WHERE dedupe_key IS NOT NULL;

CREATE TABLE job_steps (
    job_id       text COLLATE "C" NOT NULL REFERENCES jobs(id),
    step_key     text COLLATE "C" NOT NULL,
    attempt      integer NOT NULL,
    output_json  text NOT NULL,
    PRIMARY KEY (job_id, step_key)
);

CREATE TABLE events (
    task_id    text COLLATE "C" NOT NULL REFERENCES tasks(id),
    revision   bigint NOT NULL,
    job_id     text COLLATE "C" NOT NULL,
    at         text COLLATE "C" NOT NULL,
    kind       text NOT NULL,
    data_json  text NOT NULL,
    PRIMARY KEY (task_id, revision)
);

-- What waits, or has waited, for a person. A row begins and ends in the transactions that take its job to and from
-- awaiting_auth: of every awaiting job there is just one row without an end, and of no other.
CREATE TABLE interventions (
    id            text COLLATE "C" PRIMARY KEY,
    owner         text COLLATE "C" NOT NULL,
    task_id       text COLLATE "C" NOT NULL REFERENCES tasks(id),
    job_id        text COLLATE "C" NOT NULL REFERENCES jobs(id),
    engine        text NOT NULL,                -- '' of a page that is no result page
    domain        text NOT NULL,
    url           text NOT NULL,
    kind          text NOT NULL,
    state         text NOT NULL DEFAULT 'pending' CHECK (state IN
        ('pending', 'in_progress', 'completed', 'skipped', 'expired', 'cancelled')),
    created_at    text COLLATE "C" NOT NULL,
    expires_at    text COLLATE "C",
    ended_at      text COLLATE "C" CHECK ((ended_at IS NULL) = (state IN ('pending', 'in_progress'))),
    announced_at  text COLLATE "C"              -- when the desktop was told
);
CREATE UNIQUE INDEX interventions_open ON interventions(job_id) WHERE ended_at IS NULL;
CREATE INDEX interventions_job ON interventions(job_id);
CREATE INDEX interventions_task ON interventions(task_id);
CREATE INDEX interventions_owner ON interventions(owner, created_at, id) WHERE ended_at IS NULL;

-- An idempotency key belongs to one request: `request` is the hash of its verb's arguments, `reply_json` what stood after it.
CREATE TABLE request_keys (
    owner       text COLLATE "C" NOT NULL,
    key         text COLLATE "C" NOT NULL,
    verb        text NOT NULL,
    request     text NOT NULL,
    subject     text NOT NULL,
    task_id     text COLLATE "C" NOT NULL REFERENCES tasks(id),
    reply_json  text NOT NULL,
    created_at  text COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, key)
);
CREATE INDEX request_keys_task ON request_keys(task_id);

-- Which worker processes there are, and the folder whose locks say whether they live. One that has left has no row.
CREATE TABLE workers (
    id      text COLLATE "C" PRIMARY KEY,
    folder  text COLLATE "C" NOT NULL
);
