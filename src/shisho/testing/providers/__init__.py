"""A local provider of language models with the real wire formats and the real failures, for tests."""
