-- The revision its task had when a find was written last: who has seen a later one has seen it.
ALTER TABLE finds ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
