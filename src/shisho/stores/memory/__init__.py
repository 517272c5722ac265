"""Stores that keep nothing: for tests, and for trying things out."""
