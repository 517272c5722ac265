-- The owner of a job's task, beside it, so that a claim finds the owners that wait and how many of their jobs run.
ALTER TABLE jobs ADD COLUMN owner TEXT NOT NULL DEFAULT '';
UPDATE jobs SET owner = (SELECT owner FROM tasks WHERE tasks.id = jobs.task_id)
    WHERE state NOT IN ('completed', 'failed', 'cancelled');
-- As `jobs_claim`, for each owner.
CREATE INDEX jobs_owner_claim ON jobs(owner, priority, created_at, id, not_before, kind) WHERE state = 'queued';
CREATE INDEX jobs_owner_running ON jobs(owner) WHERE state = 'running';
