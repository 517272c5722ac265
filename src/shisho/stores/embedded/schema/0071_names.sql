-- The short names that documents define and other names of what their titles name: each pair stands here both ways. What
-- documents say before this script is read by `names.fill`. A key is the index terms of a name.
CREATE TABLE short_names (
    document_id  TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    key          TEXT NOT NULL,
    name         TEXT NOT NULL,
    other_key    TEXT NOT NULL,
    other        TEXT NOT NULL,
    PRIMARY KEY (key, document_id, other_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX short_names_document ON short_names(document_id);

-- Sentences that say what the thing of a key is.
CREATE TABLE definitions (
    document_id  TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    key          TEXT NOT NULL,
    passage_id   INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE,
    start        INTEGER NOT NULL,            -- of the sentence in the document
    "end"        INTEGER NOT NULL,
    is_stated    INTEGER NOT NULL,            -- 0: it only stands first under a heading of that name
    PRIMARY KEY (key, passage_id, start)
) STRICT, WITHOUT ROWID;
CREATE INDEX definitions_document ON definitions(document_id);
CREATE INDEX definitions_passage ON definitions(passage_id);
