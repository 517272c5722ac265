"""Web pages: which next, whether a site allows it, one visit."""
