"""Where things are kept: `embedded/` (SQLite and tantivy in one folder), `memory/` (nothing kept)."""
