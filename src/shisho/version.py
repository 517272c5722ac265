"""The version of this package. A release has the same one in pyproject.toml, its tag and the changelog."""

VERSION = "0.1.0"
