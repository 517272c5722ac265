"""The librarian: from a question to a checked answer."""
