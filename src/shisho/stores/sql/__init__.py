"""Stores that SQLite and PostgreSQL share, one module per noun."""
