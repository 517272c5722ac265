"""The interface shared by all entry points: operations, schemas, replies, errors."""
