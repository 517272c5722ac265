-- An answer is blocks: its flat sentences become one paragraph, and its passages blocks of their own.
UPDATE answers SET body = json_remove(
    json_set(body, '$.blocks', json(CASE
        WHEN json_array_length(body, '$.passages') > 0 THEN (
            SELECT json_group_array(json_set(passage.value, '$.kind', 'passage'))
            FROM json_each(answers.body, '$.passages') AS passage)
        WHEN json_array_length(body, '$.sentences') > 0 THEN
            json_array(json_object('kind', 'paragraph', 'sentences', json_extract(body, '$.sentences')))
        ELSE '[]' END)),
    '$.sentences', '$.passages')
WHERE json_type(body, '$.blocks') IS NULL;
