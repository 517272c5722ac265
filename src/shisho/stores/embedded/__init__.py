"""Stores in SQLite, the source of truth; every index is derived and can be deleted."""
