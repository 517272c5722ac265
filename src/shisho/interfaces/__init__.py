"""How people and programs reach the library: thin shells over its verbs."""
