"""A browser of this machine behind our own proxy."""
