-- Encoders by which passages have vectors.
CREATE TABLE embedders (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    dimensions  INTEGER NOT NULL,
    seen        INTEGER NOT NULL DEFAULT 0    -- every live passage of the changes up to here has a vector
) STRICT;

-- The vector of a passage: half-precision floats of unit length. `seq` is the order of arrival, by which the index of vectors
-- knows what it has taken in.
CREATE TABLE embeddings (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    embedder_id  INTEGER NOT NULL REFERENCES embedders(id) ON DELETE CASCADE,
    passage_id   INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE,
    content      BLOB NOT NULL,               -- hash of the text that it was made of
    vector       BLOB NOT NULL,
    UNIQUE (passage_id, embedder_id)
) STRICT;
CREATE INDEX embeddings_content ON embeddings(content);
CREATE INDEX embeddings_order ON embeddings(embedder_id, seq);
