"""Language models behind the port `Llm`, and text embedding.

Imported only if a model or vectors are used.
"""
