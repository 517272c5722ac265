"""One request over HTTP: which address, at which pace, what comes back."""
