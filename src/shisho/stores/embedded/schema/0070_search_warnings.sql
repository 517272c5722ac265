-- What an engine could not do for a search: codes, for example `paging_ignored`.
ALTER TABLE searches ADD COLUMN warnings_json TEXT NOT NULL DEFAULT '[]';
