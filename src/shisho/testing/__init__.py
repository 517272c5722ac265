"""Tools for tests: a web in memory, and servers of language models."""
