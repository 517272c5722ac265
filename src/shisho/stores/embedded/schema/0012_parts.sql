-- The text of a document stands in parts, so that a long one is stored piece by piece.
CREATE TABLE parts (
    document_id  TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    start        INTEGER NOT NULL,            -- offset of its first character in the document
    text         TEXT NOT NULL,               -- the original
    layout       BLOB,                        -- lines with page and box, compressed; NULL where the format has none
    PRIMARY KEY (document_id, start)
) STRICT;
INSERT INTO parts SELECT id, 0, text, layout FROM documents WHERE text IS NOT NULL;
ALTER TABLE documents DROP COLUMN text;
ALTER TABLE documents DROP COLUMN layout;

-- Documents of which not every part is there yet; until then they count as purged.
CREATE TABLE arrivals (
    document_id  TEXT PRIMARY KEY REFERENCES documents(id) ON DELETE CASCADE,
    token        TEXT NOT NULL,               -- of whoever brings the parts
    at           TEXT NOT NULL
) STRICT, WITHOUT ROWID;
