-- The sweep of what failed jobs have left (`jobs/worker.py`) goes through them by id, by the hour.
CREATE INDEX jobs_failed ON jobs(id) WHERE state = 'failed';
