-- Sessions of assistants that are their own librarians; what they were shown stands in session_rounds and session_passages.
CREATE TABLE assistants (
    id          text COLLATE "C" PRIMARY KEY,
    owner       text COLLATE "C" NOT NULL,
    strategy    text NOT NULL,
    scope       text NOT NULL,
    created_at  text COLLATE "C" NOT NULL
);
CREATE INDEX assistants_newest ON assistants(owner, created_at, id);

-- A quotation as a span of the stored text, never the text itself.
CREATE TABLE assistant_evidence (
    session_id   text COLLATE "C" NOT NULL REFERENCES assistants(id),
    number       integer NOT NULL,
    goal_id      text COLLATE "C" NOT NULL,
    document_id  text COLLATE "C" NOT NULL,
    passage_id   bigint NOT NULL,
    page         integer,
    start        integer NOT NULL,
    "end"        integer NOT NULL,
    cluster      text NOT NULL,
    score        float8 NOT NULL,
    round        integer NOT NULL,
    PRIMARY KEY (session_id, number),
    UNIQUE (session_id, goal_id, document_id, start, "end")
);
CREATE INDEX assistant_evidence_document ON assistant_evidence(document_id);
