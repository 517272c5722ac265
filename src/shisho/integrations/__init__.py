"""Shisho in the frameworks of others. Each module needs an extra of its own name, and nothing else of Shisho
needs them."""
