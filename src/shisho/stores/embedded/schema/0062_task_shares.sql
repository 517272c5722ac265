-- Tasks, and answers that no task has made, which members of a group may read.
CREATE TABLE task_shares (
    shared_id   TEXT NOT NULL,                -- of a task, or of an answer
    group_name  TEXT NOT NULL REFERENCES user_groups(name) ON DELETE CASCADE,
    owner       TEXT NOT NULL,
    shared_at   TEXT NOT NULL,
    PRIMARY KEY (shared_id, group_name)
) STRICT, WITHOUT ROWID;
CREATE INDEX task_shares_group ON task_shares(group_name, shared_at);
