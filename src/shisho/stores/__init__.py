"""Storage: `embedded/` (SQLite, tantivy), `postgres/`, `qdrant/` (an index) and `blobs/`."""
