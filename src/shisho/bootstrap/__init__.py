"""Build a library from settings.

The only package that knows services and adapters. Optional drivers are imported here, inside functions.
"""
