"""How good is it? Retrieval and answering, measured on a set of questions through the real ingest and
searcher."""
