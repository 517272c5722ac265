"""Result pages of engines: which engine, one page, when to stop."""
