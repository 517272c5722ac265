"""A provider of language models on this machine that speaks the real wire formats, and fails as the real ones
do. For tests."""
