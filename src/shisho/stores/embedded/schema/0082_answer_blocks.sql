-- An answer is blocks: its passages are blocks of their own, and the flat sentences of a model become one paragraph. All
-- other answers, as counts of the collection, keep their text as a note. Drafts in stored steps have the same form.
UPDATE answers SET body = json_remove(
    json_set(body, '$.blocks', json(CASE
        WHEN json_array_length(body, '$.passages') > 0 THEN (
            SELECT json_group_array(json_set(passage.value, '$.kind', 'passage'))
            FROM json_each(answers.body, '$.passages') AS passage)
        WHEN json_array_length(body, '$.sentences') > 0 AND json_array_length(body, '$.model_uses') > 0 THEN
            json_array(json_object('kind', 'paragraph', 'sentences', json_extract(body, '$.sentences')))
        ELSE json_array(json_object('kind', 'note', 'role', 'remark', 'text', body -> '$.text')) END)),
    '$.sentences', '$.passages')
WHERE json_type(body, '$.blocks') IS NULL;
UPDATE steps SET output = json_remove(
    json_set(output, '$.state.draft.blocks', json(CASE
        WHEN json_array_length(output, '$.state.draft.passages') > 0 THEN (
            SELECT json_group_array(json_set(passage.value, '$.kind', 'passage'))
            FROM json_each(steps.output, '$.state.draft.passages') AS passage)
        WHEN json_array_length(output, '$.state.draft.sentences') > 0 AND json_array_length(output, '$.state.uses') > 0 THEN
            json_array(json_object('kind', 'paragraph', 'sentences', json_extract(output, '$.state.draft.sentences')))
        ELSE json_array(json_object('kind', 'note', 'role', 'remark', 'text', output -> '$.state.draft.text')) END)),
    '$.state.draft.sentences', '$.state.draft.passages', '$.state.draft.text')
WHERE node = 'answer' AND json_type(output, '$.state.draft.text') IS NOT NULL;
