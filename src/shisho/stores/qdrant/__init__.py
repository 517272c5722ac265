"""Qdrant as a derived index: words and vectors of passages in collections that may be deleted at any time."""
