"""Language models behind the port `Llm`. Nothing of it is imported while the setting `model` is `none`."""
