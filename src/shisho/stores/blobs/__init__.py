"""Bytes by name: in a folder, or in an object store that many machines share."""
