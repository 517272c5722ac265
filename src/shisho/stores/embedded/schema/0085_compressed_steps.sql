-- A step keeps what its node gave: compressed, with references in place of the texts of passages (`step_content.py`). What the
-- node was given is known by its hash alone. Steps of before keep their texts.
ALTER TABLE steps ADD COLUMN content BLOB NOT NULL DEFAULT x'';
UPDATE steps SET content = compress_step(output);
ALTER TABLE steps DROP COLUMN input;
ALTER TABLE steps DROP COLUMN output;
