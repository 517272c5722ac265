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

-- Complete a job that is held, count it and note the event. Returns its task, and the job that may wait for it; no row where
-- the claim is lost.
CREATE FUNCTION complete_job(job text, held_attempt integer, worker text, output text, present text)
    RETURNS TABLE (task_id text, cause_id text, task_state text, queued integer, running integer, parked integer,
        awaiting_auth integer, completed integer, failed integer, cancelled integer)
    LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
DECLARE
    parent text;
    task tasks;
BEGIN
    UPDATE jobs SET state = 'completed', output_json = output, finished_at = present
        WHERE id = job AND state = 'running' AND attempt = held_attempt AND worker_id = worker
        RETURNING jobs.task_id, jobs.cause_id INTO task.id, parent;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE tasks SET revision = revision + 1, running = running - 1, completed = completed + 1
        WHERE id = task.id RETURNING * INTO task;
    INSERT INTO events(task_id, revision, job_id, at, kind, data_json)
        VALUES (task.id, task.revision, job, present, 'completed', '{}');
    RETURN QUERY SELECT task.id, parent, task.state, task.queued, task.running, task.parked, task.awaiting_auth,
        task.completed, task.failed, task.cancelled;
END $$;

-- Each claim steps over the entries of jobs that were taken since the last vacuum. By the default, of a million jobs two hundred
-- thousand would be taken before there is one.
ALTER TABLE jobs SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
