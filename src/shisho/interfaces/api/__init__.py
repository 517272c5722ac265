"""What can be asked from outside, whichever way it comes: operations, schemas, replies, errors."""
