-- The first due job of each owner from `beginning` on, by name, of at most `most` owners.
CREATE FUNCTION list_owner_heads(kinds text[], steady text, beginning text, most bigint, OUT head_owner text, OUT head_priority integer,
        OUT head_created_at text, OUT head_id text)
    RETURNS SETOF record
    LANGUAGE plpgsql
AS $$
BEGIN
    RETURN QUERY
        WITH RECURSIVE heads AS (
            (SELECT j.owner, j.priority, j.created_at, j.id, 1 AS number FROM jobs j
                WHERE j.state = 'queued' AND j.owner >= beginning AND (j.not_before IS NULL OR j.not_before <= steady)
                    AND j.kind = ANY (kinds)
                ORDER BY j.owner, j.priority, j.created_at, j.id LIMIT 1)
            UNION ALL
            SELECT following.*, h.number + 1 FROM heads h CROSS JOIN LATERAL (
                SELECT j.owner, j.priority, j.created_at, j.id FROM jobs j
                    WHERE j.state = 'queued' AND j.owner > h.owner AND (j.not_before IS NULL OR j.not_before <= steady)
                        AND j.kind = ANY (kinds)
                    ORDER BY j.owner, j.priority, j.created_at, j.id LIMIT 1
            ) following WHERE h.number < most
        )
        SELECT h.owner, h.priority, h.created_at, h.id FROM heads h;
END $$;

-- As before, with a shortcut if more than 16 owners wait and one of the first 17 has no running job. Such owners go before all
-- others, so the job to take is the first due one, by priority and age, whose owner has none running. It is sought among the first
-- 2,000 queued jobs, which costs as much as the heads of some 30 owners. Otherwise the heads of all owners are read.
CREATE OR REPLACE FUNCTION claim_fair_job(worker text, kinds text[], present text, steady text) RETURNS SETOF jobs
    LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
    SET jit = off SET lock_timeout = '10s'
AS $$
DECLARE
    owners text[];
    priorities integer[];
    ages text[];
    ids text[];
    candidate text;
    waiting record;
    place tid;
    died integer;
    taken jobs;
    revised bigint;
BEGIN
    SELECT array_agg(head_owner), array_agg(head_priority), array_agg(head_created_at), array_agg(head_id)
        INTO owners, priorities, ages, ids FROM list_owner_heads(kinds, steady, '', 17);
    IF ids IS NULL THEN
        RETURN;
    END IF;
    IF cardinality(ids) > 16 AND EXISTS (
            SELECT FROM unnest(owners) o WHERE o NOT IN (SELECT r.owner FROM jobs r WHERE r.state = 'running')) THEN
        FOR candidate IN
            SELECT early.id FROM (
                SELECT j.id, j.owner, j.not_before, j.kind, j.priority, j.created_at FROM jobs j
                    WHERE j.state = 'queued' ORDER BY j.priority, j.created_at, j.id LIMIT 2000
            ) early
            WHERE early.owner NOT IN (SELECT r.owner FROM jobs r WHERE r.state = 'running')
                AND (early.not_before IS NULL OR early.not_before <= steady) AND early.kind = ANY (kinds)
            ORDER BY early.priority, early.created_at, early.id LIMIT 10
        LOOP
            SELECT ctid, deaths INTO place, died FROM jobs
                WHERE id = candidate AND state = 'queued' FOR UPDATE SKIP LOCKED;
            EXIT WHEN FOUND;
        END LOOP;
    END IF;
    IF place IS NULL THEN
        IF cardinality(ids) > 16 THEN -- chr(1) makes the next name after the last one
            SELECT owners || array_agg(head_owner), priorities || array_agg(head_priority),
                    ages || array_agg(head_created_at), ids || array_agg(head_id)
                INTO owners, priorities, ages, ids
                FROM list_owner_heads(kinds, steady, owners[17] || chr(1), 9223372036854775807);
        END IF;
        FOR waiting IN
            SELECT h.owner, h.id FROM unnest(owners, priorities, ages, ids) h(owner, priority, created_at, id)
                LEFT JOIN (SELECT r.owner, count(*) AS jobs FROM jobs r WHERE r.state = 'running' GROUP BY r.owner) working
                    ON working.owner = h.owner
                ORDER BY coalesce(working.jobs, 0), h.priority, h.created_at COLLATE "C", h.id COLLATE "C"
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
    END IF;
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
