"""Result pages of engines: choosing an engine, fetching a page, stopping."""
