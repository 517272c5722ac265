"""The desk: what a visitor may ask, each verb once. Interfaces are thin shells over `Desk`."""

from shisho.desk.adding import resolve_path
from shisho.desk.desk import Desk

__all__ = ["Desk", "resolve_path"]
