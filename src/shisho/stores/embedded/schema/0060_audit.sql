-- Who asked, saw and changed what: verbs and ids, no text.
CREATE TABLE audit (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    at        TEXT NOT NULL,
    actor     TEXT NOT NULL,
    verb      TEXT NOT NULL,
    subjects  TEXT NOT NULL                   -- a JSON list
) STRICT;
CREATE INDEX audit_actor ON audit(actor, seq);

CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN
    SELECT raise(ABORT, 'the audit is only ever added to');
END;
CREATE TRIGGER audit_keeps BEFORE DELETE ON audit BEGIN
    SELECT raise(ABORT, 'the audit is only ever added to');
END;
