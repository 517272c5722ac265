-- What became of an act: accepted, refused or failed, with the code of its error.
ALTER TABLE audit ADD COLUMN outcome text NOT NULL DEFAULT 'accepted';
ALTER TABLE audit ADD COLUMN code text NOT NULL DEFAULT '';
-- Triggers of rows do not see that all of them go at once.
CREATE TRIGGER audit_is_whole BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION keep_audit();
