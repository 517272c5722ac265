-- What jobs have found: hits of result pages, addresses and files that were handed in, and the documents they became. An
-- address may be longer than what an index of PostgreSQL takes: its hash stands there.
CREATE TABLE finds (
    task_id        text COLLATE "C" NOT NULL,
    job_id         text COLLATE "C" NOT NULL,
    canonical_url  text COLLATE "C" NOT NULL, -- of a file: its path or name
    seq            bigint NOT NULL,           -- within the task; a row that changes takes the next one
    url            text NOT NULL,
    title          text NOT NULL,
    snippet        text NOT NULL,
    published_at   text,
    query          text,
    engine         text,
    page_number    integer,
    rank_on_page   integer,
    rank           integer,                   -- over all pages of its job
    status         text COLLATE "C" NOT NULL CHECK (status IN ('found', 'visited', 'failed', 'left_out')),
    document_id    text COLLATE "C",
    fetched_at     text COLLATE "C",
    code           text,
    reason         text,
    revision       bigint NOT NULL,           -- of its task when the find was written last: who has seen a later one has seen it
    useful         boolean                    -- whether its page gave a useful passage; NULL while nobody knows
);
CREATE UNIQUE INDEX finds_key ON finds(job_id, md5(canonical_url));
CREATE INDEX finds_task ON finds(task_id, seq);
CREATE INDEX finds_seen ON finds(task_id, md5(canonical_url));
CREATE INDEX finds_document ON finds(document_id) WHERE document_id IS NOT NULL;

CREATE VIEW provenance AS
    SELECT document_id, job_id, task_id, query, engine, rank, page_number, fetched_at
    FROM finds WHERE document_id IS NOT NULL;

-- How each search went over its result pages, written page by page.
CREATE TABLE searches (
    job_id        text COLLATE "C" PRIMARY KEY,
    task_id       text COLLATE "C" NOT NULL,
    query         text NOT NULL,
    engine        text NOT NULL,
    pages         integer NOT NULL DEFAULT 0,
    novelty_json  text NOT NULL DEFAULT '[]',
    harvest_json  text NOT NULL DEFAULT '[]',
    paging_stop   text                        -- NULL while it goes on
);
CREATE INDEX searches_task ON searches(task_id);

-- A job that is stopped writes nothing any more.
CREATE FUNCTION stop_search() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE searches SET paging_stop = 'STOPPED' WHERE job_id = new.id AND paging_stop IS NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER searches_stopped AFTER UPDATE OF state ON jobs
    FOR EACH ROW WHEN (new.state = 'cancelled') EXECUTE FUNCTION stop_search();

-- What the owner thinks of a source. Of rejected evidence, the span and never the text: a purge has nothing to erase here.
CREATE TABLE opinions (
    owner        text COLLATE "C" NOT NULL,
    kind         text COLLATE "C" NOT NULL CHECK (kind IN ('domain', 'evidence')),
    target       text COLLATE "C" NOT NULL,
    document_id  text COLLATE "C",
    start        bigint,
    "end"        bigint,
    at           text COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, kind, target)
);

-- What was fetched and may be used again until a moment.
CREATE TABLE cache (
    key         text COLLATE "C" NOT NULL,
    value_json  text NOT NULL,
    partial     boolean NOT NULL,
    stored_at   text COLLATE "C" NOT NULL,
    expires_at  text COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX cache_key ON cache(md5(key));
CREATE INDEX cache_expires ON cache(expires_at);

-- What a fetched page became in a corpus, and what its server wants to be asked with again.
CREATE TABLE page_memory (
    corpus         text COLLATE "C" NOT NULL,
    owner          text COLLATE "C" NOT NULL,
    canonical_url  text COLLATE "C" NOT NULL,
    document_id    text COLLATE "C" NOT NULL,
    fetched_at     text COLLATE "C" NOT NULL,
    etag           text NOT NULL,
    last_modified  text NOT NULL
);
CREATE UNIQUE INDEX page_memory_key ON page_memory(owner, corpus, md5(canonical_url));
CREATE INDEX page_memory_document ON page_memory(document_id);

-- Folders that are remembered: whoever works on the queue takes in what changes there.
CREATE TABLE watched_folders (
    owner   text COLLATE "C" NOT NULL,
    path    text COLLATE "C" NOT NULL,
    corpus  text COLLATE "C" NOT NULL,
    since   text COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX watched_folders_key ON watched_folders(owner, md5(path));
