"""The desk: all verbs of a visitor, each once. Interfaces are thin layers over `Desk`."""

from shisho.services.adding import resolve_path
from shisho.services.desk import Desk

__all__ = ["Desk", "resolve_path"]
