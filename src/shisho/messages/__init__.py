"""Messages to people, with one catalogue of texts per language."""
