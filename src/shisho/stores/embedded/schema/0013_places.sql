-- Where a passage stands in what has no pages (cells, a chapter), and whether its letters were recognised in a picture.
ALTER TABLE passages ADD COLUMN place TEXT NOT NULL DEFAULT '';
ALTER TABLE passages ADD COLUMN ocr INTEGER NOT NULL DEFAULT 0;
