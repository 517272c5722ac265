-- How often the process died that ran a job: counted apart from the job's own failures.
ALTER TABLE jobs ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
