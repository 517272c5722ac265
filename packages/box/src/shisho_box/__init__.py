"""A local web: engines with their own markup, and the pages they link to, for tests, demos and benchmarks."""
