"""What users and jobs do. Interfaces are thin layers over `Library`."""

from shisho.services.adding import resolve_path
from shisho.services.library import Library

__all__ = ["Library", "resolve_path"]
