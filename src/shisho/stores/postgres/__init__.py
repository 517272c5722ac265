"""Stores in PostgreSQL, for as many servers and workers on as many machines as one likes."""
