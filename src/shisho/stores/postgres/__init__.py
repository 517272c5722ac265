"""Stores in PostgreSQL, shared by any number of servers and workers."""
