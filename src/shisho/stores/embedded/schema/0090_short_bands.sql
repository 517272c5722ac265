-- Of a band, only the low 32 bits with a sign are stored: see `near_duplicates.py`. The check stops a process of an
-- earlier version that still runs: its bands would stay after a purge.
UPDATE passages SET bands = truncate_bands(bands);
ALTER TABLE passage_bands RENAME TO old_passage_bands;
CREATE TABLE passage_bands (
    band        INTEGER NOT NULL CHECK (band BETWEEN -2147483648 AND 2147483647),
    passage_id  INTEGER NOT NULL,
    PRIMARY KEY (band, passage_id)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO passage_bands(band, passage_id)
    SELECT (band & 2147483647) - (band & 2147483648) AS short, passage_id FROM old_passage_bands ORDER BY short, passage_id;
DROP TABLE old_passage_bands;
