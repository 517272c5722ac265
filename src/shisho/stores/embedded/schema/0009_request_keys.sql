-- An idempotency key belongs to one request: `request` is the hash of its verb's arguments, `reply_json` what stood after it.
CREATE TABLE request_keys (
    owner       TEXT NOT NULL,
    key         TEXT NOT NULL,
    verb        TEXT NOT NULL,
    request     TEXT NOT NULL,
    subject     TEXT NOT NULL,
    task_id     TEXT NOT NULL REFERENCES tasks(id),
    reply_json  TEXT NOT NULL,
    created_at  TEXT NOT NULL,
    PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX request_keys_task ON request_keys(task_id);

-- Keys of before say nothing of the request they were used for.
DROP INDEX tasks_key;
ALTER TABLE tasks DROP COLUMN idempotency_key;
