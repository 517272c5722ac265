-- An answer is blocks: its passages are blocks of their own, and the flat sentences of a model become one paragraph. All
-- other answers, as counts of the collection, keep their text as a note. Drafts in stored steps have the same form.
CREATE FUNCTION convert_to_blocks(flat jsonb, model_uses jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT flat - 'sentences' - 'passages' || jsonb_build_object('blocks', CASE
        WHEN jsonb_array_length(coalesce(flat -> 'passages', '[]')) > 0 THEN (
            SELECT jsonb_agg(passage.value || '{"kind": "passage"}' ORDER BY passage.place)
            FROM jsonb_array_elements(flat -> 'passages') WITH ORDINALITY AS passage(value, place))
        WHEN jsonb_array_length(coalesce(flat -> 'sentences', '[]')) > 0
                AND jsonb_array_length(coalesce(model_uses, '[]')) > 0 THEN
            jsonb_build_array(jsonb_build_object('kind', 'paragraph', 'sentences', flat -> 'sentences'))
        ELSE jsonb_build_array(jsonb_build_object('kind', 'note', 'role', 'remark', 'text', flat -> 'text')) END)
$$;
-- No jsonb has the character NUL. A backslash before its escape is a character of the text if it is escaped itself.
CREATE FUNCTION read_without_nul(body text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN strpos(body, '\u0000') = 0 THEN body
        ELSE regexp_replace(body, '(?<!\\)((?:\\\\)*)\\u0000', '\1', 'g') END::jsonb
$$;
UPDATE answers SET body = convert_to_blocks(read_without_nul(body), read_without_nul(body) -> 'model_uses')::text
    WHERE NOT read_without_nul(body) ? 'blocks';
UPDATE steps SET output = jsonb_set(read_without_nul(output), '{state,draft}', convert_to_blocks(
        read_without_nul(output) #> '{state,draft}', read_without_nul(output) #> '{state,uses}') - 'text')::text
    WHERE node = 'answer' AND read_without_nul(output) #> '{state,draft,text}' IS NOT NULL;
DROP FUNCTION convert_to_blocks(jsonb, jsonb);
DROP FUNCTION read_without_nul(text);
