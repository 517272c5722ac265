-- How often the process died that ran a job: counted apart from the job's own failures.
ALTER TABLE jobs ADD COLUMN deaths integer NOT NULL DEFAULT 0;

-- As `claim_job`. A job whose process has died three times runs alone on its worker (domain/job.py, ALONE_DEATHS): while the
-- worker runs others it takes none, so that it is free for that job once they have ended.
CREATE FUNCTION claim_next_job(worker text, kinds text[], present text, steady text) RETURNS SETOF jobs
    LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
    SET lock_timeout = '10s'
AS $$
DECLARE
    place tid;
    died integer;
    taken jobs;
    revised bigint;
BEGIN
    SELECT ctid, deaths INTO place, died FROM jobs
        WHERE state = 'queued' AND (not_before IS NULL OR not_before <= steady) AND kind = ANY (kinds)
        ORDER BY priority, created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF NOT FOUND OR died >= 3 AND EXISTS (SELECT FROM jobs r WHERE r.state = 'running' AND r.worker_id = worker) THEN
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

-- As `complete_then_claim`, claiming by `claim_next_job`.
CREATE PROCEDURE complete_then_claim_next(job text, held_attempt integer, worker text, output text, kinds text[], present text,
        steady text, OUT completed_task text, OUT done boolean, OUT taken json)
    LANGUAGE plpgsql
AS $$
BEGIN
    SELECT c.task_id, c.done INTO completed_task, done
        FROM complete_job(job, held_attempt, worker, output, present, true) c;
    IF done THEN
        COMMIT;
        SELECT row_to_json(c) INTO taken FROM claim_next_job(worker, kinds, present, steady) c;
    END IF;
END $$;
