"""Corpora: ingest, passages, and their ranking."""
