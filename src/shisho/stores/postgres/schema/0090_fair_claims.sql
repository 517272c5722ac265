-- The owner of a job's task, beside it, so that a claim finds the owners that wait and how many of their jobs run. Jobs that a
-- server of an older version queues have none, and count as those of one more owner.
ALTER TABLE jobs ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
UPDATE jobs SET owner = t.owner FROM tasks t
    WHERE t.id = jobs.task_id AND jobs.state NOT IN ('completed', 'failed', 'cancelled');
-- As `jobs_claim`, for each owner.
CREATE INDEX jobs_owner_claim ON jobs(owner, priority, created_at, id, not_before, kind) WHERE state = 'queued';
CREATE INDEX jobs_owner_running ON jobs(owner) WHERE state = 'running';

-- As `claim_next_job`. Of the owners with a job that is due, the one with the fewest running goes first; of several, the one
-- whose next job is first by priority and age. Owners are found one after another in the index, however many jobs they have.
CREATE FUNCTION claim_fair_job(worker text, kinds text[], present text, steady text) RETURNS SETOF jobs
    LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
    SET jit = off SET lock_timeout = '10s'
AS $$
DECLARE
    waiting record;
    place tid;
    died integer;
    taken jobs;
    revised bigint;
BEGIN
    FOR waiting IN
        WITH RECURSIVE heads AS (
            (SELECT j.owner, j.priority, j.created_at, j.id FROM jobs j
                WHERE j.state = 'queued' AND (j.not_before IS NULL OR j.not_before <= steady) AND j.kind = ANY (kinds)
                ORDER BY j.owner, j.priority, j.created_at, j.id LIMIT 1)
            UNION ALL
            SELECT following.* FROM heads h CROSS JOIN LATERAL (
                SELECT j.owner, j.priority, j.created_at, j.id FROM jobs j
                    WHERE j.state = 'queued' AND j.owner > h.owner AND (j.not_before IS NULL OR j.not_before <= steady)
                        AND j.kind = ANY (kinds)
                    ORDER BY j.owner, j.priority, j.created_at, j.id LIMIT 1
            ) following
        )
        SELECT h.owner, h.id FROM heads h
            LEFT JOIN (SELECT r.owner, count(*) AS jobs FROM jobs r WHERE r.state = 'running' GROUP BY r.owner) working
                ON working.owner = h.owner
            ORDER BY coalesce(working.jobs, 0), h.priority, h.created_at, h.id
    LOOP
        SELECT ctid, deaths INTO place, died FROM jobs
            WHERE id = waiting.id AND state = 'queued' FOR UPDATE SKIP LOCKED;
        EXIT WHEN FOUND;
        -- Somebody else is taking that one.
        SELECT ctid, deaths INTO place, died FROM jobs
            WHERE state = 'queued' AND owner = waiting.owner AND (not_before IS NULL OR not_before <= steady)
                AND kind = ANY (kinds)
            ORDER BY priority, created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED;
        EXIT WHEN FOUND;
    END LOOP;
    IF place IS NULL
            OR died >= 3 AND EXISTS (SELECT FROM jobs r WHERE r.state = 'running' AND r.worker_id = worker) THEN
        RETURN;
    END IF;
    PERFORM set_config('synchronous_commit', 'off', true);
    UPDATE jobs SET state = 'running', attempt = attempt + 1, worker_id = worker, beat = 0, not_before = NULL,
            started_at = present, finished_at = NULL
        WHERE ctid = place RETURNING * INTO taken;
    UPDATE tasks SET revision = revision + 1, queued = queued - 1, running = running + 1
        WHERE id = taken.task_id RETURNING revision INTO revised;
    INSERT INTO events(task_id, revision, job_id, at, kind, data_json)
        VALUES (taken.task_id, revised, taken.id, present, 'running',
            json_build_object('attempt', taken.attempt, 'worker_id', worker)::text);
    RETURN NEXT taken;
END $$;

-- As `complete_then_claim_next`, claiming by `claim_fair_job`.
CREATE PROCEDURE complete_then_claim_fair(job text, held_attempt integer, worker text, output text, kinds text[], present text,
        steady text, OUT completed_task text, OUT done boolean, OUT taken json)
    LANGUAGE plpgsql
AS $$
BEGIN
    SELECT c.task_id, c.done INTO completed_task, done
        FROM complete_job(job, held_attempt, worker, output, present, true) c;
    IF done THEN
        COMMIT;
        SELECT row_to_json(c) INTO taken FROM claim_fair_job(worker, kinds, present, steady) c;
    END IF;
END $$;
