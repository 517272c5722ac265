-- What is done for every job, as functions: their plans are kept in each session of the server, also where a pooler gives each
-- transaction another one. A function is never changed after a release, because servers of two versions call it at once: the
-- next one gets another name. The planner may not choose here: without statistics, as on a queue that has just been filled, it
-- would read and sort all that is queued for each claim.

-- Take the first job that is due and that nobody else is taking, count it and note the event. It is a transaction by itself,
-- which a crash of the server may undo.
CREATE FUNCTION claim_job(worker text, kinds text[], present text, steady text) RETURNS SETOF jobs
    LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
    SET lock_timeout = '10s'
AS $$
DECLARE
    place tid;
    taken jobs;
    revised bigint;
BEGIN
    SELECT ctid INTO place FROM jobs
        WHERE state = 'queued' AND (not_before IS NULL OR not_before <= steady) AND kind = ANY (kinds)
        ORDER BY priority, created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
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

-- Complete a job that is held, count it, note the event and give the task its state (domain/job.py, derive_task_state). No row:
-- the claim is lost. `alone`: this is the whole transaction; where a parked parent may have to go on, nothing is done and
-- `done` is false. One sibling that is at work, or due, is reason enough for the parent to wait on.
CREATE FUNCTION complete_job(job text, held_attempt integer, worker text, output text, present text, alone boolean)
    RETURNS TABLE (task_id text, cause_id text, done boolean)
    LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET lock_timeout = '10s'
AS $$
#variable_conflict use_column
DECLARE
    task text;
    parent text;
    revised bigint;
BEGIN
    SELECT j.task_id, j.cause_id INTO task, parent FROM jobs j
        WHERE j.id = job AND j.state = 'running' AND j.attempt = held_attempt AND j.worker_id = worker;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF alone AND parent IS NOT NULL THEN
        PERFORM FROM tasks t WHERE t.id = task FOR NO KEY UPDATE;  -- a parent that is about to park is seen parked
        IF EXISTS (SELECT FROM jobs j WHERE j.id = parent AND j.state = 'parked')
            AND NOT EXISTS (SELECT FROM jobs j WHERE j.cause_id = parent AND j.id <> job
                AND (j.state = 'running' OR j.state = 'queued' AND j.not_before IS NULL)) THEN
            RETURN QUERY SELECT task, parent, false;
            RETURN;
        END IF;
    END IF;
    UPDATE jobs j SET state = 'completed', output_json = output, finished_at = present
        WHERE j.id = job AND j.state = 'running' AND j.attempt = held_attempt AND j.worker_id = worker;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE tasks t SET revision = t.revision + 1, running = t.running - 1, completed = t.completed + 1,
            state = CASE
                WHEN t.queued + t.running - 1 + t.parked > 0 THEN 'running'
                WHEN t.awaiting_auth > 0 THEN 'waiting'
                WHEN t.cancelled > 0 THEN 'stopped'
                ELSE 'completed' END
        WHERE t.id = task RETURNING t.revision INTO revised;
    INSERT INTO events(task_id, revision, job_id, at, kind, data_json)
        VALUES (task, revised, job, present, 'completed', '{}');
    RETURN QUERY SELECT task, parent, true;
END $$;

-- Each claim steps over the entries of jobs that were taken since the last vacuum. By the default, of a million jobs two hundred
-- thousand would be taken before there is one.
ALTER TABLE jobs SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
