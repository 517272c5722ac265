"""HTTP requests: checked addresses, pacing, bounded responses."""
