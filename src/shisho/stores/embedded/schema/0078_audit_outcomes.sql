-- What became of an act: accepted, refused or failed, with the code of its error.
ALTER TABLE audit ADD COLUMN outcome TEXT NOT NULL DEFAULT 'accepted';
ALTER TABLE audit ADD COLUMN code TEXT NOT NULL DEFAULT '';
