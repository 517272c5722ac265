"""Domain types: frozen data without I/O. This package imports no other package of Shisho."""
