"""Tools that others may test with: a web in a box, a web in memory."""
