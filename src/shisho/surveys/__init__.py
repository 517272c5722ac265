"""Answer questions about a whole collection: counts, comparisons, outlines."""
