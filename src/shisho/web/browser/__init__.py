"""A browser of this machine behind a guarded proxy."""
