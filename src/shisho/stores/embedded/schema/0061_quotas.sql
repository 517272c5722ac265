-- How much of a resource a user, or the members of a group together, may use on a day; and what they have used on the last
-- day that they used any.
CREATE TABLE quotas (
    kind      TEXT NOT NULL CHECK (kind IN ('user', 'group')),
    name      TEXT NOT NULL,
    resource  TEXT NOT NULL CHECK (resource IN ('jobs', 'pages', 'tokens')),
    per_day   INTEGER NOT NULL,
    day       TEXT NOT NULL DEFAULT '',
    used      INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, name, resource)
) STRICT, WITHOUT ROWID;
