-- A search session shares its run's id; its rows are what the librarian must never see.
CREATE TABLE session_rounds (
    session_id  text COLLATE "C" NOT NULL,
    round       integer NOT NULL,
    ranked      integer NOT NULL,
    in_scope    bigint NOT NULL,
    exhausted   boolean NOT NULL,
    PRIMARY KEY (session_id, round)
);

CREATE TABLE session_passages (
    session_id   text COLLATE "C" NOT NULL,
    number       integer NOT NULL,
    round        integer NOT NULL,
    passage_id   bigint NOT NULL,
    document_id  text COLLATE "C" NOT NULL,
    match        float8 NOT NULL,
    PRIMARY KEY (session_id, number)
);
CREATE INDEX session_passages_document ON session_passages(document_id);
