-- The levels of answers were called near and not_found. Steps whose input has a level get the hash of the new text, so
-- that an open run goes on from where it was.
UPDATE answers SET body = rename_levels(body) WHERE body LIKE '%"near"%' OR body LIKE '%"not_found"%';
UPDATE steps SET output = rename_levels(output) WHERE output LIKE '%"near"%' OR output LIKE '%"not_found"%';
UPDATE steps SET input = rename_levels(input), input_hash = hash_input(node, rename_levels(input))
    WHERE (input LIKE '%"near"%' OR input LIKE '%"not_found"%') AND rename_levels(input) <> input;
UPDATE jobs SET output_json = rename_levels(output_json) WHERE output_json LIKE '%"near"%' OR output_json LIKE '%"not_found"%';
UPDATE job_steps SET output_json = rename_levels(output_json)
    WHERE output_json LIKE '%"near"%' OR output_json LIKE '%"not_found"%';
UPDATE events SET data_json = rename_levels(data_json) WHERE data_json LIKE '%"near"%' OR data_json LIKE '%"not_found"%';
