-- What a search weighs of a passage, in a table of its own: a hundred of its short rows are read for each search. The
-- functions are those of `vectors.py`, known while a database is brought to this version.
CREATE TABLE term_vectors (
    passage_id     INTEGER PRIMARY KEY REFERENCES passages(id) ON DELETE CASCADE,
    document_id    TEXT NOT NULL,
    terms          BLOB NOT NULL,
    heading        BLOB NOT NULL,
    characters     BLOB NOT NULL,
    term_count     INTEGER NOT NULL,
    heading_count  INTEGER NOT NULL,
    pair_count     INTEGER NOT NULL
) STRICT;
INSERT INTO term_vectors(passage_id, document_id, terms, heading, characters, term_count, heading_count, pair_count)
    SELECT id, document_id, term_codes(terms), term_codes(heading_terms), character_codes(heading || char(10) || text),
        word_count(terms), word_count(heading_terms), word_count(bigrams)
    FROM passages;
