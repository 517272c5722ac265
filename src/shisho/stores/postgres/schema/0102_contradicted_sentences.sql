-- Sentences that their quotations contradict were called altered, and the model's node that judges them entailment. The
-- stored text of a sentence stays as it is. Quotes inside a text are escaped, so only keys and values are replaced.
UPDATE answers SET body = replace(replace(replace(replace(body, '"support":"altered"', '"support":"contradicted"'),
    '"support": "altered"', '"support": "contradicted"'), '"node":"entailment"', '"node":"judge"'),
    '"node": "entailment"', '"node": "judge"')
    WHERE body LIKE '%"altered"%' OR body LIKE '%"entailment"%';
UPDATE steps SET output = replace(replace(replace(replace(output, '"support":"altered"', '"support":"contradicted"'),
    '"support": "altered"', '"support": "contradicted"'), '"node":"entailment"', '"node":"judge"'),
    '"node": "entailment"', '"node": "judge"')
    WHERE output LIKE '%"altered"%' OR output LIKE '%"entailment"%';
