"""How people and programs reach the library: thin layers over its methods."""
