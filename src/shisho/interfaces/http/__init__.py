"""REST over HTTP."""
