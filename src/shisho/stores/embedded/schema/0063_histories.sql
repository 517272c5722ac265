-- A change has a random number besides its own: an index that has taken in change 7 of one history of the database is
-- no index of another, which goes on from a backup that knew no change 7.
ALTER TABLE changes ADD COLUMN salt INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER changes_salted AFTER INSERT ON changes BEGIN
    UPDATE changes SET salt = random() WHERE seq = new.seq;
END;
