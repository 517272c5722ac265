-- One pace for each resource (`engine:mojeek`, `host:example.org`), kept by all processes together. `at` is the resource's own
-- time in seconds, which never runs back; `wall` and `monotonic` are what the clocks said then.
CREATE TABLE paces (
    resource   text COLLATE "C" PRIMARY KEY,
    at         float8 NOT NULL,
    free_at    float8 NOT NULL,                 -- in the resource's own time, like `due` and `began` below
    wall       float8 NOT NULL,
    monotonic  float8 NOT NULL
);

-- Who waits in its line and whose request is under way, in order of asking.
CREATE TABLE pace_places (
    seq       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    resource  text COLLATE "C" NOT NULL,
    ticket    text COLLATE "C" NOT NULL,
    due       float8 NOT NULL,                  -- when it was told to ask again
    began     float8,                           -- its request is under way since then
    paid      text COLLATE "C",                 -- the day it was counted on
    UNIQUE (resource, ticket)
);

CREATE TABLE pace_days (
    day       text COLLATE "C" NOT NULL,        -- UTC
    resource  text COLLATE "C" NOT NULL,
    used      integer NOT NULL,
    PRIMARY KEY (day, resource)
);

CREATE TABLE engine_health (
    engine         text COLLATE "C" PRIMARY KEY,
    breaker        text NOT NULL CHECK (breaker IN ('closed', 'open')),   -- half open is an open one whose time is over
    failures       integer NOT NULL,            -- in a row
    openings       integer NOT NULL,            -- in a row
    open_until     text COLLATE "C",
    last_error     text NOT NULL,
    last_error_at  text COLLATE "C",
    prober         text COLLATE "C",            -- who may try while it is half open, and until when
    probe_until    text COLLATE "C"
);

-- The latest answers of each engine, for its rates.
CREATE TABLE engine_answers (
    seq        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    engine     text COLLATE "C" NOT NULL,
    outcome    text NOT NULL CHECK (outcome IN ('success', 'failure', 'challenge')),
    latency_s  float8 NOT NULL
);
CREATE INDEX engine_answers_engine ON engine_answers(engine, seq);
