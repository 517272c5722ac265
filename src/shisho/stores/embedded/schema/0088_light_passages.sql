-- What 0087 has stored in another way.
DROP TABLE term_vectors;
ALTER TABLE passages DROP COLUMN text;
ALTER TABLE passages DROP COLUMN terms;
ALTER TABLE passages DROP COLUMN heading_terms;
ALTER TABLE passages DROP COLUMN bigrams;
CREATE TABLE layouts (
    document_id  TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    start        INTEGER NOT NULL,            -- of its part of the document
    layout       BLOB NOT NULL,               -- lines with page and box, compressed
    PRIMARY KEY (document_id, start)
) STRICT;
INSERT INTO layouts(document_id, start, layout) SELECT document_id, start, layout FROM parts WHERE layout IS NOT NULL;
DROP TABLE parts;

-- A passage's bands are deleted by their keys: an index of them by passage was as large as the table.
ALTER TABLE passage_bands RENAME TO old_passage_bands;
CREATE TABLE passage_bands (
    band        INTEGER NOT NULL,
    passage_id  INTEGER NOT NULL,
    PRIMARY KEY (band, passage_id)
) STRICT, WITHOUT ROWID;
INSERT INTO passage_bands(band, passage_id) SELECT band, passage_id FROM old_passage_bands ORDER BY band, passage_id;
DROP TABLE old_passage_bands;
