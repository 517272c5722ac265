-- Indexes that stand outside this database: how far each has come. One that is made anew has another generation.
CREATE TABLE outer_indexes (
    name        text COLLATE "C" PRIMARY KEY,
    generation  text COLLATE "C" NOT NULL,
    change      bigint NOT NULL,              -- the newest change and the newest vector that it has taken in
    vector      bigint NOT NULL,
    holder      text NOT NULL DEFAULT '',     -- who takes changes in just now, and until when by this server's clock at most
    held_until  timestamptz NOT NULL DEFAULT '-infinity'
);

-- In how many passages of a document each word stands that an index has taken in: 4 bytes of its hash and 4 of the number.
-- It is what is taken off again when the document has gone, for after a purge its words are nowhere else.
CREATE TABLE outer_documents (
    name         text COLLATE "C" NOT NULL REFERENCES outer_indexes(name) ON DELETE CASCADE,
    document_id  text COLLATE "C" NOT NULL,
    corpus_id    integer NOT NULL,
    words        bytea NOT NULL,
    PRIMARY KEY (name, document_id)
);

-- In how many passages of a corpus each word stands: what a reader may not search has no part in how rare a word is.
CREATE TABLE outer_words (
    name       text COLLATE "C" NOT NULL REFERENCES outer_indexes(name) ON DELETE CASCADE,
    corpus_id  integer NOT NULL,
    code       bigint NOT NULL,
    passages   bigint NOT NULL,
    PRIMARY KEY (name, corpus_id, code)
);
