-- Tasks, and answers that no task has made, which members of a group may read.
CREATE TABLE task_shares (
    shared_id   text COLLATE "C" NOT NULL,    -- of a task, or of an answer
    group_name  text COLLATE "C" NOT NULL REFERENCES user_groups(name) ON DELETE CASCADE,
    owner       text COLLATE "C" NOT NULL,
    shared_at   text COLLATE "C" NOT NULL,
    PRIMARY KEY (shared_id, group_name)
);
CREATE INDEX task_shares_group ON task_shares(group_name, shared_at);
