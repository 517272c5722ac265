-- Passages of a round that wait for the next page: a JSON list of passage, document and match.
ALTER TABLE session_rounds ADD COLUMN pending TEXT NOT NULL DEFAULT '[]';
-- Tokens of passages that a round of the session shows at most; 0: as many as the settings allow.
ALTER TABLE assistants ADD COLUMN room_tokens INTEGER NOT NULL DEFAULT 0;
