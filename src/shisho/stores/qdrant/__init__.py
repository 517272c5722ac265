"""Qdrant as a derived index: its collections can be deleted at any time."""
