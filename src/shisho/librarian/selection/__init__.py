"""Select passages and sentences that answer a question, without a model."""
