"""The nouns: frozen data, no I/O, nothing of ours imported from outside this room."""
