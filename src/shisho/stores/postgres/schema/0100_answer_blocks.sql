-- An answer is blocks: its flat sentences become one paragraph, and its passages blocks of their own.
UPDATE answers SET body = (
    body::jsonb - 'sentences' - 'passages' || jsonb_build_object('blocks', CASE
        WHEN jsonb_array_length(coalesce(body::jsonb -> 'passages', '[]')) > 0 THEN (
            SELECT jsonb_agg(passage.value || '{"kind": "passage"}' ORDER BY passage.place)
            FROM jsonb_array_elements(body::jsonb -> 'passages') WITH ORDINALITY AS passage(value, place))
        WHEN jsonb_array_length(coalesce(body::jsonb -> 'sentences', '[]')) > 0 THEN
            jsonb_build_array(jsonb_build_object('kind', 'paragraph', 'sentences', body::jsonb -> 'sentences'))
        ELSE '[]' END))::text
WHERE NOT body::jsonb ? 'blocks';
