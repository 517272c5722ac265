"""The interface that every way in from outside shares: operations, schemas, replies, errors."""
