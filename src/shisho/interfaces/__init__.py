"""How people and programs reach the desk: thin shells over its verbs."""
