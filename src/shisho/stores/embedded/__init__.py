"""SQLite is the truth; every index beside it is derived and may be deleted at any time."""
