-- A step keeps what its node gave: compressed, with references in place of the texts of passages (`step_content.py`). What the
-- node was given is known by its hash alone. Steps of before keep their texts.
ALTER TABLE steps ADD COLUMN content bytea;
UPDATE steps SET content = convert_to('{"output":' || output || ',"documents":[],"texts":[]}', 'UTF8');
ALTER TABLE steps ALTER COLUMN content SET NOT NULL, DROP COLUMN input, DROP COLUMN output;
