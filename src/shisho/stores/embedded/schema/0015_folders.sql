-- Folders that are remembered: whoever works on the queue takes in what changes there.
CREATE TABLE watched_folders (
    owner   TEXT NOT NULL,
    path    TEXT NOT NULL,
    corpus  TEXT NOT NULL,
    since   TEXT NOT NULL,
    PRIMARY KEY (owner, path)
) STRICT, WITHOUT ROWID;

-- How the file of a place looked when its bytes were that document; NULL where nobody knows.
ALTER TABLE places ADD COLUMN stamp TEXT;
