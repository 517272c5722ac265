-- The short names that documents define and other names of what their titles name: each pair stands here both ways. What
-- documents say before this script is read by `names.fill`. A key is the index terms of a name.
CREATE TABLE short_names (
    document_id  text COLLATE "C" NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    key          text COLLATE "C" NOT NULL,
    name         text NOT NULL,
    other_key    text COLLATE "C" NOT NULL,
    other        text NOT NULL,
    PRIMARY KEY (key, document_id, other_key)
);
CREATE INDEX short_names_document ON short_names(document_id);

-- Sentences that say what the thing of a key is.
CREATE TABLE definitions (
    document_id  text COLLATE "C" NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    key          text COLLATE "C" NOT NULL,
    passage_id   bigint NOT NULL REFERENCES passages(id) ON DELETE CASCADE,
    start        bigint NOT NULL,             -- of the sentence in the document
    "end"        bigint NOT NULL,
    is_stated    boolean NOT NULL,            -- false: it only stands first under a heading of that name
    PRIMARY KEY (key, passage_id, start)
);
CREATE INDEX definitions_document ON definitions(document_id);
CREATE INDEX definitions_passage ON definitions(passage_id);
