"""Readers: one module per file format, run in a child process."""
