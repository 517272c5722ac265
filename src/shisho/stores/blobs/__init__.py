"""Bytes by name: in a folder, or in a store of objects that many machines share."""
