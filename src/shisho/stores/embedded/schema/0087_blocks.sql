-- What is known of a few passages in sequence is one row, in which what they share is stored once: what a search weighs of
-- them, and their text, of which that is the dictionary of the compression. A passage keeps where it stands.
-- `older_rows.py` fills the table and the columns from those of before.
CREATE TABLE blocks (
    id           INTEGER PRIMARY KEY,
    document_id  TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    start        INTEGER NOT NULL,            -- of its text in the document; blocks overlap as passages do, without gaps
    "end"        INTEGER NOT NULL,
    content      BLOB NOT NULL,               -- codes of terms, then characters; see `blocks.py`
    text         BLOB NOT NULL                -- the original, compressed
) STRICT;
CREATE INDEX blocks_order ON blocks(document_id, start, "end");
ALTER TABLE passages ADD COLUMN block INTEGER NOT NULL DEFAULT 0;
ALTER TABLE passages ADD COLUMN spans BLOB NOT NULL DEFAULT x'';
ALTER TABLE passages ADD COLUMN term_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE passages ADD COLUMN heading_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE passages ADD COLUMN pair_count INTEGER NOT NULL DEFAULT 0;
-- The bands of near-duplicates as numbers of 8 bytes, by which their rows are found when the passage goes.
ALTER TABLE passages ADD COLUMN bands BLOB NOT NULL DEFAULT x'';
