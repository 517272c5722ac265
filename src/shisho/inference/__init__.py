"""Models: language models behind the port `Llm`, and text to vectors. Nothing of it is imported where no
model is set and no vector is there."""
