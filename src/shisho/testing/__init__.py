"""Tools that others may test with: a web in memory, servers of language models."""
