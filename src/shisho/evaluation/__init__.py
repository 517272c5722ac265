"""Measure retrieval and answering on a set of questions, through the real ingest and searcher."""
