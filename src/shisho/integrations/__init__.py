"""Integrations with other frameworks.

Each module needs the extra of its name; Shisho itself needs none.
"""
