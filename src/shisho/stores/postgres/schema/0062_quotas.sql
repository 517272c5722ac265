-- How much of a resource a user, or the members of a group together, may use on a day; and what they have used on the last
-- day that they used any.
CREATE TABLE quotas (
    kind      text COLLATE "C" NOT NULL CHECK (kind IN ('user', 'group')),
    name      text COLLATE "C" NOT NULL,
    resource  text COLLATE "C" NOT NULL CHECK (resource IN ('jobs', 'pages', 'tokens')),
    per_day   bigint NOT NULL,
    day       text COLLATE "C" NOT NULL DEFAULT '',
    used      bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, name, resource)
);
