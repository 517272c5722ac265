-- The levels of answers were called near and not_found. A level is followed by the next key of a goal's status, a draft, or
-- an answer; metadata of documents is not.
CREATE FUNCTION rename_levels(body text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(
        regexp_replace(body, '("level": ?)"near"(?=, ?"(?:met|missing|loop_stop)":)', '\1"related"', 'g'),
        '("level": ?)"not_found"(?=, ?"(?:met|missing|loop_stop)":)', '\1"nothing"', 'g')
$$;
UPDATE answers SET body = rename_levels(body) WHERE body ~ '"(near|not_found)"';
UPDATE steps SET output = rename_levels(output) WHERE output ~ '"(near|not_found)"';
-- Steps whose input has a level get the hash of the new text, so that an open run goes on from where it was.
UPDATE steps SET input = rename_levels(input),
    input_hash = encode(sha256(convert_to('["' || node || '",' || rename_levels(input) || ']', 'UTF8')), 'hex')
    WHERE input ~ '"(near|not_found)"' AND rename_levels(input) <> input;
UPDATE jobs SET output_json = rename_levels(output_json) WHERE output_json ~ '"(near|not_found)"';
UPDATE job_steps SET output_json = rename_levels(output_json) WHERE output_json ~ '"(near|not_found)"';
UPDATE events SET data_json = rename_levels(data_json) WHERE data_json ~ '"(near|not_found)"';
DROP FUNCTION rename_levels(text);
