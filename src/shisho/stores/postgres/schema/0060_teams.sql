-- People who share a library. Of a token only hashes are stored: of itself, and of the cookie that a browser gets for it.
CREATE TABLE users (
    name         text COLLATE "C" PRIMARY KEY,
    token_hash   text UNIQUE,                 -- NULL: comes in by the header of a proxy alone
    cookie_hash  text UNIQUE,
    created_at   text NOT NULL,
    removed_at   text                         -- may not come in since; what is theirs stays
);

CREATE TABLE user_groups (
    name        text COLLATE "C" PRIMARY KEY,
    created_at  text NOT NULL
);

CREATE TABLE group_members (
    group_name  text COLLATE "C" NOT NULL REFERENCES user_groups(name) ON DELETE CASCADE,
    user_name   text COLLATE "C" NOT NULL,
    PRIMARY KEY (group_name, user_name)
);
CREATE INDEX group_members_user ON group_members(user_name);

CREATE TABLE grants (
    corpus_id   integer NOT NULL REFERENCES corpora(id) ON DELETE CASCADE,
    grantee     text COLLATE "C" NOT NULL,
    kind        text COLLATE "C" NOT NULL CHECK (kind IN ('user', 'group')),
    access      text COLLATE "C" NOT NULL CHECK (access IN ('read', 'write')),
    granted_at  text NOT NULL,
    PRIMARY KEY (corpus_id, kind, grantee)
);
CREATE INDEX grants_grantee ON grants(kind, grantee);

-- The corpora that a reader may search, under the names that the reader calls them by: their own, and those granted to them
-- or to a group of theirs. One row for each way.
DROP VIEW readable_corpora;
CREATE VIEW readable_corpora(corpus_id, reader, address, access) AS
    SELECT c.id, c.owner, c.name, 'own'::text FROM corpora c
    UNION ALL
    SELECT c.id, g.grantee, c.name || '@' || c.owner, g.access
        FROM grants g JOIN corpora c ON c.id = g.corpus_id WHERE g.kind = 'user' AND c.owner <> g.grantee
    UNION ALL
    SELECT c.id, m.user_name, c.name || '@' || c.owner, g.access FROM group_members m
        JOIN grants g ON g.kind = 'group' AND g.grantee = m.group_name JOIN corpora c ON c.id = g.corpus_id
        WHERE c.owner <> m.user_name;
